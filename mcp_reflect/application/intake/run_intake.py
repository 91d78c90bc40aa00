"""Intake of runs: what is handed in is prepared, embedded, and stored with its review in one transaction.

One run and many take the same path. Many are stored in chunks: the texts of a chunk are embedded together while the
next chunk is prepared, and one transaction stores it. A run sees what earlier ones of its own chunk taught.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.intake.incoming_run import IncomingRun, keep_refusal
from mcp_reflect.application.intake.prepared_run import PreparedRun, PreparesApart, RunToPrepare
from mcp_reflect.application.intake.submission_reader import SubmissionReader
from mcp_reflect.application.intake.taught import Taught
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.known_errors.from_runs import PreparedError, find_run_errors
from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.application.requests import Submission
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrievals
from mcp_reflect.application.review.credit import creditable
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.preparation_budget import LONG_RUN_CHARS
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.application.review.review_service import ReviewService
from mcp_reflect.domain.models import Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.text.condensation import condensed
from mcp_reflect.errors import InvalidArgument, ModelUnavailable, TraceKeyConflict, UsageError

CHUNK_RUNS = 32
"""Most runs of one transaction: it locks out other writers, for about 5 ms for each run."""

CHUNK_CHARS = 8_000_000
"""Characters of trajectories from which on a chunk takes no further run."""


class RunIntake:
    """Takes in the runs of one connection. Thread-safe. `apart` prepares long runs."""

    def __init__(
        self,
        context: ConnectionContext,
        reviews: ReviewService,
        errors: ErrorFixes,
        insights: Insights,
        unclaimed: UnclaimedRetrievals,
        apart: PreparesApart,
    ) -> None:
        self._ledger = context.ledger
        self._embedder = context.embedder
        self._profile = context.profile
        self._on_saved = context.on_saved
        self._reviews = reviews
        self._errors = errors
        self._insights = insights
        self._reader = SubmissionReader(context.profile, context.clock, unclaimed)
        self._clock = context.clock
        self._unclaimed = unclaimed
        self._apart = apart

    def submit(self, submission: Submission, *, client_can_sample: bool = False) -> ReviewOutcome:
        """Store a run with the errors that it fixed, and its review where one is given, in one transaction."""
        given: Submission | PreparedRun = submission
        chars = len(submission.trajectory)
        if chars >= LONG_RUN_CHARS or self._apart.takes(chars):
            given = self._apart.prepare(self._to_prepare(submission, client_can_sample=client_can_sample))
        [stored] = runs = self._prepare([given], client_can_sample=client_can_sample)
        [result] = self._store(self._embed(runs))
        if isinstance(result, UsageError):
            raise result
        if stored.is_open and stored.run is not None and stored.review is None and not stored.is_prepared:
            self._reviews.latest.keep(stored.run)
        return result

    def submit_all(self, submissions: Iterable[Submission | PreparedRun]) -> Iterator[ReviewOutcome | UsageError]:
        """Store runs, with their reviews, in the order given, and yield for each what `submit` returns or raises.

        Runs are stored while the results are consumed, up to CHUNK_RUNS in one transaction; a result that was yielded
        is on disk. A run that is refused keeps none of the others out. A `trace_key` makes repeating the call safe
        after an interruption. Without `retrieval_id` and `retrieved_memory_ids` the first run of all takes what the
        connection was shown last, as with `submit`: runs of the past are given NO_RETRIEVAL. Those may come prepared
        (`RunPreparer`), by other processes perhaps, which is most of the work. Raises LedgerError; the runs
        without a result are not stored then.
        """
        with ThreadPoolExecutor(1, "mcp-reflect-embedding") as embedding:
            before: Future[list[IncomingRun]] | None = None
            for chunk in _chunks(submissions):
                embedded = embedding.submit(self._embed, self._prepare(chunk, client_can_sample=False))
                if before is not None:
                    yield from self._store(before.result())
                before = embedded
            if before is not None:
                yield from self._store(before.result())

    # -- before the transaction

    def _to_prepare(self, submission: Submission, *, client_can_sample: bool) -> RunToPrepare:
        """Return a submission with the memories that it may credit. Raises UsageError for ids that are not visible."""
        with self._ledger.reading() as session:
            ids = self._reader.given(session, submission).ids
            memories = tuple(session.memories.by_ids(ids).values())
        return RunToPrepare(self._profile, submission, memories, client_can_sample, self._clock())

    def _prepare(
        self, submissions: Sequence[Submission | PreparedRun], *, client_can_sample: bool
    ) -> list[IncomingRun]:
        """Read the runs, and work out their reviews as far as that takes neither a lock nor a model."""
        runs = [IncomingRun.of(given) for given in submissions]
        memories = {}
        for each in runs:
            if not each.is_prepared:
                with keep_refusal(each):
                    each.run, each.submission = self._reader.run_of(each.submission)
        with self._ledger.reading() as session:
            taken = self._taken_keys(session, runs)
            for number, each in enumerate(runs):
                if each.run is None:
                    continue
                with keep_refusal(each):
                    each.known = _find_same(session, each.run.trace, taken)
                    if each.known is None:
                        each.run, _ = self._reader.as_given(session, each.run, each.submission)
                        memories[number] = creditable(session, each.run.trace)
        for number, each in enumerate(runs):
            if each.run is not None and number in memories and not each.is_prepared:
                verdict, screening = each.submission.verdict, Screening(each.run)
                if verdict.result:
                    each.review = self._reviews.preparer.prepare(
                        each.run,
                        verdict,
                        memories[number],
                        client_can_sample=client_can_sample,
                        at=each.submission.ended_at,
                        screening=screening,
                    )
                rejected = each.review.run.review.rejection if each.review else None
                each.found = find_run_errors(each.run, self._profile, screening, rejected)
        return runs

    def _embed(self, runs: list[IncomingRun]) -> list[IncomingRun]:
        """Embed what will be stored of the runs, all in one call; without a model nothing, which loses no run."""
        texts = list(dict.fromkeys(text for each in runs if each.review for text in each.review.texts))
        errors = [(each, found) for each in runs for found in each.found.fixed]
        told = [*map(condensed, texts), *(found.text for _, found in errors)]
        try:
            vectors = self._embedder.embed(told) if told else ()
            embedded = EmbeddedTexts(self._embedder.identity, dict(zip(texts, vectors, strict=False)))
        except ModelUnavailable:
            return runs
        for each in runs:
            each.review = each.review and replace(each.review, embedded=embedded)
        for (each, found), vector in zip(errors, vectors[len(texts) :], strict=True):
            each.errors.append(PreparedError(found.fixed, found.memory, vector))
        return runs

    # -- the transaction

    def _store(self, runs: list[IncomingRun]) -> list[ReviewOutcome | UsageError]:
        """Store the runs of a chunk in one transaction, and tell those who follow the ledger."""
        errors_changed = due = False
        for each in runs:
            each.review = each.review and self._reviews.with_candidates(each.review)
            each.led_by = self._errors.of_runs.led_by(each.found)
        if any(each.is_open for each in runs):
            with self._ledger.writing() as session:
                taught = Taught(
                    session, self._profile.project, [each.review.candidates for each in runs if each.review]
                )
                taken = self._taken_keys(session, runs)
                for each in runs:
                    if each.is_open:
                        with keep_refusal(each):
                            errors_changed |= self._store_one(session, each, taught, taken)
                due = self._insights.queue_if_due(session)
        if due:
            self._insights.wake()
        if errors_changed:
            self._on_saved(self._profile.project)
            self._errors.mirror.write()
        return [self._result_of(each) for each in runs]

    def _taken_keys(self, session: ReadSession, runs: Iterable[IncomingRun]) -> set[str]:
        """The keys of runs under which something was stored before."""
        keys = {each.run.trace.trace_key for each in runs if each.run is not None}
        return session.traces.taken_keys(self._profile.project, keys - {""})

    def _store_one(self, session: WriteSession, each: IncomingRun, taught: Taught, taken: set[str]) -> bool:
        """Store a run; return whether it changed the known errors. Nothing is written before it may be refused."""
        assert each.run is not None
        each.known = _find_same(session, each.run.trace, taken)
        if each.known is not None:
            return False
        each.run, claimed = self._reader.as_given(session, each.run, each.submission)
        trace = each.run.trace
        session.traces.add(trace, each.review.run.review.id if each.review else "")
        taken.add(trace.trace_key)
        for connection in {self._profile.connection, *([claimed.connection] if claimed else [])}:
            session.retrievals.close(connection, trace.id)
            self._unclaimed.claim(connection)
        each.outcome = ReviewOutcome(trace.id, None, "none", "", None, [])
        if each.review is not None:
            review = taught.beside(each.review)
            each.outcome = self._reviews.apply(session, review, trace, each.submission.ended_at, first=True)
            taught.add(review, each.outcome.memory)
        return self._errors.of_runs.store(session, each.errors, each.led_by, each.found, trace)

    def _result_of(self, each: IncomingRun) -> ReviewOutcome | UsageError:
        if each.refused is not None:
            return each.refused
        if each.outcome is not None:
            return self._reviews.settle(each.outcome)
        assert each.known is not None
        assert each.run is not None
        try:
            return self._same_trace(each.known, each.run.trace)
        except UsageError as error:
            return error

    def _same_trace(self, known: Trace, again: Trace) -> ReviewOutcome:
        """The answer to a retry: what the first call stored."""
        if not self._profile.sees(known):
            raise InvalidArgument("trace_key", "is taken by another user of the project", "a key of your own")
        if known.task != again.task:
            raise TraceKeyConflict(known.trace_key, known.id)
        return self._reviews.outcome(known.id)


def _chunks(submissions: Iterable[Submission | PreparedRun]) -> Iterator[list[Submission | PreparedRun]]:
    chunk: list[Submission | PreparedRun] = []
    chars = 0
    for given in submissions:
        chunk.append(given)
        chars += len(given.trajectory if isinstance(given, Submission) else given.trace.trajectory)
        if len(chunk) == CHUNK_RUNS or chars >= CHUNK_CHARS:
            yield chunk
            chunk, chars = [], 0
    if chunk:
        yield chunk


def _find_same(session: ReadSession, trace: Trace, taken: Collection[str]) -> Trace | None:
    """The trace that an earlier call stored under the same key, which is among those that are taken then."""
    key = trace.trace_key
    return session.traces.find_by_key(trace.project, key) if key and key in taken else None
