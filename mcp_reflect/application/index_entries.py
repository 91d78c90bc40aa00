"""Entries of the vector index: what a person or a notebook finds beside a memory's vector.

The document is the task with the lesson. The metadata are the memory's own fields and the user's scalar metadata, each
under its own name, so that `where={"project": …, "q_value": {"$gte": 0.7}}` finds what the names say. A key of the user
that has the name of a field, or one that Chroma keeps for itself, is prefixed with `USER_PREFIX`.

Wherever it stands, an entry keeps to the quotas of Chroma Cloud, which would refuse it otherwise, and with it the whole
write: long texts and values are cut, and keys that are too long or too many are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_reflect.domain.models import Memory, flat_fields
from mcp_reflect.domain.truncate import truncate_bytes

IndexValue = str | int | float | bool

ENTRY_VERSION = "3"
"""Raised when entries hold something else; indexes of another version are filled again."""

USER_PREFIX = "metadata."

NOT_IN_STEP = frozenset({"last_used_at"})
"""Fields that move without a change of the memory: as of the last time that the entry was written."""

_RESERVED_PREFIX = "chroma:"
_MAX_INTEGER = 2**63

_MAX_DOCUMENT_BYTES = 16_384
_MAX_VALUE_BYTES = 4_096
_MAX_KEY_BYTES = 36
_MAX_KEYS = 32


def index_document(memory: Memory) -> str:
    """Return the text of an entry: the task and the lesson, once where they are the same.

    A long task makes room for the lesson first.
    """
    room = max(_MAX_DOCUMENT_BYTES // 2, _MAX_DOCUMENT_BYTES - len(f"\n\n{memory.reflection}".encode()))
    is_same = memory.reflection == memory.task
    parts = (memory.task,) if is_same else (truncate_bytes(memory.task, room), memory.reflection)
    return truncate_bytes("\n\n".join(filter(None, parts)), _MAX_DOCUMENT_BYTES)


def index_metadata(memory: Memory) -> dict[str, IndexValue]:
    """Return the metadata of an entry; fields without a value are left out, lists are joined with commas."""
    fields = flat_fields(memory)
    own: dict[str, object] = {
        "kind": memory.kind,
        "status": memory.status,
        "q_value": memory.q_value,
        "reviews": memory.reviews,
        "success": fields["success"],
        "tools": ", ".join(fields["tools_used"]),
        "project": memory.project,
        "user": memory.user,
        "created_at": memory.created_at.isoformat(),
        "created": memory.created_at.timestamp(),
        "last_used_at": "" if memory.last_used_at is None else memory.last_used_at.isoformat(),
        "trace_id": memory.source_trace_id,
    }
    found = {name: value for name, value in own.items() if value is not None and value != ""}
    of_user = {_key(name, own): value for name, value in memory.metadata.items()}
    kept = [name for name in of_user if len(name.encode()) <= _MAX_KEY_BYTES][: _MAX_KEYS - len(own)]
    return _scalars(found) | _scalars({name: of_user[name] for name in kept})


def _key(name: str, own: Mapping[str, object]) -> str:
    return f"{USER_PREFIX}{name}" if name in own or name.startswith(_RESERVED_PREFIX) else name


def _scalars(values: Mapping[str, object]) -> dict[str, IndexValue]:
    found: dict[str, IndexValue] = {}
    for name, value in values.items():
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _MAX_INTEGER:
            found[name] = truncate_bytes(str(value), _MAX_VALUE_BYTES)
        elif isinstance(value, str):
            found[name] = truncate_bytes(value, _MAX_VALUE_BYTES)
        elif isinstance(value, int | float):
            found[name] = value
        elif isinstance(value, Sequence):
            found[name] = truncate_bytes(", ".join(str(item) for item in value), _MAX_VALUE_BYTES)
    return found
