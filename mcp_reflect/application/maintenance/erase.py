"""Forgetting for good: a run with all that came from it, or one memory.

Afterwards the ledger is what it would be had the run never been: what its reviews credited to other memories is taken
back, and their q_values are replayed without it. Where a memory is forgotten and the runs that were given it stay,
their lists keep a mark in its place (`q_update.ERASED_PREFIX`): without it, a review that named only this memory would
turn into one that named none, and credit all the others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_reflect.application.credit import disown
from mcp_reflect.application.ports import Ledger, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.keywords import same_error
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import Memory, Origin, QUpdate, ReflectionDraft, Trace
from mcp_reflect.errors import UnknownId

_RECORDED: tuple[Origin, ...] = ("error", "import")
_LEAST_PHRASE = 24
"""Shorter sentences stand in other runs by chance."""


@dataclass(frozen=True)
class Forgotten:
    """What goes: traces and memories. `moved` are the q_values of others, `quoting` traces that repeat the words."""

    traces: tuple[Trace, ...]
    memories: tuple[Memory, ...]
    moved: tuple[QUpdate, ...]
    quoting: tuple[str, ...]


def to_forget(ledger: Ledger, profile: Profile, thing_id: str) -> Forgotten:
    """What `forget` would take away, and what that would move. Raises UnknownId."""
    with ledger.reading() as session:
        found = _found(session, profile.project, thing_id)
        things: list[Trace | Memory] = [*found.traces, *found.memories]
        if not all(profile.sees(each) for each in things if each.id == thing_id):
            raise _unknown(thing_id)
        return found


def forget(ledger: Ledger, project: str, thing_id: str) -> Forgotten:
    """Take it out of the ledger, in one transaction. Raises UnknownId.

    The index and the ledger's files still hold traces of it; see `Indexer.erase` and `Ledger.scrub`.
    """
    with ledger.writing() as session:
        found = _found(session, project, thing_id)
        traces = {trace.id for trace in found.traces}
        for update in found.moved:
            disown(session, update.memory_id, traces)
        for memory in found.memories:
            if memory.source_trace_id not in traces:
                _take_back_words(session, memory)
            session.memories.delete(memory.id, new_id(q_update.ERASED_PREFIX))
        for trace_id in traces:
            session.traces.delete(trace_id)
        session.index_positions.forget(project)
        return found


def _found(session: ReadSession, project: str, thing_id: str) -> Forgotten:
    traces, memories = _targets(session, project, thing_id)
    for memory in list(memories.values()):
        if memory.kind == "error":
            traces |= {trace.id: trace for trace in _recurrences(session, memory)}
    return Forgotten(
        tuple(traces.values()),
        tuple(memories.values()),
        tuple(_moved(session, set(traces), set(memories))),
        tuple(i for i in session.traces.find_quoting(project, _phrases(list(memories.values()))) if i not in traces),
    )


def _targets(session: ReadSession, project: str, thing_id: str) -> tuple[dict[str, Trace], dict[str, Memory]]:
    trace, memory = session.traces.get(thing_id), session.memories.by_ids([thing_id]).get(thing_id)
    if memory is not None and memory.project == project:
        source = session.traces.get(memory.source_trace_id)
        # Of what was recorded without a run, the trace says the same again.
        recorded = source is not None and source.origin != "run"
        return {source.id: source} if source is not None and recorded else {}, {memory.id: memory}
    if trace is not None and trace.project == project:
        made = [
            m for m in session.memories.find(project) if trace.id in {m.source_trace_id, *q_update.source_traces(m)}
        ]
        return {trace.id: trace}, {memory.id: memory for memory in made}
    raise _unknown(thing_id)


def _recurrences(session: ReadSession, memory: Memory) -> list[Trace]:
    """The traces of an error's returns: nothing but its words ties them to it."""
    evidence = next(iter(memory.evidence), "")
    return [
        trace
        for trace in session.traces.find_without_memory(memory.project, _RECORDED)
        if same_error(trace.draft.key_mistake, trace.trajectory, memory.key_mistake, evidence)
    ]


def _moved(session: ReadSession, traces: set[str], memories: set[str]) -> list[QUpdate]:
    credited = {event.memory_id for trace_id in traces for event in session.events.of_trace(trace_id)} - memories
    before = session.memories.by_ids(sorted(credited))
    updates = []
    for memory_id, memory in sorted(before.items()):
        kept = [event for event in session.events.of_memories([memory_id]) if event.trace_id not in traces]
        replayed = q_update.replay(memory.initial_q, kept)
        after = replayed[-1].q_after if replayed else memory.initial_q
        updates.append(QUpdate(memory_id=memory_id, q_before=memory.q_value, q_after=after, reward=None, alpha=0.0))
    return updates


def _take_back_words(session: WriteSession, memory: Memory) -> None:
    """The run stays; the words that it was given for this memory, and a job that would write them anew, do not."""

    def without(draft: ReflectionDraft) -> ReflectionDraft:
        if memory.kind == "claim":
            return draft.model_copy(update={"claims": tuple(c for c in draft.claims if c != memory.reflection)})
        verdict = {"claims", "helpful_memory_ids", "harmful_memory_ids"}
        return ReflectionDraft.model_validate(draft.model_dump(include=verdict))

    if memory.kind == "insight":
        return
    session.traces.map_drafts(memory.source_trace_id, without)
    job = session.jobs.reflections.get(memory.source_trace_id)
    if job is not None and job.state == "queued":
        session.jobs.reflections.delete(memory.source_trace_id)


def _phrases(memories: Sequence[Memory]) -> list[str]:
    """Sentences of the memories as they may stand in other runs: plainly, or inside a JSON string."""
    said = {
        text
        for memory in memories
        for text in (memory.summary, memory.key_mistake, memory.correct_action, memory.guidance, *memory.evidence)
        if len(text) >= _LEAST_PHRASE
    }
    said |= {m.reflection for m in memories if m.kind in {"claim", "insight"} and len(m.reflection) >= _LEAST_PHRASE}
    return sorted(said | {json.dumps(text, ensure_ascii=False)[1:-1] for text in said})


def _unknown(thing_id: str) -> UnknownId:
    return UnknownId("ID", [thing_id], "`mcp-reflect traces` and `mcp-reflect memories`")
