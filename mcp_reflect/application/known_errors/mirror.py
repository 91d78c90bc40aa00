"""The errors of a project as a file in its repository, which people read, diff and edit; edits come back in.

What was last written is noted in the ledger, id by id, as a digest of the line. A line that still has its digest was
not touched by anybody, whatever the ledger has changed meanwhile; a line with another one was edited; an id that was
written and is gone was deleted, which archives the memory (restorable) until the line comes back, as after a change
of branches. A line without an id, or with one that this mirror never wrote, is a new error. Where the file itself is
missing nothing is taken as deleted: it is written anew. A file in the middle of a merge, or that cannot be read, is
left alone until it is mended; so is one that a link leads to (see `confined_file`): a cloned repository may bring any.
Lines that cannot be read are kept as they are, and while there are any, no missing line counts as deleted.

Whoever may write to the repository may write to the file, so a line speaks for itself only. A new line is a memory
by `import` with nothing earned: it starts at the initial q_value, now, with no recurrences and not adopted. An edit
changes texts, and may deprecate a memory or make it active again; see `records.with_edit`. A file that was there
before this home wrote one is not written until somebody has consented (`accept`), and only its beginning is read, to
say what waits.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mcp_reflect.application.confined_file import Stamp, replace_confined
from mcp_reflect.application.known_errors.importing import errors_in
from mcp_reflect.application.known_errors.mirror_edits import (
    MirrorEdits,
    embed_mirror_edits,
    find_mirror_edits,
    store_mirror_edits,
)
from mcp_reflect.application.known_errors.mirror_file import (
    LeftAloneError,
    beginning_of,
    content_of,
    stamp_of,
    waiting_errors_in,
)
from mcp_reflect.application.known_errors.written_lines import compose_file, from_stored, to_stored, without_lines
from mcp_reflect.application.lifecycle import status_before
from mcp_reflect.application.ports import Clock, Embedder, Ledger, ReadSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.reflexion_file import errors_for_file
from mcp_reflect.domain.error_matching.reflexion_lines import BrokenLine, ErrorLine, read_lines
from mcp_reflect.domain.models import ErrorMemory

log = logging.getLogger(__name__)

FEW = 200
"""A start embeds at most so many changed lines; more are taken in by the first call that needs them."""

_LISTED = 5


class Mirror:
    """`file` is None where there is no mirror. Thread-safe; several processes may mirror one project."""

    def __init__(self, file: Path | None, ledger: Ledger, embedder: Embedder, profile: Profile, clock: Clock) -> None:
        self._file = file
        self._ledger = ledger
        self._embedder = embedder
        self._profile = profile
        self._clock = clock
        self._key = mirror_key(profile.project, profile.visible_user, file)
        self._seen: Stamp | None = None
        self._waiting: list[ErrorLine] = []
        self._more_wait = False
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
                stamp = stamp_of(self._file)
            except LeftAloneError as reason:
                self._warn([str(reason)])
                return self._warnings
            if stamp is None:
                self._waiting, self._more_wait = [], False
                return self._warnings
            if stamp == self._seen and not (self.asks_consent and self._is_accepted()):
                return self._warnings
            try:
                self._warnings = []
                self._await_consent()
                if not self._take_in(content_of(self._file), at_most):
                    return self._warnings
            except LeftAloneError as reason:
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
                    if self._write_if_unchanged():
                        return self._warnings
                except LeftAloneError as reason:
                    self._warn([str(reason)])
                    return self._warnings
                except OSError as error:
                    self._warn([f"{self._file} cannot be written: {error.strerror}"])
                    return self._warnings

    def _write_if_unchanged(self) -> bool:
        """Write the file; false where somebody changed it meanwhile: that comes in first."""
        assert self._file is not None
        stamp = stamp_of(self._file)
        if stamp not in {None, self._seen}:
            return False
        if self.asks_consent:
            raise LeftAloneError(self._question())
        before = "" if stamp is None else content_of(self._file)
        with self._ledger.reading() as session:
            stored, errors = session.mirrors.digests(self._key), errors_in(session, self._profile)
        written = from_stored(stored)
        text, lines = compose_file(before, errors_for_file(errors), written)
        if text != before and not replace_confined(self._file, text.encode(), before=stamp, always=False):
            return False
        hidden = {memory.id for memory in errors} & written.keys() - lines.keys()
        digests = to_stored(without_lines({i: written[i] for i in hidden}, hidden) | lines)
        if stored != digests:
            with self._ledger.writing() as writing:
                writing.mirrors.put(self._key, digests)
        self._seen = stamp_of(self._file)
        return True

    # -- consent

    def waiting(self, *, whole: bool = False) -> list[ErrorLine]:
        """Return the errors in a file that was there before this home wrote one, until somebody consents to it.

        Those in its beginning, or for somebody who is about to consent, `whole`, all of them: LeftAloneError says why
        they cannot be read.
        """
        self.read(0)
        if whole and self._more_wait and self._file is not None:
            return waiting_errors_in(content_of(self._file))
        return self._waiting

    def accept(self) -> int:
        """Consent to the file as it is and will be; take in its lines, and return how many waited.

        Raises ModelUnavailable, and LeftAloneError where the file cannot be read to its end.
        """
        waiting = len(self.waiting(whole=True))
        if self.asks_consent:
            with self._ledger.writing() as session:
                if not session.mirrors.is_known(self._key):
                    session.mirrors.put(self._key, {})
            self.read()
        return waiting

    def _is_accepted(self) -> bool:
        with self._ledger.reading() as session:
            return session.mirrors.is_known(self._key)

    @property
    def asks_consent(self) -> bool:
        """Whether the file, as it was last read, is left alone until somebody consents; its errors may be none."""
        return bool(self._waiting) or self._more_wait

    def _await_consent(self) -> None:
        """Raises LeftAloneError where the file holds errors and nobody has consented to it."""
        assert self._file is not None
        self._waiting, self._more_wait = [], False
        if not self._is_accepted():
            text, self._more_wait = beginning_of(self._file)
            self._waiting = waiting_errors_in(text)
        if self.asks_consent:
            raise LeftAloneError(self._question())

    def _question(self) -> str:
        number = f"{'more than ' if self._more_wait else ''}{len(self._waiting)}"
        return (
            f"{self._file} is left alone: it came with the repository, and its errors ({number}) wait for your "
            "consent; read them, then run `mcp-reflect mirror accept`"
        )

    # -- from the file

    def _take_in(self, text: str, at_most: int | None) -> bool:
        """Take in the file's lines; false where `at_most` kept some of them out."""
        lines = [line for _, line in read_lines(text)]
        broken = [line for line in lines if isinstance(line, BrokenLine)]
        if broken:
            listed = "; ".join(f"line {each.number}: {each.problem}" for each in broken[:_LISTED])
            more = f" and {len(broken) - _LISTED} more" if len(broken) > _LISTED else ""
            self._warn([f"{self._file}: skipped {listed}{more}"])
        good = [line for line in lines if isinstance(line, ErrorLine)]
        while True:
            with self._ledger.reading() as session:
                digests, memories = session.mirrors.digests(self._key), errors_in(session, self._profile)
                were_adopted = _were_adopted(session, memories, good)
            now = self._clock()
            edits = find_mirror_edits(
                good, digests, memories, self._profile, now, were_adopted=were_adopted, may_delete=not broken
            )
            if at_most is not None and len(edits.planned) > at_most:
                return False
            if edits.is_empty or self._store(edits, digests, memories):
                return True

    def _store(self, edits: MirrorEdits, digests: Mapping[str, str], memories: Sequence[ErrorMemory]) -> bool:
        """Store what was changed in the file; false where the ledger is no longer as it was when they were compared."""
        assert self._file is not None
        vectors = embed_mirror_edits(edits, self._embedder)
        with self._ledger.writing() as session:
            if session.mirrors.digests(self._key) != digests or errors_in(session, self._profile) != memories:
                return False
            model = self._embedder.identity
            after = store_mirror_edits(
                session, edits, vectors, model, self._profile, self._clock(), file_name=self._file.name
            )
            session.mirrors.put(self._key, after)
        return True

    def _warn(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            if warning not in self._warnings:
                log.warning("the mirror of errors: %s", warning)
                self._warnings = [*self._warnings, warning]


def mirror_key(project: str, visible_user: str | None, file: Path | None) -> str:
    """Return the key of a mirror in the ledger."""
    key = f"{project}\n{visible_user or ''}\n{file}"
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _were_adopted(session: ReadSession, memories: Iterable[ErrorMemory], lines: Iterable[ErrorLine]) -> set[str]:
    """The archived errors that were adopted before, if a line may bring one back."""
    if all(line.status != "adopted" for line in lines):
        return set()
    archived = [memory.id for memory in memories if memory.status == "archived"]
    return {i for i in archived if status_before(session.memories.log_of(i)) == "adopted"}
