"""Import of the rows of a project: what is there stays, what is new gets numbers of this ledger, the rest is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    String,
    Table,
    UniqueConstraint,
    insert,
    select,
    tuple_,
)

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed
from mcp_reflect.adapters.sql_ledger.transfer.column_values import from_portable
from mcp_reflect.adapters.sql_ledger.transfer.portable import (
    BATCH,
    columns_of,
    identity_of,
    is_made_up,
    is_order,
    portable_tables,
)
from mcp_reflect.adapters.sql_ledger.utilities import count_trials
from mcp_reflect.application.ports import PortableRow, RowChange, Taken
from mcp_reflect.errors import ArchiveError

_MAY_DIFFER = {
    "utilities": {"last_used_at"},
    "embeddings": {"vector", "lesson_vector"},  # other processors round otherwise
    "witnesses": {"vector"},
    "retrievals": {"trace_id", "memory_ids"},
    "reflection_jobs": {"review_id", "state", "attempts", "next_attempt_at", "last_error", "for_model"},
    "insight_jobs": {"state", "attempts", "next_attempt_at", "last_error"},
}
"""Bookkeeping that goes on in each ledger; two rows that differ only here are the same, and what is there stays."""

_CONFLICTS_LISTED = 20
_FLOAT_BYTES = 4

Key = TypeVar("Key")


class RowImport:
    """One import; it holds the ledger's counter from the first row to the commit."""

    def __init__(
        self, connection: Connection, feed: SqlChangeFeed, project: str, redact: RowChange | None = None
    ) -> None:
        self._redact = redact
        self._connection = connection
        self._feed = feed
        self._project = project
        self._added: dict[str, int] = {}
        self._skipped: dict[str, int] = {}
        self._conflicts: list[str] = []
        self._other_projects: set[str] = set()
        self._review_seq: dict[str, int] = {}
        self._dimensions: dict[str, int] = {}
        self._uncounted: list[str] = []
        self._first = feed.next_seq()
        self._last = self._first

    def take(self, rows: Iterable[PortableRow]) -> Taken:
        """Insert rows that are new, skip those that are there, and return the counts and the conflicts.

        Nothing is inserted after the first conflict. Raises ArchiveError for rows that do not fit the tables.
        """
        tables = {table.name: place for place, table in enumerate(portable_tables())}
        reached = 0
        for name, group in groupby(rows, key=lambda row: row[0]):
            place = tables.get(name, -1)
            if place < reached:
                problem = "comes after a table that needs it" if name in tables else "is not known here"
                raise ArchiveError(f"table {name} {problem}")
            reached = place + 1
            table = portable_tables()[place]
            values = (self._checked(table, row) for _, row in group)
            for batch in _batches(values, table):
                self._put(table, batch)
        for part in _slices(self._uncounted):
            count_trials(self._connection, part)
        self._feed.advance(self._last - self._first)
        return Taken(self._added, self._skipped, self._conflicts, sorted(self._other_projects))

    def _put(self, table: Table, batch: list[dict[str, Any]]) -> None:
        identity = identity_of(table)
        there = self._there(table, identity, batch)
        new: list[dict[str, Any]] = []
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in batch:
            groups.setdefault(tuple(row[column.name] for column in identity), []).append(row)
        for key, mine in groups.items():
            if key not in there:
                new += mine
            elif not self._is_there(table, mine, there[key]):
                self._conflict(f"{table.name} {' '.join(map(str, key))}")
                projects = {row["project"] for row in there[key] if row.get("project")}
                self._other_projects |= projects - {self._project}
            else:
                self._skipped[table.name] = self._skipped.get(table.name, 0) + len(mine)
        if new and not self._conflicts:
            self._check_unique(table, new)
        if new and not self._conflicts:
            self._connection.execute(insert(table), [self._number(table, row) for row in new])
        self._added[table.name] = self._added.get(table.name, 0) + len(new)

    def _there(
        self, table: Table, identity: Sequence[Column[Any]], batch: list[dict[str, Any]]
    ) -> dict[tuple[Any, ...], list[Mapping[str, Any]]]:
        keys = {tuple(row[column.name] for column in identity) for row in batch}
        found = select(table).order_by(*table.primary_key)
        there: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
        for part in _slices(sorted(keys)):
            chosen = found.where(tuple_(*identity).in_(part))
            for row in self._connection.execute(chosen).mappings():
                there.setdefault(tuple(row[column.name] for column in identity), []).append(dict(row))
        if table is schema.reviews:
            self._review_seq |= {key[0]: rows[0]["seq"] for key, rows in there.items()}
        return there

    def _check_unique(self, table: Table, new: list[dict[str, Any]]) -> None:
        """A key that the schema wants once may be taken by another row."""
        for constraint in table.constraints:
            if isinstance(constraint, UniqueConstraint):
                columns = list(constraint.columns)
                wanted = [tuple(row.get(column.name) for column in columns) for row in new]
                for part in _slices([key for key in wanted if None not in key]):
                    taken = select(*columns).where(tuple_(*columns).in_(part))
                    for row in self._connection.execute(taken):
                        self._conflict(f"{table.name} with {columns[-1].name} {row[-1]}")

    def _is_there(self, table: Table, mine: list[dict[str, Any]], there: list[Mapping[str, Any]]) -> bool:
        """Return whether the rows are there already, perhaps redacted by earlier rules."""
        redact = self._redact
        return _same(table, mine, there) or (
            redact is not None and _same(table, mine, [redact(table.name, row) for row in there])
        )

    def _conflict(self, what: str) -> None:
        if len(self._conflicts) <= _CONFLICTS_LISTED:
            self._conflicts.append(what)

    def _number(self, table: Table, row: dict[str, Any]) -> dict[str, Any]:
        """Give the row its numbers in this ledger, and return it."""
        if table is schema.reviews:
            row = row | {"seq": self._first + row["seq"]}
            self._review_seq[row["id"]] = row["seq"]
            self._last = max(self._last, row["seq"])
        elif table is schema.memories:
            self._last += 1
            row = row | {"seq": self._last}
        elif table is schema.utilities:
            row = row | {"seq": 0}  # the row of the memory announces this q_value
            if not {"trials", "passes"} <= row.keys():  # written before they were counted
                self._uncounted.append(row["memory_id"])
        elif table is schema.utility_events:
            row = row | {"seq": self._seq_of(row["review_id"])}
        return row

    def _seq_of(self, review_id: str) -> int:
        if review_id not in self._review_seq:
            r = schema.reviews.c
            found = self._connection.execute(select(r.seq).where(r.id == review_id)).scalar()
            if found is None:
                raise ArchiveError(f"a utility event names the review {review_id}, which does not exist")
            self._review_seq[review_id] = found
        return self._review_seq[review_id]

    def _checked(self, table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row as the database takes it. Raises ArchiveError for what the schema does not allow."""
        columns = {column.name: column for column in columns_of(table)}
        unknown = sorted(row.keys() - columns.keys())
        if unknown:
            raise ArchiveError(f"{table.name} has no {unknown[0]} here: a newer mcp-reflect wrote it; update this one")
        checked = {name: from_portable(columns[name], value) for name, value in row.items()}
        for name, column in columns.items():
            if name not in row and not (column.nullable or column.server_default or column.default):
                if not isinstance(column.type, String) or column.primary_key:
                    raise ArchiveError(f"a row of {table.name} has no {name}")
                checked[name] = ""  # a text that was not there when the file was written
        if "project" in columns:
            checked["project"] = self._project
        if table is schema.embeddings:
            self._check_dimension(checked)
        return checked

    def _check_dimension(self, row: dict[str, Any]) -> None:
        """Vectors of one model are compared with each other, so they must be of one length."""
        model, size = row["model"], len(row["vector"])
        if model not in self._dimensions:
            e = schema.embeddings.c
            one = self._connection.execute(select(e.vector).where(e.model == model).limit(1)).scalar()
            self._dimensions[model] = size if one is None else len(one)
        lesson = len(row.get("lesson_vector") or b"") or size
        if size != self._dimensions[model] or lesson != size or size % _FLOAT_BYTES or not size:
            raise ArchiveError(f"the vector of {row['memory_id']} is not of the length that {model} has")


def _same(table: Table, mine: list[dict[str, Any]], there: list[Mapping[str, Any]]) -> bool:
    ignored = _MAY_DIFFER.get(table.name, set()) | {column.name for column in table.c if is_order(column)}
    return len(mine) == len(there) and all(
        row[name] == other[name] for row, other in zip(mine, there, strict=True) for name in row.keys() - ignored
    )


def _batches(rows: Iterable[dict[str, Any]], table: Table) -> Iterator[list[dict[str, Any]]]:
    """Rows of a list must be compared as a whole, all others some at a time."""
    whole = not any(not is_made_up(column) for column in table.primary_key)
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH and not whole:
            yield batch
            batch = []
    if batch:
        yield batch


def _slices(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]
