"""Transcripts of OpenHands and SWE-Gym: calls as `<function=name>`, results behind `EXECUTION RESULT of [name]:`."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_HEAD = re.compile(
    r"^(?P<mark>(?:\*\*|#{1,4} |\[)?)(?P<name>USER|HUMAN|ASSISTANT|AGENT|SYSTEM|OBSERVATION"
    r"|EXECUTION RESULT(?: of \[[\w.-]{1,80}\])?)(?:\*\*|\])?(?P<colon>:?)(?:\*\*)?[ \t]{0,9}(?P<rest>.*)$"
)
_RESULTS = ("EXECUTION RESULT", "OBSERVATION")
_PLAIN_CALLS = {"<execute_bash>": "</execute_bash>", "<execute_ipython>": "</execute_ipython>"}
_FUNCTION = "<function="
_NAMES = re.compile(r"<function=(?P<name>[\w.:-]{1,80})>")
_PARAMETER = re.compile(r"<parameter=(?P<name>[\w.:-]{1,80})>")
_CODES = frozenset({"execute_ipython_cell", "ipython", "run_ipython", "python"})


def read_openhands(text: str) -> list[Message] | None:
    """Return the messages of a transcript of OpenHands; None for any other text."""
    if _FUNCTION not in text and not any(mark in text for mark in _PLAIN_CALLS):
        return None
    found = CollectedMessages()
    has_answers = False
    for name, body in _sections(text.split("\n")):
        if name in {"USER", "HUMAN"}:
            found.hear(body)
        elif name.startswith(_RESULTS):
            has_answers = has_answers or found.calls > 0
            found.answer(body)
        elif name != "SYSTEM":
            _add_words(found, body)
    return found.messages if found.calls and has_answers else None


def _sections(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The sections with their names; what an output holds begins one only after a blank line, and marked as before."""
    name, held, is_after_gap = "", list[str](), True
    marks: dict[str, str] = {}
    for line in lines:
        head = _HEAD.match(line)
        begins = head is not None and head["mark"] == marks.get("", head["mark"])
        if head is not None and not head["colon"]:
            begins = begins and head["mark"] != "" and not head["rest"].strip()
        if head is not None and begins and name.startswith(_RESULTS):
            begins = is_after_gap and not head["rest"].strip()
        if head is not None and begins and head["name"].startswith(_RESULTS) and name in {"USER", "HUMAN"}:
            begins = not "".join(held).strip()
        if head is None or not begins:
            held.append(line)
            is_after_gap = not line.strip()
            continue
        if name:
            yield name, "\n".join(held)
        marks.setdefault("", head["mark"])
        name, held, is_after_gap = head["name"], [head["rest"]], False
    if name:
        yield name, "\n".join(held)


def _add_words(found: CollectedMessages, text: str) -> None:
    """Add what the agent says and calls."""
    place = 0
    while (begin := _next_call(text, place)) >= 0:
        found.say(text[place:begin])
        if text.startswith(_FUNCTION, begin):
            place = _add_function(found, text, begin)
            continue
        mark = next(each for each in _PLAIN_CALLS if text.startswith(each, begin))
        end = text.find(_PLAIN_CALLS[mark], begin)
        body = text[begin + len(mark) : end if end >= 0 else len(text)]
        if mark == "<execute_bash>":
            found.run(body.strip())
        else:
            found.run_code(body)
        place = end + len(_PLAIN_CALLS[mark]) if end >= 0 else len(text)
    found.say(text[place:])


_CALL = re.compile(r"<function=|<execute_bash>|<execute_ipython>")


def _next_call(text: str, place: int) -> int:
    call = _CALL.search(text, place)
    return call.start() if call else -1


def _add_function(found: CollectedMessages, text: str, begin: int) -> int:
    """Add a call; return the place behind it."""
    end = text.find("</function>", begin)
    end = len(text) if end < 0 else end
    name = _NAMES.match(text, begin)
    if name is not None:
        given = dict(_parameters(text[name.end() : end]))
        tool = name["name"]
        if tool in {"finish", "think", "task_complete"}:
            found.say("\n".join(given.get(key, "") for key in ("thought", "message")))
        elif tool in _CODES:
            found.run_code(given.get("code", ""))
        else:
            found.call(tool, given)
    return end + len("</function>")


def _parameters(body: str) -> Iterator[tuple[str, str]]:
    place = 0
    while name := _PARAMETER.search(body, place):
        end = body.find("</parameter>", name.end())
        place = end if end >= 0 else len(body)
        yield name["name"], body[name.end() : place].removeprefix("\n").removesuffix("\n")


OPENHANDS = TranscriptFormat(
    re.compile(r"^(?:\*\*|#{1,4} |\[)?(?:USER|HUMAN|ASSISTANT|SYSTEM)\b.{0,6}(?::|$)", re.MULTILINE), read_openhands
)
