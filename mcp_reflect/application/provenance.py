"""Provenance of a memory: the traces it came from, and every review that changed its q_value."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.application.memory_reader import ISSUED_BY
from mcp_reflect.application.ports import Ledger, TraceSummary
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.models import LogEntry, Memory, Review, UtilityEvent
from mcp_reflect.errors import UnknownId


@dataclass(frozen=True)
class QChange:
    """A change of the q_value: its event, the review that caused it and the run that was reviewed."""

    event: UtilityEvent
    review: Review
    run: TraceSummary


@dataclass(frozen=True)
class Explanation:
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


def explain(ledger: Ledger, profile: Profile, memory_id: str) -> Explanation:
    """Return the provenance of a memory. Raises UnknownId for one that this connection does not see."""
    with ledger.reading() as session:
        memory = session.memories.by_ids([memory_id]).get(memory_id)
        if memory is None or not profile.sees(memory):
            raise UnknownId("memory_id", [memory_id], ISSUED_BY)
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
