"""Retrieval: the best memories for a task.

The task is embedded first. The search then catches up with the ledger, generates candidates, scores these exactly and
re-ranks them by MMR.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_reflect.application.ports import Embedder
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.domain.changes import TaskWording
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.models import Scalar, ScoreParts
from mcp_reflect.domain.ranking.candidate_generation import two_stage_top_k
from mcp_reflect.domain.ranking.diversity import POOL_FACTOR, distinct_lessons, mmr
from mcp_reflect.domain.ranking.elimination import without_disproven
from mcp_reflect.domain.ranking.exploration import explored_rows, with_one_explored
from mcp_reflect.domain.ranking.score_parts import score_parts
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.succession import with_successors
from mcp_reflect.domain.ranking.thresholds import FURTHER_RELEVANCE, NEAREST_RELEVANCE
from mcp_reflect.domain.text.condensation import condensed, prose_of
from mcp_reflect.domain.text.terms import terms

NEAREST = 3
"""Most memories that are named where none is relevant enough."""

_WIDENING = 4
"""Factor by which the pool grows where copies of lessons left fewer than were asked for."""


@dataclass(frozen=True)
class RetrievalSpec:
    """A retrieval with every default filled in.

    `lambda_`, `mmr_lambda`, `threshold` and `recency_weight` are in [0, 1]; `now` is in microseconds since the epoch.
    With `hybrid`, words count beside meaning; with `by_lead` too, the threshold depends on how far the best match
    leads. `optimism` >= 0 is in standard deviations.
    """

    task: str
    limit: int
    lambda_: float
    mmr_lambda: float
    threshold: float
    metadata_filter: Mapping[str, Scalar]
    recency_weight: float
    now: int
    hybrid: bool = False
    by_lead: bool = False
    optimism: float = 0.0


@dataclass(frozen=True)
class PreparedSearch:
    """A retrieval whose task is embedded and split into terms: what is left is to rank a project's memories."""

    project: str
    user: str | None
    query: RankingQuery
    limit: int
    mmr_lambda: float
    metadata_filter: Mapping[str, Scalar]


@dataclass(frozen=True)
class Hit:
    """A memory that was found, with its cosine in [-1, 1], its relevance, and its score with the parts of it.

    `untried` is true where only its chance put it among those shown (`ranking/exploration.py`).
    """

    memory_id: str
    similarity: float
    relevance: float
    score: float
    parts: ScoreParts
    untried: bool


@dataclass(frozen=True)
class Hits:
    """Hits, best first, as of the ledger's change `as_of`."""

    hits: list[Hit]
    as_of: int


class Retriever:
    """Searches the memories of any project of a ledger. Thread-safe."""

    def __init__(self, tables: ProjectTables, embedder: Embedder) -> None:
        self._tables = tables
        self._embedder = embedder

    def prepare(self, project: str, user: str | None, spec: RetrievalSpec) -> PreparedSearch:
        """Embed the task of a search among the memories of `user` (of all users where None).

        The memories are read first where they were not yet, as the model may still be loading. Raises ModelUnavailable
        and LedgerError.
        """
        self._tables.load(project)
        return PreparedSearch(
            project, user, self._ranking_query(spec), spec.limit, spec.mmr_lambda, spec.metadata_filter
        )

    def search(self, prepared: PreparedSearch, *, refresh: bool = True) -> Hits:
        """Return the hits of a search, at most its `limit`.

        Without `refresh` the ledger is not asked for changes of other processes. Raises LedgerError.
        """
        query, limit = prepared.query, prepared.limit
        with self._tables.caught_up(prepared.project, refresh=refresh) as tables:
            table = tables.table
            rows = table.rows_matching(prepared.metadata_filter, prepared.user)
            k = POOL_FACTOR * limit
            while True:
                found = two_stage_top_k(table, query, k, rows)
                ranked = distinct_lessons(table, found)
                if len(ranked) >= limit or len(found) < k:
                    break
                k *= _WIDENING  # copies took the places of others
            query = replace(query, field=found.field)
            explored = explored_rows(table, query, ranked)
            shown = mmr(table, with_one_explored(ranked, explored), limit, prepared.mmr_lambda)
            ranked = without_disproven(table, query, shown)
            anyway = replace(query, threshold=-1.0, by_lead=False)
            ranked = with_successors(
                table,
                ranked,
                limit,
                lambda few: two_stage_top_k(
                    table, anyway, len(few), few if rows is None else np.intersect1d(few, rows)
                ),
            )
            ids, as_of = [table.ids[row] for row in ranked.rows], table.seq
            parts, untried = score_parts(table, query, ranked), np.isin(ranked.rows, explored).tolist()
        columns = (ranked.similarity.tolist(), ranked.relevance.tolist(), ranked.score.tolist(), parts, untried)
        return Hits([Hit(*values) for values in zip(ids, *columns, strict=True)], as_of)

    def nearest(self, prepared: PreparedSearch) -> tuple[str, ...]:
        """Return the ids of at most NEAREST memories by relevance alone, for a search that found none."""
        query = replace(prepared.query, threshold=FURTHER_RELEVANCE, by_lead=False, lambda_=0.0)
        with self._tables.as_they_are(prepared.project) as tables:
            rows = tables.table.rows_matching(prepared.metadata_filter, prepared.user)
            found = distinct_lessons(tables.table, two_stage_top_k(tables.table, query, NEAREST, rows))
            is_near = len(found.rows) > 0 and found.relevance[0] >= NEAREST_RELEVANCE
            return tuple(tables.table.ids[row] for row in found.rows) if is_near else ()

    def _ranking_query(self, spec: RetrievalSpec) -> RankingQuery:
        text = condensed(spec.task)
        query_terms = terms(prose_of(spec.task)) if spec.hybrid else None
        vector, key = self._embedder.embed([text])[0], task_key(spec.task)
        return RankingQuery(
            vector=vector,
            lambda_=spec.lambda_,
            threshold=spec.threshold,
            recency_weight=spec.recency_weight,
            now=spec.now,
            terms=query_terms,
            optimism=spec.optimism,
            by_lead=spec.by_lead,
            limit=spec.limit,
            task=TaskWording(key) if query_terms is None else TaskWording(key, query_terms, vector),
        )

    def touch(self, project: str, ids: Sequence[str], now: int) -> None:
        """Note that these memories are returned to a caller at `now`, in microseconds since the epoch.

        The ledger is told separately: its change feed does not report uses.
        """
        with self._tables.as_they_are(project) as tables:
            tables.table.touch(tables.table.rows_of(ids), now)
