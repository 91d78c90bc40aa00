"""Calls by which an agent ends its run, as `finish(message="…")`: what they are given are its last words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import AGENT_ROLE, ToolCall, ToolResult, TrajectoryEvent, Utterance
from mcp_reflect.domain.trajectory.tools import arguments_of

_ENDS = re.compile(
    r"finish(?:_(?:task|run))?|(?:attempt|task)_?completion|(?:task_?(?:complete|done)|complete_?task|mark_?done)d?"
    r"|end_?(?:task|run)",
    re.IGNORECASE,
)
_WORDS = ("message", "result", "summary", "final_thought")
"""Arguments that hold a report; the first of them that is given. An `answer` is what the run was to find."""


def with_last_words(events: Iterable[TrajectoryEvent]) -> Iterator[TrajectoryEvent]:
    """Yield the events of a run, with the agent's words in the place of a call that ends it and of its result."""
    ended: set[str] = set()
    for event in events:
        if isinstance(event, ToolCall) and (words := _last_words(event)):
            ended.add(event.id)
            yield Utterance(AGENT_ROLE, words)
        elif isinstance(event, ToolResult) and event.call_id in ended:
            ended.discard("")  # without ids the next result is that of the call before it
        else:
            yield event


def _last_words(call: ToolCall) -> str:
    if not _ENDS.fullmatch(call.name.rpartition("__")[2]):
        return ""
    given = arguments_of(call.arguments)
    told = (given.get(name) for name in _WORDS)
    return next((words.strip() for words in told if isinstance(words, str) and words.strip()), "")
