"""What people changed in a mirror since it was last read or written: found by comparing, stored in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_reflect.application.known_errors.importing import Planned, matched, plan, store_planned
from mcp_reflect.application.known_errors.written_lines import (
    EditedLines,
    Written,
    find_edited,
    from_stored,
    to_stored,
    without_lines,
)
from mcp_reflect.application.ports import Embedder, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine
from mcp_reflect.domain.models import ErrorMemory, LogEntry
from mcp_reflect.domain.reflection.embedded_text import embedded_text
from mcp_reflect.domain.values import Vector


@dataclass(frozen=True)
class MirrorEdits:
    """The edited lines, the errors that they mean in the same order (None for a new one), and what follows from both.

    `written` are the lines as they were last known, `gone` the errors whose lines were deleted.
    """

    written: Written
    edited: EditedLines
    known: Sequence[ErrorMemory | None]
    planned: Sequence[Planned]
    gone: Sequence[ErrorMemory]

    @property
    def is_empty(self) -> bool:
        """Whether the ledger says already what the file says, and knows its lines as they are."""
        same = {m.id: line for m, line in zip(self.known, self.edited.written(), strict=True) if m is not None}
        return not self.planned and not self.gone and {**self.written, **same} == self.written


def find_mirror_edits(
    lines: Sequence[ErrorLine],
    digests: Mapping[str, str],
    memories: Sequence[ErrorMemory],
    profile: Profile,
    now: datetime,
    *,
    were_adopted: Collection[str],
    may_delete: bool,
) -> MirrorEdits:
    """Compare the lines of a file with the project's errors and with the digests of what was last written.

    `were_adopted` are the ids of archived errors that were adopted before. `may_delete` is false for a file with lines
    that cannot be read: a line that is missing may be one of these.
    """
    written = from_stored(digests)
    edited = find_edited(lines, written)
    # An archived error comes back by its own line only.
    open_ = [m for m in memories if m.id not in edited.untouched and (m.status != "archived" or m.id in written)]
    known = matched(edited.lines, open_, lambda memory: memory.id in written)
    present = edited.untouched | {memory.id for memory in known if memory is not None}
    deleted = {i for i, line in written.items() if line.digest and i not in present} if may_delete else set()
    return MirrorEdits(
        written=written,
        edited=edited,
        known=known,
        planned=plan(edited.lines, known, profile, now, were_adopted),
        gone=[memory for memory in memories if memory.id in deleted and memory.status != "archived"],
    )


def embed_mirror_edits(edits: MirrorEdits, embedder: Embedder) -> Sequence[Vector] | Vector:
    """Return the vectors of the memories to store, in their order. Raises ModelUnavailable."""
    return embedder.embed([embedded_text(each.memory) for each in edits.planned]) if edits.planned else []


def store_mirror_edits(
    session: WriteSession,
    edits: MirrorEdits,
    vectors: Sequence[Vector] | Vector,
    model: str,
    profile: Profile,
    now: datetime,
    *,
    file_name: str,
) -> dict[str, str]:
    """Store the errors of edited lines, archive those of deleted ones; return the digests of the lines as they are."""
    stored = store_planned(session, edits.planned, vectors, model, profile, now)
    for memory in edits.gone:
        session.memories.set_status(memory.id, "archived")
        entry = LogEntry(
            memory_id=memory.id,
            action="archive",
            reason=f"deleted in {file_name}",
            status_before=memory.status,
            at=now,
        )
        session.memories.add_log(entry)
    new = iter([i for i, each in zip(stored, edits.planned, strict=True) if each.before is None])
    ids = [next(new) if memory is None else memory.id for memory in edits.known]
    now_there = dict(zip(ids, edits.edited.written(), strict=True))
    return to_stored(without_lines(edits.written, [memory.id for memory in edits.gone]) | now_there)
