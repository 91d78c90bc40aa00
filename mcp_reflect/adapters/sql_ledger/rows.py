"""Rows to models and back; what the ranking needs of a memory is in `ranking_rows`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp_reflect.domain.models import (
    MEMORY_KINDS,
    InsightJob,
    LogEntry,
    Memory,
    ReflectionJob,
    ReflectionMemory,
    Retrieval,
    Review,
    Trace,
    UtilityEvent,
    Witness,
)

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Row: TypeAlias = "RowMapping | Mapping[str, Any]"

JSON_FIELDS: Mapping[str, frozenset[str]] = {
    "traces": frozenset({"metadata", "retrieved_memory_ids", "tools_used", "draft"}),
    "reviews": frozenset(
        {
            *("helpful_memory_ids", "harmful_memory_ids", "draft", "judged_helpful", "judged_harmful"),
            *("used", "sources", "withheld"),
        }
    ),
    "memories": frozenset(
        {
            *("applicable_tools", "tools_used", "metadata", "evidence", "tests", "seen_in", "triggers", "passed_in"),
            *("edits", "contradicts", "lineage", "unvouched"),
        }
    ),
    "witnesses": frozenset({"draft"}),
    "utility_events": frozenset({"sources"}),
    "retrievals": frozenset({"memory_ids"}),
}
"""Fields that a table holds as JSON, none of which is a string by itself: SQL in plain text gives its text for one."""


def to_microseconds(moment: datetime) -> int:
    """Return the microseconds since 1970 UTC, rounded down; `moment` must have a time zone."""
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(microseconds: int) -> datetime:
    """Return the moment so many microseconds after 1970, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND


def to_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a stored text; none for an empty one."""
    return tuple(text.split("\n")) if text else ()


def _fields(row: Row, table: str, names: Iterable[str], prefix: str = "") -> dict[str, Any]:
    """The columns of a table that are fields of a model, by their names without `prefix`."""
    json_fields = JSON_FIELDS.get(table, frozenset())
    values = {name: row[prefix + name] for name in names}
    return {
        name: json.loads(value) if name in json_fields and isinstance(value, str) else value
        for name, value in values.items()
    }


def trace_row(trace: Trace) -> dict[str, Any]:
    """Return a trace as the row that is stored."""
    row = trace.model_dump(mode="json", exclude={"created_at", "trace_key"})
    # NULL, not "", so that traces without a key do not collide.
    return row | {"created_at": to_microseconds(trace.created_at), "trace_key": trace.trace_key or None}


def trace_from(row: Row) -> Trace:
    """Return the trace in a row."""
    fields = _fields(row, "traces", Trace.model_fields)
    return Trace.model_validate(
        fields | {"created_at": to_datetime(row["created_at"]), "trace_key": row["trace_key"] or ""}
    )


def review_row(review: Review) -> dict[str, Any]:
    """Return a review as the row that is stored."""
    return review.model_dump(mode="json", exclude={"created_at"}) | {"created_at": to_microseconds(review.created_at)}


def review_from(row: Row, prefix: str = "") -> Review:
    """Return the review in a row whose columns are named with `prefix`."""
    fields = _fields(row, "reviews", Review.model_fields, prefix)
    return Review.model_validate(fields | {"created_at": to_datetime(fields["created_at"])})


_MEMORY_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "created_at": to_datetime,
    "last_used_at": to_datetime,
    "error_keywords": to_lines,
    "error_signatures": to_lines,
}
"""What is stored otherwise than a memory holds it."""


def memory_from(row: Row) -> Memory:
    """Return the memory in a row that joins memories and utilities. Raises InvalidRecord for one of no known kind."""
    kind = MEMORY_KINDS.get(row["kind"], ReflectionMemory)
    fields = {name: value for name, value in _fields(row, "memories", kind.model_fields).items() if value is not None}
    for name, read in _MEMORY_VALUES.items():
        if name in fields:
            fields[name] = read(fields[name])
    return kind.model_validate(fields)


def witness_from(row: Row) -> Witness:
    """Return the witness in a row."""
    fields = _fields(row, "witnesses", Witness.model_fields)
    return Witness.model_validate(fields | {"created_at": to_datetime(row["created_at"])})


def log_row(entry: LogEntry) -> dict[str, Any]:
    """Return a log entry as the row that is stored."""
    return entry.model_dump() | {"at": to_microseconds(entry.at)}


def log_from(row: Row) -> LogEntry:
    """Return the log entry in a row."""
    fields = {name: row[name] for name in LogEntry.model_fields}
    return LogEntry.model_validate(fields | {"at": to_datetime(fields["at"])})


def event_row(event: UtilityEvent, project: str) -> dict[str, Any]:
    """Return a utility event as the row that is stored."""
    return event.model_dump(mode="json") | {"project": project}


def event_from(row: Row) -> UtilityEvent:
    """Return the utility event in a row, without validating it."""
    fields = _fields(row, "utility_events", UtilityEvent.model_fields)
    return UtilityEvent.model_construct(**fields | {"sources": tuple(fields["sources"])})


def retrieval_row(retrieval: Retrieval) -> dict[str, Any]:
    """Return a retrieval as the row that is stored, without its trace."""
    return {
        "id": retrieval.id,
        "project": retrieval.project,
        "user": retrieval.user,
        "connection": retrieval.connection,
        "memory_ids": list(retrieval.memory_ids),
        "created_at": to_microseconds(retrieval.created_at),
    }


def retrieval_from(row: Row) -> Retrieval:
    """Return the retrieval in a row."""
    fields = _fields(row, "retrievals", Retrieval.model_fields)
    return Retrieval.model_validate(fields | {"created_at": to_datetime(row["created_at"])})


def insight_job_row(job: InsightJob) -> dict[str, Any]:
    """Return an insight job as the row that is stored."""
    times = {"next_attempt_at": job.next_attempt_at, "created_at": job.created_at}
    return job.model_dump() | {name: to_microseconds(moment) for name, moment in times.items()}


def insight_job_from(row: Row) -> InsightJob:
    """Return the insight job in a row."""
    fields = {name: row[name] for name in InsightJob.model_fields}
    times = {name: to_datetime(row[name]) for name in ("next_attempt_at", "created_at")}
    return InsightJob.model_validate(fields | times)


def job_row(job: ReflectionJob, project: str) -> dict[str, Any]:
    """Return a reflection job as the row that is stored."""
    return job.model_dump() | {"next_attempt_at": to_microseconds(job.next_attempt_at), "project": project}


def job_from(row: Row, prefix: str = "") -> ReflectionJob:
    """Return the reflection job in a row whose columns are named with `prefix`."""
    fields = {name: row[prefix + name] for name in ReflectionJob.model_fields}
    return ReflectionJob.model_validate(fields | {"next_attempt_at": to_datetime(fields["next_attempt_at"])})
