"""The memory: one method per use case. All rules meet here; every write is one ledger transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mcp_reflect.application.credit import creditable
from mcp_reflect.application.guide import WrittenGuide, write_guide
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.known_errors import ErrorFixes, Recorded
from mcp_reflect.application.lifecycle import StatusChange, change_status
from mcp_reflect.application.memory_reader import ISSUED_BY, MemoryReader, require_memories
from mcp_reflect.application.ports import (
    Clock,
    Embedder,
    Ledger,
    OutOfDate,
    ReadSession,
)
from mcp_reflect.application.prepared_review import PreparedReview, validate_verdict
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import DEFAULT, NO_RETRIEVAL, ErrorFix, Query, Submission, Verdict
from mcp_reflect.application.retrieval import RetrievalSpec, Retriever
from mcp_reflect.application.review import ReviewOutcome
from mcp_reflect.application.review_service import ReviewService
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import (
    Action,
    ErrorMemory,
    Match,
    Trace,
)
from mcp_reflect.domain.ranking.recency import microseconds
from mcp_reflect.domain.redaction.redact import redact, redact_json, redact_trajectory
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_draft, storable_key, storable_text
from mcp_reflect.domain.text.rendering import map_text, render_augmented, strip_recalled
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.values import FLOAT32_ERROR
from mcp_reflect.errors import InvalidArgument, TraceKeyConflict, UnknownId


@dataclass(frozen=True)
class RetrievedMemories:
    """The memories that a query found, best first, and the id under which the ledger recorded them."""

    retrieval_id: str
    matches: list[Match]


class MemoryService(MemoryReader):
    """A project's memory as one connection sees it. Thread-safe; cheap to make on shared parts.

    `reviews` has the profile of the same connection; `on_saved` is called with the project whose memories changed.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        embedder: Embedder,
        retriever: Retriever,
        reviews: ReviewService,
        errors: ErrorFixes,
        insights: Insights,
        profile: Profile,
        clock: Clock,
        on_saved: Callable[[str], None],
    ) -> None:
        super().__init__(ledger, profile, embedder.identity)
        self._embedder = embedder
        self._retriever = retriever
        self.reviews = reviews
        self.errors = errors
        self.insights = insights
        self._clock = clock
        self._saved = on_saved

    # -- before a task

    def query(self, query: Query) -> RetrievedMemories:
        """Return the memories that are near in meaning and have led to good outcomes, best first."""
        self._embedder.prepare()
        how = query.retrieval or self.profile.retrieval
        threshold = query.similarity_threshold
        if threshold == DEFAULT:
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
            optimism=self.profile.optimism_for(how),
        )
        try:
            return self._retrieved(wanted, refresh=False)
        except OutOfDate:  # another process wrote to the ledger
            return self._retrieved(wanted, refresh=True)

    def _retrieved(self, wanted: RetrievalSpec, *, refresh: bool) -> RetrievedMemories:
        """Search and record what is returned.

        Without `refresh` the ledger is asked for changes only as the retrieval is recorded, which saves a tenth of what
        a query adds to the embedding. Raises OutOfDate where another process wrote meanwhile.
        """
        project = self.profile.project
        hits = self._retriever.search(project, self.profile.visible_user, wanted, refresh=refresh)
        retrieval = self.profile.new_retrieval([hit.memory_id for hit in hits.hits], self._clock())
        memories = self._ledger.record_retrieval(retrieval, as_of=None if refresh else hits.as_of)
        self._retriever.touch(project, retrieval.memory_ids, wanted.now)
        matches = [
            Match(memory=memories[hit.memory_id], similarity=hit.similarity, relevance=hit.relevance, score=hit.score)
            for hit in hits.hits
            if hit.memory_id in memories
        ]
        return RetrievedMemories(retrieval.id, matches)

    def augment(self, query: Query) -> tuple[str, RetrievedMemories]:
        """Return the task with the memories that may help, ready to be used as a prompt."""
        retrieved = self.query(query)
        return render_augmented(query.task, [match.memory for match in retrieved.matches]), retrieved

    def guide(self) -> WrittenGuide:
        """Return the project guide, from every memory in use."""
        return write_guide(self._ledger, self.profile)

    # -- after a task

    def submit(self, submission: Submission, *, client_can_sample: bool = False) -> ReviewOutcome:
        """Store a run with the errors that it fixed, and its review where one is given, in one transaction."""
        run = self._run_of(submission)
        trace, verdict = run.trace, submission.verdict
        with self._ledger.reading() as reading:
            known = _find_same(reading, trace)
            if known is None:
                validate_verdict(reading, self.profile, verdict)
        if known is not None:
            return self._same_trace(known, trace)
        prepared = self._prepared_submission(run, submission, client_can_sample) if verdict.result else None
        fixed, errors_changed = self.errors.of_runs.prepare(run), False
        with self._ledger.writing() as session:
            known = _find_same(session, trace)
            if known is None:
                retrieved = self._retrieved_ids(session, submission)
                trace = trace.model_copy(update={"retrieved_memory_ids": retrieved})
                session.traces.add(trace)
                session.retrievals.close(self.profile.connection, trace.id)
                outcome = ReviewOutcome(trace.id, None, "none", "", None, [])
                if prepared is not None:
                    outcome = self.reviews.apply(session, prepared, trace)
                errors_changed = self.errors.of_runs.store(session, fixed, trace)
                due = self.insights.queue_if_due(session)
        if known is not None:
            return self._same_trace(known, trace)
        if due:
            self.insights.wake()
        if errors_changed:
            self._saved(self.profile.project)
            self.errors.mirror.write()
        return self.reviews.settle(outcome)

    def review(self, trace_id: str, verdict: Verdict, *, client_can_sample: bool = False) -> ReviewOutcome:
        """Review a stored run; see `ReviewService.review`."""
        return self.reviews.review(trace_id, verdict, client_can_sample=client_can_sample)

    def record_error(self, fix: ErrorFix) -> Recorded:
        """Store an error with its fix, or count its recurrence; see `ErrorFixes.record`."""
        recorded = self.errors.record(fix)
        self._saved(self.profile.project)
        return recorded

    def manage(self, memory_id: str, action: Action, reason: str = "") -> StatusChange:
        """Change a memory's status; see `lifecycle.change_status`."""
        change = change_status(self._ledger, self.profile, self._clock, memory_id, action, reason)
        if change.memory.status != change.before:
            self._saved(self.profile.project)
            if isinstance(change.memory, ErrorMemory):
                self.errors.mirror.write()
        return change

    # -- submitting

    def _prepared_submission(self, run: ParsedRun, submission: Submission, client_can_sample: bool) -> PreparedReview:
        """The review of a run that is not stored yet, as far as it can be worked out before the ledger is locked."""
        with self._ledger.reading() as session:
            retrieved = self._retrieved_ids(session, submission)
            run = replace(run, trace=run.trace.model_copy(update={"retrieved_memory_ids": retrieved}))
            memories = creditable(session, run.trace)
        return self.reviews.prepare(run, submission.verdict, memories, client_can_sample=client_can_sample)

    def _run_of(self, submission: Submission) -> ParsedRun:
        """The run to store: secrets redacted, and what this memory itself had put into the prompt cut out."""
        task = storable_text(submission.task)
        if not task.strip():
            raise InvalidArgument("task", NOTHING_STORABLE, "the task in the user's words")
        trajectory = redact_trajectory(map_text(parse(submission.trajectory), strip_recalled))
        trace = Trace(
            id=new_id("trace"),
            project=self.profile.project,
            user=self.profile.user,
            task=task,
            trajectory=trajectory.text,
            final_response=storable_text(submission.final_response),
            model=redact(submission.model),
            metadata=redact_json(submission.metadata),
            reference_context=storable_text(submission.reference_context),
            trace_key=storable_key(submission.trace_key),
            tools_used=trajectory.tools_used,
            created_at=self._clock(),
        )
        if submission.verdict.result:
            # Its words belong to this review, and would speak for a later one that brings none.
            return ParsedRun(trace, trajectory)
        words = {
            "draft": storable_draft(submission.verdict.draft),
            "feedback": storable_text(submission.verdict.feedback),
        }
        return ParsedRun(trace.model_copy(update=words), trajectory)

    def _same_trace(self, known: Trace, again: Trace) -> ReviewOutcome:
        """The answer to a retry: what the first call stored."""
        if not self.profile.sees(known):
            raise InvalidArgument("trace_key", "is taken by another user of the project", "a key of your own")
        if known.task != again.task:
            raise TraceKeyConflict(known.trace_key, known.id)
        return self.reviews.outcome(known.id)

    def _retrieved_ids(self, session: ReadSession, submission: Submission) -> tuple[str, ...]:
        """What the run was given: as named by the caller, otherwise what its connection was last shown."""
        ids = list(submission.retrieved_memory_ids)
        require_memories(session, self.profile, "retrieved_memory_ids", ids)
        if submission.retrieval_id == NO_RETRIEVAL:
            return tuple(dict.fromkeys(ids))
        if submission.retrieval_id:
            retrieval = session.retrievals.get(submission.retrieval_id)
            if retrieval is None or not self.profile.sees(retrieval):
                raise UnknownId("retrieval_id", [submission.retrieval_id], ISSUED_BY)
            ids += retrieval.memory_ids
        elif not ids:
            ids = [i for shown in session.retrievals.open_of(self.profile.connection) for i in shown.memory_ids]
        there = session.memories.by_ids(ids)  # what was shown may have been forgotten since
        return tuple(memory_id for memory_id in dict.fromkeys(ids) if memory_id in there)


def _find_same(session: ReadSession, trace: Trace) -> Trace | None:
    """The trace that an earlier call stored under the same key."""
    return session.traces.find_by_key(trace.project, trace.trace_key) if trace.trace_key else None
