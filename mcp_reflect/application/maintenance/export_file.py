"""The file of an export: a header, one row a line, and a last line by which damage shows; see docs/export-format.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from mcp_reflect.application.ports import PortableRow, Progress
from mcp_reflect.domain.text.inert import escaped_json
from mcp_reflect.errors import ArchiveError

EXPORT_FORMAT = "mcp-reflect-export"
EXPORT_VERSION = 1

MAX_EXPORT_LINE_BYTES = 128_000_000
"""Bytes of the longest line that is read: a trajectory of the largest size, with every character escaped twice."""

_MAX_HEADER_BYTES = 1 << 20
TOLD_EVERY = 500
"""Rows between two calls of a `Progress`."""


class Header(BaseModel):
    """The first line of an export. `counts` are rows by table; `vectors` is true where it contains embeddings."""

    model_config = ConfigDict(frozen=True)

    format: str
    version: int
    project: str
    vectors: bool
    ledger_schema: int
    counts: dict[str, NonNegativeInt]

    @property
    def rows(self) -> int:
        """Return the number of rows of all tables."""
        return sum(self.counts.values())


class End(BaseModel):
    """The last line: the number of rows, and the SHA-256 of all lines before it."""

    rows: int
    sha256: str


def read_header(file: Path) -> Header | None:
    """Return the header of an export, None for any other file.

    Raises ArchiveError for an export that this version cannot read, and OSError.
    """
    with file.open("rb") as lines:
        return _header(lines.readline(_MAX_HEADER_BYTES))


def encode_export_line(line: Mapping[str, Any]) -> bytes:
    """Return a line of an export, with its end."""
    try:
        return escaped_json(json.dumps(line, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate can only be written as an escape
        return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _header(line: bytes) -> Header | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("format") != EXPORT_FORMAT:
        return None
    if found.get("version") != EXPORT_VERSION:
        raise ArchiveError(
            f"it is an export of version {found.get('version')!r}, this mcp-reflect reads {EXPORT_VERSION}"
        )
    try:
        return Header.model_validate(found)
    except ValidationError as error:
        raise ArchiveError(f"its first line is damaged: {_first_problem(error)}") from error


def check_export(file: Path) -> tuple[Header, str]:
    """Return the header and checksum of an export after verifying its last line. Raises ArchiveError."""
    with file.open("rb") as lines:
        first = lines.readline(_MAX_HEADER_BYTES)
        header = _header(first)
        if header is None:
            raise ArchiveError(f"{file}: is no export of mcp-reflect")
        digest, rows, last = hashlib.sha256(first), 0, b""
        for line in iter(partial(lines.readline, MAX_EXPORT_LINE_BYTES + 1), b""):
            if len(line) > MAX_EXPORT_LINE_BYTES:
                raise ArchiveError(
                    f"{file}: line {rows + (3 if last else 2)} is longer than {MAX_EXPORT_LINE_BYTES:,} bytes, "
                    "which no export is; nothing was changed"
                )
            if last:
                digest.update(last)
                rows += 1
            last = line
    try:
        end = End.model_validate(json.loads(last)["end"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ArchiveError(f"{file}: is cut off, its last line is missing; nothing was changed") from None
    if (end.rows, end.sha256) != (rows, digest.hexdigest()) or rows != header.rows:
        raise ArchiveError(f"{file}: was changed after it was written, or damaged; nothing was changed")
    return header, end.sha256


def read_rows(file: Path, header: Header, progress: Progress | None) -> Iterator[PortableRow]:
    """Yield the rows of an export that was checked. Raises ArchiveError for one that cannot be read."""
    with file.open("rb") as lines:
        lines.readline()
        for done, line in zip(range(1, header.rows + 1), lines, strict=False):
            try:
                found = json.loads(line)
                table, row = str(found["table"]), dict(found["row"])
            except (ValueError, TypeError, KeyError, RecursionError):
                raise ArchiveError(f"{file}: line {done + 1} cannot be read; nothing was changed") from None
            if row.get("project", header.project) != header.project:
                raise ArchiveError(f"{file}: line {done + 1} is of another project; nothing was changed")
            yield table, row
            if progress is not None and not done % TOLD_EVERY:
                progress(done, header.rows)


def _first_problem(error: ValidationError) -> str:
    """Where a value is wrong, and why, for the first of the errors."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
