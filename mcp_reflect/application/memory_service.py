"""The memory: one method per use case. All rules meet here; every write is one ledger transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_reflect.application.claims import Embedded, texts_of
from mcp_reflect.application.credit import creditable, update_of
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.jobs.reflections import ReflectionQueue
from mcp_reflect.application.known_errors import ErrorFixes, Recorded
from mcp_reflect.application.lifecycle import StatusChange, change_status
from mcp_reflect.application.memory_reader import ISSUED_BY, MemoryReader, ingest_status
from mcp_reflect.application.ports import (
    Clock,
    Embedder,
    Ledger,
    OutOfDate,
    ReadSession,
    ReflectionDialogue,
    Reflector,
)
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import DEFAULT, NO_RETRIEVAL, ErrorFix, Query, Submission, Verdict
from mcp_reflect.application.retrieval import RetrievalSpec, Retriever
from mcp_reflect.application.review import Outcome, PreparedReview, Reviewer
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import (
    Action,
    ErrorMemory,
    Match,
    QUpdate,
    Review,
    Trace,
)
from mcp_reflect.domain.ranking.recency import microseconds
from mcp_reflect.domain.redaction.redact import redact, redact_json, redact_trajectory
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_draft, storable_text
from mcp_reflect.domain.text.rendering import map_text, render_augmented, strip_recalled
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.domain.values import FLOAT32_ERROR
from mcp_reflect.errors import InvalidArgument, ModelUnavailable, TraceKeyConflict, UnknownId


@dataclass(frozen=True)
class Retrieved:
    retrieval_id: str
    matches: list[Match]


class MemoryService(MemoryReader):
    """A project's memory as one connection sees it. Thread-safe; cheap to make on shared parts."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        embedder: Embedder,
        retriever: Retriever,
        queue: ReflectionQueue,
        extractive: Reflector,
        dialogue: ReflectionDialogue,
        errors: ErrorFixes,
        insights: Insights,
        profile: Profile,
        clock: Clock,
    ) -> None:
        super().__init__(ledger, profile, embedder.identity)
        self._embedder = embedder
        self._retriever = retriever
        self._queue = queue
        self._dialogue = dialogue
        self.errors = errors
        self.insights = insights
        self._reviewer = Reviewer(profile, extractive, clock)
        self._clock = clock

    # -- before a task

    def query(self, query: Query) -> Retrieved:
        """The memories that are near in meaning and have led to good outcomes, best first."""
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

    def _retrieved(self, wanted: RetrievalSpec, *, refresh: bool) -> Retrieved:
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
        return Retrieved(retrieval.id, matches)

    def augment(self, query: Query) -> tuple[str, Retrieved]:
        """The task with the memories that may help, ready to be used as a prompt."""
        retrieved = self.query(query)
        return render_augmented(query.task, [match.memory for match in retrieved.matches]), retrieved

    # -- after a task

    def submit(self, submission: Submission, *, client_can_sample: bool = False) -> Outcome:
        """Store a run, and its review where one is given, in one transaction."""
        run = self._run_of(submission)
        trace, verdict = run.trace, submission.verdict
        with self._ledger.reading() as reading:
            known = _find_same(reading, trace)
        if known is not None:
            return self._same_trace(known, trace)
        prepared = self._prepared_submission(run, submission, client_can_sample) if verdict.result else None
        with self._ledger.writing() as session:
            known = _find_same(session, trace)
            if known is None:
                retrieved = self._retrieved_ids(session, submission)
                trace = trace.model_copy(update={"retrieved_memory_ids": retrieved})
                session.traces.add(trace)
                session.retrievals.close(self.profile.connection, trace.id)
                self._reviewer.check(session, verdict)
                outcome = Outcome(trace.id, None, "none", "", None, [])
                if prepared is not None:
                    outcome = self._reviewer.apply(session, prepared, trace)
                due = self.insights.queue_if_due(session)
        if known is not None:
            return self._same_trace(known, trace)
        if due:
            self.insights.wake()
        return self._settled(outcome)

    def review(self, trace_id: str, verdict: Verdict, *, client_can_sample: bool = False) -> Outcome:
        """Judge a run. A second review takes the place of the first, as if only it had been given."""
        if not verdict.result:
            raise InvalidArgument("result", "is empty", '"pass" or "fail"')
        outcome: Outcome | None = None
        while outcome is None:
            outcome = self._try_review(trace_id, verdict, client_can_sample=client_can_sample)
        return self._settled(outcome)

    def _try_review(self, trace_id: str, verdict: Verdict, *, client_can_sample: bool) -> Outcome | None:
        """None where the trace was changed while it was read: something that it names was forgotten."""
        trace = self.trace(trace_id)
        if trace.origin != "run":
            problem = f"{trace_id} is where a recorded {trace.origin} came from"
            raise InvalidArgument("trace_id", problem, "the trace of a run, as submit_trace and list_traces give it")
        with self._ledger.reading() as reading:
            self._reviewer.check(reading, verdict)
            memories = creditable(reading, trace)
        claims = storable_draft(verdict.draft).claims or trace.draft.claims
        embedded = self._embedded([trace.task, *claims])
        run = ParsedRun.of(trace)
        prepared = self._reviewer.prepare(run, verdict, memories, embedded, client_can_sample=client_can_sample)
        with self._ledger.writing() as session:
            if not session.traces.is_unchanged(trace):
                return None
            self._reviewer.check(session, verdict)
            return self._reviewer.apply(session, prepared, trace)

    def await_reflection(self, outcome: Outcome, timeout: float) -> Outcome:
        """Give a queued reflection at most `timeout` seconds to be written; the outcome as it is then."""
        if outcome.review is None or outcome.ingest_status != "queued":
            return outcome
        self._queue.wait_attempt(outcome.review.id, timeout)
        return self._present(outcome)

    def outcome(self, trace_id: str) -> Outcome:
        """How a trace stands: its review, what that moved, and its reflection."""
        summary = self.summary(trace_id)
        with self._ledger.reading() as session:
            updates = [update_of(event) for event in session.events.of_trace(trace_id)]
        return self._present(Outcome(trace_id, summary.review, "none", "", None, updates))

    def reflection_prompt(self, run: ReviewedRun) -> str:
        """What to ask a model that is not ours, such as the client's."""
        return self._dialogue.prompt(run)

    def accept_sampled(self, outcome: Outcome, answer: str) -> Outcome:
        """Store the reflection that the client's own model wrote; an empty answer leaves the job to the queue."""
        trace, review = self.trace(outcome.trace_id), outcome.review
        draft = storable_draft(self._dialogue.draft(answer))
        if review is not None and review.result == "pass":
            draft = draft.model_copy(update={"key_mistake": ""})  # models invent one where they are asked for one
        if review is None or draft.is_empty:
            return self._present(outcome)
        embedded = self._embedded(texts_of(trace, draft, "sampling", review.draft))
        if embedded is not None:
            run = ParsedRun.of(trace).reviewed(review)
            with self._ledger.writing() as session:
                present, job = session.reviews.current(trace.id), session.jobs.reflections.get(trace.id)
                unchanged = present == review and session.traces.is_unchanged(trace)
                if unchanged and job is not None and job.state == "queued":
                    self._reviewer.save(session, run, (draft, "sampling"), embedded)
            self._queue.saved(trace.project)
        return self._present(outcome)

    def record_error(self, fix: ErrorFix) -> Recorded:
        """Store an error with its fix, or count its recurrence; see `ErrorFixes.record`."""
        recorded = self.errors.record(fix)
        self._queue.saved(self.profile.project)
        return recorded

    def manage(self, memory_id: str, action: Action, reason: str = "") -> StatusChange:
        """Change a memory's status; see `lifecycle.change_status`."""
        change = change_status(self._ledger, self.profile, self._clock, memory_id, action, reason)
        if change.memory.status != change.before:
            self._queue.saved(self.profile.project)
            if isinstance(change.memory, ErrorMemory):
                self.errors.mirror.write()
        return change

    # -- submitting

    def _prepared_submission(self, run: ParsedRun, submission: Submission, client_can_sample: bool) -> PreparedReview:
        """The review of a run that is not stored yet, as far as it can be worked out before the ledger is locked."""
        verdict = submission.verdict
        with self._ledger.reading() as session:
            retrieved = self._retrieved_ids(session, submission)
            self._reviewer.check(session, verdict)
            run = replace(run, trace=run.trace.model_copy(update={"retrieved_memory_ids": retrieved}))
            memories = creditable(session, run.trace)
        embedded = self._embedded([run.trace.task, *storable_draft(verdict.draft).claims])
        return self._reviewer.prepare(run, verdict, memories, embedded, client_can_sample=client_can_sample)

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
            trace_key=redact(submission.trace_key),
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

    def _same_trace(self, known: Trace, again: Trace) -> Outcome:
        """The answer to a retry: what the first call stored."""
        if not self.profile.sees(known):
            raise InvalidArgument("trace_key", "is taken by another user of the project", "a key of your own")
        if known.task != again.task:
            raise TraceKeyConflict(known.trace_key, known.id)
        return self.outcome(known.id)

    def _retrieved_ids(self, session: ReadSession, submission: Submission) -> tuple[str, ...]:
        """What the run was given: as named by the caller, otherwise what its connection was last shown."""
        ids = list(submission.retrieved_memory_ids)
        self._reviewer.require_memories(session, "retrieved_memory_ids", ids)
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

    def _embedded(self, texts: Sequence[str]) -> Embedded | None:
        """None where the model cannot be had: the review must not wait for it."""
        try:
            return Embedded.by(self._embedder, texts)
        except ModelUnavailable:
            return None

    def _settled(self, outcome: Outcome) -> Outcome:
        """After the commit: tell those who follow the ledger."""
        if outcome.memory is not None:
            self._queue.saved(self.profile.project)
        elif outcome.ingest_status == "queued":
            self._queue.notify()
        return outcome

    def _present(self, outcome: Outcome) -> Outcome:
        """The outcome with the state that the ledger has now."""
        summary = self.summary(outcome.trace_id)
        memory = self.memory_of(summary)
        if memory is not None and memory.status == "pending":
            memory = None
        return Outcome(
            trace_id=outcome.trace_id,
            review=summary.review,
            ingest_status=ingest_status(summary.job),
            last_error=summary.job.last_error if summary.job else "",
            memory=memory,
            q_updates=self._moved(outcome, summary.review),
        )

    def _moved(self, outcome: Outcome, review: Review | None) -> list[QUpdate]:
        """What the call moved, also where a model's opinion changed it after the call had done its own part."""
        if review is None or review == outcome.review or not review.judged_by:
            return outcome.q_updates
        first = {update.memory_id: update for update in outcome.q_updates}
        with self._ledger.reading() as session:
            moved = {event.memory_id: update_of(event) for event in session.events.of_trace(outcome.trace_id)}
            present = session.memories.by_ids(list(first))
        taken_back = {
            i: was.model_copy(update={"q_after": present[i].q_value, "reward": None, "alpha": 0.0})
            for i, was in first.items()
            if i not in moved
        }
        kept = {i: u.model_copy(update={"q_before": first[i].q_before}) if i in first else u for i, u in moved.items()}
        return list((kept | taken_back).values())


def _find_same(session: ReadSession, trace: Trace) -> Trace | None:
    """The trace that an earlier call stored under the same key."""
    return session.traces.find_by_key(trace.project, trace.trace_key) if trace.trace_key else None
