"""The parts of the scores of ranked rows, for people and agents who ask why a memory stands where it stands."""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.models import ScoreParts
from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.ranking.scoring import RankingQuery, blend, quality_on_any_task
from mcp_reflect.domain.ranking.top_k import Ranked


def score_parts(table: FeatureColumns, query: RankingQuery, ranked: Ranked) -> list[ScoreParts]:
    """Return the parts of each score of `ranked`, in its order; they add up to the score."""
    by_task, by_lesson, relevance = ranked.stages
    meaning = ranked.similarity if query.terms is None else np.clip(ranked.similarity, 0.0, 1.0)
    quality = quality_on_any_task(table, ranked.rows, relevance, query)
    columns = (
        meaning,
        by_task - meaning,
        by_lesson - by_task,
        relevance - by_lesson,
        quality,
        ranked.score - blend(relevance, quality, query.lambda_),
    )
    return [
        ScoreParts(lambda_=query.lambda_, meaning=m, words=w, lesson=t, neighbours=n, quality=q, task_record=r)
        for m, w, t, n, q, r in zip(*(column.tolist() for column in columns), strict=True)
    ]
