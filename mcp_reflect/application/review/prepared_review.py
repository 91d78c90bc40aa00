"""Prepares a review as far as that takes no transaction: reads the run, infers credit, composes the reflection."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from mcp_reflect.application.known_errors.later_verdicts import RevisedFix, find_revised_fixes
from mcp_reflect.application.memory_reader import require_memories
from mcp_reflect.application.ports import Clock, ReadSession, Reflector
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import DEFAULT, Verdict
from mcp_reflect.application.review.credit import CreditInference
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.run_lesson import AuthoredDraft, screened
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.learning.repetition import review_sources
from mcp_reflect.domain.models import Memory, Review, Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.redaction.stored_text import storable_draft, storable_text
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import InvalidArgument


class ReviewToPrepare(NamedTuple):
    """A review that a connection of a profile gives a stored run, at `now`, in the place of the one `before`.

    `memories` are those it may credit.
    """

    profile: Profile
    trace: Trace
    verdict: Verdict
    memories: Sequence[Memory]
    client_can_sample: bool
    now: datetime
    before: Review | None = None


@dataclass(frozen=True)
class PreparedReview:
    """A review with all that takes reading its run, worked out before the ledger is locked.

    `run` has the review as it will be stored but for its number and its inferred credit. `words` are the reflection,
    None where a model is to be asked for it; `meanwhile` serves until that model has answered. `embedded` holds
    `texts`, and is None where the embedding model could not be had. `credit` is None where nothing is to be inferred.
    `candidates` may hold the lesson already. `revised` are the errors of a stored run whose fix the review changes.
    """

    run: ReviewedRun
    words: AuthoredDraft | None
    embedded: EmbeddedTexts | None
    credit: CreditInference | None
    meanwhile: AuthoredDraft | None = None
    candidates: Candidates = NO_CANDIDATES
    revised: tuple[RevisedFix, ...] = ()

    @property
    def texts(self) -> list[str]:
        """Return the texts to embed: the task and the claims of the agent; none where nothing is to be stored."""
        trace = self.run.trace
        claims = self.run.review.draft.claims or trace.draft.claims
        if self.lesson is None or (self.lesson[0].is_empty and not claims):
            return []
        return [trace.task, *claims]

    @property
    def lesson(self) -> AuthoredDraft | None:
        """Return the words that are stored at once; None where there are none before a model has answered."""
        return self.words or self.meanwhile

    def let_run_go(self, *, client_can_sample: bool) -> PreparedReview:
        """Return the review without the text of its run as far as it is read no more, so that it is quickly pickled.

        The client's model, where it is to be asked, is told of the whole run.
        """
        if self.credit is not None:
            self.credit.let_run_go()
        if client_can_sample and self.words is None:
            return self
        trace = self.run.trace.model_copy(update={"trajectory": ""})
        return replace(self, run=replace(self.run, trajectory=Trajectory(""), trace=trace))


def validate_verdict(
    session: ReadSession, profile: Profile, verdict: Verdict, given: Collection[str] = (), trace_id: str = ""
) -> None:
    """Raise InvalidArgument for lists that contradict each other, UnknownId for memories that are not visible.

    Raises InvalidArgument as well for memories that the run was not given: neither in `given`, nor shown to a
    connection of the user that has handed in no run since (a hook retrieves for the agent). Those that came from the
    run itself, `trace_id`, earn nothing and may be named.
    """
    both = sorted(set(verdict.helpful_memory_ids) & set(verdict.harmful_memory_ids))
    if both:
        raise InvalidArgument("harmful_memory_ids", f"{', '.join(both)} is in both lists", "each id in one list")
    for name in ("helpful_memory_ids", "harmful_memory_ids"):
        ids = getattr(verdict, name)
        if ids and not verdict.result:
            raise InvalidArgument(name, "given without a review", "together with review_result, or in review_trace")
        require_memories(session, profile, name, ids)
        unseen = [each for each in ids if each not in given and not _may_be_judged(session, profile, each, trace_id)]
        if unseen:
            problem = f"{', '.join(unseen)} was not given to this run"
            listed = ", ".join(given) or "none"
            raise InvalidArgument(name, problem, f"memories that the run was given ({listed}); {_NAME_THEM}", unseen)


_NAME_THEM = "submit_trace takes them as retrieval_id or retrieved_memory_ids"


def _may_be_judged(session: ReadSession, profile: Profile, memory_id: str, trace_id: str) -> bool:
    if session.retrievals.is_open_for(profile.project, profile.user, memory_id):
        return True
    return trace_id in session.memories.by_ids([memory_id])[memory_id].source_trace_ids


class ReviewPreparer:
    """Prepares the reviews of one connection. It asks no model; `extractive` writes the reflection without one."""

    def __init__(self, profile: Profile, extractive: Reflector, clock: Clock) -> None:
        self._profile = profile
        self._extractive = extractive
        self._clock = clock

    def prepare(
        self,
        run: ParsedRun,
        verdict: Verdict,
        memories: Sequence[Memory],
        *,
        client_can_sample: bool,
        at: datetime | None = None,
        screening: Screening | None = None,
    ) -> PreparedReview:
        """Work out a review of a run as far as that takes neither a transaction nor vectors.

        `memories` are those the run may credit; `at` is when a review of the past was given, None for one that is
        given now; `screening` is that of the run, where its errors are screened as well.
        """
        review = self._review_of(run, verdict, at or self._clock())
        credit: CreditInference | None = None
        if self._profile.credit == "used" and not (review.helpful_memory_ids or review.harmful_memory_ids):
            credit = CreditInference(run)
            credit.infer_use(memories)
        reviewed = run.reviewed(review)
        screening = (screening or Screening(run)).reviewed(reviewed)
        own = screening.screen(review.draft)
        review = review.model_copy(update={"draft": own})
        reviewed = replace(reviewed, review=review)
        words = screened(screening, self._words_at_once(reviewed, client_can_sample=client_can_sample))
        meanwhile: AuthoredDraft | None = None
        if words is None and self._profile.author == "auto":
            draft = self._extractive.reflect(reviewed)
            meanwhile = screened(screening, None if draft.is_empty else (draft, self._extractive.author))
        withheld = [
            *own.withheld,
            *run.trace.draft.withheld,
            *(line for each in (words, meanwhile) if each for line in each[0].withheld),
        ]
        review = review.model_copy(update={"withheld": tuple(dict.fromkeys(withheld))})
        reviewed = replace(reviewed, review=review, feedback=screening.safe_feedback())
        return PreparedReview(reviewed, words, None, credit, meanwhile)

    def prepare_for_stored(
        self,
        run: ParsedRun,
        verdict: Verdict,
        memories: Sequence[Memory],
        before: Review | None,
        *,
        client_can_sample: bool,
    ) -> PreparedReview:
        """Work out a review of a stored run as `prepare` does, and what it changes of the errors that the run fixed.

        `before` is the review whose place it takes, if any.
        """
        screening = Screening(run)
        prepared = self.prepare(run, verdict, memories, client_can_sample=client_can_sample, screening=screening)
        revised = find_revised_fixes(run, self._profile, screening, before, prepared.run.review)
        return replace(prepared, revised=revised)

    def _review_of(self, run: ParsedRun, verdict: Verdict, now: datetime) -> Review:
        """Return the review of a run as it will be stored but for what the run says of it; its words are redacted."""
        draft, feedback = storable_draft(verdict.draft), storable_text(verdict.feedback) or run.trace.feedback
        return Review(
            id=new_id("rev"),
            trace_id=run.trace.id,
            seq=0,
            result=verdict.result or "pass",
            feedback=feedback,
            alpha=self._profile.alpha if verdict.alpha == DEFAULT else verdict.alpha,
            helpful_memory_ids=verdict.helpful_memory_ids,
            harmful_memory_ids=verdict.harmful_memory_ids,
            draft=draft,
            source=redact(verdict.source),
            sources=review_sources(self._profile.connection, now, run.trace, feedback, draft),
            created_at=now,
        )

    def _words_at_once(self, run: ReviewedRun, *, client_can_sample: bool) -> AuthoredDraft | None:
        """The reflection, where it takes no model to write it; None where one is to be asked."""
        author = self._profile.author
        if author in {"auto", "agent"}:
            for draft in (run.review.draft, run.trace.draft):
                if not draft.is_empty:
                    return draft, "agent"
        if author in {"auto", "llm"} and self._profile.uses_model:
            return None
        if author in {"auto", "sampling"} and client_can_sample:
            return None
        return self._extractive.reflect(run), self._extractive.author
