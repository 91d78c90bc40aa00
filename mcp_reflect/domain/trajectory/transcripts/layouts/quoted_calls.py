"""Exports in Markdown with each call in a block quote: `> 🔧 run_sql`, what it was given, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import split_fences
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import foreign_words
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_told_call
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import TurnLabels, read_turn_head
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_BEGINS_CALL = re.compile(
    r"> ?(?:[⚙🔧🛠⚡]\ufe0f?|\*\*(?:tool(?: call)?|call)(?::\*\*|\*\*:?))[ \t]{0,3}(?:tool(?: call)?: ?)?"
    r"[`*]{0,3}(?P<tool>[A-Za-z_][\w./:-]{0,80}?)[`*]{0,3}"
    r"(?:[ \t]{0,3}[·:|–—-]?[ \t]{0,3}(?P<given>[`({].*))?[ \t]{0,9}"
)
_RESULTS = "|".join(sorted({"result", "output", "response", *foreign_words("result")}, key=len, reverse=True))
_RESULT = re.compile(
    rf"[*_`]{{0,3}}(?:{_RESULTS})s?[ \t]?(?:[:：][*_`]{{0,3}}|[*_`]{{1,3}}[:：]?)[ \t]{{0,4}}", re.IGNORECASE
)
_RULE = re.compile(r"[-_*]{3,40}[ \t]{0,9}")
_MOST_BEFORE = 20
"""Lines of a title before the first turn."""


def read_quoted_calls(text: str) -> list[Message] | None:
    """Return the messages of an export with calls in block quotes; None for any other text.

    All lines of an output stand behind `>`, so that none of them can begin a turn.
    """
    lines = text.split("\n")
    heads = (n for n, line in enumerate(lines[:_MOST_BEFORE]) if (head := read_turn_head(line)) and head.may_be_first)
    begin = next(heads, -1)
    if begin < 0 or any(line.startswith((">", "```")) for line in lines[:begin]):
        return None
    found, labels = CollectedMessages(), TurnLabels()
    role, held, number = "", list[str](), begin
    while number <= len(lines):
        line = lines[number] if number < len(lines) else ""
        head = read_turn_head(line)
        begins = labels.role(head, has_calls=found.calls > 0) if head else ""
        end = _end_of_quote(lines, number) if _BEGINS_CALL.fullmatch(line) and role == "agent" else number
        if begins or end > number or number == len(lines):
            _speak(found, role, held)
            held = [head.rest] if head and begins else []
        elif not _RULE.fullmatch(line):
            held.append(line)
        if end > number and not _add_call(found, [line[1:].removeprefix(" ") for line in lines[number:end]]):
            held = list(lines[number:end])
        role, number = begins or role, max(end, number + 1)
    has_output = any(message.get("type") == "function_call_output" for message in found.messages)
    return found.messages if has_output else None


def _end_of_quote(lines: Sequence[str], number: int) -> int:
    """The number of the line behind a block quote, which ends before the next call in it."""
    end = number + 1
    while end < len(lines) and lines[end].startswith(">") and not _BEGINS_CALL.fullmatch(lines[end]):
        end += 1
    return end


def _speak(found: CollectedMessages, role: str, lines: Sequence[str]) -> None:
    if role == "user":
        found.hear("\n".join(lines), is_sure=True)
    elif role == "agent":
        found.say("\n".join(lines))


def _add_call(found: CollectedMessages, quoted: Sequence[str]) -> bool:
    """Add the call that a block quote tells, and what came of it; return false where it tells none."""
    begins = _BEGINS_CALL.fullmatch(f"> {quoted[0]}")
    if begins is None or not is_tool_name(begins["tool"]):
        return False
    before, tool, given, rest = found.calls, begins["tool"], begins["given"], "\n".join(quoted[1:])
    if given:
        add_noted_call(found, tool, given.strip("`"))
    else:
        parts = [part for part in split_fences(rest) if part.text.strip()]
        if not parts or parts[0].language is None:
            return False
        add_told_call(found, "tool", tool, parts[0].text)
        fence = rest.index(parts[0].text)
        rest = rest[fence + len(parts[0].text) :].lstrip("\n").partition("\n")[2]
    if found.calls > before:
        found.answer(_output(rest))
    return found.calls > before


def _output(text: str) -> str:
    """What stands behind the label of a result, without the fence or the backquotes around it."""
    text = text.strip("\n")
    label = _RESULT.match(text)
    parts = [part for part in split_fences(text[label.end() :] if label else text) if part.text.strip()]
    return "\n".join(part.text.strip("\n") if part.language is not None else part.text.strip("\n`") for part in parts)


QUOTED_CALLS = TranscriptFormat(re.compile(r"^(?:\*\*|#{1,6} )[^\W\d_][^\n]{0,40}$", re.MULTILINE), read_quoted_calls)
