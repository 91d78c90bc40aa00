"""Erasure of a trace with everything derived from it, or of one memory.

Afterwards the ledger is in the state that it would have without the trace: rewards that its reviews gave to other
memories are removed, and the q_values of these memories are replayed. Where only a memory is erased, the traces that
retrieved it keep a placeholder id in its place (`q_update.ERASED_PREFIX`). Without the placeholder, a review that named
only this memory would become one that names none, and would credit all the others.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcp_reflect.application.known_errors.recurrences import without_runs
from mcp_reflect.application.lifecycle import release
from mcp_reflect.application.ports import Ledger, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.review.credit import disown
from mcp_reflect.application.review.witnesses import Lessons, leave, successor_of
from mcp_reflect.domain.error_matching.keywords import nearly_same_error
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.lessons.comparison.sameness import Lesson, say_the_same
from mcp_reflect.domain.models import (
    ClaimMemory,
    ErrorMemory,
    InsightMemory,
    Memory,
    Origin,
    QUpdate,
    ReflectionDraft,
    ReflectionMemory,
    Trace,
    of_kind,
)
from mcp_reflect.errors import UnknownId

_RECORDED: tuple[Origin, ...] = ("error", "import")
_LEAST_PHRASE = 24
"""Least length of a phrase to search for, in characters: shorter ones occur in other runs by chance."""


@dataclass(frozen=True)
class ErasurePlan:
    """The traces and memories that an erasure deletes, and its effects on others.

    `q_updates` are the changes of other memories' q_values. `quoting` are ids of traces that stay and repeat the words.
    """

    traces: tuple[Trace, ...]
    memories: tuple[Memory, ...]
    q_updates: tuple[QUpdate, ...]
    quoting: tuple[str, ...]


def plan_erasure(ledger: Ledger, profile: Profile, record_id: str) -> ErasurePlan:
    """Return what `erase_record` would delete and change for the id of a trace or a memory.

    Raises UnknownId for an id that is unknown or that the profile does not see.
    """
    with ledger.reading() as session:
        found = _found(session, profile.project, record_id)
        things: list[Trace | Memory] = [*found.traces, *found.memories]
        if not all(profile.sees(each) for each in things if each.id == record_id):
            raise UnknownId("record_id", [record_id])
        return found


def require_record(ledger: Ledger, project: str, record_id: str) -> None:
    """Raise UnknownId where the project has no trace or memory of that id."""
    with ledger.reading() as session:
        _targets(session, project, record_id)


def erase_record(ledger: Ledger, project: str, record_id: str) -> ErasurePlan:
    """Delete a trace or a memory from the ledger in one transaction and return what was deleted. Raises UnknownId.

    The index and the free pages of the ledger's files still hold its text; see `Indexer.erase` and `Ledger.scrub`.
    """
    with ledger.writing() as session:
        found = _found(session, project, record_id)
        traces = {trace.id for trace in found.traces}
        for trace_id in traces:
            for shared in _shared_with_others(session, trace_id):
                leave(session, shared, trace_id)
        for update in found.q_updates:
            disown(session, update.memory_id, traces)
        erased = {memory.id for memory in found.memories}
        for error in _seen_in(session, project, traces):
            if error.id not in erased:
                gone = [trace for trace in found.traces if trace.id in {*error.seen_in, *error.passed_in}]
                session.memories.revise(without_runs(error, gone, session.traces.get))
        for memory in found.memories:
            told = {memory.source_trace_id, *(each.trace_id for each in session.witnesses.of_memory(memory.id))}
            for trace_id in told - traces:
                _take_back_words(session, memory, trace_id)
            release(session, memory.id)
            session.memories.delete(memory.id, new_id(q_update.ERASED_PREFIX))
        for trace_id in traces:
            session.traces.delete(trace_id)
        session.index_positions.forget(project)
        return found


def _found(session: ReadSession, project: str, record_id: str) -> ErasurePlan:
    traces, memories = _targets(session, project, record_id)
    for memory in list(memories.values()):
        if isinstance(memory, ErrorMemory):
            traces |= {trace.id: trace for trace in _recurrences(session, memory)}
    return ErasurePlan(
        tuple(traces.values()),
        tuple(memories.values()),
        tuple(_moved(session, set(traces), set(memories))),
        tuple(i for i in session.traces.find_quoting(project, _phrases(list(memories.values()))) if i not in traces),
    )


def _targets(session: ReadSession, project: str, record_id: str) -> tuple[dict[str, Trace], dict[str, Memory]]:
    trace, memory = session.traces.get(record_id), session.memories.by_ids([record_id]).get(record_id)
    if memory is not None and memory.project == project:
        source = session.traces.get(memory.source_trace_id)
        # The trace of a recorded error repeats the words of the memory.
        recorded = source is not None and source.origin != "run"
        return {source.id: source} if source is not None and recorded else {}, {memory.id: memory}
    if trace is not None and trace.project == project:
        shared = {memory.id for memory in _shared_with_others(session, trace.id)}
        made = [m for m in session.memories.find(project) if trace.id in m.source_trace_ids and m.id not in shared]
        return {trace.id: trace}, {memory.id: memory for memory in made}
    raise UnknownId("record_id", [record_id])


def _recurrences(session: ReadSession, memory: ErrorMemory) -> list[Trace]:
    """Return the traces of an error's recurrences, found by its text: no id links them to the memory."""
    evidence = next(iter(memory.evidence), "")
    return [
        trace
        for trace in session.traces.find_without_memory(memory.project, _RECORDED)
        if nearly_same_error(trace.draft.key_mistake, trace.trajectory, memory.key_mistake, evidence)
    ]


def _shared_with_others(session: ReadSession, trace_id: str) -> list[Lessons]:
    """Return what a run taught with others, which stays without it: at most one lesson, and claims."""
    ids = [witness.memory_id for witness in session.witnesses.of_trace(trace_id)]
    return [m for m in session.memories.by_ids(ids).values() if isinstance(m, ReflectionMemory | ClaimMemory)]


def _seen_in(session: ReadSession, project: str, traces: Collection[str]) -> list[ErrorMemory]:
    """The errors that were met again in one of these traces."""
    errors = of_kind(session.memories.find(project, kind="error"), ErrorMemory)
    return [memory for memory in errors if not set(traces).isdisjoint((*memory.seen_in, *memory.passed_in))]


def _moved(session: ReadSession, traces: set[str], memories: set[str]) -> list[QUpdate]:
    """Return how the q_values of memories that stay are moved, also of those whose next run becomes their source."""
    moved = {event.memory_id for trace_id in traces for event in session.events.of_trace(trace_id)}
    sources = {
        memory.id: source
        for trace_id in traces
        for memory in _shared_with_others(session, trace_id)
        if (source := successor_of(session.witnesses.of_memory(memory.id), trace_id))
    }
    before = session.memories.by_ids(sorted((moved | sources.keys()) - memories))
    updates = []
    for memory_id, memory in sorted(before.items()):
        gone = traces | {sources.get(memory_id, "")}
        kept = [event for event in session.events.of_memories([memory_id]) if event.trace_id not in gone]
        replayed = q_update.replay(memory.initial_q, kept)
        after = replayed[-1].q_after if replayed else memory.initial_q
        updates.append(QUpdate(memory_id=memory_id, q_before=memory.q_value, q_after=after, reward=None, alpha=0.0))
    return updates


def _take_back_words(session: WriteSession, memory: Memory, trace_id: str) -> None:
    """Delete the memory's text from the draft of a trace that taught it, and the job that would write it again."""

    def without(draft: ReflectionDraft) -> ReflectionDraft:
        if isinstance(memory, ClaimMemory):
            told = Lesson.of(memory.reflection)
            left = (c for c in draft.claims if c != memory.reflection and not say_the_same(Lesson.of(c), told))
            return draft.model_copy(update={"claims": tuple(left)})
        verdict = {"claims", "helpful_memory_ids", "harmful_memory_ids"}
        return ReflectionDraft.model_validate(draft.model_dump(include=verdict))

    if isinstance(memory, InsightMemory | ErrorMemory):  # no draft of a run holds its text
        return
    session.traces.map_drafts(trace_id, without)
    job = session.jobs.reflections.get(trace_id)
    if job is not None and job.state == "queued":
        session.jobs.reflections.delete(trace_id)


def _phrases(memories: Sequence[Memory]) -> list[str]:
    """Return the texts of the memories to search for in other runs: as they are, and escaped as in a JSON string."""
    said = {text for memory in memories for text in memory.passages if len(text) >= _LEAST_PHRASE}
    return sorted(said | {json.dumps(text, ensure_ascii=False)[1:-1] for text in said})
