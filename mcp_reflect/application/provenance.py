"""Provenance: why a memory has its q_value, and what a run was given, moved and taught."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.application.ports import ReadableLedger, TraceSummary
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.models import LogEntry, Memory, Review, UtilityEvent
from mcp_reflect.errors import UnknownId


class QChange(NamedTuple):
    """A change of the q_value: its event, the review that caused it and the run that was reviewed."""

    event: UtilityEvent
    review: Review
    run: TraceSummary


class Explanation(NamedTuple):
    """The provenance of one memory.

    `moves` are in the order of the reviews, `log` and `origins` oldest first; the first origin is the source, the
    others taught the same.
    """

    memory: Memory
    origins: list[TraceSummary]
    moves: list[QChange]
    log: list[LogEntry]

    @property
    def q_values(self) -> list[float]:
        """All q_values, from the initial to the present one."""
        return [self.memory.initial_q, *(move.event.q_after for move in self.moves)]


def explain(ledger: ReadableLedger, profile: Profile, memory_id: str) -> Explanation:
    """Return the provenance of a memory. Raises UnknownId for one that this connection does not see."""
    with ledger.reading() as session:
        memory = session.memories.by_ids([memory_id]).get(memory_id)
        if memory is None or not profile.sees(memory):
            raise UnknownId("memory_id", [memory_id])
        events, log = session.events.of_memories([memory_id]), session.memories.log_of(memory_id)
        reviews = session.reviews.by_ids({event.review_id for event in events})
        told = [witness.trace_id for witness in session.witnesses.of_memory(memory_id)]
        sources = list(dict.fromkeys([*memory.source_trace_ids, *told]))
        runs = {i: session.traces.summary(i) for i in {*sources, *(event.trace_id for event in events)}}
    origins = [run for run in (runs[i] for i in sources) if run is not None]
    moves = [
        QChange(event, reviews[event.review_id], run) for event in events if (run := runs[event.trace_id]) is not None
    ]
    return Explanation(memory, origins, moves, log)


class RecalledMemory(NamedTuple):
    """A memory that a run was given, with the q_values around the run's review; None where it was not moved.

    `followed` is None where nobody judged and nothing was inferred.
    """

    memory: Memory
    followed: bool | None
    q_before: float | None
    q_after: float | None


class RunExplanation(NamedTuple):
    """A run, the memories that it was given in their order, and those that it taught, its lesson first."""

    run: TraceSummary
    recalled: list[RecalledMemory]
    taught: list[Memory]


def explain_run(ledger: ReadableLedger, profile: Profile, trace_id: str) -> RunExplanation:
    """Return what a run was given, what its review moved, and what it taught. Raises UnknownId."""
    with ledger.reading() as session:
        run = session.traces.summary(trace_id)
        trace = session.traces.get(trace_id)
        if run is None or trace is None or not profile.sees(run):
            raise UnknownId("trace_id", [trace_id])
        given = session.memories.by_ids(trace.retrieved_memory_ids)
        events = {event.memory_id: event for event in session.events.of_trace(trace_id)}
        lesson = session.memories.reflection_of(trace_id)
        came = session.memories.of_trace(trace_id)
    taught = ([] if lesson is None else [lesson]) + [
        memory for memory in came if lesson is None or memory.id != lesson.id
    ]
    recalled = []
    for memory_id in trace.retrieved_memory_ids:
        if memory_id in given and profile.sees(given[memory_id]):
            event = events.get(memory_id)
            q_before, q_after = (None, None) if event is None else (event.q_before, event.q_after)
            recalled.append(RecalledMemory(given[memory_id], _followed(run.review, memory_id), q_before, q_after))
    return RunExplanation(run, recalled, [memory for memory in taught if profile.sees(memory)])


def _followed(review: Review | None, memory_id: str) -> bool | None:
    if review is None:
        return None
    named = {*review.helpful_memory_ids, *review.judged_helpful}
    misled = {*review.harmful_memory_ids, *review.judged_harmful}
    if named or misled:
        return memory_id in named | misled
    return memory_id in review.used if review.used else None
