"""The memory: one method per use case. All rules meet here; every write is one ledger transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.lesson_embedding import LessonEmbedding
from mcp_reflect.application.lifecycle import StatusChange, change_status
from mcp_reflect.application.memory_reader import MemoryReader
from mcp_reflect.application.ports import Ledger, OutOfDate
from mcp_reflect.application.requests import DEFAULT, ErrorFix, Query, Submission, Verdict
from mcp_reflect.application.retrieval.recording import record_shown
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrievals
from mcp_reflect.domain.lessons.comparison.disagreement import find_disagreements
from mcp_reflect.domain.lessons.comparison.later_lessons import with_later_first
from mcp_reflect.domain.models import Action, ErrorMemory, Match, Memory
from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.redaction.stored_text import storable_text
from mcp_reflect.domain.text.rendering import render_augmented
from mcp_reflect.domain.vectors import FLOAT32_ERROR
from mcp_reflect.errors import UsageError

if TYPE_CHECKING:  # built and imported when they are used first; numpy alone is a tenth of a second and 12 MB
    from mcp_reflect.application.guide import WrittenGuide
    from mcp_reflect.application.insights import Insights
    from mcp_reflect.application.intake.prepared_run import PreparedRun
    from mcp_reflect.application.known_errors import ErrorFixes, Recorded
    from mcp_reflect.application.ports.records import TraceSummary
    from mcp_reflect.application.retrieval.retriever import Hit, PreparedSearch, Retriever
    from mcp_reflect.application.review.review_outcome import ReviewOutcome
    from mcp_reflect.application.review.review_service import ReviewService
    from mcp_reflect.application.use_cases import UseCases

_LATEST = 20
"""Runs among which the latest one of a user is looked for."""


@dataclass(frozen=True)
class RetrievedMemories:
    """The memories that a query found, best first, and the id under which the ledger recorded them.

    `warning` says why it could not; the id is NO_RETRIEVAL then. `nearest` are the memories nearest to a task for which
    none is relevant enough: they were not shown, and no run is taken to have followed them.
    """

    retrieval_id: str
    matches: list[Match]
    warning: str = ""
    nearest: tuple[Memory, ...] = ()

    @cached_property
    def disagreements(self) -> dict[str, tuple[str, ...]]:
        """The memories that contradict another one that was found, each with the ids of those."""
        found: dict[str, tuple[str, ...]] = {}
        for one, other in find_disagreements([match.memory for match in self.matches]):
            found[one.id] = (*found.get(one.id, ()), other.id)
            found[other.id] = (*found.get(other.id, ()), one.id)
        return found


class MemoryService(MemoryReader):
    """A project's memory as one connection sees it. Thread-safe; cheap to make on shared parts.

    `retriever` and `use_cases`, of which queries need none, are built by their first call. `has_mirror` says that
    errors are mirrored in a file of the repository. `is_waiting` tells whether the run with a trace_key waits in the
    outbox.
    """

    def __init__(
        self,
        context: ConnectionContext,
        *,
        retriever: Callable[[], Retriever],
        use_cases: Callable[[], UseCases],
        unclaimed: UnclaimedRetrievals,
        lessons: LessonEmbedding,
        has_mirror: bool,
        is_waiting: Callable[[str], bool],
    ) -> None:
        super().__init__(context.ledger, context.profile, context.embedder.identity)
        self._ledger: Ledger = context.ledger
        self._embedder = context.embedder
        self._clock = context.clock
        self._on_saved = context.on_saved
        self._retriever = retriever
        self._use_cases = use_cases
        self._unclaimed = unclaimed
        self._lessons = lessons
        self._has_mirror = has_mirror
        self.is_waiting = is_waiting

    @property
    def reviews(self) -> ReviewService:
        """Return the reviews of runs."""
        return self._use_cases().reviews

    @property
    def errors(self) -> ErrorFixes:
        """Return the known errors."""
        return self._use_cases().errors

    @property
    def insights(self) -> Insights:
        """Return the insights."""
        return self._use_cases().insights

    def latest_run(self, within: timedelta) -> TraceSummary | None:
        """Return the latest run of this user in the project; None where it is older than `within`."""
        mine = (run for run in self.traces(None, _LATEST) if run.user == self.profile.user)
        run = next(mine, None)
        return run if run is not None and self._clock() - run.created_at <= within else None

    # -- before a task

    def query(self, query: Query, *, unclaimed: bool = False, name_nearest: bool = False) -> RetrievedMemories:
        """Return the memories that are near in meaning and have led to good outcomes, best first.

        `unclaimed`: they are kept for the agent's run, which may come over another connection without naming them.
        `name_nearest`: where none is relevant enough by default, the nearest are added.
        """
        self._embedder.prepare()
        from mcp_reflect.application.retrieval.retriever import RetrievalSpec  # noqa: PLC0415 - imports numpy
        from mcp_reflect.domain.ranking.recency import microseconds  # noqa: PLC0415 - as above

        how = query.retrieval or self.profile.retrieval
        threshold = query.similarity_threshold
        is_default = threshold == DEFAULT
        if is_default:
            threshold = self.profile.threshold(how)
        now = self._clock()
        wanted = RetrievalSpec(
            task=storable_text(query.task).strip() or redact(query.task),
            limit=query.limit,
            lambda_=query.lambda_,
            mmr_lambda=query.mmr_lambda,
            threshold=min(threshold, 1.0 - FLOAT32_ERROR),  # the same text is only as alike as its vector is exact
            metadata_filter=query.metadata_filter,
            recency_weight=self.profile.recency_weight,
            now=microseconds(now),
            hybrid=how == "hybrid",
            by_lead=is_default and self.profile.judges_by_lead,
            optimism=self.profile.optimism_for(how),
        )
        # Before lessons are waited for: the background embeds that of the run before at the same time.
        search = self._retriever().prepare(self.profile.project, self.profile.visible_user, wanted)
        try:
            retrieved = self._retrieved(search, refresh=False)
        except OutOfDate:  # another process wrote to the ledger
            retrieved = self._retrieved(search, refresh=True)
        if name_nearest and wanted.by_lead and not retrieved.matches:
            retrieved = replace(retrieved, nearest=tuple(self.memories(self._retriever().nearest(search))))
        if unclaimed and retrieved.matches:
            self._unclaimed.add(self.profile, [match.memory.id for match in retrieved.matches], query.task, now)
        return retrieved

    def _retrieved(self, search: PreparedSearch, *, refresh: bool) -> RetrievedMemories:
        """Search and record what is returned.

        Without `refresh` the ledger is asked for changes only as the retrieval is recorded, which saves a tenth of what
        a query adds to the embedding. Raises OutOfDate where another process wrote meanwhile.
        """
        self._lessons.catch_up(search.project, refresh=refresh)
        hits = self._retriever().search(search, refresh=refresh)
        retrieval = self.profile.new_retrieval([hit.memory_id for hit in hits.hits], self._clock())

        matches: list[Match] = []

        def ordered(memories: Mapping[str, Memory]) -> list[str]:
            matches[:] = _matches(hits.hits, memories)
            return [match.memory.id for match in matches]

        recorded = record_shown(self._ledger, retrieval, None if refresh else hits.as_of, ordered)
        self._retriever().touch(search.project, retrieval.memory_ids, search.query.now)
        # Where nothing could be recorded, nothing was ordered either.
        matches = matches or _matches(hits.hits, recorded.memories)
        return RetrievedMemories(recorded.retrieval_id, matches, recorded.warning)

    def augment(self, query: Query, *, unclaimed: bool = False) -> tuple[str, RetrievedMemories]:
        """Return the task with the memories that may help, ready to be used as a prompt; `unclaimed` as in `query`."""
        retrieved = self.query(query, unclaimed=unclaimed)
        memories = [match.memory for match in retrieved.matches]
        untried = [match.memory.id for match in retrieved.matches if match.untried]
        return render_augmented(query.task, memories, retrieved.disagreements, untried), retrieved

    def guide(self) -> WrittenGuide:
        """Return the project guide, from every memory in use."""
        return self._use_cases().guide()

    def count_waiting_errors(self) -> int:
        """Return the number of errors in the repository's file that wait for consent."""
        return len(self.errors.mirror.waiting()) if self._has_mirror else 0

    # -- after a task

    def submit(self, submission: Submission, *, client_can_sample: bool = False) -> ReviewOutcome:
        """Store a run with the errors that it fixed, and its review where one is given; see `RunIntake.submit`."""
        with self._lessons.after_write(self.profile.project):
            return self._use_cases().intake.submit(submission, client_can_sample=client_can_sample)

    def submit_all(self, submissions: Iterable[Submission | PreparedRun]) -> Iterator[ReviewOutcome | UsageError]:
        """Store many runs in few transactions; see `RunIntake.submit_all`. Their lessons are embedded later."""
        with self._lessons.held_back(self.profile.project):
            yield from self._use_cases().intake.submit_all(submissions)

    def review(self, trace_id: str, verdict: Verdict, *, client_can_sample: bool = False) -> ReviewOutcome:
        """Review a stored run; see `ReviewService.review`."""
        with self._lessons.after_write(self.profile.project):
            return self.reviews.review(trace_id, verdict, client_can_sample=client_can_sample)

    def record_error(self, fix: ErrorFix) -> Recorded:
        """Store an error with its fix, or count its recurrence; see `ErrorFixes.record`."""
        with self._lessons.after_write(self.profile.project):
            recorded = self.errors.record(fix)
        self._on_saved(self.profile.project)
        return recorded

    def manage(self, memory_id: str, action: Action, reason: str = "") -> StatusChange:
        """Change a memory's status; see `lifecycle.change_status`."""
        change = change_status(self._ledger, self.profile, self._clock, memory_id, action, reason)
        if change.memory.status != change.before:
            self._on_saved(self.profile.project)
            if isinstance(change.memory, ErrorMemory):
                self.errors.mirror.write()
        return change


def _matches(hits: Sequence[Hit], memories: Mapping[str, Memory]) -> list[Match]:
    """The memories that were found and are still there, in the order in which they are shown."""
    return with_later_first(
        [
            Match(
                memory=memories[hit.memory_id],
                similarity=hit.similarity,
                relevance=hit.relevance,
                score=hit.score,
                parts=hit.parts,
                untried=hit.untried,
            )
            for hit in hits
            if hit.memory_id in memories
        ]
    )
