"""Lines of a chat of Aider: its commands, its notes, and what it asks."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re

CHAT = re.compile(r"^# (?:aider )?chat started at ")
BANNER = re.compile(r"^(?:> )?(?:[Aa]ider v\d|(?:[\w. ·|-]{1,40})?Main model: .{0,200})")
PROMPT_OF_FILES = re.compile(r"^(?:[\w./-]{1,100}\.\w{1,8} ?){1,4}> ")
"""The files in the chat before the prompt."""
STARTED = re.compile(r"^[$%❯] aider\b")
RUN = re.compile(r"^(?:#### |> )?(?:/(?:run|test|git|lint)|!) ?(?P<command>.{0,4000})$")
RAN = re.compile(r"^(?:> )?Running (?P<command>\S.{0,4000})$")
RAN_COMMAND = ("#### I ran this command", "#### I ran the command")
READ = re.compile(r"^(?:#### |> )?/(?:add|read(?:-only)?) (?P<path>\S.{0,400})$")
OTHER_COMMAND = re.compile(r"^(?:#### |> )/(?!(?:ask|code|architect)\b)[a-z-]{2,20}\b")
ADDED = re.compile(
    r"^(?:> )?(?:Command exited \d{1,3}\. )?"
    r"Add (?:the |\d[\d.,k]{0,9} )?.{0,60}(?:output|tokens) .{0,40}to (?:the )?chat\?"
)
NOTE = re.compile(
    r"^(?:> )?(?:Applied edit to|Commit [0-9a-f]{6,40}|Added |Aider v|Main model|Weak model|Model:|Git repo:|Repo-map"
    r"|Use /help|Tokens:|Cost:|Dropping|Removed |Allow edits|Create new file|Add .{0,200} to the chat\?"
    r"|Run shell command|Run these|Git working dir|Fixed |Warning:|Restored previous|Only \d|https?://aider"
    r"|Did not apply edit|You can )"
)
CLOSING_NOTE = re.compile(r"^(?:> )?(?:Commit [0-9a-f]{6,40}\b|Tokens: \d|Cost: \$)")
PROMPTS = ("> ", "#### ")
NOT_APPLIED = re.compile(
    r"SearchReplaceNoExactMatch|did not conform to the edit format|failed to match|malformed response"
)
APPLIED = re.compile(r"^(?:> )?Applied edit to (?P<path>\S.{0,400})$")
FENCE_LINE = re.compile(r"^(?:`{3,8}|~{3,8})(?P<language>[\w.+-]{0,40})\s{0,9}$")
PATH = re.compile(r"^[*`#\s]{0,8}(?P<path>(?=[^\s]*[./\w])[\w.@+~/\\()\[\]-]{1,300})[*`:\s]{0,8}$")
ANSWERED = re.compile(r"^(?:[ynad]|yes|no|all|skip)$", re.IGNORECASE)


def without_closing_notes(lines: Sequence[str]) -> Sequence[str]:
    """Lines without what Aider tells at the end of a turn, which stands apart."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or CLOSING_NOTE.match(lines[end - 1])):
        end -= 1
    return lines[:end] if end < len(lines) and not lines[end].strip() else lines


def next_questions(lines: Sequence[str]) -> list[int]:
    """For each line the number of the next one, it or later, that asks whether to add an output; -1 without one."""
    found, place = [-1] * len(lines), -1
    for number in range(len(lines) - 1, -1, -1):
        place = number if ADDED.match(lines[number]) else place
        found[number] = place
    return found


def fence_ends(lines: Sequence[str]) -> list[int]:
    """For each line the number of the next fence behind it; that of all lines where there is none."""
    found, place = [len(lines)] * len(lines), len(lines)
    for number in range(len(lines) - 1, -1, -1):
        found[number] = place
        place = number if FENCE_LINE.match(lines[number]) else place
    return found
