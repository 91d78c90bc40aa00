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
from collections.abc import Iterable
from typing import Any

from mcp_reflect.domain.error_matching.reflexion_lines import (
    EXTRA_KEY,
    FILE_STATUSES,
    NEVER_EXTRA,
    BadLineError,
    ErrorLine,
    count_from,
    format_moment,
    moment_from,
)
from mcp_reflect.domain.models import RETRIEVABLE, ErrorMemory, Metadata
from mcp_reflect.domain.text.inert import escaped_json


def render_line(memory: ErrorMemory, *, with_id: bool, line_id: str = "") -> str:
    """Return the line of an error, without a line end; `read_lines` restores the same error.

    `line_id` stands in the line instead of the memory's own id.
    """
    metadata = {key: value for key, value in memory.metadata.items() if key != EXTRA_KEY}
    extra = _extra(memory)
    status = memory.status if memory.status in FILE_STATUSES else "active"
    fields: dict[str, Any] = {"id": line_id or memory.id} if with_id else {}
    fields |= {
        "ts": extra.pop("ts", format_moment(memory.created_at)),
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
    status = memory.status if memory.status in FILE_STATUSES else "active"
    extra = _extra(memory)
    return ErrorLine(
        memory_id=memory.id,
        created_at=moment_from(extra["ts"]) if "ts" in extra else memory.created_at,
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
        said.setdefault("ts", format_moment(line.created_at))
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
        return count_from(extra.get("recurrences") or 0)
    except BadLineError:
        return 0


def _extra(memory: ErrorMemory) -> dict[str, Any]:
    return _extra_of(memory.metadata)


def _extra_of(metadata: Metadata) -> dict[str, Any]:
    """Return the further fields of a line; never one that says what a memory itself has to say."""
    try:
        extra = json.loads(str(metadata.get(EXTRA_KEY) or "{}"))
    except (ValueError, RecursionError):
        return {}
    return {key: value for key, value in extra.items() if key not in NEVER_EXTRA} if isinstance(extra, dict) else {}


def errors_for_file(memories: Iterable[ErrorMemory]) -> list[ErrorMemory]:
    """Return the errors that belong into a file, oldest first; archived ones are those deleted from it."""
    shown = [m for m in memories if m.status in RETRIEVABLE or m.status == "deprecated"]
    return sorted(shown, key=lambda memory: (memory.created_at, memory.id))
