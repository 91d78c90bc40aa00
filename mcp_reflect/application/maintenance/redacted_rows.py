"""Redaction of the rows of an export, as submissions are redacted: other rules, or none, may have held where it was
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp_reflect.application.maintenance.derived_columns import derived_columns
from mcp_reflect.application.ports import PortableRow
from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.run_secrets import redact_telling, without_words
from mcp_reflect.domain.redaction.stored_text import storable_key
from mcp_reflect.domain.trajectory.parsing import Trajectory, UnreadableTrajectory, parse
from mcp_reflect.errors import ArchiveError

_Row = Mapping[str, Any]

PROSE: Mapping[str, tuple[str, ...]] = {
    "traces": (
        *("task", "trajectory", "final_response", "model", "metadata", "reference_context", "trace_key", "tools_used"),
        *("draft", "feedback"),
    ),
    "reviews": ("feedback", "draft", "source", "withheld"),
    "memories": (
        *("task", "reflection", "summary", "key_mistake", "correct_action", "guidance", "applicable_tools"),
        *("tools_used", "metadata", "evidence", "tests", "triggers", "edits", "unvouched"),
    ),
    "memory_log": ("reason",),
    "witnesses": ("draft",),
    "reflection_jobs": ("last_error",),
    "insight_jobs": ("focus", "last_error"),
}
"""Columns with words of people, agents and tools, by table."""

_OWN_WAY = frozenset({"trajectory", "trace_key"})
_TRACE = {"traces": "id", "memories": "source_trace_id"}
"""The column that names the run of a row, where that is not `trace_id`."""


class RowRedaction:
    """The redaction of one import. It remembers which secrets each run tells: its later rows may hold them bare."""

    def __init__(self) -> None:
        self.redacted = 0
        """Rows in which a secret was found."""
        self._secrets: dict[str, frozenset[str]] = {}

    def redact_rows(self, rows: Iterable[PortableRow]) -> Iterator[PortableRow]:
        """Yield the rows without secrets; a memory whose words change loses its vectors. Raises ArchiveError."""
        changed: set[str] = set()
        for table, row in rows:
            if table == "embeddings" and row.get("memory_id") in changed:
                continue
            clean = self.redact_row(table, row)
            if clean is not row:
                self.redacted += 1
                if table == "memories":
                    changed.add(str(row.get("id")))
            yield table, clean

    def redact_row(self, table: str, row: _Row) -> _Row:
        """Return a row without secrets, itself where it holds none. Raises ArchiveError for one that does not fit."""
        if table not in PROSE:
            return row
        try:
            clean = {name: value for name, value in self._redacted(table, row).items() if value != row[name]}
            if not clean:
                return row
            done = {**row, **clean}
            return done | (derived_columns(done) if table == "memories" else {})
        except RecursionError:
            raise ArchiveError(f"a row of {table} is nested too deeply; nothing was changed") from None
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ArchiveError(f"a row of {table} does not fit ({error}); nothing was changed") from error

    def _redacted(self, table: str, row: _Row) -> dict[str, Any]:
        words = {name: row[name] for name in PROSE[table] if name in row and name not in _OWN_WAY}
        given = _parsed(row.get("trajectory", "")) if table == "traces" else Trajectory("")
        run, told = redact_telling(given, words)
        trace_id = str(row.get(_TRACE.get(table, "trace_id"), ""))
        secrets = self._secrets.get(trace_id, frozenset[str]()) | told
        if told and trace_id:
            self._secrets[trace_id] = secrets
        done = {name: _redact_value(name, without_words(value, secrets)) for name, value in run.words.items()}
        if run.trajectory.text != given.text:
            done["trajectory"] = run.trajectory.text
        if isinstance(key := row.get("trace_key"), str):
            done["trace_key"] = storable_key(key)
        return done


def _parsed(stored: Any) -> Trajectory:
    try:
        return parse(stored)
    except UnreadableTrajectory:
        return Trajectory(str(stored))


def _redact_value(name: str, value: Any) -> Any:
    """Redact a column. In metadata a key may name a secret; elsewhere each text stands for itself."""
    if name == "metadata":
        return redact_json(value)
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _redact_value("", item) for key, item in value.items()}
    return [_redact_value("", item) for item in value] if isinstance(value, list) else value
