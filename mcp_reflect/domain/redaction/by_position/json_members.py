"""Members of an object in JSON that are secrets by what the object says of itself, whatever their keys are called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_position.login_secrets import LABELS_OF_FIELDS, TYPED_INTO, is_typed_password
from mcp_reflect.domain.redaction.by_position.manifest_secrets import is_kept_secret
from mcp_reflect.domain.redaction.values.secret_values import MARK

_PASSWORD_FIELD = re.compile(TYPED_INTO, re.IGNORECASE)
_TYPED = ("text", "value")
_KEPT = ("data", "stringData")


def without_told_members(fields: dict[Any, Any]) -> dict[Any, Any]:
    """Return an object without what a browser types into a field for a password, and without a Secret's values."""
    return fields | dict(_told(fields))


def _told(fields: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    if any(_PASSWORD_FIELD.fullmatch(str(fields.get(label, ""))) for label in LABELS_OF_FIELDS):
        for key in _TYPED:
            typed = fields.get(key)
            if isinstance(typed, str) and is_typed_password(typed):
                yield key, f"{MARK}password]"
    if fields.get("kind") == "Secret":
        for key in _KEPT:
            kept = fields.get(key)
            if isinstance(kept, dict):
                yield key, {name: _without_secret(name, value) for name, value in kept.items()}


def _without_secret(name: Any, value: Any) -> Any:
    return f"{MARK}secret]" if isinstance(value, str) and is_kept_secret(str(name), value) else value
