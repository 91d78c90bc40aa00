"""Matches: memories as answers to a query, with what they were ranked by."""

from __future__ import annotations

from mcp_reflect.domain.models.memory import Memory
from mcp_reflect.domain.record import Record


class ScoreParts(Record):
    """The parts of a score.

    They add up: `(1 - lambda_) * (meaning + words + lesson + neighbours) + lambda_ * quality + task_record`.

    `meaning` is the similarity, `words` what shared words add to it, `lesson` what the meaning of the lesson adds or
    takes, and `neighbours` what similarity to the best match adds; the four make the relevance. `quality` is what the
    memory earned on any task (`ranking/scoring.py`), and `task_record` what reviews on this very task and on its
    rewordings add or take.
    """

    lambda_: float
    meaning: float
    words: float
    lesson: float
    neighbours: float
    quality: float
    task_record: float


class Match(Record):
    """A memory as an answer to a query. `similarity` is the cosine in [-1, 1], `score` what it was ranked by.

    `relevance` is what stands in the score beside the q_value: see `ranking/relevance.py`, and the similarity where a
    query is compared by meaning alone. `parts` add up to the score. `untried` is true where nothing is known of the
    memory yet and only its chance put it among those shown, at most one of an answer.
    """

    memory: Memory
    similarity: float
    relevance: float
    score: float
    parts: ScoreParts
    untried: bool = False
