"""Parsing of trajectories: chat messages of several vendors, or plain text, into one shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Never

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.asked_people import with_answers
from mcp_reflect.domain.trajectory.closing_calls import with_last_words
from mcp_reflect.domain.trajectory.error_lines import MAX_ERRORS, errors_in_text
from mcp_reflect.domain.trajectory.messages import (
    Message,
    ToolCall,
    ToolResult,
    TrajectoryEvent,
    Utterance,
    iter_events,
)
from mcp_reflect.domain.trajectory.step_records import read_record
from mcp_reflect.domain.trajectory.vendor_messages import read_vendor_message
from mcp_reflect.domain.truncate import truncate_middle

__all__ = ["MAX_DEPTH", "TRAJECTORY_FORMS", "Trajectory", "UnreadableTrajectory", "parse"]

MAX_DEPTH = 100
"""Most levels of nesting in messages: far above what agents write, far below Python's recursion limit."""

TRAJECTORY_FORMS = (
    "plain text, or a JSON array of objects: messages with a role or a type (OpenAI or Anthropic shape), or steps such "
    'as {"command": …, "output": …, "exit_code": 1}; '
    'plain text must not begin with [{, [[ or ["'
)
"""What `parse` reads, in words."""

_JSON_ARRAY = re.compile(r"[\s\ufeff]*(?=\[\s*[\[{\"])|[\s\ufeff]*(?=\[\s*\]\s*\Z)")


class UnreadableTrajectory(ValueError):
    """A trajectory of none of the TRAJECTORY_FORMS; the message says where and why."""


@dataclass(frozen=True)
class Trajectory:
    """A run as it is stored.

    `text` is the canonical form: the text itself, or a compact JSON array of the messages. `messages` is None for
    plain text. `parse(trajectory.text) == trajectory` always holds.
    """

    text: str
    messages: tuple[Message, ...] | None = None
    may_be_forged: ClassVar[bool] = False
    """Whether an output in it may look like a call, as in a transcript."""

    @classmethod
    def of(cls, messages: list[Message]) -> Trajectory:
        """Return the trajectory of messages that are valid JSON; raise ValueError or RecursionError otherwise."""
        return cls(json.dumps(messages, ensure_ascii=False, separators=(",", ":"), allow_nan=False), tuple(messages))

    @cached_property
    def events(self) -> tuple[TrajectoryEvent, ...]:
        """The utterances, tool calls and tool results in the messages, in order; plain text has none.

        What an agent asks its user by a tool, the answer, and what it says by a tool that ends the run are utterances.
        """
        found = with_last_words(event for message in self.messages or () for event in iter_events(message))
        return tuple(found if self.may_be_forged else with_answers(found))

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """Tool calls in the order they were made. Plain text has none: words about a tool are not a call."""
        return tuple(event for event in self.events if isinstance(event, ToolCall))

    @cached_property
    def tools_used(self) -> tuple[str, ...]:
        """Distinct names of the tools called, in order of the first call."""
        return tuple(dict.fromkeys(call.name for call in self.calls))

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """Distinct short texts of the errors that tools reported, in order; of plain text its error lines.

        At most 20: of more, the first 10 and the last 10, because the last errors of a run show how it ended.
        """
        found = dict.fromkeys(self._found_errors())
        seen = tuple(found)
        half = MAX_ERRORS // 2
        return seen if len(seen) <= MAX_ERRORS else seen[:half] + seen[-half:]

    def _found_errors(self) -> Iterator[str]:
        if self.messages is None:
            yield from errors_in_text(self.text)
        for event in self.events:
            if isinstance(event, ToolResult):
                yield from event.errors

    def render(self, max_chars: int) -> str:
        """Return the trajectory as text for a prompt, at most `max_chars` long.

        The middle of a longer text is left out, because its beginning holds the task and its end the outcome.
        """
        if self.messages is None:
            return truncate_middle(self.text, max_chars)
        names = {call.id: call.name for call in self.calls if call.id}
        return truncate_middle("\n".join(_line(event, names) for event in self.events), max_chars)


def parse(trajectory: str | list[Any]) -> Trajectory:
    """Parse a trajectory: plain text, a JSON array of messages in a string, or a list of messages.

    A string counts as JSON where it begins with `[{`, `[[` or `["`, white space aside, or is `[]`; a log line such as
    `[INFO] starting` is text. Raises UnreadableTrajectory where JSON is broken, nested deeper than MAX_DEPTH or has
    items that are neither messages nor steps, and where text holds NUL or lone surrogates.
    """
    if isinstance(trajectory, list):
        return _from_items(_as_json(trajectory))
    if not isinstance(trajectory, str):
        _refuse(f"got {type(trajectory).__name__}")
    array = _JSON_ARRAY.match(trajectory)
    if array:
        return _from_items(_loads(trajectory, array.end()))
    _check_text(trajectory, "the text")
    return Trajectory(trajectory)


def _as_json(items: list[Any]) -> Any:
    """Return the items after a round trip through JSON: tuples become lists, and keys become strings."""
    try:
        return json.loads(json.dumps(items, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return _refuse(f"the list cannot be written as JSON ({_reason(error)})")


def _loads(text: str, start: int) -> Any:
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    try:
        value, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return _refuse(f"broken JSON at {_place(text, error.pos)}: {error.msg}")
    except (ValueError, RecursionError) as error:
        return _refuse(f"JSON that cannot be read ({_reason(error)})")
    rest = text[end:].lstrip()
    if rest:
        _refuse(f"broken JSON at {_place(text, len(text) - len(rest))}: text after the end of the array")
    return value


def _from_items(items: list[Any]) -> Trajectory:
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            _refuse(f"message {number} is {_json_type(item)}, not an object")
        has_role = any(isinstance(item.get(key), str) for key in ("role", "type"))
        if not has_role and read_record(item) is None and read_vendor_message(item) is None:
            _refuse(f"message {number} has neither role nor type, nor an action or what came of one")
        if is_deeper(item, MAX_DEPTH - 1):
            _refuse(f"message {number} is nested deeper than {MAX_DEPTH} levels")
    try:
        trajectory = Trajectory.of(items)
    except ValueError as error:  # a number that is infinite, such as 1e999
        return _refuse(f"JSON that cannot be kept ({_reason(error)})")
    if _may_be_refused(trajectory.text):
        for number, item in enumerate(items, start=1):
            for text in _strings(item):
                _check_text(text, f"message {number}")
    return trajectory


def is_deeper(value: Any, levels: int) -> bool:
    """Return true where a JSON value has more levels; iterative, because it guards all recursive functions."""
    layer = [value]
    while layer and levels >= 0:
        layer = [
            child
            for node in layer
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        levels -= 1
    return bool(layer)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _may_be_refused(document: str) -> bool:
    """Return false for a JSON document none of whose strings `_check_text` refuses: one look at all of them."""
    try:
        document.encode()
    except UnicodeEncodeError:
        return True
    return r"\u0000" in document


def _check_text(text: str, where: str) -> None:
    if "\x00" in text:
        _refuse(f"{where} contains a NUL character")
    # Encoding is ten times faster than a search, and nearly every text passes.
    try:
        text.encode()
    except UnicodeEncodeError:
        _refuse(f"{where} contains a lone surrogate, which is not Unicode text")


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    # Messages of the standard library may quote the input at any length, or mention Python's limits.
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if "digits" in str(error):
        return "a number has too many digits"
    return str(error)[:100]


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "a number"


def _refuse(problem: str) -> Never:
    raise UnreadableTrajectory(problem) from None


def _line(event: TrajectoryEvent, names: dict[str, str]) -> str:
    if isinstance(event, Utterance):
        return f"{event.role}: {event.text}"
    if isinstance(event, ToolCall):
        return f"call: {event.name}({event.arguments})"
    label = "error" if event.failed else "result"
    name = event.name or names.get(event.call_id, "")
    return f"{label} of {name}: {event.text}" if name else f"{label}: {event.text}"
