"""Saving of insights: repeated ones gain importance, contradictory ones are marked, others are added."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from mcp_reflect.application.ports import Embedder, Ledger, ReadSession, TraceSummary, WriteSession
from mcp_reflect.application.profile import InsightRules
from mcp_reflect.application.review.credit import disown
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.insights.merging import EmbeddedInsight, find_beyond_capacity, merge, says_the_same
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    InsightDraft,
    InsightJob,
    InsightMemory,
    LogEntry,
    Status,
    Trace,
    of_kind,
)
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.values import Vector

CAPACITY_ACTION = "capacity"
"""The log action of an insight that was archived in favour of more important ones; it may be restored."""

Sources = Mapping[str, TraceSummary]
"""The evidence of new insights by trace id."""


def save_insights(
    ledger: Ledger, embedder: Embedder, job: InsightJob, drafts: Sequence[InsightDraft], sources: Sources,
    rules: InsightRules, initial_q: float, now: datetime,
) -> list[InsightMemory]:  # fmt: skip
    """Merge the drafts into the existing insights, complete the job, and return the insights that contain the drafts.

    `sources` has every trace that a draft names; `initial_q` is in [0, 1]. Returns nothing where another worker has
    completed the job. Raises ModelUnavailable or LedgerError.
    """
    user = job.user if job.own_only else None
    with ledger.reading() as reading:
        texts = [memory.reflection for memory in reading.memories.find(job.project, user=user, kind="insight")]
        runs = {trace_id: reading.traces.get(trace_id) for draft in drafts for trace_id in draft.evidence}
    embedded = EmbeddedTexts.by(embedder, [*(draft.text for draft in drafts), *texts])
    unvouched = _unvouched(drafts, runs)
    with ledger.writing() as session:
        waiting = session.jobs.insights.get(job.id)
        if waiting is not None and waiting.state != "queued":
            return []  # another worker completed the job
        known = _known_insights(session, job.project, user, embedded)
        new = _new_insights(session, drafts, embedded)
        before = [_as_insight(memory, embedded.vectors[memory.reflection]) for memory in known.values()]
        merged = merge(before, new, rules.merge_threshold)
        for insight in merged:
            earlier = known.get(insight.key)
            memory = (
                _memory(insight, job, sources, initial_q, now, unvouched)
                if earlier is None
                else _with(earlier, insight)
            )
            if memory == earlier:
                continue
            if earlier is not None:
                disown(session, memory.id, set(insight.evidence) - set(earlier.evidence))
            session.memories.put(memory, embedded.model, insight.vector)
        _make_room(session, [insight.key for insight in merged], rules.capacity, now)
        session.jobs.insights.put(job.model_copy(update={"state": "completed", "last_error": ""}))
        said = [i.key for i in merged if any(_holds(i, draft, rules.merge_threshold) for draft in new)]
        found = _present(session, said)
    return [found[key] for key in said]


def _known_insights(
    session: ReadSession, project: str, user: str | None, embedded: EmbeddedTexts
) -> dict[str, InsightMemory]:
    """Return the insights that new ones may merge with, by id, as far as their texts were embedded."""
    present = of_kind(session.memories.find(project, user=user, kind="insight"), InsightMemory)
    return {m.id: m for m in present if _takes_part(session, m) and m.reflection in embedded.vectors}


def _new_insights(
    session: ReadSession, drafts: Iterable[InsightDraft], embedded: EmbeddedTexts
) -> list[EmbeddedInsight]:
    """Return the drafts with ids of their own, without those on a run that was erased meanwhile: its text is gone."""
    return [
        EmbeddedInsight(new_id("mem"), draft.text, embedded.vectors[draft.text], draft.importance, draft.evidence)
        for draft in drafts
        if all(session.traces.get(trace_id) is not None for trace_id in draft.evidence)
    ]


def _holds(insight: EmbeddedInsight, draft: EmbeddedInsight, threshold: float) -> bool:
    """Return true where a draft became this insight or was merged into it."""
    return set(draft.evidence) <= set(insight.evidence) and says_the_same(insight, draft, threshold)


def _takes_part(session: ReadSession, memory: InsightMemory) -> bool:
    """Return true where new insights may merge with a memory: it is in use, or archived only for capacity."""
    return memory.status in RETRIEVABLE or _is_over_capacity(session, memory)


def _is_over_capacity(session: ReadSession, memory: InsightMemory) -> bool:
    """Return true where a memory was archived in favour of more important insights."""
    log = session.memories.log_of(memory.id)
    return memory.status == "archived" and bool(log) and log[-1].action == CAPACITY_ACTION


def _as_insight(memory: InsightMemory, vector: Vector) -> EmbeddedInsight:
    return EmbeddedInsight(memory.id, memory.reflection, vector, memory.importance, memory.evidence, memory.contradicts)


def _with(memory: InsightMemory, insight: EmbeddedInsight) -> InsightMemory:
    update = {
        "importance": insight.importance,
        "evidence": insight.evidence,
        "contradicts": insight.contradicts,
    }
    return memory.model_copy(update=update)


def _memory(
    insight: EmbeddedInsight,
    job: InsightJob,
    sources: Sources,
    initial_q: float,
    now: datetime,
    unvouched: Collection[str],
) -> InsightMemory:
    newest = max((sources[trace_id] for trace_id in insight.evidence), key=lambda s: (s.created_at, s.id))
    return InsightMemory(
        id=insight.key,
        project=job.project,
        user=job.user,
        task=newest.task,
        reflection=insight.text,
        evidence=insight.evidence,
        importance=insight.importance,
        contradicts=insight.contradicts,
        author=job.author,
        source_trace_id=newest.id,
        initial_q=initial_q,
        q_value=initial_q,
        created_at=now,
        unvouched=(insight.text,) if insight.text in unvouched else (),
    )


def _unvouched(drafts: Iterable[InsightDraft], runs: Mapping[str, Trace | None]) -> frozenset[str]:
    """The texts of insights with words that nobody brought but what their runs read, in none of them."""
    screenings = {trace_id: Screening(ParsedRun.of(run)) for trace_id, run in runs.items() if run is not None}
    found = set[str]()
    for draft in drafts:
        words = [screenings[i].brought_words(draft.text) for i in draft.evidence if i in screenings]
        own = {word for brought, _ in words for word in brought}
        if any(not foreign <= own for _, foreign in words):
            found.add(draft.text)
    return frozenset(found)


def _make_room(session: WriteSession, keys: Iterable[str], capacity: int, now: datetime) -> None:
    """Archive the least important insights beyond the capacity, and restore those within it."""
    memories = _present(session, keys)
    newest_first = sorted(memories.values(), key=lambda m: (m.created_at, m.id), reverse=True)
    ranks = {
        memory.id: (memory.status == "adopted", memory.importance, place) for place, memory in enumerate(newest_first)
    }
    out = set(find_beyond_capacity(ranks, capacity))
    for memory in memories.values():
        if memory.id in out and memory.status == "active":
            _move(
                session,
                memory,
                "archived",
                CAPACITY_ACTION,
                f"{capacity} insights are kept, and others weigh more",
                now,
            )
        elif memory.id not in out and memory.status == "archived":
            _move(session, memory, "active", "restore", "it weighs enough again", now)


def _present(session: ReadSession, ids: Iterable[str]) -> dict[str, InsightMemory]:
    found = session.memories.by_ids(list(ids))
    return {memory.id: memory for memory in of_kind(found.values(), InsightMemory)}


def _move(
    session: WriteSession, memory: InsightMemory, status: Status, action: str, reason: str, now: datetime
) -> None:
    session.memories.set_status(memory.id, status)
    session.memories.add_log(
        LogEntry(memory_id=memory.id, action=action, reason=reason, status_before=memory.status, at=now)
    )
