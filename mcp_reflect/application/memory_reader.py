"""Reading of traces, memories and figures as one connection may see them."""

from __future__ import annotations

from typing import TypeVar

from mcp_reflect.application.claims import claims_from
from mcp_reflect.application.ports import InsightFigures, Ledger, ProjectCounts, TraceSummary
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.models import ClaimMemory, IngestStatus, Memory, ReflectionJob, Retrieval, ReviewStatus, Trace
from mcp_reflect.errors import InvalidArgument, UnknownId

ISSUED_BY = "query_memories and augment_task"

_LISTED = 5

AnyTrace = TypeVar("AnyTrace", Trace, TraceSummary)


class MemoryReader:
    """Reads what a profile may see; `embedding_model` is the identity of the model in use."""

    def __init__(self, ledger: Ledger, profile: Profile, embedding_model: str) -> None:
        self._ledger = ledger
        self.profile = profile
        self.embedding_model = embedding_model

    def trace(self, trace_id: str) -> Trace:
        """Raises UnknownId for a trace of another project, or of another user where each sees only their own."""
        with self._ledger.reading() as session:
            return self._visible(trace_id, session.traces.get(trace_id))

    def memory(self, memory_id: str) -> Memory:
        """Raises UnknownId as `trace` does."""
        with self._ledger.reading() as session:
            found = session.memories.by_ids([memory_id]).get(memory_id)
        if found is None or not self.profile.sees(found):
            raise UnknownId("memory_id", [memory_id], ISSUED_BY)
        return found

    def retrieval(self, retrieval_id: str) -> Retrieval:
        """Raises UnknownId as `trace` does."""
        with self._ledger.reading() as session:
            found = session.retrievals.get(retrieval_id)
        if found is None or not self.profile.sees(found):
            raise UnknownId("retrieval_id", [retrieval_id], ISSUED_BY)
        return found

    def memory_of(self, summary: TraceSummary) -> Memory | None:
        with self._ledger.reading() as session:
            return session.memories.by_ids([summary.memory_id]).get(summary.memory_id)

    def claims_of(self, trace_id: str) -> list[ClaimMemory]:
        """The claims of a run, of whatever status, oldest first."""
        with self._ledger.reading() as session:
            return claims_from(session, trace_id)

    def memories(self, ids: tuple[str, ...]) -> list[Memory]:
        """Those that are there and visible, in the order given."""
        with self._ledger.reading() as session:
            found = session.memories.by_ids(ids)
        return [found[i] for i in ids if i in found and self.profile.sees(found[i])]

    def summary(self, trace_id: str) -> TraceSummary:
        """Raises UnknownId as `trace` does."""
        with self._ledger.reading() as session:
            return self._visible(trace_id, session.traces.summary(trace_id))

    def _visible(self, trace_id: str, found: AnyTrace | None) -> AnyTrace:
        if found is None or not self.profile.sees(found):
            raise UnknownId("trace_id", [trace_id], "submit_trace and list_traces")
        return found

    def traces(self, review_status: ReviewStatus | None, limit: int) -> list[TraceSummary]:
        """Newest first."""
        with self._ledger.reading() as session:
            return session.traces.summaries(
                self.profile.project, user=self.profile.visible_user, review_status=review_status, limit=limit
            )

    def counts(self) -> ProjectCounts:
        with self._ledger.reading() as session:
            return session.projects.counts(self.profile.project, self.profile.visible_user)

    def insight_figures(self) -> InsightFigures:
        with self._ledger.reading() as session:
            return session.projects.insight_figures(self.profile.project, self.profile.visible_user)

    def missing_vectors(self) -> int:
        """Memories that the present embedding model has not embedded, which cannot be found until `reindex`."""
        with self._ledger.reading() as session:
            return len(session.vectors.missing(self.profile.project, self.embedding_model))

    def resolve_id(self, beginning: str, *prefixes: str) -> str:
        """The only id of the project that begins so, of those with one of the prefixes (`trace`, `mem`, `ret`).

        Raises UnknownId, and InvalidArgument where several do.
        """
        most = 200
        starts = tuple(f"{prefix}_" for prefix in prefixes)
        with self._ledger.reading() as session:
            begin = session.projects.find_ids(self.profile.project, beginning, most) if beginning.strip() else []
        found = [each for each in begin if each.startswith(starts)]
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
    """Return the state of a trace's reflection; `none` without a review."""
    return "none" if job is None else job.state
