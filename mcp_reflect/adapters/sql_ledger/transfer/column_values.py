"""Values of columns as JSON, on the way out and in."""

from __future__ import annotations

import base64
import binascii
import sys
from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, Integer, LargeBinary

from mcp_reflect.errors import ArchiveError


def to_portable(value: Any) -> Any:
    """Return a column's value as JSON holds it: bytes in base64."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def from_portable(column: Column[Any], value: Any) -> Any:
    """Return a JSON value as the column holds it; the database itself would take anything. Raises ArchiveError."""
    where = f"{column.table.name}.{column.name}"
    if value is None:
        if not column.nullable:
            raise ArchiveError(f"{where} is null")
        return None
    kind = column.type
    if isinstance(kind, LargeBinary):
        try:
            return base64.b64decode(value, validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise ArchiveError(f"{where} is no base64") from None
    if isinstance(kind, JSON):
        fits = isinstance(value, dict | list)  # a text would be read as JSON again when it is read
    elif isinstance(kind, Boolean):
        fits = isinstance(value, bool)
    elif isinstance(kind, Integer | BigInteger):
        fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    elif isinstance(kind, Double):
        fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    else:
        fits = (
            isinstance(value, str)
            and "\x00" not in value
            and len(value) <= (getattr(kind, "length", None) or len(value))
        )
    if not fits:
        raise ArchiveError(f"{where} holds something that does not belong there")
    return value
