"""Reads the lines of a file of errors: JSON that people and other programs write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.limits import MAX_FIELD, MAX_METADATA_BYTES, MAX_METADATA_KB, MAX_TASK, MAX_TEXT
from mcp_reflect.domain.models import Metadata, Status
from mcp_reflect.domain.redaction.redact import redact_json
from mcp_reflect.domain.trajectory.parsing import MAX_DEPTH, is_deeper

EXTRA_KEY = "reflexion_extra"
"""The metadata key under which an imported error keeps the unknown fields of its line."""

_TEXTS = {
    "task": 2 * MAX_TASK,
    "mistake": 2 * MAX_FIELD,
    "evidence": 2 * MAX_TEXT,
    "rule": 2 * MAX_FIELD,
    "fix": 2 * MAX_FIELD,
}
"""Most characters by field: twice the limits of the tools, so that everything they stored can be read back."""

_OWN = ("id", "recurrences", "more_evidence", "metadata")

NEVER_EXTRA = frozenset({*_TEXTS, "id", "more_evidence", "metadata", "tests"})

FILE_STATUSES: dict[str, Status] = {"active": "active", "adopted": "adopted", "deprecated": "deprecated"}

_ID = re.compile(r"mem_[0-9a-z]{12}")

_CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} |\|{7} )", re.MULTILINE)


@dataclass(frozen=True)
class ErrorLine:
    """A parsed line. `memory_id` is empty where the line has no id; `text` is the line as it is in the file."""

    memory_id: str
    created_at: datetime | None
    task: str
    mistake: str
    evidence: tuple[str, ...]
    rule: str
    fix: str
    tests: tuple[str, ...]
    status: Status
    recurrences: int
    metadata: Metadata
    text: str = field(compare=False)


@dataclass(frozen=True)
class BrokenLine:
    """A line that could not be parsed. `number` counts from 1."""

    number: int
    problem: str
    text: str


class BadLineError(ValueError):
    """A line that cannot be taken in; the message says why."""


def has_merge_conflict(text: str) -> bool:
    """Return true where the text holds conflict markers of git."""
    return _CONFLICT.search(text) is not None


def read_lines(text: str) -> Iterator[tuple[int, ErrorLine | BrokenLine]]:
    """Yield every line that is not blank, with its number from 1 and its secrets redacted."""
    # Only line feeds end a line: JSON text may contain other separators unescaped.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        stripped = line.strip()
        if stripped:
            try:
                yield number, _read(stripped)
            except BadLineError as bad:
                yield number, BrokenLine(number, str(bad), stripped)


def _read(line: str) -> ErrorLine:
    try:
        found = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        detail = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise BadLineError(f"no JSON ({detail})") from None
    if not isinstance(found, dict):
        raise BadLineError("no JSON object")
    if is_deeper(found, MAX_DEPTH):
        raise BadLineError(f"nested deeper than {MAX_DEPTH} levels")
    try:
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise BadLineError("holds a lone surrogate, which is no Unicode text") from None
    except ValueError:
        raise BadLineError("holds a number that is too large") from None
    return _line(redact_json(found), line)


def _line(fields: dict[str, Any], line: str) -> ErrorLine:
    texts = {name: _text(fields, name, limit) for name, limit in _TEXTS.items()}
    if not texts["mistake"].strip():
        raise BadLineError("mistake is missing or empty")
    extra = {name: value for name, value in fields.items() if name not in {*_TEXTS, *_OWN, "ts", "tests", "status"}}
    status = fields.get("status") or "active"
    if not isinstance(status, str):
        raise BadLineError("status is no text")
    if status not in FILE_STATUSES:
        extra["status"] = status
    created_at = moment_from(fields.get("ts"))
    if fields.get("ts") is not None and (created_at is None or fields["ts"] != format_moment(created_at)):
        extra["ts"] = fields["ts"]
    memory_id = fields.get("id") or ""
    return ErrorLine(
        memory_id=memory_id if isinstance(memory_id, str) and _ID.fullmatch(memory_id) else "",
        created_at=created_at,
        task=texts["task"] or texts["mistake"],
        mistake=texts["mistake"],
        evidence=tuple(each for each in (texts["evidence"], *_list(fields, "more_evidence")) if each),
        rule=texts["rule"],
        fix=texts["fix"],
        tests=_list(fields, "tests"),
        status=FILE_STATUSES.get(status, "active"),
        recurrences=count_from(fields.get("recurrences") or 0),
        metadata=_metadata(fields.get("metadata") or {}, extra),
        text=line,
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _text(fields: dict[str, Any], name: str, limit: int) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadLineError(f"{name} is no text")
    if len(value) > limit:
        raise BadLineError(f"{name} has {len(value):,} characters, {limit:,} are allowed")
    if "\x00" in value:
        raise BadLineError(f"{name} contains a NUL character")
    return value


def _list(fields: dict[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name) or []
    if isinstance(value, str):
        value = [value]  # written by hand
    if not isinstance(value, list) or not all(isinstance(item, str) and "\x00" not in item for item in value):
        raise BadLineError(f"{name} is no list of texts")
    return tuple(value)


def count_from(value: Any) -> int:
    """Return a `recurrences` field. Raises BadLineError for what is no whole number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise BadLineError("recurrences is no whole number of 0 or more")
    return value


def _metadata(value: Any, extra: dict[str, Any]) -> Metadata:
    def scalar(item: Any) -> bool:
        return isinstance(item, str | bool | int | float)

    if not isinstance(value, dict) or not all(
        scalar(item) or (isinstance(item, list) and all(map(scalar, item))) for item in value.values()
    ):
        raise BadLineError("metadata is no object of texts, numbers, booleans or lists of these")
    # A line says its further fields beside the metadata, never inside.
    metadata: Metadata = {key: item for key, item in value.items() if key != EXTRA_KEY}
    if extra:
        metadata[EXTRA_KEY] = json.dumps(extra, ensure_ascii=False)
    if len(json.dumps(metadata)) > MAX_METADATA_BYTES:
        raise BadLineError(f"its further fields are larger than {MAX_METADATA_KB} kB")
    return metadata


def moment_from(ts: Any) -> datetime | None:
    """Return the time of a `ts`, None where it is missing or invalid; without a time zone it is UTC."""
    if not isinstance(ts, str):
        return None
    try:
        moment = datetime.fromisoformat(ts)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def format_moment(moment: datetime) -> str:
    """Return the `ts` of a time, in UTC."""
    return moment.astimezone(UTC).isoformat()
