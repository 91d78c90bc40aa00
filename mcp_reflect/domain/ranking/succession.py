"""The order of lessons that amend each other: a superseded one stands behind its successor, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.top_k import Ranked
from mcp_reflect.domain.values import Rows


def with_successors(table: FeatureTable, ranked: Ranked, limit: int, score: Callable[[Rows], Ranked]) -> Ranked:
    """Return the best `limit` of `ranked`, with the successor of each superseded memory directly before it.

    A successor that is not among `ranked` is fetched by `score`, which leaves out what the query must not see: such a
    successor, or one that was archived, holds nothing back.
    """
    missing = _missing(table, ranked)
    if not table.successors:
        return ranked.take(np.arange(min(limit, len(ranked))))
    if len(missing):
        ranked = ranked.append(score(missing))
    places = {table.ids[row]: place for place, row in enumerate(ranked.rows.tolist())}
    wanted = len(ranked) - len(missing) if len(missing) else len(ranked)
    order: dict[int, None] = {}
    for row in ranked.rows[:wanted].tolist():
        line = [place for memory_id in _line(table, table.ids[row]) if (place := places.get(memory_id)) is not None]
        order |= dict.fromkeys(reversed(line))
    return ranked.take(np.array(list(order)[:limit], dtype=np.int64))


def _missing(table: FeatureTable, ranked: Ranked) -> Rows:
    shown = {table.ids[row] for row in ranked.rows}
    later = {each for memory_id in shown for each in _line(table, memory_id)} - shown
    return table.rows_of(sorted(later))


def _line(table: FeatureTable, memory_id: str) -> list[str]:
    """A memory with its successor, that one's successor, and so on."""
    line = [memory_id]
    while (later := table.successors.get(line[-1])) is not None and later not in line:
        line.append(later)
    return line
