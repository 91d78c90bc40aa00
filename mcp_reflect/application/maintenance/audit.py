"""Audit of a project's q_values, provenance and vectors, and reindexing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from mcp_reflect.application.index_entries import NOT_IN_STEP, index_document, index_metadata
from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.lesson_embedding import LessonEmbedding
from mcp_reflect.application.ports import AuditRows, Embedder, Ledger, Progress, VectorIndex
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import ErrorMemory, InsightMemory, Memory, Review, Trace, UtilityEvent, Witness
from mcp_reflect.domain.values import Vector

_SAME_VECTOR = 1e-4
"""Tolerance per component between the vectors of ledger and index: Chroma stores float32 and may normalize again."""

_ROUNDED = 1e-6
"""Tolerance of sums of trials: the ledger added them one by one, in the order in which the reviews came."""

_EMBED_BATCH = 64


class AuditFinding(NamedTuple):
    """Something that differs, and in which of the two stores it is mended."""

    store: Literal["ledger", "index"]
    text: str


def audit_project(ledger: Ledger, index: VectorIndex, embedder: Embedder, project: str) -> list[AuditFinding]:
    """Return what differs in one project, empty where nothing does. Raises LedgerError or IndexFailure."""
    model = embedder.identity
    with ledger.reading() as session:
        rows = session.projects.audit_rows(project)
        vectors, missing = session.vectors.of_project(project, model), session.vectors.missing(project, model)
    of_index = [
        *_index(vectors, index.contents(project, model)),
        *_descriptions([m for m in rows.memories if m.id in vectors], index.descriptions(project, model)),
        *(f"memory {memory_id}: not embedded by {model}; run `mcp-reflect reindex`" for memory_id, _ in missing),
    ]
    return [
        *(AuditFinding("ledger", text) for text in audit_ledger(rows)),
        *(AuditFinding("index", text) for text in of_index),
    ]


def audit_ledger(rows: AuditRows) -> list[str]:
    """Return what differs within the ledger itself."""
    return [*_provenance(rows.memories, rows.traces), *_sources(rows), *_learning(rows)]


def _provenance(memories: list[Memory], traces: list[tuple[Trace, Review | None]]) -> Iterator[str]:
    reviewed = {trace.id for trace, review in traces if review is not None}
    known = {trace.id for trace, _ in traces}
    for memory in memories:
        if memory.source_trace_id not in known:
            yield f"memory {memory.id}: its trace {memory.source_trace_id} is missing"
        elif not isinstance(memory, InsightMemory | ErrorMemory) and memory.source_trace_id not in reviewed:
            yield f"memory {memory.id}: its trace {memory.source_trace_id} has no review"
        if memory.superseded_by and memory.superseded_by not in {each.id for each in memories}:
            yield f"memory {memory.id}: what supersedes it, {memory.superseded_by}, is missing"
        for trace_id in sorted(set(memory.source_trace_ids) - known - {memory.source_trace_id}):
            yield f"memory {memory.id}: its evidence {trace_id} is missing"


def _sources(rows: AuditRows) -> Iterator[str]:
    """Find memories whose source is not the first of the runs that taught them."""
    memories = {memory.id: memory for memory in rows.memories}
    by_memory: dict[str, list[Witness]] = {}
    for witness in rows.witnesses:
        by_memory.setdefault(witness.memory_id, []).append(witness)
    for memory_id, witnesses in by_memory.items():
        memory = memories.get(memory_id)
        if memory is None or memory.source_trace_id != witnesses[0].trace_id:
            yield f"memory {memory_id}: its source is not {witnesses[0].trace_id}, the first run that taught it"


def _expected_events(rows: AuditRows) -> dict[str, list[UtilityEvent]]:
    """Return the events that the current reviews give, by memory, in the order of the reviews; not replayed yet."""
    memories, _, traces, witnesses = rows
    own = _by_origin(memories)
    told: dict[str, list[Witness]] = {}
    for witness in witnesses:
        told.setdefault(witness.trace_id, []).append(witness)
    expected: dict[str, list[UtilityEvent]] = {memory.id: [] for memory in memories}
    judged = [(trace, review) for trace, review in traces if review is not None]
    for trace, review in sorted(judged, key=lambda pair: pair[1].seq):
        earned = q_update.rewards_of_review(trace, review, own.get(trace.id, set()))
        for position, (memory_id, reward) in enumerate(earned.items()):
            expected.setdefault(memory_id, []).append(q_update.utility_event(review, memory_id, position, reward, 0.0))
        for witness in told.get(trace.id, ()):
            if q_update.is_independent(witness, trace, own.get(trace.id, set()), earned):
                expected.setdefault(witness.memory_id, []).append(q_update.witness_event(witness, review, 0.0))
    return expected


def _learning(rows: AuditRows) -> Iterator[str]:
    """Recompute the rewards from the current reviews and the q_values from the rewards; yield the differences."""
    expected = _expected_events(rows)
    stored: dict[str, list[UtilityEvent]] = {}
    for event in rows.events:
        stored.setdefault(event.memory_id, []).append(event)
    for memory in rows.memories:
        replayed = q_update.replay(memory.initial_q, expected[memory.id])
        q_value = replayed[-1].q_after if replayed else memory.initial_q
        if _unplaced(stored.get(memory.id, [])) != _unplaced(replayed):
            yield f"memory {memory.id}: its utility events are not those that its reviews give"
        if memory.q_value != q_value:
            yield f"memory {memory.id}: q_value is {memory.q_value!r}, its reviews give {q_value!r}"
        totals = q_update.utility_totals(memory.initial_q, replayed)
        if memory.reviews != totals.reviews:
            yield f"memory {memory.id}: counts {memory.reviews} reviews, there are {totals.reviews}"
        passes = totals.passes
        if memory.passes != passes:
            yield f"memory {memory.id}: counts {memory.passes} passes, its reviews give {passes}"
        trials, successes = q_update.trial_counts(replayed)
        if max(abs(memory.trials - trials), abs(memory.successes - successes)) > _ROUNDED:
            counted = f"{memory.successes:g} successes in {memory.trials:g} trials"
            yield f"memory {memory.id}: counts {counted}, its reviews give {successes:g} in {trials:g}"
    for memory_id in expected.keys() - {memory.id for memory in rows.memories}:
        yield f"memory {memory_id}: was credited, but does not exist"


def _unplaced(events: list[UtilityEvent]) -> list[UtilityEvent]:
    """Return the events without their positions in their reviews, because an erased memory leaves a gap there."""
    return [event.model_copy(update={"position": 0}) for event in events]


def _by_origin(memories: list[Memory]) -> dict[str, set[str]]:
    """Return the memories that each trace must not credit, by trace id: those derived from it."""
    own: dict[str, set[str]] = {}
    for memory in memories:
        for trace_id in memory.source_trace_ids:
            own.setdefault(trace_id, set()).add(memory.id)
    return own


def _index(held: dict[str, Vector], indexed: dict[str, Vector]) -> Iterator[str]:
    for memory_id in sorted(held.keys() - indexed.keys()):
        yield f"memory {memory_id}: missing from the index"
    for memory_id in sorted(indexed.keys() - held.keys()):
        yield f"memory {memory_id}: in the index, but not retrievable in the ledger"
    for memory_id in sorted(held.keys() & indexed.keys()):
        if not np.allclose(held[memory_id], indexed[memory_id], atol=_SAME_VECTOR):
            yield f"memory {memory_id}: its vector in the index is another one"


def _is_same(expected: object, told: object) -> bool:
    """Compare values of an entry; a number that went through Chroma's queue may have lost its last bit."""
    if isinstance(expected, float) and isinstance(told, float):
        return math.isclose(expected, told, rel_tol=1e-12)
    return expected == told


def _descriptions(memories: list[Memory], indexed: Mapping[str, tuple[str, Mapping[str, object]]]) -> Iterator[str]:
    for memory in memories:
        if memory.id not in indexed:
            continue  # reported with its vector
        text, told = indexed[memory.id]
        if text != index_document(memory):
            yield f"memory {memory.id}: its text in the index is another one"
        expected = index_metadata(memory)
        names = {*expected, *told} - NOT_IN_STEP
        other = sorted(name for name in names if not _is_same(expected.get(name), told.get(name)))
        if other:
            yield f"memory {memory.id}: its {', '.join(other)} in the index differ from the ledger"


def reindex(
    ledger: Ledger, indexer: Indexer, embedder: Embedder, project: str, progress: Progress | None = None
) -> tuple[int, int]:
    """Embed memories that the current model has not embedded, then rebuild the project's collection.

    Returns the number of memories embedded and the number written to the index.
    """
    return embed_missing(ledger, embedder, project, progress), indexer.rebuild(project, progress)


def embed_missing(ledger: Ledger, embedder: Embedder, project: str, progress: Progress | None = None) -> int:
    """Embed memories, and lessons, that the current model has not embedded; return the number of those memories."""
    with ledger.reading() as session:
        missing = session.vectors.missing(project, embedder.identity)
    for start in range(0, len(missing), _EMBED_BATCH):
        batch = missing[start : start + _EMBED_BATCH]
        vectors = embedder.embed([text for _, text in batch])
        with ledger.writing() as writing:
            writing.vectors.add(embedder.identity, batch, vectors)
        if progress is not None:
            progress(start + len(batch), len(missing))
    LessonEmbedding(ledger, embedder).embed(project)
    return len(missing)
