"""Read access to the traces, memories and figures that a connection may see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from mcp_reflect.application.ports import (
    InsightFigures,
    LostWrites,
    ProjectCounts,
    ReadableLedger,
    RecordSession,
    TraceSummary,
)
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.models import (
    ClaimMemory,
    IngestStatus,
    Memory,
    ReflectionJob,
    Retrieval,
    ReviewStatus,
    Trace,
    of_kind,
)
from mcp_reflect.errors import InvalidArgument, UnknownId

_LISTED = 5
_MOST_FOUND = 200
_A_BEGINNING = "an id, or the beginning of a single one"
_LIKE_AN_ID = re.compile(r"[a-z0-9](?:.*[a-z0-9_])?", re.DOTALL)
_KINDS = {"trace": "run", "mem": "memory", "ret": "retrieval"}

AnyTrace = TypeVar("AnyTrace", Trace, TraceSummary)


class MemoryReader:
    """Reads the records that a profile may see; `embedding_model` is the identity of the model in use."""

    def __init__(self, ledger: ReadableLedger, profile: Profile, embedding_model: str) -> None:
        self._ledger = ledger
        self.profile = profile
        self.embedding_model = embedding_model

    def trace(self, trace_id: str) -> Trace:
        """Return a trace. Raises UnknownId for one of another project, or with scope `user` of another user."""
        with self._ledger.reading() as session:
            return self.trace_in(session, trace_id)

    def trace_in(self, session: RecordSession, trace_id: str) -> Trace:
        """Return a trace as of an open session. Raises UnknownId as `trace` does."""
        return self._visible(trace_id, session.traces.get(trace_id))

    def find_submitted(self, trace_key: str) -> str | None:
        """Return the id of the run that was submitted under a trace_key; None where none was."""
        from mcp_reflect.domain.redaction.stored_text import storable_key  # noqa: PLC0415 - a quarter of a reading

        with self._ledger.reading() as session:
            found = session.traces.find_by_key(self.profile.project, storable_key(trace_key))
        return found.id if found is not None and self.profile.sees(found) else None

    def memory(self, memory_id: str) -> Memory:
        """Return a memory. Raises UnknownId as `trace` does."""
        with self._ledger.reading() as session:
            found = session.memories.by_ids([memory_id]).get(memory_id)
        if found is None or not self.profile.sees(found):
            raise UnknownId("memory_id", [memory_id])
        return found

    def retrieval(self, retrieval_id: str) -> Retrieval:
        """Return a retrieval. Raises UnknownId as `trace` does."""
        with self._ledger.reading() as session:
            found = session.retrievals.get(retrieval_id)
        if found is None or not self.profile.sees(found):
            raise UnknownId("retrieval_id", [retrieval_id])
        return found

    def memory_of(self, summary: TraceSummary) -> Memory | None:
        """Return the reflection written from a trace, None where there is none."""
        with self._ledger.reading() as session:
            return session.memories.by_ids([summary.memory_id]).get(summary.memory_id)

    def claims_of(self, trace_id: str) -> list[ClaimMemory]:
        """Return the claims of a run, of every status, oldest first."""
        with self._ledger.reading() as session:
            return claims_from(session, trace_id)

    def memories(self, ids: tuple[str, ...]) -> list[Memory]:
        """Return the memories that exist and are visible, in the order of `ids`."""
        with self._ledger.reading() as session:
            found = session.memories.by_ids(ids)
        return [found[i] for i in ids if i in found and self.profile.sees(found[i])]

    def summary(self, trace_id: str) -> TraceSummary:
        """Return the summary of a trace. Raises UnknownId as `trace` does."""
        with self._ledger.reading() as session:
            return self._visible(trace_id, session.traces.summary(trace_id))

    def _visible(self, trace_id: str, found: AnyTrace | None) -> AnyTrace:
        if found is None or not self.profile.sees(found):
            raise UnknownId("trace_id", [trace_id])
        return found

    def traces(self, review_status: ReviewStatus | None, limit: int) -> list[TraceSummary]:
        """Return at most `limit` summaries of traces, newest first; a `review_status` of None means all."""
        with self._ledger.reading() as session:
            return session.traces.summaries(
                self.profile.project, user=self.profile.visible_user, review_status=review_status, limit=limit
            )

    def counts(self) -> ProjectCounts:
        """Return the numbers of traces and memories."""
        with self._ledger.reading() as session:
            return session.projects.counts(self.profile.project, self.profile.visible_user)

    def insight_figures(self) -> InsightFigures:
        """Return the figures about insights."""
        with self._ledger.reading() as session:
            return session.projects.insight_figures(self.profile.project, self.profile.visible_user)

    def lost_writes(self) -> LostWrites | None:
        """Return what was acknowledged and is missing from the ledger; None where nothing is."""
        return self._ledger.lost_writes()

    def missing_vectors(self) -> int:
        """Return the number of memories that the current model has not embedded; `reindex` embeds them."""
        with self._ledger.reading() as session:
            return len(session.vectors.missing(self.profile.project, self.embedding_model))

    def resolve_id(self, beginning: str, *prefixes: str) -> str:
        """Return the only id of the project that begins with `beginning` and has one of the prefixes.

        Prefixes are `trace`, `mem` and `ret`. Raises UnknownId for no id, and InvalidArgument for several.
        """
        wanted = _without_surroundings(beginning)
        if not wanted:
            raise InvalidArgument("record_id", f"got {beginning!r}", _A_BEGINNING)
        found = self.find_ids(self.profile.project, wanted, *prefixes)
        if wanted in found:
            return wanted
        if not found:
            _refuse_other_kind(wanted, prefixes)
            raise UnknownId("record_id", [beginning])
        if len(found) > 1:
            more = ", …" if len(found) > _LISTED else ""
            problem = f"{beginning!r} is the beginning of {', '.join(found[:_LISTED])}{more}"
            raise InvalidArgument("record_id", problem, _A_BEGINNING)
        return found[0]

    def find_ids(self, project: str, beginning: str, *prefixes: str) -> list[str]:
        """Return the ids of a project that begin so and have one of the prefixes, at most 200."""
        starts = tuple(f"{prefix}_" for prefix in prefixes)
        with self._ledger.reading() as session:
            begin = session.projects.find_ids(project, _without_surroundings(beginning), _MOST_FOUND)
        return [each for each in begin if each.startswith(starts)]


def _without_surroundings(typed: str) -> str:
    """An id without what is copied along with it: blanks, quotes, an ellipsis, the end of a sentence."""
    found = _LIKE_AN_ID.search(typed.lower())
    return found[0] if found else ""


def _refuse_other_kind(beginning: str, prefixes: Sequence[str]) -> None:
    """Raise InvalidArgument where an id says itself that it is of another kind than those asked for."""
    kind = beginning.partition("_")[0]
    if kind in _KINDS and kind not in prefixes:
        allowed = " or ".join(f"the id of a {_KINDS[prefix]}" for prefix in prefixes)
        raise InvalidArgument("record_id", f"{beginning!r} is that of a {_KINDS[kind]}", allowed)


def ingest_status(job: ReflectionJob | None) -> IngestStatus:
    """Return the state of a trace's reflection; `none` without a review."""
    return "none" if job is None else job.state


def claims_from(session: RecordSession, trace_id: str) -> list[ClaimMemory]:
    """Return the claims of a run, of whatever status: those that it is the source of, then those it taught as well."""
    own = of_kind(session.memories.of_trace(trace_id), ClaimMemory)
    told = [witness.memory_id for witness in session.witnesses.of_trace(trace_id)]
    shared = of_kind(session.memories.by_ids(told).values(), ClaimMemory)
    return [*own, *(each for each in shared if each.source_trace_id != trace_id)]


def require_memories(session: RecordSession, profile: Profile, name: str, ids: Sequence[str]) -> None:
    """Raise UnknownId for ids in argument `name` that are not visible to this profile."""
    found = session.memories.by_ids(ids)
    unknown = [i for i in ids if i not in found or not profile.sees(found[i])]
    if unknown:
        raise UnknownId(name, unknown)
