"""The figures of a project as `memory_stats` and the command `stats` tell them, with what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_reflect.application.memory_reader import MemoryReader
from mcp_reflect.domain.models import RETRIEVABLE
from mcp_reflect.server.views.times import time_view

if TYPE_CHECKING:  # commands that only show something import no use case
    from mcp_reflect.application.ports import LostWrites, ProjectCounts

_WITHHELD_LISTED = 5


def stats_view(memory: MemoryReader, waiting: int) -> dict[str, Any]:
    """Return the figures of memory_stats; `waiting` errors in the repository's file wait for consent."""
    counts: ProjectCounts = memory.counts()
    insights = memory.insight_figures()
    profile = memory.profile
    missing = memory.missing_vectors()
    advice = "run `mcp-reflect reindex`: some memories are not embedded by the present model" if missing else ""
    if waiting and not advice:
        advice = "read the repository's file of errors, then run `mcp-reflect mirror accept`: it waits for consent"
    lost = memory.lost_writes()
    if lost is not None:
        advice = "the ledger lost its last writes: hand the runs of that time in again, and see `mcp-reflect doctor`"
    if counts.withheld_in and not advice:
        advice = "a person should look at what was kept from lessons: `mcp-reflect show` with the ids under withheld"
    return {
        "project": profile.project,
        "project_from": profile.project_origin,
        "user": profile.user,
        "scope": profile.scope,
        "traces": {"total": counts.traces, "pending": counts.pending, "reviewed": counts.reviewed},
        "reviews": {"pass": counts.passes, "fail": counts.fails},
        "memories": {"total": sum(counts.memories.values()), **counts.memories},
        "mean_q_value": counts.mean_q,
        "q_updates": counts.utility_events,
        "reflections": {"queued": 0, "completed": 0, "failed": 0} | dict(counts.jobs),
        "insights": {"in_use": sum(insights.memories.get(status, 0) for status in RETRIEVABLE)}
        | {"queued": 0, "completed": 0, "failed": 0}
        | dict(insights.jobs)
        | {"last_error": insights.last_error},
        "last_error": counts.last_error or insights.last_error,
        "embedding_model": memory.embedding_model,
        "not_embedded": missing,
        "errors_waiting": waiting,
        "lost_writes": None if lost is None else _lost_view(lost),
        "withheld": {"runs": len(counts.withheld_in), "latest": list(counts.withheld_in[:_WITHHELD_LISTED])},
        "retrieval": profile.retrieval,
        "similarity_threshold": profile.threshold(profile.retrieval),
        "advice": advice,
    }


def _lost_view(lost: LostWrites) -> dict[str, Any]:
    since = None if lost.since is None else time_view(lost.since)
    return {"count": lost.count, "since": since, "until": time_view(lost.until)}
