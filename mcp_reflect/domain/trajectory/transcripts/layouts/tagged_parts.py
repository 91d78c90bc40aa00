"""Transcripts in elements: `<user>…</user>`, `<assistant><run>make</run></assistant>`, `<output code="2">…</output>`.

Elements of an output are text: whoever speaks or acts stands outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import SHELLS, is_instrument
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import CALL_TAGS, add_tagged_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import role_of_label
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_OPENING = re.compile(r"<(?P<tag>[A-Za-z][\w.-]{0,40})(?P<given>(?:[ \t\n][^<>]{0,400})?)>")
_WRAPPER = re.compile(
    r"(?:<\?xml[^<>]{0,200}\?>\s{0,200})?<(?P<tag>session|transcript|trajectory|run|conversation|log|history|episode"
    r"|messages|chat|trace|dialog|dialogue|task_run|agent_run)(?P<given>(?:[ \t\n][^<>]{0,400})?)>\s{0,200}(?=<\w)",
    re.IGNORECASE,
)
_TURN = re.compile(r"(?:turn|step|message|msg|entry|event|iteration)s?", re.IGNORECASE)
_ROLE = re.compile(r"\b(?:role|from|by|speaker|author)=[\"'](?P<role>[\w -]{1,30})[\"']")
_CODE = re.compile(r"\b(?:code|exit|exit[_-]?code|status|rc|returncode)=[\"']?(?P<code>-?\d{1,5})\b")
_NUMBERED = re.compile(
    r"(?:\s{1,9}(?:n|nr|no|id|num|number|step|turn|t|ts|time|at)=[\"'][\w.:/+ -]{1,40}[\"']){0,4}\s{0,9}"
)
"""Attributes that only count the elements, or tell when each began."""
_ERROR = re.compile(r"\b(?:is_?error|failed|error)=[\"']?(?P<said>true|false|1|0|yes|no)\b", re.IGNORECASE)
_AGENT = frozenset(
    {"say", "said", "think", "reason", "reply", "message", "text", "note", "comment", "summary", "report"}
)
_RESULTS = frozenset({"stderr", "error", "tool_output", "tool-output", "observations"})
_CODES = frozenset({"python", "code", "ipython"})
_RESULT = re.compile(r"<(?P<tag>[A-Za-z_-]{0,20}(?:outputs?|results?|observations?|stdout|stderr))(?:\s[^<>]{0,400})?>")
_MOST_UNCLOSED = 40
"""Names of elements that nothing closes."""
_MOST_LEVELS = 4
_MOST_BEFORE = 400
"""Characters of a banner before the first element."""


class _Element(NamedTuple):
    """An element with its role; one that nothing is known of, and text between elements, have an empty role."""

    role: str
    tag: str
    given: str
    body: str


def read_tagged_parts(text: str) -> list[Message] | None:
    """Return the messages of a transcript in elements; None for any other text.

    The user's element is the first one; the agent has elements, too, and calls have outputs.
    """
    wrapper = _WRAPPER.search(text[:_MOST_BEFORE])
    begin = wrapper.end() if wrapper else max(text.find("<", 0, _MOST_BEFORE), 0)
    first = _OPENING.match(text, begin)
    if first is None or (text[:begin].strip() and not wrapper):
        return None
    reader = _Reader()
    reader.read(text, begin, len(text))
    is_run = reader.roles[:1] == ["user"] and reader.found.calls and reader.has_result
    return reader.found.messages if is_run and "agent" in reader.roles else None


class _Reader:
    """Adds the elements of a text, one behind the other; those of the agent and of a turn hold further ones."""

    def __init__(self) -> None:
        self.found = CollectedMessages()
        self.roles: list[str] = []
        self.has_result = False
        self._unclosed: set[str] = set()
        self._level = 0

    def read(self, text: str, begin: int, end: int, *, inside: str = "") -> None:
        """Add what stands between two places; `inside` is the role of the element that they are in."""
        if self._level > _MOST_LEVELS:
            self._add_text(text[begin:end], inside)
            return
        for element in self._elements(text, begin, end, inside=inside):
            self._add(element, inside)

    def _add(self, element: _Element, inside: str) -> None:
        role, body = element.role, element.body
        if not role:
            self._add_text(body, inside)
            return
        self.roles.append(role)
        if role in {"user", "task"}:
            self.roles[-1] = "user"
            self.found.hear(body)
        elif role == "result":
            self.has_result = self.has_result or self.found.calls > 0
            self.found.answer(body, _failed(element.given))
        elif role in {"agent", "turn"}:
            self._level += 1
            self.read(body, 0, len(body), inside="agent" if role == "agent" else inside)
            self._level -= 1
        elif role == "call":
            self._call(element)

    def _add_text(self, text: str, inside: str) -> None:
        """Add text between elements: the agent's where it speaks, else observed."""
        if not text.strip():
            return
        if inside == "agent":
            self.found.say(text)
        else:
            self.found.answer(text)

    def _call(self, element: _Element) -> None:
        tag, body = element.tag.lower(), element.body
        is_plain = _NUMBERED.fullmatch(element.given) is not None
        if tag in _CODES and is_plain:
            self.found.run_code(body)
        elif tag in SHELLS and is_plain and not body.lstrip().startswith("<"):
            self.found.run(body.strip().removeprefix("$ "))
        elif not add_tagged_call(self.found, tag, element.given, body):
            self.found.say(body)

    def _elements(self, text: str, begin: int, end: int, *, inside: str) -> Iterator[_Element]:
        place = begin
        unclosed = self._unclosed if not inside else set[str]()
        while place < end:
            opening = _next_opening(text, place, end, inside=inside)
            if opening is None:
                break
            role = _role(opening["tag"], opening["given"], inside)
            mark = f"</{opening['tag']}>"
            is_unclosed = mark in unclosed or len(unclosed) >= _MOST_UNCLOSED
            closing = -1 if is_unclosed else _closing(text, mark, opening.end(), end, holds=role in {"agent", "turn"})
            if role == "call" and inside == "agent" and not _ends_line(text, closing + len(mark)):
                closing = -1
            elif closing < 0:
                unclosed.add(mark)
            if closing < 0 and role not in {"result", "user", "task"}:
                yield _Element("", "", "", text[place : opening.end()])
                place = opening.end()
                continue
            yield _Element("", "", "", text[place : opening.start()])
            last = closing if closing >= 0 else end
            body = text[opening.end() : last].strip("\n")
            # Behind words of the user that nothing ends, whatever stands there may be anybody's.
            yield _Element(role if closing >= 0 else "result", opening["tag"], opening["given"], body)
            place = last + len(mark) if closing >= 0 else end
        rest = text[place:end].strip()
        if rest and not re.fullmatch(r"(?:</[\w.-]{1,40}>\s{0,200}){1,3}", rest):
            yield _Element("", "", "", rest)


def _next_opening(text: str, place: int, end: int, *, inside: str) -> re.Match[str] | None:
    """The next element of a known role: outside of the agent's words it begins a line or stands behind another one."""
    while 0 <= place < end:
        place = text.find("<", place, end)
        if place < 0:
            return None
        opening = _OPENING.match(text, place, end)
        before = text[max(place - 9, 0) : place].rstrip(" \t")
        begins = not before or before[-1] in "\n>"
        if opening and begins and _role(opening["tag"], opening["given"], inside):
            return opening
        place = opening.end() if opening else place + 1
    return None


def _closing(text: str, mark: str, begin: int, end: int, *, holds: bool) -> int:
    """The place of the mark that closes an element, -1 without one; what outputs in one that holds them say is none."""
    closing = text.find(mark, begin, end)
    while holds and closing >= 0 and (result := _RESULT.search(text, begin, closing)):
        inner = f"</{result['tag']}>"
        last = text.find(inner, result.end(), end)
        if last < 0:
            break
        begin = last + len(inner)
        closing = text.find(mark, begin, end) if begin > closing else closing
    return closing


def _ends_line(text: str, place: int) -> bool:
    """Return true where nothing but a further element stands behind a place in its line."""
    rest = text[place : place + 9].lstrip(" \t")
    return not rest or rest[0] in "\n<"


def _role(tag: str, given: str, inside: str) -> str:
    """The role of an element by its name, or of a turn by what its attributes tell; empty for an unknown one."""
    name = tag.lower()
    if _TURN.fullmatch(name) and inside != "agent":
        told = _ROLE.search(given)
        if told and told["role"].lower() in {"tool", "function"}:
            return "result"
        return _role(told["role"].replace(" ", "_"), "", inside) if told else "turn"
    if name in SHELLS or name in CALL_TAGS or name in _CODES or is_instrument(name):
        return "call"
    if name in _AGENT:
        return "agent" if inside == "agent" or name not in {"message", "text", "note", "comment"} else ""
    role = "result" if name in _RESULTS else role_of_label(name)
    if inside == "agent" and role in {"user", "task", "system"}:
        return ""
    return "result" if role == "weak result" else role


def _failed(given: str) -> bool | None:
    if code := _CODE.search(given):
        return int(code["code"]) != 0
    said = _ERROR.search(given)
    return said["said"].lower() in {"true", "1", "yes"} if said else None


TAGGED_PARTS = TranscriptFormat(
    re.compile(r"^<(?:\?xml|[A-Za-z][\w.-]{1,30}(?:[ \t][^<>\n]{0,400})?>)", re.MULTILINE), read_tagged_parts
)
