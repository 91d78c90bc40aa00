"""The parts of the scores of ranked rows, for people and agents who ask why a memory stands where it stands."""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.models import ScoreParts
from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.ranking.lesson_evidence import LessonEvidence, with_evidence
from mcp_reflect.domain.ranking.relevance import noisy_or
from mcp_reflect.domain.ranking.scoring import RankingQuery, blend, quality_on_any_task
from mcp_reflect.domain.ranking.top_k import Ranked


def score_parts(table: FeatureColumns, query: RankingQuery, ranked: Ranked) -> list[ScoreParts]:
    """Return the parts of each score of `ranked`, in its order; they add up to the score."""
    meaning, words, lesson = ranked.similarity, np.zeros(len(ranked)), np.zeros(len(ranked))
    if query.terms is not None:
        meaning = np.clip(ranked.similarity, 0.0, 1.0)
        relevance = noisy_or(ranked.similarity, table.lexical_index.overlaps(query.terms)[ranked.rows])
        words = relevance - meaning
        lesson = with_evidence(relevance, LessonEvidence(table, query.vector).of(ranked.rows)) - relevance
    quality = quality_on_any_task(table, ranked.rows, ranked.relevance, query)
    columns = (
        meaning,
        words,
        lesson,
        ranked.relevance - meaning - words - lesson,
        quality,
        ranked.score - blend(ranked.relevance, quality, query.lambda_),
    )
    return [
        ScoreParts(lambda_=query.lambda_, meaning=m, words=w, lesson=t, neighbours=n, quality=q, task_record=r)
        for m, w, t, n, q, r in zip(*(column.tolist() for column in columns), strict=True)
    ]
