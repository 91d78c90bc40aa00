"""File format `reflexion.jsonl`: errors and their fixes, one JSON object per line, to read, diff and edit by hand.

Fields: ts, task, mistake, evidence, rule, fix, tests, status. Additional fields are written only where they are not
empty: `id` (the memory), `recurrences`, `more_evidence` (a list) and `metadata`. Unknown fields, and a `ts` or `status`
in another spelling, are kept as JSON text in the metadata under EXTRA_KEY and written back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mcp_reflect.domain.models import RETRIEVABLE, ErrorMemory, Metadata, Status
from mcp_reflect.domain.redaction.redact import redact_json
from mcp_reflect.domain.trajectory.parsing import MAX_DEPTH, is_deeper

EXTRA_KEY = "reflexion_extra"
"""The metadata key under which an imported error keeps the unknown fields of its line."""

_MAX_METADATA = 16_384
_TEXTS = {"task": 64_000, "mistake": 16_000, "evidence": 400_000, "rule": 16_000, "fix": 16_000}
"""Most characters by field: twice the limits of the tools, so that everything they stored can be read back."""
_OWN = ("id", "recurrences", "more_evidence", "metadata")
_STATUSES: dict[str, Status] = {"active": "active", "adopted": "adopted", "deprecated": "deprecated"}
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


class _BadLineError(ValueError):
    pass


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
            except _BadLineError as bad:
                yield number, BrokenLine(number, str(bad), stripped)


def _read(line: str) -> ErrorLine:
    try:
        found = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        detail = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise _BadLineError(f"no JSON ({detail})") from None
    if not isinstance(found, dict):
        raise _BadLineError("no JSON object")
    if is_deeper(found, MAX_DEPTH):
        raise _BadLineError(f"nested deeper than {MAX_DEPTH} levels")
    try:
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise _BadLineError("holds a lone surrogate, which is no Unicode text") from None
    except ValueError:
        raise _BadLineError("holds a number that is too large") from None
    return _line(redact_json(found), line)


def _line(fields: dict[str, Any], line: str) -> ErrorLine:
    texts = {name: _text(fields, name, limit) for name, limit in _TEXTS.items()}
    if not texts["mistake"].strip():
        raise _BadLineError("mistake is missing or empty")
    extra = {name: value for name, value in fields.items() if name not in {*_TEXTS, *_OWN, "ts", "tests", "status"}}
    status = fields.get("status") or "active"
    if not isinstance(status, str):
        raise _BadLineError("status is no text")
    if status not in _STATUSES:
        extra["status"] = status
    created_at = _moment(fields.get("ts"))
    if fields.get("ts") is not None and (created_at is None or fields["ts"] != _ts(created_at)):
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
        status=_STATUSES.get(status, "active"),
        recurrences=_count(fields.get("recurrences") or 0),
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
        raise _BadLineError(f"{name} is no text")
    if len(value) > limit:
        raise _BadLineError(f"{name} has {len(value):,} characters, {limit:,} are allowed")
    if "\x00" in value:
        raise _BadLineError(f"{name} contains a NUL character")
    return value


def _list(fields: dict[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name) or []
    if isinstance(value, str):
        value = [value]  # written by hand
    if not isinstance(value, list) or not all(isinstance(item, str) and "\x00" not in item for item in value):
        raise _BadLineError(f"{name} is no list of texts")
    return tuple(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise _BadLineError("recurrences is no whole number of 0 or more")
    return value


def _metadata(value: Any, extra: dict[str, Any]) -> Metadata:
    def scalar(item: Any) -> bool:
        return isinstance(item, str | bool | int | float)

    if not isinstance(value, dict) or not all(
        scalar(item) or (isinstance(item, list) and all(map(scalar, item))) for item in value.values()
    ):
        raise _BadLineError("metadata is no object of texts, numbers, booleans or lists of these")
    metadata: Metadata = dict(value)
    if extra:
        metadata[EXTRA_KEY] = json.dumps(extra, ensure_ascii=False)
    if len(json.dumps(metadata)) > _MAX_METADATA:
        raise _BadLineError("its further fields are larger than 16 kB")
    return metadata


def _moment(ts: Any) -> datetime | None:
    """Return the time of a `ts`, None where it is missing or invalid; without a time zone it is UTC."""
    if not isinstance(ts, str):
        return None
    try:
        moment = datetime.fromisoformat(ts)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _ts(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def render_line(memory: ErrorMemory, *, with_id: bool) -> str:
    """Return the line of an error, without a line end; `read_lines` restores the same error."""
    metadata = {key: value for key, value in memory.metadata.items() if key != EXTRA_KEY}
    extra = _extra(memory)
    status = memory.status if memory.status in _STATUSES else "active"
    fields: dict[str, Any] = {"id": memory.id} if with_id else {}
    fields |= {
        "ts": extra.pop("ts", _ts(memory.created_at)),
        "task": memory.task,
        "mistake": memory.key_mistake,
        "evidence": memory.evidence[0] if memory.evidence else "",
        "rule": memory.guidance,
        "fix": memory.correct_action,
        "tests": list(memory.tests),
        # A foreign status counts as active; it is dropped once the memory has another status.
        "status": extra.pop("status", status) if status == "active" else status,
    }
    extra.pop("status", None)
    if memory.recurrences:
        fields["recurrences"] = memory.recurrences
    if len(memory.evidence) > 1:
        fields["more_evidence"] = list(memory.evidence[1:])
    if metadata:
        fields["metadata"] = metadata
    return json.dumps(fields | {key: value for key, value in extra.items() if key not in fields}, ensure_ascii=False)


def error_line_of(memory: ErrorMemory) -> ErrorLine:
    """Return an error as `read_lines` would parse its line."""
    status = memory.status if memory.status in _STATUSES else "active"
    return ErrorLine(
        memory_id=memory.id,
        created_at=memory.created_at,
        task=memory.task,
        mistake=memory.key_mistake,
        evidence=memory.evidence,
        rule=memory.guidance,
        fix=memory.correct_action,
        tests=memory.tests,
        status=status,
        recurrences=memory.recurrences,
        metadata=memory.metadata,
        text="",
    )


def _extra(memory: ErrorMemory) -> dict[str, Any]:
    try:
        extra = json.loads(str(memory.metadata.get(EXTRA_KEY) or "{}"))
    except ValueError:
        return {}
    return extra if isinstance(extra, dict) else {}


def errors_for_file(memories: Iterable[ErrorMemory]) -> list[ErrorMemory]:
    """Return the errors that belong into a file, oldest first; archived ones are those deleted from it."""
    shown = [m for m in memories if m.status in RETRIEVABLE or m.status == "deprecated"]
    return sorted(shown, key=lambda memory: (memory.created_at, memory.id))
