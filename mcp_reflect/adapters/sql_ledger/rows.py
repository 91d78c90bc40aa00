"""Rows to models and back; the only place that knows both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import RowMapping

from mcp_reflect.domain.error_matching.signatures import memory_signatures
from mcp_reflect.domain.lessons.sameness import lesson_key
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
    flat_fields,
)
from mcp_reflect.domain.reflection.embedded_text import embedded_text, lesson_text, lexical_text
from mcp_reflect.domain.text import terms
from mcp_reflect.domain.values import Terms, Vector

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Row = RowMapping | dict[str, Any]


def to_microseconds(moment: datetime) -> int:
    """Return the microseconds since 1970 UTC, rounded down; `moment` must have a time zone."""
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(microseconds: int) -> datetime:
    """Return the moment so many microseconds after 1970, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND


def to_vector(blob: bytes) -> Vector:
    """Return the vector in little-endian float32 bytes, read-only and without copying them."""
    return np.frombuffer(blob, dtype="<f4")


def to_blob(vector: Vector) -> bytes:
    """Return a vector as little-endian float32 bytes."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def to_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a stored text; none for an empty one."""
    return tuple(text.split("\n")) if text else ()


def signatures_from(stored: str, mistake: str | None, evidence: list[str] | None) -> tuple[str, ...]:
    """`mistake` and `evidence` are what the signatures are made from where none are stored."""
    return to_lines(stored) if mistake is None else memory_signatures(mistake, evidence or ())


def trace_row(trace: Trace) -> dict[str, Any]:
    """Return a trace as the row that is stored."""
    row = trace.model_dump(mode="json", exclude={"created_at", "trace_key"})
    # NULL, not "", so that traces without a key do not collide.
    return row | {"created_at": to_microseconds(trace.created_at), "trace_key": trace.trace_key or None}


def trace_from(row: Row) -> Trace:
    """Return the trace in a row."""
    fields = {name: row[name] for name in Trace.model_fields}
    return Trace.model_validate(
        fields | {"created_at": to_datetime(row["created_at"]), "trace_key": row["trace_key"] or ""}
    )


def review_row(review: Review) -> dict[str, Any]:
    """Return a review as the row that is stored."""
    return review.model_dump(mode="json", exclude={"created_at"}) | {"created_at": to_microseconds(review.created_at)}


def review_from(row: Row, prefix: str = "") -> Review:
    """Return the review in a row whose columns are named with `prefix`."""
    fields = {name: row[prefix + name] for name in Review.model_fields}
    return Review.model_validate(fields | {"created_at": to_datetime(fields["created_at"])})


_UTILITY_FIELDS = {"q_value", "reviews", "passes", "trials", "successes", "last_used_at"}


_MEMORY_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "created_at": to_datetime,
    "last_used_at": to_datetime,
    "error_keywords": to_lines,
    "error_signatures": to_lines,
}
"""What is stored otherwise than a memory holds it."""


def memory_row(memory: Memory) -> dict[str, Any]:
    """Return the content of a memory as the row that is stored, without its change number and its utility."""
    fields = flat_fields(memory)
    row = {name: value for name, value in fields.items() if name not in _UTILITY_FIELDS}
    success = None if memory.success is None else int(memory.success)
    return row | {
        "created_at": to_microseconds(memory.created_at),
        "success": success,
        "error_keywords": "\n".join(fields["error_keywords"]),
        "error_signatures": "\n".join(fields["error_signatures"]),
        "embedded_text": embedded_text(memory),
    }


def memory_from(row: Row) -> Memory:
    """`row` joins memories and utilities. Raises ValidationError for one that no kind of memory has."""
    kind = MEMORY_KINDS.get(row["kind"], ReflectionMemory)
    fields = {name: row[name] for name in kind.model_fields if row[name] is not None}
    for name, read in _MEMORY_VALUES.items():
        if name in fields:
            fields[name] = read(fields[name])
    return kind.model_validate(fields)


def words_row(memory: Memory) -> dict[str, Any]:
    """Return the terms and the lesson key of a memory as the row that is stored, under the current version."""
    fields = flat_fields(memory)
    lesson = lesson_text(memory.kind, memory.reflection, fields["correct_action"], fields["guidance"])
    return {
        "memory_id": memory.id,
        "version": terms.TERMS_VERSION,
        "terms": terms_blob(terms.terms(lexical_text(memory))),
        "lesson": terms_blob(terms.terms(lesson)),
        "lesson_key": lesson_key(memory.task, memory.reflection),
    }


def terms_blob(found: Terms) -> bytes:
    """Terms as stored, five bytes each: all keys, then all counts."""
    return found.keys.astype("<u4").tobytes() + found.counts.tobytes()


def terms_from(stored: bytes | None, text: str | None) -> Terms:
    """`text` is what the terms are made from where none of this version are stored."""
    if stored is None:
        return terms.terms(text or "")
    count = len(stored) // 5
    keys = np.frombuffer(stored, dtype="<u4", count=count).astype(np.uint32, copy=False)
    return Terms(keys, np.frombuffer(stored, dtype=np.uint8, offset=4 * count))


def witness_row(witness: Witness, model: str, vector: Vector | None) -> dict[str, Any]:
    """Return a witness as the row that is stored, with the vector of its task under `model`."""
    row = witness.model_dump(mode="json") | {"created_at": to_microseconds(witness.created_at)}
    return row | {
        "success": int(witness.success),
        "model": model,
        "vector": None if vector is None else to_blob(vector),
    }


def witness_from(row: Row) -> Witness:
    """Return the witness in a row."""
    fields = {name: row[name] for name in Witness.model_fields}
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
    fields = {name: row[name] for name in UtilityEvent.model_fields}
    return UtilityEvent.model_construct(**fields | {"sources": tuple(row["sources"])})


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
    fields = {name: row[name] for name in Retrieval.model_fields}
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
