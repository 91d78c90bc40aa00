"""Exports of Cline and of Roo Code in Markdown: turns below `**User:**` and `**Assistant:**`, calls as elements.

The turn of the user also holds what came of a call: `[execute_command for 'make'] Result:`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.cline_calls import SPOKEN_TOOLS, add_cline_call, add_cline_words
from mcp_reflect.domain.trajectory.transcripts.programs.cline_results import (
    DETAILS,
    SPOKEN_ELEMENTS,
    failure_of,
)

_TURN = re.compile(r"^\*\*(?P<role>User|Assistant):\*\*\s{0,9}$")
_RULE = "---"
_RESULT = re.compile(
    r"^\[(?P<tool>[a-z]\w{2,60})(?P<given>(?: (?:for|in|to|on|with) .{0,400})?)\] Result:[ \t]{0,9}(?P<rest>.*)$"
)
_PLAIN_RESULT = re.compile(r"^\[(?:Tool|Tool Result)(?P<failed> \(Error\))?\]\s{0,9}$")
_CALL = re.compile(r"^\[Tool Use: (?P<tool>[\w.:-]{1,80})\]\s{0,9}$")
_ARGUMENT = re.compile(r"^(?P<name>[A-Z]\w{0,40}): (?P<value>.*)$")
_PLAIN_ARGUMENT = re.compile(
    r"^(?P<name>path|command|cwd|diff|content|result|question|search|replace|regex|file_pattern|recursive|response"
    r"|arguments|tool_name|server_name|query|line|mode): (?P<value>.*)$"
)
"""One in small letters, as versions differ: in the texts of files such lines are none."""
_TEXTS = frozenset({"content", "diff", "result", "response"})
_FEEDBACK = re.compile(r"\bthe user\b.{3,200}[:.]\s{0,9}\Z", re.IGNORECASE)
"""What Cline says in the line before the user's words in the result of a call."""
_OWN = re.compile(r"\s{0,9}\[(?:ERROR|TASK RESUMPTION|NOTE)\]|\s{0,9}# Todos|\s{0,9}\[Image\]")
"""Turns of the user that the client has written."""


def read_cline_export(text: str) -> list[Message] | None:
    """Return the messages of an export of Cline; None for any other text."""
    found = CollectedMessages()
    has_output = False
    for role, lines in _turns(text.split("\n")):
        if role == "Assistant":
            _add_agent(found, lines)
        else:
            has_output = _add_user(found, lines) or has_output
    return found.messages if found.calls and has_output else None


def _turns(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The turns; a line that looks like the head of one in an output begins none unless a gap stands around it."""
    role, held = "", list[str]()
    for number, line in enumerate(lines):
        turn = _TURN.match(line)
        is_apart = (number == 0 or not lines[number - 1].strip()) and not (lines[number + 1 : number + 2] or [""])[
            0
        ].strip()
        if turn is None or not is_apart:
            held.append(line)
            continue
        if role:
            yield role, _without_rule(held)
        role, held = turn["role"], []
    if role:
        yield role, _without_rule(held)


def _without_rule(lines: list[str]) -> list[str]:
    while lines and (not lines[-1].strip() or lines[-1].strip() == _RULE):
        lines.pop()
    return lines


def _add_user(found: CollectedMessages, lines: Sequence[str]) -> bool:
    """Add a turn of the user: results of calls, and words; return true where it holds a result."""
    kind, tool, failed, held = "", "", False, list[str]()
    has_output = False
    for line in [*_without_details(lines), None]:
        result = _RESULT.match(line) if line is not None else None
        plain = _PLAIN_RESULT.match(line) if line is not None else None
        if line is not None and not result and not plain:
            held.append(line)
            continue
        if kind:
            _add_result(found, tool, held, failed=failed)
        else:
            _add_words(found, "\n".join(held))
        kind, held = "result", [result["rest"]] if result else []
        tool = result["tool"] if result else ""
        failed = plain is not None and plain["failed"] is not None
        has_output = has_output or (line is not None and found.calls > 0)
    return has_output


def _without_details(lines: Sequence[str]) -> list[str]:
    """The lines of a turn without what the client adds of its surroundings."""
    kept: list[str] = []
    last = max((number for number, line in enumerate(lines) if line.strip() == DETAILS[1]), default=-1)
    begin = max((number for number, line in enumerate(lines[: last + 1]) if line.startswith(DETAILS[0])), default=-1)
    for number, line in enumerate(lines):
        if not (0 <= begin <= number <= last):
            kept.append(line)
    return kept


def _add_result(found: CollectedMessages, tool: str, lines: Sequence[str], *, failed: bool) -> None:
    """Add a result; the user may have said something to it, which Cline puts into an element below its own words."""
    output, words = list(lines), ""
    for number, line in enumerate(lines):
        name = line.strip().removeprefix("<").partition(">")[0]
        before = next((each for each in reversed(lines[max(0, number - 3) : number]) if each.strip()), "")
        is_asked = tool == "ask_followup_question" and not before.strip()
        if line.startswith("<") and name in SPOKEN_ELEMENTS and (is_asked or _FEEDBACK.search(before[:400])):
            output, words = list(lines[:number]), "\n".join(lines[number:])
            break
    told = "\n".join(output).strip("\n")
    if tool not in SPOKEN_TOOLS:
        found.answer(told, failed or failure_of(tool, told))
    if words:
        _add_words(found, words)


def _add_words(found: CollectedMessages, text: str) -> None:
    """Add words of the user, which stand in an element or alone."""
    text = text.strip()
    if not text or _OWN.match(text):
        return
    for name in SPOKEN_ELEMENTS:
        if text.startswith(f"<{name}>"):
            text = text.removeprefix(f"<{name}>").partition(f"</{name}>")[0]
            break
    found.hear(text)


def _add_agent(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add a turn of the agent: words with calls among them, as elements or behind `[Tool Use: name]`."""
    held: list[str] = []
    number = 0
    while number < len(lines):
        call = _CALL.match(lines[number])
        if call is None:
            held.append(lines[number])
            number += 1
            continue
        add_cline_words(found, "\n".join(held))
        held, given, name = [], dict[str, list[str]](), ""
        number += 1
        while number < len(lines) and not _CALL.match(lines[number]):
            argument = _ARGUMENT.match(lines[number])
            if argument is None and name not in _TEXTS:
                argument = _PLAIN_ARGUMENT.match(lines[number])
            if argument:
                name = argument["name"].lower()
            if name:
                given.setdefault(name, []).append(argument["value"] if argument else lines[number])
            number += 1
        add_cline_call(found, call["tool"], {each: "\n".join(value).rstrip("\n") for each, value in given.items()})
    add_cline_words(found, "\n".join(held))


CLINE_EXPORT = TranscriptFormat(
    re.compile(r"\A\s{0,99}(?:# .{0,200}\n\s{0,99})?(?:-{3,9}\n\s{0,99})?\*\*User:\*\*\s{0,9}\n"), read_cline_export
)
