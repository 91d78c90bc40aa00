"""Transcripts of OpenHands as its console prints them: `ACTION CmdRunAction: make`, `OBSERVATION (exit code 1):`.

The same may stand in boxes: `[AGENT] CmdRunAction: make`, `[OBSERVATION exit=1]`. Without boxes a part begins behind a
gap, but what came of an action may stand right below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.openhands_acts import (
    ACTION_NAME,
    add_action,
    add_words_and_actions,
)
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CODE = r"(?:exit(?:[ _]code)?|rc|returncode)[=: ]{1,2}(?P<code>-?\d{1,5})"
_BOXED = re.compile(
    rf"^\[(?P<name>USER|HUMAN|TASK|AGENT|ASSISTANT|OBSERVATION|ACTION|THOUGHT|FINISH)(?: \w{{1,40}}Observation)?"
    rf"(?: \(?{_CODE}\)?)?\]:?(?:[ \t]{{1,4}}(?P<rest>.*)|[ \t]{{0,9}})$"
)
_PLAIN = re.compile(
    r"^(?P<name>USER|HUMAN|TASK|AGENT|ASSISTANT|OBSERVATION|ACTION|THOUGHT|FINISH)"
    rf"(?:(?: MESSAGE| FINISH| \w{{1,40}}Observation| (?P<act>{ACTION_NAME})(?:Action)?)?(?: \({_CODE}\))?)"
    r"(?:(?P<colon>:)(?:[ \t]{1,4}(?P<rest>.*))?)?[ \t]{0,9}$"
)
_ENDED = re.compile(rf"(?:\A|\n)\[{_CODE}\]\s{{0,9}}\Z")
_USERS = frozenset({"USER", "HUMAN", "TASK"})
_MOST_BEFORE = 20
_LONGEST_END = 60
_RULE = re.compile(r"[-=─━]{3,200}[ \t]{0,9}")


class _Part(NamedTuple):
    name: str
    act: str
    code: str
    lines: list[str]


def read_openhands_actions(text: str) -> list[Message] | None:
    """Return the messages of a transcript in actions of OpenHands; None for any other text."""
    lines = text.rstrip().split("\n")
    while lines and _RULE.fullmatch(lines[-1]):
        lines.pop()
    forms = (form for line in lines[:_MOST_BEFORE] for form in (_BOXED, _PLAIN) if form.match(line))
    form = next(forms, None)
    parts = _parts(lines, form) if form else []
    if not parts or parts[0].name not in _USERS:
        return None
    found = CollectedMessages()
    for part, following in zip_longest(parts, parts[1:]):
        seen = following.lines if following is not None and following.name == "OBSERVATION" else ()
        _add_part(found, part, seen)
    has_output = any(message.get("type") == "function_call_output" for message in found.messages)
    return found.messages if has_output else None


def _parts(lines: Sequence[str], form: re.Pattern[str]) -> list[_Part]:
    """The parts, whose heads are all in boxes or all without them."""
    parts: list[_Part] = []
    is_after_gap = True
    for line in lines:
        head = form.match(line)
        name = head["name"] if head else ""
        before = parts[-1].name if parts else ""
        is_below = (name, before) == ("OBSERVATION", "ACTION")
        begins = head is not None and (is_after_gap or not parts or form is _BOXED or is_below)
        if name == "OBSERVATION" and before not in {"ACTION", "AGENT", "ASSISTANT"}:
            begins = False
        is_after_gap = not line.strip() or _RULE.fullmatch(line) is not None
        if head is not None and begins:
            act = head["act"] if form is _PLAIN else ""
            parts.append(_Part(name, act or "", head["code"] or "", [head["rest"] or ""]))
        elif parts:
            parts[-1].lines.append(line)
    return parts


def _add_part(found: CollectedMessages, part: _Part, seen: Sequence[str]) -> None:
    text = "\n".join(part.lines).strip("\n")
    if part.name in _USERS:
        found.hear(text)
    elif part.name == "OBSERVATION":
        ended = _ENDED.search(text[-_LONGEST_END:])
        code = part.code or (ended["code"] if ended else "")
        found.answer(text[: len(text) - len(ended[0])] if ended else text, code != "0" if code else None)
    elif part.act:
        add_action(found, part.act, part.lines, seen)
    else:
        add_words_and_actions(found, text.split("\n"))


OPENHANDS_ACTIONS = TranscriptFormat(
    re.compile(
        rf"^(?:ACTION {ACTION_NAME}(?:Action)?\b|(?:\[(?:AGENT|ACTION|ASSISTANT)\] )?{ACTION_NAME}Action:)",
        re.MULTILINE,
    ),
    read_openhands_actions,
)
