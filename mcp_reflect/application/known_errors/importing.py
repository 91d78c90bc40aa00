"""Errors from the lines of a `reflexion.jsonl`: which are new, which are known and say something else now."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from mcp_reflect.application.known_errors.records import compose_error, store_provenance, with_edit
from mcp_reflect.application.ports import Clock, Embedder, Ledger, Progress, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.reflexion_file import error_line_of, errors_for_file, render_line, without_claims
from mcp_reflect.domain.error_matching.reflexion_lines import BrokenLine, ErrorLine, read_lines
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import ErrorMemory, LogEntry, of_kind
from mcp_reflect.domain.reflection.embedded_text import embedded_text
from mcp_reflect.domain.values import Vector

_BATCH = 64

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Planned:
    """A memory to store for a line; `before` is what it is now, None where it is new."""

    line: ErrorLine
    memory: ErrorMemory
    before: ErrorMemory | None


@dataclass
class Imported:
    """The numbers of lines of a file by their outcome."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    broken: list[BrokenLine] = field(default_factory=list)


def brought_by_import(memory: ErrorMemory) -> bool:
    """Return true where an import may edit the memory: an earlier one brought it, and it is in use."""
    return memory.author == "import" and memory.status != "archived"


def matched(
    lines: Sequence[ErrorLine],
    memories: Iterable[ErrorMemory],
    may_edit: Callable[[ErrorMemory], bool] = brought_by_import,
) -> list[ErrorMemory | None]:
    """Return for each line the error that it means, None for a new one. No error answers to two lines.

    By id, if it may edit that error; then by content in full; then, where only one line and one error that it may edit
    have them, by ts, task and mistake.
    """
    free = {memory.id: memory for memory in memories}
    editable = {memory_id for memory_id, memory in free.items() if may_edit(memory)}
    found: list[ErrorMemory | None] = [
        free.pop(line.memory_id, None) if line.memory_id in editable else None for line in lines
    ]
    for sameness in (_line_of, _content_of, _key_of):
        left = [number for number, memory in enumerate(found) if memory is None]
        by_key = sameness is _key_of
        alike = _groups((sameness(m), m) for m in free.values() if not by_key or m.id in editable)
        again = _groups((sameness(lines[number]), number) for number in left)
        for key, numbers in again.items():
            there = alike.get(key, [])
            if by_key and (len(there) != 1 or len(numbers) != 1):
                continue
            for number, memory in zip(numbers, there, strict=False):
                found[number] = free.pop(memory.id)
    return found


def _line_of(thing: ErrorLine | ErrorMemory) -> Hashable:
    return _content_of(thing), _key_of(thing)


def _content_of(thing: ErrorLine | ErrorMemory) -> Hashable:
    """All that a line says but for what it claims: its time, its recurrences, an adoption."""
    line = thing if isinstance(thing, ErrorLine) else error_line_of(thing)
    metadata = json.dumps(without_claims(line.metadata), sort_keys=True)
    status = "active" if line.status == "adopted" else line.status
    return (line.task, line.mistake, line.evidence, line.rule, line.fix, line.tests, status, metadata)


def _key_of(thing: ErrorLine | ErrorMemory) -> Hashable:
    line = thing if isinstance(thing, ErrorLine) else error_line_of(thing)
    return line.created_at, line.task, line.mistake


def _groups(pairs: Iterable[tuple[Hashable, Thing]]) -> dict[Hashable, list[Thing]]:
    grouped: dict[Hashable, list[Thing]] = {}
    for key, thing in pairs:
        grouped.setdefault(key, []).append(thing)
    return grouped


def plan(
    lines: Sequence[ErrorLine],
    known: Sequence[ErrorMemory | None],
    profile: Profile,
    now: datetime,
    were_adopted: Collection[str] = (),
) -> list[Planned]:
    """Return the changes that make the ledger say what the lines say, given the errors that they mean.

    `were_adopted` are the ids of archived errors that were adopted before.
    """
    planned: list[Planned] = []
    for number, (line, before) in enumerate(zip(lines, known, strict=True)):
        if before is not None:
            after = with_edit(before, line, was_adopted=before.id in were_adopted)
            if after != before:
                planned.append(Planned(line, after, before))
        else:
            moment = now + timedelta(microseconds=number)  # lines stay in their order
            planned.append(Planned(line, compose_error(line, profile, "", moment, "import", line.memory_id), None))
    return planned


def store_planned(
    session: WriteSession,
    planned: Sequence[Planned],
    vectors: Sequence[Vector] | Vector,
    model: str,
    profile: Profile,
    now: datetime,
) -> list[str]:
    """Store what was planned and give back the ids; `vectors` are those of its memories, in the same order."""
    stored: list[str] = []
    taken = set(session.memories.by_ids([each.memory.id for each in planned if each.before is None]))
    for each, vector in zip(planned, vectors, strict=True):
        memory = each.memory
        if each.before is None:
            trace = store_provenance(session, profile, each.line, "import", now)
            memory = memory.model_copy(update={"source_trace_id": trace.id})
            if memory.id in taken:  # another project's, or a copied line's
                memory = memory.model_copy(update={"id": new_id("mem")})
            taken.add(memory.id)
        elif each.before.status != memory.status:
            entry = LogEntry(
                memory_id=memory.id,
                action="edit",
                reason="changed in the file of errors",
                status_before=each.before.status,
                at=now,
            )
            session.memories.add_log(entry)
        session.memories.put(memory, model, vector)
        stored.append(memory.id)
    return stored


def import_errors(
    text: str, ledger: Ledger, embedder: Embedder, profile: Profile, clock: Clock, progress: Progress | None = None
) -> Imported:
    """Take in the lines of a file in one transaction. A line that is there already stays as it is.

    A line may change an error that an earlier import brought, never one that was recorded in this home: it is a new
    error then. No line changes an archived error.
    Raises ModelUnavailable and LedgerError; then nothing was stored.
    """
    found = [line for _, line in read_lines(text)]
    lines = [line for line in found if isinstance(line, ErrorLine)]
    result = Imported(broken=[line for line in found if isinstance(line, BrokenLine)])
    while True:
        with ledger.reading() as session:
            memories = errors_in(session, profile)
        everything = plan(lines, matched(lines, memories), profile, clock())
        planned = [
            each for each in everything if each.before is None or _content_of(each.line) != _content_of(each.before)
        ]
        vectors: list[Vector] = []
        for start in range(0, len(planned), _BATCH):
            batch = planned[start : start + _BATCH]
            vectors.extend(embedder.embed([embedded_text(each.memory) for each in batch]))
            if progress is not None:
                progress(start + len(batch), len(planned))
        with ledger.writing() as session:
            if planned and errors_in(session, profile) != memories:
                continue  # What was planned would undo what somebody has said meanwhile.
            store_planned(session, planned, vectors, embedder.identity, profile, clock())
        result.added = sum(each.before is None for each in planned)
        result.changed = len(planned) - result.added
        result.unchanged = len(lines) - len(planned)
        return result


def errors_in(session: ReadSession, profile: Profile) -> list[ErrorMemory]:
    """Return the errors that a file may mean, without the time of their last use, which files do not hold."""
    found = session.memories.find(profile.project, user=profile.visible_user, kind="error")
    return [memory.model_copy(update={"last_used_at": None}) for memory in of_kind(found, ErrorMemory)]


def export_errors(ledger: Ledger, profile: Profile) -> str:
    """Return every error but the archived ones, a line each, oldest first."""
    with ledger.reading() as session:
        memories = errors_in(session, profile)
    return "".join(f"{render_line(memory, with_id=False)}\n" for memory in errors_for_file(memories))
