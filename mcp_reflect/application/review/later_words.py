"""Words that a model writes once the review of their run is committed: screened, embedded, ready to be stored."""

from __future__ import annotations

from dataclasses import replace

from mcp_reflect.application.ports import Embedder
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.application.review.run_lesson import AuthoredDraft, RunLesson, texts_of
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.trajectory.run import ReviewedRun


def lesson_in(
    words: AuthoredDraft, run: ReviewedRun, embedder: Embedder, initial_q: float, search: LessonSearch | None = None
) -> RunLesson:
    """Return the lesson of a run in the words of a model.

    `search` finds memories that hold it already; without one the words stay with the run's own memory. Raises
    ModelUnavailable and LedgerError.
    """
    screening = Screening(run)
    draft, author = words
    safe: AuthoredDraft = (screening.screen(draft), author)
    run = replace(run, feedback=screening.safe_feedback())
    texts = texts_of(run, safe)
    lesson = RunLesson(run, safe, EmbeddedTexts.by(embedder, texts), initial_q)
    if search is None:
        return lesson
    return replace(lesson, candidates=search.candidates(run.trace, safe[0], lesson.embedded, texts))
