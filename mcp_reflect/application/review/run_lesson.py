"""The lesson of a reviewed run: the words that were written of it, with all that storing them takes."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates
from mcp_reflect.domain.models import Author, ReflectionDraft, Review, Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.trajectory.run import ReviewedRun

AuthoredDraft = tuple[ReflectionDraft, Author]


@dataclass(frozen=True)
class RunLesson:
    """The words of a reviewed run and the vectors of its texts, worked out before the ledger is locked.

    `words` are screened. `embedded` holds the vectors of the task and of each claim. `initial_q` (0 to 1) is the
    q_value of a new memory. `candidates` may hold the lesson already. `is_first`: the ledger holds nothing that came of
    the run.
    """

    run: ReviewedRun
    words: AuthoredDraft
    embedded: EmbeddedTexts
    initial_q: float
    candidates: Candidates = NO_CANDIDATES
    is_first: bool = False

    @property
    def claims(self) -> AuthoredClaims:
        """Return the claims of the run with their author."""
        return claims_of(self.run.trace, self.run.review, self.words)


AuthoredClaims = tuple[tuple[str, ...], Author]


def claims_of(trace: Trace, review: Review, words: AuthoredDraft) -> AuthoredClaims:
    """Return the claims of a run with their author: the calling agent's own, else those of its reflection."""
    draft, author = words
    own = review.draft.claims or trace.draft.claims
    return (own, "agent") if own else (draft.claims, author)


def texts_of(run: ReviewedRun, words: AuthoredDraft) -> list[str]:
    """Return the texts to embed for a reflection and its claims."""
    claims, _ = claims_of(run.trace, run.review, words)
    return [run.trace.task, *claims]


def screened(screening: Screening, words: AuthoredDraft | None) -> AuthoredDraft | None:
    """Return words without what nobody vouches for (`provenance/screening.py`)."""
    return None if words is None else (screening.screen(words[0]), words[1])
