"""Transcripts below numbered headings: `### Step 1 — shell`, `**Step 1 — shell**`.

What was called and what came of it stands in fences, or is set in, the output below a word for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import SHELLS, is_instrument, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE, CallFences, OpenFence, without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.part_heads import role_of_part
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_session, add_told_call
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_STEP = re.compile(
    r"^(?P<level>#{1,6}(?= )|\*\*) ?(?:step|turn|action|call|tool call)[ #]{1,2}(?P<number>\d{1,4})(?:/\d{1,4})?"
    r"(?: ?[—–:.-]{1,2} ?| ?\()(?P<label>[`\w][^\n]{0,200}?)\)?(?:\*\*)?[ \t]{0,9}$",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^(?P<level>#{1,6}(?= )|\*\*) ?(?P<name>[^\W\d_][^\W\d]{1,20}(?: [a-z]{3,12})?)[.:]?(?:\*\*)?:?"
    r"(?:[ \t]{1,4}(?P<rest>.*))?$"
)
_ONE_WORD = re.compile(r"[a-z][a-z0-9_.-]{1,40}")
_BOLD = "**"
_MOST_BEFORE = 40
_LEAST_STEPS = 2


class _Part(NamedTuple):
    """A part below a heading; `tool` is what the heading of a step names."""

    role: str
    tool: str
    body: list[str]


def read_step_headings(text: str) -> list[Message] | None:
    """Return the messages of a transcript below numbered headings; None for any other text, such as a manual.

    The user asks first. Most steps name a tool or a note, and one at least shows what came of a call.
    """
    lines = text.split("\n")
    if not any(_STEP.match(line) for line in lines[:_MOST_BEFORE]):
        return None
    parts = _parts(lines)
    steps = [part for part in parts if part.role in {"call", "note"}]
    calls = [part for part in steps if part.role == "call"]
    is_run = len(steps) >= _LEAST_STEPS and parts[0].role == "user" and bool(calls)
    if not is_run or 2 * sum(map(_names_tool, calls)) <= len(calls):
        return None
    found = CollectedMessages()
    for part in parts:
        _add(found, part)
    messages = found.messages
    return messages if any(message.get("type") == "function_call_output" for message in messages) else None


def _names_tool(part: _Part) -> bool:
    if _ONE_WORD.fullmatch(part.tool) and CallFences.of_set_in(part.body)[1].output:
        return True
    first = part.tool.split()[0].strip("`:") if part.tool.split() else ""
    return first.lower() in SHELLS or is_instrument(first) or (is_tool_name(first) and "_" in first)


def _parts(lines: Sequence[str]) -> list[_Part]:
    """The parts in their order: a heading of a step that is not the next one belongs to the part before."""
    found: list[_Part] = []
    number, level, fence = 0, "", OpenFence()
    for line in lines:
        step, role = _STEP.match(line), _ROLE.match(line)
        if step and fence.is_free and _is_next(step, number, level, is_asked=bool(found)):
            number, level = int(step["number"]), step["level"]
            fence.end()
            label = step["label"].replace("`", "").strip()
            kind = "note" if role_of_part(label.lower()) == "agent" else "call"
            found.append(_Part(kind, label, []))
        elif role and fence.is_free and (spoken := _spoken(role, level, is_first=not found)):
            fence.end()
            found.append(_Part(spoken, "", [role["rest"] or ""]))
        elif found:
            fence.read(line)
            found[-1].body.append(line)
    return found or [_Part("", "", [])]


def _is_next(step: re.Match[str], number: int, level: str, *, is_asked: bool) -> bool:
    """Return true for the heading of the step behind a number; the request of the user may be counted as the first."""
    counted = {number + 1, 2} if is_asked and not number and step["level"] == _BOLD else {number + 1}
    return int(step["number"]) in counted and step["level"] == (level or step["level"])


def _spoken(role: re.Match[str], level: str, *, is_first: bool) -> str:
    """Who speaks below a heading: the user first of all, later below a heading that is as high as those of steps."""
    name = role_of_part(role["name"].lower().removeprefix("user ").strip())
    if name in {"user", "task"}:
        return "user" if is_first or (role["level"] == level and name == "user") else ""
    is_beside = bool(level) and (role["level"] == _BOLD) == (level == _BOLD) and len(role["level"]) <= len(level)
    return {"agent": "note", "result": "result"}.get(name, "") if is_beside else ""


def _add(found: CollectedMessages, part: _Part) -> None:
    text = "\n".join(part.body).strip("\n")
    if part.role == "user":
        found.hear(text)
        return
    if part.role == "note" or (part.role == "result" and not any(map(FENCE.match, part.body))):
        found.say(text)
        return
    if part.role == "result":
        found.answer(without_fence(text))
        return
    begin = next((n for n, line in enumerate(part.body) if FENCE.match(line)), len(part.body))
    before, fences = "\n".join(part.body[:begin]), CallFences.of(part.body[begin:])
    if begin == len(part.body):
        before, fences = CallFences.of_set_in(part.body)
    if not fences.given.strip():
        found.say(text)
        return
    found.say(before)
    if ("\n" in fences.given or not fences.output.strip()) and add_session(found, part.tool, fences.whole):
        found.say(fences.behind)
        return
    calls = found.calls
    add_told_call(found, "tool", part.tool, fences.given)
    if fences.output.strip() and found.calls > calls:
        found.answer(fences.output)
    found.say(fences.behind)


STEP_HEADINGS = TranscriptFormat(re.compile(r"^(?:\*\*|#{1,6} )", re.MULTILINE), read_step_headings)
