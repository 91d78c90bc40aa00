"""Export and import of a project as one file of JSON lines; docs/export-format.md describes the format."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mcp_reflect.application.maintenance.audit import audit_ledger
from mcp_reflect.application.maintenance.export_file import (
    EXPORT_FORMAT,
    EXPORT_VERSION,
    TOLD_EVERY,
    Header,
    check_export,
    encode_export_line,
    read_rows,
)
from mcp_reflect.application.maintenance.redacted_rows import RowRedaction
from mcp_reflect.application.maintenance.unearned import Importer, without_unearned
from mcp_reflect.application.ports import AuditRows, Ledger, Progress, Taken
from mcp_reflect.domain.field_checks import InvalidRecord
from mcp_reflect.errors import ArchiveError

_LISTED = 5


@dataclass(frozen=True)
class ImportResult:
    """The result of an import: the project, and the rows added and skipped by table.

    `redacted` counts the rows in which secrets were replaced. `earned` is false where memories came without what
    reviews had given them elsewhere.
    """

    project: str
    added: Mapping[str, int]
    skipped: Mapping[str, int]
    redacted: int
    earned: bool


def export_project(
    ledger: Ledger, project: str, out: BinaryIO, *, vectors: bool = True, progress: Progress | None = None
) -> Header:
    """Write a snapshot of a project, of all users, to `out` and return its header. Equal content gives equal bytes.

    The ledger remembers the checksum, by which `import_project` knows its own exports.
    Without `vectors` the file is about a third as large, and the memories are embedded again after an import.
    """
    digest, done = hashlib.sha256(), 0

    def write(line: dict[str, Any]) -> None:
        content = encode_export_line(line)
        digest.update(content)
        out.write(content)

    with ledger.reading() as session:
        portable = session.projects.export(project, vectors=vectors)
        header = Header(
            format=EXPORT_FORMAT,
            version=EXPORT_VERSION,
            project=project,
            vectors=vectors,
            ledger_schema=portable.schema,
            counts=dict(portable.counts),
        )
        write(header.model_dump())
        for done, (table, row) in enumerate(portable.rows, 1):
            write({"table": table, "row": row})
            if progress is not None and not done % TOLD_EVERY:
                progress(done, header.rows)
    out.write(encode_export_line({"end": {"rows": done, "sha256": digest.hexdigest()}}))
    with ledger.writing() as writing:
        writing.projects.note_export(digest.hexdigest())
    return header


def import_project(
    ledger: Ledger,
    file: Path,
    project: str | None = None,
    *,
    importer: Importer,
    trust_reviews: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Import an export in one transaction, without its secrets; rows that exist with the same content are skipped.

    `project` is the target, by default the project in the header. Imported reviews are ordered after existing ones.
    An export that this ledger did not write comes without what its reviews gave (`unearned.py`), unless
    `trust_reviews`. Raises ArchiveError for a file that is damaged, that contradicts existing rows, whose q_values do
    not follow from its reviews, or that claims more than reviews can give: a memory that starts outside
    [0, `importer.initial_q`], where those of this home start, or a review whose alpha is outside [0, 1]. The ledger is
    unchanged then.
    """
    header, sha256 = check_export(file)
    target = project or header.project
    with ledger.writing() as session:
        earned = trust_reviews or session.projects.is_own_export(sha256)
        rows = session.projects.audit_rows(target)
        before, present = set(_findings(rows)), {memory.id for memory in rows[0]}
        redaction = RowRedaction()
        found = redaction.redact_rows(read_rows(file, header, progress))
        found = found if earned else without_unearned(found, importer)
        taken = session.projects.import_rows(found, target, redaction.redact_row)
        _refuse_conflicts(taken)
        try:
            rows = session.projects.audit_rows(target)
            wrong = [finding for finding in _findings(rows) if finding not in before]
        except InvalidRecord as error:
            raise ArchiveError(f"{file}: {error}; nothing was changed") from error
        except RecursionError:
            raise ArchiveError(f"{file}: holds values that are nested too deeply; nothing was changed") from None
        if wrong:
            raise ArchiveError(f"{file}: does not agree with itself: {_listed(wrong)}; nothing was changed")
        if unearned := list(_unearned(rows, present, importer.initial_q)):
            raise ArchiveError(f"{file}: claims what no review gave: {_listed(unearned)}; nothing was changed")
    return ImportResult(target, taken.added, taken.skipped, redaction.redacted, earned)


def _findings(rows: AuditRows) -> list[str]:
    for memory in rows[0]:
        type(memory).model_validate(memory.model_dump())  # reading does not check what writing has checked
    return audit_ledger(rows)


def _unearned(rows: AuditRows, present: Collection[str], initial_q: float) -> Iterator[str]:
    """Replay gives any q_value that a file wants, if its memories may start anywhere and its reviews move them by more
    than all the way.
    """
    for memory in rows.memories:
        if memory.id not in present and not 0.0 <= memory.initial_q <= initial_q:
            yield (
                f"memory {memory.id} starts at {memory.initial_q!r}, here memories start at {initial_q!r} "
                "(a higher memory.initial_q in the settings admits it, up to 1)"
            )
    for _, review in rows.traces:
        if review is not None and not 0.0 <= review.alpha <= 1.0:
            yield f"review {review.id} has alpha {review.alpha!r}, which must be in [0, 1]"


def _refuse_conflicts(taken: Taken) -> None:
    if taken.other_projects:
        there = ", ".join(taken.other_projects)
        raise ArchiveError(
            f"this home holds {_listed(taken.conflicts)} already, in project {there}, and an id stands once in a home; "
            "nothing was changed. Import into another home, or use that project by its name (MCP_REFLECT_PROJECT)"
        )
    if taken.conflicts:
        raise ArchiveError(
            f"{len(taken.conflicts)} things are here already and say something else: {_listed(taken.conflicts)}; "
            "nothing was changed. Import into an empty home, or forget these first"
        )


def _listed(things: Sequence[str]) -> str:
    more = len(things) - _LISTED
    return "; ".join(things[:_LISTED]) + (f"; and {more} more" if more > 0 else "")
