"""Purging of insights: their texts are erased, and the q_values of reviews stay replayable."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.lifecycle import PURGE_ACTION
from mcp_reflect.application.ports import Clock, Embedder, Ledger
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.domain.models import InsightMemory, LogEntry, of_kind

PURGED_TEXT = "[purged]"
"""The text that replaces the texts of a purged insight."""


def find_insights_to_purge(ledger: Ledger, profile: Profile, before: datetime | None) -> list[InsightMemory]:
    """Return the insights of the project created before a time (all for None), of every status, oldest first."""
    with ledger.reading() as session:
        found = session.memories.find(profile.project, user=profile.visible_user, kind="insight")
    return [
        m
        for m in of_kind(found, InsightMemory)
        if m.reflection != PURGED_TEXT and (before is None or m.created_at < before)
    ]


def purge_insights(
    ledger: Ledger, embedder: Embedder, profile: Profile, clock: Clock, before: datetime | None
) -> list[InsightMemory]:
    """Purge what `find_insights_to_purge` returns, and return it as it was before.

    The rows stay, archived and without their texts: reviews have credited them, and without the rows an audit could not
    account for these rewards. Raises ModelUnavailable or LedgerError.
    """
    gone = find_insights_to_purge(ledger, profile, before)
    if not gone:
        return []
    embedded = EmbeddedTexts.by(embedder, [PURGED_TEXT])
    with ledger.writing() as session:
        present = session.memories.by_ids([memory.id for memory in gone])
        for memory in present.values():
            empty = {"reflection": PURGED_TEXT, "task": PURGED_TEXT, "status": "archived", "contradicts": ()}
            session.memories.put(memory.model_copy(update=empty), embedded.model, embedded.vectors[PURGED_TEXT])
            entry = LogEntry(
                memory_id=memory.id,
                action=PURGE_ACTION,
                reason="purged by command",
                status_before=memory.status,
                at=clock(),
            )
            session.memories.add_log(entry)
        left = session.memories.find(profile.project, user=profile.visible_user, kind="insight")
        for memory in of_kind(left, InsightMemory):
            kept = tuple(other for other in memory.contradicts if other not in present)
            vectors = session.vectors.of_memories([memory.id], embedded.model)
            if kept != memory.contradicts and memory.id in vectors:
                session.memories.put(
                    memory.model_copy(update={"contradicts": kept}), embedded.model, vectors[memory.id]
                )
    return gone
