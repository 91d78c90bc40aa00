"""Submits the turns of a session as traces, reviewed where the transcript holds the evidence.

It may be called at any time and any number of times for one session: what was handed in stays handed in. A turn that
goes on after that (a stop hook sent the agent back to work) is handed in again as a further part, with the rest only.
A verdict that comes later reviews the trace, and the user's word replaces what tests said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mcp_reflect.domain.limits import MAX_IDS, MAX_NAME, MAX_TASK, MAX_TEXT
from mcp_reflect.domain.verdicts.wording import find_verdict, is_only_praise, may_object
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.outcome.evidence import Evidence, find_evidence
from mcp_reflect.hooks.own_tools import own_tool
from mcp_reflect.hooks.session_state import SessionState
from mcp_reflect.hooks.transcripts.steps import ToolOutput, ToolUse, tool_blocks
from mcp_reflect.hooks.transcripts.turn import SessionTurn, trace_key_of
from mcp_reflect.hooks.truncation import truncate_messages
from mcp_reflect.wire.caller import RemoteError
from mcp_reflect.wire.request_meta import REVIEW_SOURCE, WAIT

CallTool = Callable[[str, dict[str, Any], dict[str, Any]], dict[str, Any]]
"""Calls a tool with arguments and metadata of the request."""

_TRACE_ID = re.compile(r"trace_[0-9a-z]{6,32}")


class _Handed(NamedTuple):
    """A turn that was handed in: its trace, the number of its messages, and the verdict on it."""

    trace: str
    messages: int
    result: str = ""
    source: str = ""
    part: int = 1


def submit_turns(event: HookEvent, turns: Sequence[SessionTurn], session: SessionState, call: CallTool) -> None:
    """Submit what is new in these turns, in order. Raises what `call` raises, and OSError.

    The last turn counts as finished: the event is the end of it.
    """
    settled = 0
    for task, begins, turn in session_runs(turns):
        final = event.final if turn.key == turns[-1].key and event.final else turn.final
        _Settling(event, session, call, task, turn._replace(final=final)).run()
        settled = begins
    if settled > session.settled:
        session.add({"settled": settled})


def session_runs(turns: Sequence[SessionTurn]) -> Iterator[tuple[str, int, SessionTurn]]:
    """Yield the turns that are runs, each with its task, where in the transcript that was set, and its last word."""
    task, begins = "", 0
    for number, turn in enumerate(turns):
        aside = is_only_praise(turn.prompt)
        if aside and not _works(turn.messages):
            continue
        if task and (aside or find_verdict(turn.prompt) == "fail"):
            # "No, still broken" says nothing to a later reader without what was asked for first.
            task = f"{task}\n\n{turn.prompt}"[-MAX_TASK:]
        else:
            task, begins = turn.prompt[:MAX_TASK], turn.start
        yield task, begins, turn._replace(followed_up=_last_word(turns[number:]))


def past_runs(event: HookEvent, turns: Sequence[SessionTurn]) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the runs of a session that is over as arguments of submit_trace, with `source` beside a verdict.

    Before each stands when it ended, in seconds since the epoch, 0 where that is not known. Their keys are those under
    which hooks submit the same turns. What the agent submitted itself is left out.
    """
    for task, _, turn in session_runs(turns):
        if has_content(turn, turn.messages) and not _is_submitted(turn):
            found = find_evidence(turn)
            run = run_arguments(event, task, turn, turn.messages, trace_key_of(event, turn))
            if found is not None:
                run |= {"review_result": found.result, "feedback": found.words, "source": found.source}
            yield turn.ended, run


def _is_submitted(turn: SessionTurn) -> bool:
    uses = (part.name for part in tool_blocks(turn.messages) if isinstance(part, ToolUse))
    return any(own_tool(name) == "submit_trace" for name in uses)


def has_content(turn: SessionTurn, messages: Sequence[dict[str, Any]]) -> bool:
    """Return whether there is anything in messages of a turn that makes them a run."""
    return bool(messages) and bool(turn.final or any(isinstance(each, ToolUse) for each in tool_blocks(messages)))


def run_arguments(
    event: HookEvent, task: str, turn: SessionTurn, messages: list[dict[str, Any]], key: str
) -> dict[str, Any]:
    """Return messages of a turn as arguments of submit_trace, without a verdict."""
    return {
        "task": task,
        "trajectory": truncate_messages(messages),
        "final_response": turn.final[-MAX_TEXT:],
        "model": turn.model[:MAX_NAME],
        "metadata": event.origin,
        "trace_key": key,
    }


def _last_word(turns: Sequence[SessionTurn]) -> str:
    """Return what the user said of the first of these turns: the next prompt, or what takes back the praise in it."""
    said = turns[0].followed_up
    for turn in turns[1:]:
        if not is_only_praise(turn.prompt):
            break
        if find_verdict(turn.followed_up) or may_object(turn.followed_up):
            said = turn.followed_up
    return said


def _works(messages: Sequence[dict[str, Any]]) -> bool:
    """Return whether the agent did anything beside talking, also to the memory."""
    return any(isinstance(part, ToolUse) and not own_tool(part.name) for part in tool_blocks(messages))


class _Settling:
    """One turn."""

    def __init__(self, event: HookEvent, session: SessionState, call: CallTool, task: str, turn: SessionTurn) -> None:
        self._event = event
        self._session = session
        self._call = call
        self._task = task
        self._turn = turn
        self._key = trace_key_of(event, turn)

    def run(self) -> None:
        record = self._session.handed.get(self._key)
        known = _Handed(**{name: record[name] for name in _Handed._fields if name in record}) if record else None
        found = find_evidence(self._turn)
        if known is None:
            known = self._by_agent() or self._submit(self._turn.messages, 1, found)
            if known is None:
                return
        elif self._has_gone_on(known):
            known = self._submit(self._turn.messages[known.messages :], known.part + 1, found) or known
        if found is not None and _outweighs(found, known):
            arguments = {"trace_id": known.trace, "result": found.result, "feedback": found.words}
            self._call("review_trace", arguments, {REVIEW_SOURCE: found.source, WAIT: False})
            self._note(known._replace(result=found.result, source=found.source))

    def _has_gone_on(self, known: _Handed) -> bool:
        return _works(self._turn.messages[known.messages :])

    def _by_agent(self) -> _Handed | None:
        """The trace that the agent handed in itself, which must not be stored twice."""
        asked: dict[str, str] = {}
        known: _Handed | None = None
        for part in tool_blocks(self._turn.messages):
            if isinstance(part, ToolUse) and (tool := own_tool(part.name)):
                if tool == "submit_trace":
                    asked[part.id] = str(part.arguments.get("review_result", ""))
                elif tool == "review_trace" and known and part.arguments.get("trace_id") == known.trace:
                    known = known._replace(result=str(part.arguments.get("result", "")), source="agent")
            elif isinstance(part, ToolOutput) and part.id in asked and part.failed is not True:
                trace = _TRACE_ID.search(part.text)
                if trace:
                    result = asked[part.id]
                    known = _Handed(trace[0], len(self._turn.messages), result, "agent" if result else "")
        if known is not None:
            self._note(known)
        return known

    def _submit(self, messages: list[dict[str, Any]], part: int, found: Evidence | None) -> _Handed | None:
        """Store a trace of these messages; None where there is nothing in them."""
        if not has_content(self._turn, messages):
            return None
        since = max((int(record.get("shown_before", 0)) for record in self._session.handed.values()), default=0)
        key = self._key if part == 1 else f"{self._key[: MAX_NAME - 8]}#{part}"
        arguments = run_arguments(self._event, self._task, self._turn, messages, key)
        given = self._session.given(self._turn.key, since)[:MAX_IDS]
        if not given:
            arguments["retrieval_id"] = "none"  # what was shown is known here, and nobody else's is to be credited
        meta: dict[str, Any] = {WAIT: False}
        if found is not None:
            arguments |= {"review_result": found.result, "feedback": found.words}
            meta[REVIEW_SOURCE] = found.source
        try:
            outcome = self._call("submit_trace", arguments | {"retrieved_memory_ids": given}, meta)
        except RemoteError as refused:
            # Memories may have gone since they were shown; the run is worth keeping all the same.
            if not given or refused.argument != "retrieved_memory_ids":
                raise
            outcome = self._call("submit_trace", arguments, meta)
        if not outcome["trace_id"]:  # it waits in the outbox, and is found under its key by the next event
            return None
        reviewed = found is not None and outcome["review_status"] == "reviewed"
        handed = _Handed(
            outcome["trace_id"],
            len(self._turn.messages),
            found.result if found and reviewed else "",
            found.source if found and reviewed else "",
            part,
        )
        self._note(handed)
        return handed

    def _note(self, handed: _Handed) -> None:
        self._session.add({"handed": self._key, "shown_before": self._session.times_shown, **handed._asdict()})


def _outweighs(found: Evidence, known: _Handed) -> bool:
    """Return whether a verdict says something new: the first one, tests once more, or the user against anybody."""
    if not known.result:
        return True
    return found.result != known.result and (found.source == "user" or known.source == "tests")
