"""Asks the agent, once at the end of a run that holds something to learn, to write the lesson in its own words.

The run is stored by then, with a lesson extracted from it. An agent that writes none costs nothing but its answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain.lessons.failures.repairs import find_repairs
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.verdicts.wording import find_verdict
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.options import HookOptions
from mcp_reflect.hooks.outcome.evidence import find_test_results
from mcp_reflect.hooks.own_tools import WRITING, own_tool
from mcp_reflect.hooks.session_state import SessionState
from mcp_reflect.hooks.transcripts.clients import load_transcript_reader
from mcp_reflect.hooks.transcripts.steps import ToolUse, find_turn_steps, tool_blocks
from mcp_reflect.hooks.transcripts.turn import SessionTurn, trace_key_of
from mcp_reflect.hooks.truncation import truncate_messages

_ENTRYPOINT = "CLAUDE_CODE_ENTRYPOINT"
"""Set by Claude Code for what it starts: `cli` with a person before it, `sdk-…` where a program reads the answer."""

_MOST_UNREAD = 4_000_000
"""Bytes of a transcript since the last settled turn; of a longer one no lesson is asked for, people wait for a hook."""
_LONGEST = 300_000
"""Characters of a turn that are read: 60 ms on a slow machine, of the three seconds that a stop hook has."""
_LOOK_AGAIN_S = 0.05

_REQUEST = """\
{occasion} It is stored as {trace}. If the next run here would otherwise have to find it out again, call review_trace \
of the reflect server with trace_id="{trace}", result="" and the lesson in your own words: key_mistake (what went \
wrong and why), correct_action (the command or change that works, verbatim), guidance (the rule for similar tasks). \
Then, or if there is nothing specific to learn, stop; do not repeat your answer."""


def is_wanted(event: HookEvent, options: HookOptions, environ: Mapping[str, str]) -> bool:
    """Return whether this end of a turn may ask: never twice in a row, and by default where a person reads along."""
    if event.kind != "stop" or event.continued or options.ask_for_lesson == "never":
        return False
    headless = event.headless or environ.get(_ENTRYPOINT, "").startswith("sdk")
    return options.ask_for_lesson == "always" or not headless


def lesson_request(event: HookEvent, session: SessionState, patience: float) -> str:
    """Return the question to the agent; empty where the turn taught nothing, was asked about, or is not stored in time.

    `patience` is in seconds. Raises OSError where there is no transcript.
    """
    until = time.monotonic() + patience
    if os.path.getsize(event.transcript) - session.settled > _MOST_UNREAD:
        return ""
    turns = load_transcript_reader(event.client).read_turns(event, session.settled)
    place = next((number for number, each in enumerate(turns) if each.key == event.turn), len(turns) - 1)
    if not turns or trace_key_of(event, turns[place]) in session.asked:
        return ""
    turn = turns[place]
    occasion = find_occasion(turn, turns[place - 1] if place else None)
    trace = _stored(event, turn, session, until) if occasion else ""
    if not trace:
        return ""
    session.add({"asked": trace_key_of(event, turn)})
    return _REQUEST.format(occasion=occasion, trace=trace)


def find_occasion(turn: SessionTurn, before: SessionTurn | None = None) -> str:
    """Return the lesson of a turn as a sentence; empty where it taught none, or the agent told the memory about it.

    `before` is the turn before it, where that is known: a user corrects work in any words.
    """
    uses = [part for part in tool_blocks(turn.messages) if isinstance(part, ToolUse)]
    if not uses or any(own_tool(use.name) in WRITING for use in uses):
        return ""
    if find_verdict(turn.prompt) == "fail" or (before and _does_over(turn, before)):
        return "The user corrected earlier work, and this run did it anew."
    results = find_test_results(find_turn_steps(turn.messages))
    if results[-1:] == ["pass"] and "fail" in results:
        return "In this run tests failed and were made to pass."
    steps = _steps_of(turn)
    if any(repair.error for repair in find_repairs(steps)):
        return "In this run something failed and was made to work."
    return ""


def _does_over(turn: SessionTurn, before: SessionTurn) -> bool:
    """Return true where a turn takes back an edit of the one before it, or repeats a command with other options."""
    earlier = _steps_of(before)
    return bool(Rework([*earlier, *_steps_of(turn)], [len(earlier)]).plain)


def _steps_of(turn: SessionTurn) -> Sequence[Step]:
    return find_steps(parse(truncate_messages(turn.messages, _LONGEST)))


def _stored(event: HookEvent, turn: SessionTurn, session: SessionState, until: float) -> str:
    """The id of the turn's trace once the worker has handed all of it in; empty where that takes too long."""
    key = trace_key_of(event, turn)
    while True:
        record: dict[str, Any] = session.handed.get(key, {})
        if isinstance(record.get("trace"), str) and record.get("messages", 0) >= len(turn.messages):
            return str(record["trace"])
        if time.monotonic() > until:
            return ""
        time.sleep(_LOOK_AGAIN_S)
        session.reload()
