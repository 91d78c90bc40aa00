"""Transcripts of smolagents: numbered steps, code between rules, and what it printed behind `Execution logs:`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.code_calls import add_code
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_STEP = re.compile(r"^(?P<rule>[━─═-])(?P=rule){2,399} ?Step (?P<number>\d{1,4}) ?(?P=rule){3,400}\s{0,9}$")
_CODE = re.compile(r"^ ?[╭─]{1,3} ?Execut\w{2,5} (?:parsed|this) code:? ?[─╮ ]{2,400}$")
_RULE = re.compile(r"^ ?(?:[─━]{1,400}|╰[─━]{4,400}╯)\s{0,9}$")
_LOGS = re.compile(
    r"^(?:Execution logs|Observations?|Last output from code snippet|Out(?: - Final answer)?):[ \t]{0,9}(?P<rest>.*)$"
)
_PLAIN_CODE = re.compile(r"^Code:[ \t]{0,9}$")
_PLAIN_LOGS = re.compile(r"^Execution logs:[ \t]{0,9}(?P<rest>.*)$")
_ANSWER = re.compile(r"^(?:Out - )?Final answer:[ \t]{0,9}(?P<rest>.*)$")
_TASK = re.compile(r"^(?:New task|Task):[ \t]{0,9}(?P<rest>.*)$")
_FAILED = re.compile(
    r"^(?:(?:InterpreterError: )?Code execution failed|Error in (?:code parsing|generating|executing)"
    r"|Error when executing)"
)
_TOOL = re.compile(r"Calling tool:? '(?P<name>[\w.-]{1,80})' with arguments:? (?P<given>\{.*\})")
_SUMMARY = re.compile(r"^\[Step \d{1,4}: Duration .{0,200}$")
_LINE_NUMBER = re.compile(r"^ {0,4}\d{1,4} ")
_SIDES = ("│", "┃")
_FINAL = "final_answer("
_LONGEST_LINE = 4_000


def read_smolagents(text: str) -> list[Message] | None:
    """Return the messages of a transcript of smolagents; None for any other text."""
    lines = text.split("\n")
    steps = _step_places(lines)
    if not steps:
        return None
    if lines[steps[0]].startswith("-") and not any(map(_PLAIN_LOGS.match, lines)):
        return None
    found = CollectedMessages()
    found.hear("\n".join(_unframed(lines[: steps[0]]) or _named_task(lines[: steps[0]])))
    for begin, end in zip(steps, [*steps[1:], len(lines)], strict=True):
        _add_step(found, lines[begin + 1 : end])
    return found.messages if found.calls else None


def _step_places(lines: Sequence[str]) -> list[int]:
    """The lines at which the steps begin, each with the number behind that of the one before it."""
    places: list[int] = []
    following = 0
    for number, line in enumerate(lines):
        step = _STEP.match(line)
        if step and (not places or int(step["number"]) == following):
            places.append(number)
            following = int(step["number"]) + 1
    return places


def _unframed(lines: Sequence[str]) -> list[str]:
    """The lines that stand in a frame."""
    return [_inside(line).strip() for line in lines if line.startswith(_SIDES)]


def _named_task(lines: Sequence[str]) -> list[str]:
    """The lines of the task where it stands behind a word for it and in no frame."""
    begins = [(number, task["rest"]) for number, line in enumerate(lines) if (task := _TASK.match(line))]
    return [begins[0][1], *lines[begins[0][0] + 1 :]] if begins else []


def _inside(line: str) -> str:
    """A line of a frame without its sides."""
    return line[1:].removeprefix(" ").rstrip().rstrip("│┃").rstrip()


def _add_step(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add a step: words, then code, then what it printed, to the end."""
    held: list[str] = []
    kind, failed, calls = "words", None, found.calls
    for line in lines:
        short = line if len(line) <= _LONGEST_LINE else ""
        tool = _TOOL.search(short) if kind == "words" else None
        if kind == "words" and (_CODE.match(short) or _PLAIN_CODE.match(short)):
            _add_part(found, kind, held)
            kind, held = "code", []
        elif tool:
            _add_part(found, kind, held)
            _add_tool(found, tool["name"], read_object(tool["given"]) or {})
            held = []
        elif kind == "code" and (behind := _behind_code(held, line)):
            _add_part(found, kind, held)
            kind, held = behind
        elif kind == "words" and found.calls and (logs := _LOGS.match(line)):
            _add_part(found, kind, held)
            kind, held = "logs", [logs["rest"]] if logs["rest"] else []
        elif kind == "words" and _FAILED.match(short):
            _add_part(found, kind, held)
            kind, held, failed = "logs", [line], True
        elif kind != "logs" or not _SUMMARY.match(short):
            failed = failed or (True if kind == "logs" and _FAILED.match(short) else None)
            held.append(line)
    if kind != "logs" or found.calls > calls:  # behind a final answer it is told again
        _add_part(found, kind, held, failed=failed)


def _behind_code(code: Sequence[str], line: str) -> tuple[str, list[str]] | None:
    """The kind of what a line begins behind code, with what it tells of that; None for another line of the code.

    Code in a frame ends with it; any other at a rule, or at what the program prints behind it.
    """
    short = line if len(line) <= _LONGEST_LINE else ""
    if _RULE.match(short):
        return "words", []
    if any(each.startswith(_SIDES) for each in code[:1]):
        return None
    if answer := _ANSWER.match(line):
        return "words", [answer["rest"]]
    logs = _PLAIN_LOGS.match(line)
    return ("logs", [logs["rest"]] if logs and logs["rest"] else []) if logs or _SUMMARY.match(short) else None


def _add_part(found: CollectedMessages, kind: str, lines: list[str], *, failed: bool | None = None) -> None:
    if kind == "logs":
        found.answer("\n".join(lines), failed)
    elif kind == "words":
        words = [line for line in lines if not line.startswith(("╭", "╰", "[Step ", "Output message of the LLM", "─"))]
        found.say("\n".join(words).strip().removeprefix("Thought:"))
    else:
        if lines and all(not line.strip() or line.startswith(_SIDES) for line in lines):
            lines = [_LINE_NUMBER.sub("", _inside(line)) for line in lines]
        _add_code(found, without_fence(textwrap.dedent("\n".join(lines)).replace("<end_code>", "")))


def _add_code(found: CollectedMessages, code: str) -> None:
    """Add a cell; its final answer is what the agent says."""
    before, _, answer = code.partition(_FINAL)
    is_answer = bool(answer) and answer.lstrip().lstrip("f")[:1] in {'"', "'"}
    if (before if is_answer else code).strip():
        add_code(found, before if is_answer else code)
    if is_answer:
        found.say(answer.strip().rstrip(")").lstrip("f").strip("\"'"))


def _add_tool(found: CollectedMessages, name: str, given: dict[str, object]) -> None:
    if name == "final_answer":
        found.say("\n".join(map(str, given.values())))
    elif name == "python_interpreter":
        add_code(found, str(given.get("code", "")))
    else:
        found.call(name, given)


SMOLAGENTS = TranscriptFormat(re.compile(r"^(?:[━─═-]{3,400} ?Step \d|╭)", re.MULTILINE), read_smolagents)
