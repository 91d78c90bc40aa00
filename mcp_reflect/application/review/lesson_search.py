"""The search for memories that may hold the lesson of a run already, before the ledger is locked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.ports import Embedder, VectorIndex
from mcp_reflect.application.retrieval.project_tables import LATE_CHANGES, ProjectTables
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.prepared_review import PreparedReview
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates
from mcp_reflect.domain.lessons.comparison.sameness import SAME_KIND, lesson_key
from mcp_reflect.domain.lessons.comparison.supersession import Statement
from mcp_reflect.domain.models import ReflectionDraft, Trace
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Rows, Vector
from mcp_reflect.domain.vectors import FLOAT32_ERROR
from mcp_reflect.errors import IndexFailure

_LIKE = 12
"""Memories by the same words, and of the nearest tasks, that are compared with the lesson of a run."""

_SCAN_LIMIT = 20_000
"""Above this many memories the vector index is asked for the nearest tasks."""

_UNINDEXED_LIMIT = 5_000
"""With more rows than this missing from the index, comparing all rows is cheaper."""


class LessonSearch:
    """Finds candidates for `same_lessons.find_same_lesson` among the memories of a project. Thread-safe."""

    def __init__(self, tables: ProjectTables, index: VectorIndex, indexer: Indexer, embedder: Embedder) -> None:
        self._tables = tables
        self._index = index
        self._indexer = indexer
        self._embedder = embedder

    def with_candidates(self, prepared: PreparedReview) -> PreparedReview:
        """Return a review whose texts are embedded with the memories to compare with its lesson."""
        if prepared.embedded is None or prepared.lesson is None:
            return prepared
        draft, _ = prepared.lesson
        found = self.candidates(prepared.run.trace, draft, prepared.embedded, prepared.texts)
        return replace(prepared, candidates=found)

    def candidates(
        self, trace: Trace, draft: ReflectionDraft, embedded: EmbeddedTexts, texts: Sequence[str]
    ) -> Candidates:
        """Return the memories to compare with the draft of a run and its claims; none for an empty one without any.

        `texts` are the task of the run and its claims; `embedded` may hold those of other runs as well.

        They share its words or are near to the vectors of its task and its claims. Neither their number nor, above
        _SCAN_LIMIT memories, the time grows with the project. Raises LedgerError.
        """
        if draft.is_empty and set(texts) <= {trace.task}:
            return NO_CANDIDATES
        reflection = render_reflection(draft)
        key, amends = lesson_key(trace.task, reflection), Statement(trace.task, reflection).may_amend
        with self._tables.caught_up(trace.project, refresh=False, behind=LATE_CHANGES) as tables:
            table = tables.table
            parts: list[Rows] = [np.flatnonzero((table.lesson_keys == key) & table.alive)[:_LIKE]]
            parts += self._of_same_kind(trace.project, table, [embedded.vectors[text] for text in dict.fromkeys(texts)])
            if amends:  # what it amends may have been settled on quite another task
                overlaps = table.lexical_index.overlaps(terms(f"{trace.task}\n{reflection}")) * table.alive
                parts.append(_largest(overlaps, min(_LIKE, len(table))))
            found, own = np.unique(np.concatenate(parts)), table.rows_matching({}, trace.user)
            if own is not None:
                found = found[np.isin(found, own)]
            return Candidates([table.ids[row] for row in found], table.seq, amends=amends)

    def _of_same_kind(self, project: str, table: FeatureTable, vectors: Sequence[Vector]) -> list[Rows]:
        """Return the rows nearest to each vector, without those of another kind of task (`sameness.same_kind`)."""
        nearest = [(self._nearest_rows(project, table, vector), vector) for vector in vectors]
        return [rows[table.vectors[rows] @ vector >= SAME_KIND - FLOAT32_ERROR] for rows, vector in nearest]

    def _nearest_rows(self, project: str, table: FeatureTable, vector: Vector) -> Rows:
        """Return the rows of the tasks nearest to a vector, by the index where comparing all takes longer."""
        if len(table) > _SCAN_LIMIT:
            unindexed = np.flatnonzero((table.seqs > self._indexer.position(project)) & table.alive)
            if len(unindexed) <= _UNINDEXED_LIMIT:
                with suppress(IndexFailure):
                    nearest = self._index.nearest(project, self._embedder.identity, vector, _LIKE)
                    fresh = unindexed[_largest(table.vectors[unindexed] @ vector, _LIKE)]
                    return np.concatenate((table.rows_of(nearest), fresh))
        cosines = table.vectors @ vector
        cosines[~table.alive] = -2.0
        return _largest(cosines, min(_LIKE, len(table)))


def _largest(values: Vector, count: int) -> Rows:
    """Return the positions of the `count` largest values, in no order."""
    if count == 0 or len(values) <= count:
        return np.arange(min(count, len(values)))
    return np.argpartition(values, len(values) - count)[len(values) - count :]
