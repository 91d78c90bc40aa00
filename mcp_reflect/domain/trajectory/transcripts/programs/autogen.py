"""Transcripts of AutoGen: blocks `coder (to user_proxy):`, code in fences, and `exitcode: 1 (execution failed)`.

Newer versions print blocks below `---------- coder ----------`, and calls as `[FunctionCall(name='x', …)]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import split_fences
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import (
    add_tool_call,
    given_values,
    read_object,
)
from mcp_reflect.domain.trajectory.transcripts.elements.shown_objects import ShownObject, read_shown_objects
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_HEAD = re.compile(r"^(?P<name>[\w@][\w .@-]{0,59}) \(to (?P<to>[\w@][\w .@-]{0,59})\):\s{0,9}$")
_NEWER_HEAD = re.compile(
    r"^-{6,20} (?:(?P<kind>[A-Z]\w{2,40}(?:Message|Event)) \((?P<by>[\w@][\w .@-]{0,59})\)"
    r"|(?P<name>[\w@][\w .@-]{0,59})(?: \([\w .@:/-]{1,80}\))?) -{6,20}\s{0,9}$"
)
_SHOWN = re.compile(r"^\[Function(?P<kind>Call|ExecutionResult)\(.*\)\]\s{0,9}$")
"""The calls of an agent, or what came of them."""
_RULE = re.compile(r"^-{70,100}\s{0,9}$")
_EXECUTES = re.compile(r"^>{6,10} (?:EXECUTING|USING|NO HUMAN|TERMINATING)\b.{0,200}$")
_OUTCOME = re.compile(r"^\s{0,9}exitcode: (?P<code>-?\d{1,10})\b[^\n]{0,80}\n(?:Code output:[ \t]{0,9})?\n?")
_TOOL = re.compile(r"^\*{3,9} Suggested (?:tool|function) call[^:\n]{0,80}: (?P<name>[\w.-]{1,80}) \*{3,9}$")
_RESPONSE = re.compile(r"^\*{3,9} Response from calling (?:tool|function)[^*\n]{0,120}\*{3,9}$")
_STARS = re.compile(r"^\*{10,200}$")
_SHELLS = frozenset({"sh", "bash", "shell", "zsh", "pwsh", "powershell", "ps1"})
_EXECUTORS = re.compile(r"(?:code_?)?execut\w{0,9}|terminal|tools?(?:_\w{1,20})?", re.IGNORECASE)
_ENDED_IN_ERROR = re.compile(r"exit code: (?P<code>-?\d{1,10})\b")
_SUMMARY = "Summary"
"""The name of the block in which AutoGen tells of the whole run."""
_PEOPLE = re.compile(r"user(?!_?proxy)|human|admin|customer", re.IGNORECASE)


_CALL = "FunctionCall("
_UNESCAPED = re.compile(
    r"(?:id='[^']{0,80}', )?(?:name='(?P<name>[\w.:-]{1,80})', )?arguments='(?P<given>\{.*\})'"
    r"(?:, name='(?P<name2>[\w.:-]{1,80})')?(?:, id='[^']{0,80}')?\)(?:\]|, )"
)
"""A call whose arguments are printed as they are, and not as Python shows a text."""


class _Block(NamedTuple):
    name: str
    text: str
    is_result: bool = False
    """Whether its head says that a tool has printed it."""


def read_autogen(text: str) -> list[Message] | None:
    """Return the messages of a transcript of AutoGen; None for any other text."""
    blocks = list(_blocks(text.split("\n")))
    outcomes = [_is_outcome(block) for block in blocks]
    if not any(outcomes) and not any(_SHOWN.match(line) for line in text.split("\n")):
        return None
    found = CollectedMessages()
    asker = blocks[0].name
    for number, block in enumerate(blocks):
        if _has_line(block.text, _SHOWN, len(block.text)):
            is_users = block.name == asker or _PEOPLE.match(block.name) is not None
            _add_events(found, block, "output" if outcomes[number] else "user" if is_users else "agent")
        elif outcome := _OUTCOME.match(block.text):
            output = "\n".join(_cleaned(block.text[outcome.end() :].split("\n")))
            found.answer(output, outcome["code"] != "0")
        elif outcomes[number]:
            code = _ENDED_IN_ERROR.search(block.text[:200])
            failed = code["code"] != "0" if code else None
            found.answer("\n".join(_without_stars(block.text.split("\n"))), failed)
        elif block.name == _SUMMARY:
            continue
        elif _is_printed(blocks[max(0, number - 1) : number + 1]):
            # Nobody speaks behind what they have answered before another one did: the result has printed it.
            found.answer("\n".join(_cleaned(block.text.split("\n"))))
        elif block.name == asker or _PEOPLE.match(block.name):
            found.hear("\n".join(_cleaned(block.text.split("\n"))))
        else:
            _add_words(found, block.text, is_run=outcomes[number + 1 : number + 2] == [True])
    return found.messages if found.calls else None


def _is_printed(blocks: Sequence[_Block]) -> bool:
    """Whether the second block stands behind a result and has its name, where no kinds of blocks are told."""
    first, last = blocks[0], blocks[-1]
    return first is not last and _is_outcome(first) and first.name == last.name and not first.is_result


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    """The blocks: each begins behind a rule, or behind the line that says which code is executed.

    Behind the stars that close a call its result may begin at once.
    """
    name, held, may_begin, in_call, is_result = "", list[str](), True, False, False
    for line in lines:
        head = _NEWER_HEAD.match(line) or (_HEAD.match(line) if may_begin else None)
        in_call = head is None and (in_call or _TOOL.match(line) is not None)
        if head is not None:
            if name:
                yield _Block(name, "\n".join(held).strip("\n"), is_result)
            told = head.groupdict()
            name, held, may_begin = told.get("by") or head["name"], [], False
            is_result = (told.get("kind") or "").endswith("ExecutionEvent")
        elif _RULE.match(line):
            may_begin = True
            held.append(line)
        else:
            is_end = in_call and _STARS.match(line) is not None
            may_begin = is_end or (may_begin and (not line.strip() or _EXECUTES.match(line) is not None))
            in_call = in_call and not is_end
            held.append(line)
    if name:
        yield _Block(name, "\n".join(held).strip("\n"), is_result)


def _cleaned(lines: Sequence[str]) -> list[str]:
    """The lines of a block without the rule at its end, and what the client says behind it."""
    kept = list(lines)
    while kept and (not kept[-1].strip() or _RULE.match(kept[-1]) or _EXECUTES.match(kept[-1])):
        kept.pop()
    return kept


def _without_stars(lines: Sequence[str]) -> list[str]:
    return [line for line in _cleaned(lines) if not (_RESPONSE.match(line) or _STARS.match(line))]


def _is_outcome(block: _Block) -> bool:
    is_executor = _EXECUTORS.fullmatch(block.name) is not None
    return block.is_result or is_executor or _OUTCOME.match(block.text) is not None or _has_line(block.text, _RESPONSE)


def _has_line(text: str, pattern: re.Pattern[str], most: int = 6) -> bool:
    return any(pattern.match(line) for line in text.split("\n")[:most])


def _add_events(found: CollectedMessages, block: _Block, role: str) -> None:
    """Add the words of a block and the events that it prints: calls, and what came of them."""
    words: list[str] = []
    for line in [*block.text.split("\n"), "[]"]:
        shown = _shown_in(line) if _SHOWN.match(line) else []
        if not shown and line != "[]":
            words.append(line)
            continue
        said = "\n".join(words).strip()
        if said and role == "output":
            found.answer(said)
        elif said and role == "user":
            found.hear(said)
        else:
            found.say(said.removesuffix("TERMINATE"))
        words = []
        for each in shown:
            _add_event(found, each)


def _shown_in(line: str) -> list[ShownObject]:
    """The objects that a line shows; the arguments of a call may be printed as they are, not as Python shows a text."""
    shown = read_shown_objects(line)
    given = [each.fields.get("arguments", {}) for each in shown if each.name == "FunctionCall"]
    if shown and not any(isinstance(each, str) and isinstance(given_values(each), str) for each in given):
        return shown
    plain = [
        ShownObject("FunctionCall", {"name": each["name"] or each["name2"], "arguments": told})
        for part in line.split(_CALL)[1:]
        if (each := _UNESCAPED.match(part)) and (told := read_object(each["given"])) is not None
    ]
    return plain or shown


def _add_event(found: CollectedMessages, shown: ShownObject) -> None:
    given, content = shown.fields.get("arguments", {}), shown.fields.get("content", "")
    if shown.name == "FunctionCall" and isinstance(name := shown.fields.get("name"), str):
        add_tool_call(found, name, given_values(given) if isinstance(given, str) else dict(given))
    elif shown.name == "FunctionExecutionResult":
        found.answer(str(content), True if shown.fields.get("is_error") is True else None)


def _add_words(found: CollectedMessages, text: str, *, is_run: bool) -> None:
    """Add what an agent says; the code in its fences was run where an outcome follows."""
    lines = _cleaned(text.split("\n"))
    tools = [number for number, line in enumerate(lines) if _TOOL.match(line)]
    for part in split_fences("\n".join(lines[: tools[0]] if tools else lines)):
        if part.language in _SHELLS and is_run:
            found.run(part.text)
        elif part.language in {"python", "py", ""} and is_run:
            found.run_code(part.text)
        elif part.language is None:
            found.say(part.text.strip().removesuffix("TERMINATE"))
    for begin, end in pairwise((*tools, len(lines))):
        name = _TOOL.match(lines[begin])
        given = "\n".join(line for line in lines[begin + 1 : end] if not _STARS.match(line))
        given = given.strip().removeprefix("Arguments:").strip()
        found.call(name["name"] if name else "", given_values(given))


AUTOGEN = TranscriptFormat(
    re.compile(r"^(?:[\w@][\w .@-]{0,59} \(to [\w@][\w .@-]{0,59}\):$|-{6,20} \w)", re.MULTILINE), read_autogen
)
