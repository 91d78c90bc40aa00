"""The errors of a project as a file in its repository, which people read, diff and edit; edits come back in.

What was last written is noted in the ledger, id by id, as a digest of the line. A line that still has its digest was
not touched by anybody, whatever the ledger has changed meanwhile; a line with another one was edited; an id that was
written and is gone was deleted, which archives the memory (restorable) until the line comes back, as after a change
of branches. A line without an id, or with one that this ledger does not know, is a new error. Where the file itself is
missing nothing is taken as deleted: it is written anew. A file in the middle of a merge, or that cannot be read, is
left alone until it is mended; so is one that a link leads to (see `confined_file`): a cloned repository may bring any.
Lines that cannot be read are kept as they are, and while there are any, no missing line
counts as deleted.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mcp_reflect.application.confined_file import Stamp, read_confined, replace_confined, stamp_confined
from mcp_reflect.application.known_errors.importing import errors_in, matched, plan, store_planned
from mcp_reflect.application.ports import Clock, Embedder, Ledger
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.reflexion_file import (
    BrokenLine,
    ErrorLine,
    errors_for_file,
    has_merge_conflict,
    read_lines,
    render_line,
)
from mcp_reflect.domain.models import LogEntry
from mcp_reflect.domain.reflection.embedded_text import embedded_text
from mcp_reflect.domain.values import Vector

log = logging.getLogger(__name__)

FEW = 200
"""A start embeds at most so many changed lines; more are taken in by the first call that needs them."""

_LISTED = 5


class _LeftAloneError(Exception):
    """Why the file is neither read nor written now."""


class Mirror:
    """`file` is None where there is no mirror. Thread-safe; several processes may mirror one project."""

    def __init__(self, file: Path | None, ledger: Ledger, embedder: Embedder, profile: Profile, clock: Clock) -> None:
        self._file = file
        self._ledger = ledger
        self._embedder = embedder
        self._profile = profile
        self._clock = clock
        key = f"{profile.project}\n{profile.visible_user or ''}\n{file}"
        self._key = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
        self._seen: Stamp | None = None
        self._warnings: list[str] = []
        self._turn = threading.Lock()

    def read(self, at_most: int | None = None) -> list[str]:
        """Take in what people changed in the file since it was last read or written; what is wrong with it.

        With `at_most`, nothing is taken in where more lines than that have to be embedded. Raises ModelUnavailable.
        """
        if self._file is None:
            return []
        with self._turn:
            try:
                stamp = _stamp(self._file)
            except _LeftAloneError as reason:
                self._warn([str(reason)])
                return self._warnings
            if stamp is None or stamp == self._seen:
                return self._warnings
            try:
                text = _content(self._file)
                self._warnings = []
                if not self._take_in(text, at_most):
                    return self._warnings
            except _LeftAloneError as reason:
                self._warn([str(reason)])
            self._seen = stamp
            return self._warnings

    def write(self) -> list[str]:
        """Bring the file up to the ledger, in one step; what is wrong with it."""
        if self._file is None:
            return []
        while True:
            self.read()
            with self._turn:
                try:
                    if self._written():
                        return self._warnings
                except _LeftAloneError as reason:
                    self._warn([str(reason)])
                    return self._warnings
                except OSError as error:
                    self._warn([f"{self._file} cannot be written: {error.strerror}"])
                    return self._warnings

    def _written(self) -> bool:
        """False where somebody changed the file meanwhile: that comes in first."""
        assert self._file is not None
        stamp = _stamp(self._file)
        if stamp not in {None, self._seen}:
            return False
        before = "" if stamp is None else _content(self._file)
        text, digests = self._text(before)
        if text != before and not replace_confined(self._file, text.encode(), before=stamp, always=False):
            return False
        with self._ledger.reading() as session:
            written = session.mirrors.digests(self._key)
        if written != digests:
            with self._ledger.writing() as writing:
                writing.mirrors.put(self._key, digests)
        self._seen = _stamp(self._file)
        return True

    # -- from the file

    def _take_in(self, text: str, at_most: int | None) -> bool:
        """Whether everything was taken in."""
        lines = [line for _, line in read_lines(text)]
        broken = [line for line in lines if isinstance(line, BrokenLine)]
        if broken:
            listed = "; ".join(f"line {each.number}: {each.problem}" for each in broken[:_LISTED])
            more = f" and {len(broken) - _LISTED} more" if len(broken) > _LISTED else ""
            self._warn([f"{self._file}: skipped {listed}{more}"])
        good = [line for line in lines if isinstance(line, ErrorLine)]
        while True:
            with self._ledger.reading() as session:
                written, memories = session.mirrors.digests(self._key), errors_in(session, self._profile)
            edited = _edited(good, written)
            answered = {line.memory_id for line in good} - {line.memory_id for line in edited}
            known = matched(edited, [memory for memory in memories if memory.id not in answered])
            planned = plan(edited, known, self._profile, self._clock(), "import")
            present = answered | {memory.id for memory in known if memory is not None}
            gone = (
                [] if broken else [m for m in memories if m.id in written.keys() - present and m.status != "archived"]
            )
            if at_most is not None and len(planned) > at_most:
                return False
            if not planned and not gone:
                return True
            vectors: Sequence[Vector] | Vector = (
                self._embedder.embed([embedded_text(each.memory) for each in planned]) if planned else []
            )
            with self._ledger.writing() as session:
                if session.mirrors.digests(self._key) != written or errors_in(session, self._profile) != memories:
                    continue
                stored = store_planned(session, planned, vectors, self._embedder.identity, self._profile, self._clock())
                reason, now = f"deleted in {self._file and self._file.name}", self._clock()
                for memory in gone:
                    session.memories.set_status(memory.id, "archived")
                    entry = {"memory_id": memory.id, "reason": reason, "status_before": memory.status, "at": now}
                    session.memories.add_log(LogEntry.model_validate(entry | {"action": "archive"}))
                digests = {i: known for i, known in written.items() if i not in {m.id for m in gone}}
                digests |= {m.id: digest(line.text) for line, m in zip(edited, known, strict=True) if m is not None}
                new = ((i, each) for i, each in zip(stored, planned, strict=True) if each.before is None)
                session.mirrors.put(self._key, digests | {i: digest(each.line.text) for i, each in new})
                return True

    # -- to the file

    def _text(self, before: str) -> tuple[str, dict[str, str]]:
        """The file as it has to be, with its lines' digests. Lines that say the same stay as people wrote them."""
        with self._ledger.reading() as session:
            memories = errors_for_file(errors_in(session, self._profile))
        there = [line for _, line in read_lines(before)]
        stand = {line.memory_id: line for line in reversed(there) if isinstance(line, ErrorLine)}
        lines: dict[str, str] = {}
        for memory in memories:
            ours = render_line(memory, with_id=True)
            theirs = stand.get(memory.id)
            lines[memory.id] = theirs.text if theirs is not None and theirs == _parsed(ours) else ours
        broken = [line.text for line in there if isinstance(line, BrokenLine)]
        text = "".join(f"{line}\n" for line in [*lines.values(), *broken])
        return text, {memory_id: digest(line) for memory_id, line in lines.items()}

    def _warn(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            if warning not in self._warnings:
                log.warning("the mirror of errors: %s", warning)
                self._warnings = [*self._warnings, warning]


def digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()[:32]


def _edited(lines: Sequence[ErrorLine], written: Mapping[str, str]) -> list[ErrorLine]:
    """The lines that are not as they were written. A copy of a line with its id is a new one without."""
    untouched = {line.memory_id for line in lines if written.get(line.memory_id) == digest(line.text)}
    edited: list[ErrorLine] = []
    for line in lines:
        if line.memory_id in untouched and written[line.memory_id] == digest(line.text):
            continue
        edited.append(replace(line, memory_id="") if line.memory_id in untouched else line)
    return edited


def _parsed(text: str) -> ErrorLine | BrokenLine:
    return next(line for _, line in read_lines(text))


def _stamp(file: Path) -> Stamp | None:
    """None where there is no file."""
    try:
        return stamp_confined(file)
    except OSError as error:
        raise _LeftAloneError(f"{file} is left alone: {error.strerror}") from error


def _content(file: Path) -> str:
    try:
        found = read_confined(file)
        text = "" if found is None else found.content.decode("utf-8-sig")
    except OSError as error:
        raise _LeftAloneError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _LeftAloneError(f"{file} is no UTF-8 text and is left alone") from error
    if has_merge_conflict(text):
        raise _LeftAloneError(f"{file} is in the middle of a merge and is left alone until that is finished")
    return text
