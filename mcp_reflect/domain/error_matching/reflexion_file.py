"""File format `reflexion.jsonl`: errors and their fixes, one JSON object per line, to read, diff and edit by hand.

Fields: ts, task, mistake, evidence, rule, fix, tests, status. Additional fields are written only where they are not
empty: `id` (the memory), `recurrences`, `more_evidence` (a list) and `metadata`. Unknown fields, and a `ts` or `status`
in another spelling, are kept as JSON text in the metadata under EXTRA_KEY and written back.

A line claims three things that only a home can earn: `ts`, `recurrences` and the status `adopted`. Where it claims
another time, more recurrences or an adoption than its memory has, the claim is kept as text beside the unknown fields
(`keep_claims`). It is written back and has no other effect, so two homes that share a file leave each other's lines
alone.
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
from mcp_reflect.domain.text.inert import escaped_json
from mcp_reflect.domain.trajectory.parsing import MAX_DEPTH, is_deeper

EXTRA_KEY = "reflexion_extra"
"""The metadata key under which an imported error keeps the unknown fields of its line."""

_MAX_METADATA = 16_384
_TEXTS = {"task": 64_000, "mistake": 16_000, "evidence": 400_000, "rule": 16_000, "fix": 16_000}
"""Most characters by field: twice the limits of the tools, so that everything they stored can be read back."""
_OWN = ("id", "recurrences", "more_evidence", "metadata")
_NEVER_EXTRA = frozenset({*_TEXTS, "id", "more_evidence", "metadata", "tests"})
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
    # A line says its further fields beside the metadata, never inside.
    metadata: Metadata = {key: item for key, item in value.items() if key != EXTRA_KEY}
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


def render_line(memory: ErrorMemory, *, with_id: bool, line_id: str = "") -> str:
    """Return the line of an error, without a line end; `read_lines` restores the same error.

    `line_id` stands in the line instead of the memory's own id.
    """
    metadata = {key: value for key, value in memory.metadata.items() if key != EXTRA_KEY}
    extra = _extra(memory)
    status = memory.status if memory.status in _STATUSES else "active"
    fields: dict[str, Any] = {"id": line_id or memory.id} if with_id else {}
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
    if recurrences := max(memory.recurrences, _claimed_recurrences(extra)):
        fields["recurrences"] = recurrences
    if len(memory.evidence) > 1:
        fields["more_evidence"] = list(memory.evidence[1:])
    if metadata:
        fields["metadata"] = metadata
    line = fields | {key: value for key, value in extra.items() if key not in fields}
    return escaped_json(json.dumps(line, ensure_ascii=False))


def error_line_of(memory: ErrorMemory) -> ErrorLine:
    """Return an error as `read_lines` would parse its line, but for the metadata, which keep their claims."""
    status = memory.status if memory.status in _STATUSES else "active"
    extra = _extra(memory)
    return ErrorLine(
        memory_id=memory.id,
        created_at=_moment(extra["ts"]) if "ts" in extra else memory.created_at,
        task=memory.task,
        mistake=memory.key_mistake,
        evidence=memory.evidence,
        rule=memory.guidance,
        fix=memory.correct_action,
        tests=memory.tests,
        status="adopted" if status == "active" and extra.get("status") == "adopted" else status,
        recurrences=max(memory.recurrences, _claimed_recurrences(extra)),
        metadata=memory.metadata,
        text="",
    )


def keep_claims(memory: ErrorMemory, line: ErrorLine) -> Metadata:
    """Return the line's metadata with what it claims beyond the memory, so that `render_line` writes the line again.

    `memory` has the time, the recurrences and the status that it keeps.
    """
    extra = _extra_of(line.metadata)
    said: dict[str, Any] = {name: extra.pop(name) for name in ("status", "ts") if name in extra}
    if line.created_at is not None and line.created_at != memory.created_at:
        said.setdefault("ts", _ts(line.created_at))
    if line.status == "adopted" and memory.status != "adopted":
        said["status"] = "adopted"
    if line.recurrences > memory.recurrences:
        said["recurrences"] = line.recurrences
    return _with_extra(line.metadata, extra | said)


def without_claims(metadata: Metadata) -> Metadata:
    """Return the metadata of a line or an error without what `keep_claims` may add, nor the spelling of its time."""
    extra = _extra_of(metadata)
    for name in ("ts", "recurrences"):
        extra.pop(name, None)
    if extra.get("status") == "adopted":
        del extra["status"]
    return _with_extra(metadata, extra)


def _with_extra(metadata: Metadata, extra: dict[str, Any]) -> Metadata:
    own: Metadata = {key: value for key, value in metadata.items() if key != EXTRA_KEY}
    return own | {EXTRA_KEY: json.dumps(extra, ensure_ascii=False)} if extra else own


def _claimed_recurrences(extra: dict[str, Any]) -> int:
    try:
        return _count(extra.get("recurrences") or 0)
    except _BadLineError:
        return 0


def _extra(memory: ErrorMemory) -> dict[str, Any]:
    return _extra_of(memory.metadata)


def _extra_of(metadata: Metadata) -> dict[str, Any]:
    """Return the further fields of a line; never one that says what a memory itself has to say."""
    try:
        extra = json.loads(str(metadata.get(EXTRA_KEY) or "{}"))
    except (ValueError, RecursionError):
        return {}
    return {key: value for key, value in extra.items() if key not in _NEVER_EXTRA} if isinstance(extra, dict) else {}


def errors_for_file(memories: Iterable[ErrorMemory]) -> list[ErrorMemory]:
    """Return the errors that belong into a file, oldest first; archived ones are those deleted from it."""
    shown = [m for m in memories if m.status in RETRIEVABLE or m.status == "deprecated"]
    return sorted(shown, key=lambda memory: (memory.created_at, memory.id))
