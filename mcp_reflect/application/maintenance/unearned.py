"""An export from another home, without what it claims that its memories earned there.

Whoever writes a file can write reviews that agree with each other, so that a replay cannot tell them from real ones.
Texts, tasks and the results of runs are taken in, as the importer's own; each memory starts like a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mcp_reflect.application.maintenance.derived_columns import derived_columns, own_evidence
from mcp_reflect.application.ports import PortableRow
from mcp_reflect.domain.ranking.recency import microseconds
from mcp_reflect.errors import ArchiveError

_LEFT_OUT = frozenset({"utility_events", "witnesses", "retrievals", "memory_log", "insight_jobs", "embeddings"})
"""Evidence; a status to restore; questions to a model that somebody else pays; and vectors, which could be near to
every query.
"""

_CLOCKS_DIFFER = timedelta(days=1)

_Row = dict[str, Any]


@dataclass(frozen=True)
class Importer:
    """A person who imports, the q_value at which their new memories start, and the time."""

    user: str
    initial_q: float
    now: datetime


def without_unearned(rows: Iterable[PortableRow], importer: Importer) -> Iterator[PortableRow]:
    """Yield the rows of an export as the importer's own, with nothing earned.

    Raises ArchiveError for a row of a later date than `importer.now`, or one whose fields have the wrong types.
    """
    latest = microseconds(importer.now + _CLOCKS_DIFFER)
    for table, found in rows:
        if table in _LEFT_OUT:
            continue
        row = dict(found)
        try:
            if row.get("created_at", 0) > latest:
                raise ArchiveError(f"a row of {table} is dated later than now; nothing was changed")
            yield table, row | _replaced(table, row, importer)
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ArchiveError(f"a row of {table} does not fit ({error}); nothing was changed") from error


def _replaced(table: str, row: _Row, importer: Importer) -> _Row:
    """The columns of a row that are not taken over, as they are stored."""
    match table:
        case "traces":
            return {"user": importer.user, "retrieved_memory_ids": [], "trace_key": None}
        case "reviews":
            return {name: [] for name in _JUDGED} | {"judged_by": "", "used": {}, "sources": []}
        case "memories":
            return _memory(row) | {"user": importer.user, "initial_q": importer.initial_q}
        case "utilities":
            return _NO_UTILITY | {"q_value": importer.initial_q}
        case _:
            return {}


_JUDGED = ("helpful_memory_ids", "harmful_memory_ids", "judged_helpful", "judged_harmful")

_NO_UTILITY: _Row = {"reviews": 0, "passes": 0, "trials": 0.0, "successes": 0.0, "last_used_at": None}


def _memory(row: _Row) -> _Row:
    """The columns of a memory that its texts do not give, as its texts give them."""
    return derived_columns(row) | {
        "author": "import",
        "status": "active" if row["status"] == "adopted" else row["status"],
        "evidence": own_evidence(row),
        "recurrences": 0,
        "seen_in": [],
        "importance": None if row["importance"] is None else 0.0,
    }
