"""MemoryReader things up as one connection may see them."""

from __future__ import annotations

from typing import TypeVar

from mcp_reflect.application.ports import InsightFigures, Ledger, ProjectCounts, TraceSummary
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.models import IngestStatus, Memory, ReflectionJob, Retrieval, ReviewStatus, Trace
from mcp_reflect.errors import InvalidArgument, UnknownId

ISSUED_BY = "query_memories and augment_task"

_LISTED = 5

Run = TypeVar("Run", Trace, TraceSummary)


class MemoryReader:
    """`embedding_model` is the identity of the model in use."""

    def __init__(self, ledger: Ledger, profile: Profile, embedding_model: str) -> None:
        self._ledger = ledger
        self.profile = profile
        self.embedding_model = embedding_model

    def trace(self, trace_id: str) -> Trace:
        """Raises UnknownId for a trace of another project, or of another user where each sees only their own."""
        return self._visible(trace_id, self._ledger.trace(trace_id))

    def memory(self, memory_id: str) -> Memory:
        """Raises UnknownId as `trace` does."""
        found = self._ledger.memories([memory_id]).get(memory_id)
        if found is None or not self.profile.sees(found):
            raise UnknownId("memory_id", [memory_id], ISSUED_BY)
        return found

    def retrieval(self, retrieval_id: str) -> Retrieval:
        """Raises UnknownId as `trace` does."""
        found = self._ledger.retrieval(retrieval_id)
        if found is None or not self.profile.sees(found):
            raise UnknownId("retrieval_id", [retrieval_id], ISSUED_BY)
        return found

    def memory_of(self, summary: TraceSummary) -> Memory | None:
        return self._ledger.memories([summary.memory_id]).get(summary.memory_id) if summary.memory_id else None

    def claims_of(self, trace_id: str) -> list[Memory]:
        """The claims of a run, of whatever status, oldest first."""
        return [memory for memory in self._ledger.memories_of_trace(trace_id) if memory.kind == "claim"]

    def memories(self, ids: tuple[str, ...]) -> list[Memory]:
        """Those that are there and visible, in the order given."""
        found = self._ledger.memories(ids)
        return [found[i] for i in ids if i in found and self.profile.sees(found[i])]

    def summary(self, trace_id: str) -> TraceSummary:
        """Raises UnknownId as `trace` does."""
        return self._visible(trace_id, self._ledger.trace_summary(trace_id))

    def _visible(self, trace_id: str, found: Run | None) -> Run:
        if found is None or not self.profile.sees(found):
            raise UnknownId("trace_id", [trace_id], "submit_trace and list_traces")
        return found

    def traces(self, review_status: ReviewStatus | None, limit: int) -> list[TraceSummary]:
        """Newest first."""
        return self._ledger.traces(
            self.profile.project, user=self.profile.visible_user, review_status=review_status, limit=limit
        )

    def counts(self) -> ProjectCounts:
        return self._ledger.counts(self.profile.project, self.profile.visible_user)

    def insight_figures(self) -> InsightFigures:
        return self._ledger.insight_figures(self.profile.project, self.profile.visible_user)

    def missing_vectors(self) -> int:
        """Memories that the present embedding model has not embedded, which cannot be found until `reindex`."""
        return len(self._ledger.missing_vectors(self.profile.project, self.embedding_model))

    def full_id(self, beginning: str, *prefixes: str) -> str:
        """The only id of the project that begins so, of those with one of the prefixes (`trace`, `mem`, `ret`).

        Raises UnknownId, and InvalidArgument where several do.
        """
        most = 200
        starts = tuple(f"{prefix}_" for prefix in prefixes)
        found = self._ledger.ids_starting(self.profile.project, beginning, most) if beginning.strip() else []
        found = [each for each in found if each.startswith(starts)]
        if beginning in found:
            return beginning
        if not found:
            raise UnknownId("ID", [beginning], "`mcp-reflect traces` and `mcp-reflect memories`")
        if len(found) > 1:
            more = ", …" if len(found) > _LISTED else ""
            problem = f"{beginning!r} is the beginning of {', '.join(found[:_LISTED])}{more}"
            raise InvalidArgument("ID", problem, "an id, or the beginning of a single one")
        return found[0]


def ingest_status(job: ReflectionJob | None) -> IngestStatus:
    """How far the reflection is; a trace without a review has none."""
    return "none" if job is None else job.state
