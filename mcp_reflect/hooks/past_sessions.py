"""The sessions of clients that are already on the machine, found in the folders where the clients keep them, or named.

Nothing outside of such a folder is read: a link that leads elsewhere is passed over with the reason, like what is no
plain file, or too large to be held in memory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.submission import past_runs
from mcp_reflect.hooks.transcripts.clients import claude_code, codex, cursor, gemini
from mcp_reflect.hooks.transcripts.formats import atif, copilot, opencode, openhands, otel
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn

MAX_SESSION_FILE_BYTES = 100_000_000
"""Bytes of a session; a longer one would take several times as much memory."""
_MOST_MB = MAX_SESSION_FILE_BYTES // 1_000_000
MAX_SESSION_TURNS = 1_000
"""Turns of one session that are read, the last ones."""
_APART_S = 0.001
_DEEPEST = 6
"""Levels of folders below that of a client; Codex has one for each day of a year."""
_DEEPEST_NAMED = 12
"""Levels of folders below one that somebody names."""
_READABLE = (".json", ".jsonl", ".db")
"""How files end that are looked into in a folder that somebody names."""


class SessionFormat(Protocol):
    """The files in which sessions are kept; each is a module in `clients/` or `formats/`."""

    NAME: str

    def session_places(self, environ: Mapping[str, str], user: str) -> Sequence[str]:
        """Return the folders below which they stand, or the files in which they do."""
        ...

    def is_session(self, names: Sequence[str]) -> bool:
        """Return whether a path below such a folder, part by part, is that of sessions."""
        ...

    def read_heads(self, path: str) -> Sequence[SessionHead]:
        """Return what a file says of the sessions in it; empty where it is of another format. Raises OSError."""
        ...

    def read_turns(self, event: HookEvent, start: int, most: int = ...) -> list[SessionTurn]:
        """Return the turns of the event's session. Raises OSError."""
        ...


FORMATS: Mapping[str, SessionFormat] = {
    each.NAME: each for each in (claude_code, codex, gemini, cursor, copilot, opencode, openhands, atif, otel)
}
"""By the name of the client or the format."""


class PastSession(NamedTuple):
    """A session in a file, which was last written to at `modified`, in seconds since the epoch.

    `cwd` is empty where a session that somebody named does not say which folder it was in.
    """

    client: str
    path: str
    session: str
    cwd: str
    modified: float
    size: int


class Unreadable(NamedTuple):
    """A file that looks like a session and is passed over, and why; `client` is empty where no format fits it."""

    client: str
    path: str
    reason: str

    @classmethod
    def by(cls, error: OSError, client: str, path: str) -> Unreadable:
        """Return a file that an error kept from being read."""
        return cls(client, path, f"cannot be read ({error.strerror})")


class PastRun(NamedTuple):
    """A run of a session as arguments of submit_trace; it ended at `ended`, in seconds since the epoch."""

    arguments: dict[str, Any]
    ended: float


def find_sessions(client: str, environ: Mapping[str, str], user: str) -> Iterator[PastSession | Unreadable]:
    """Yield the sessions of a client in no order; `user` is the user's own folder."""
    source = FORMATS[client]
    for place in source.session_places(environ, user):
        root = os.path.realpath(place)
        found = [((), root)] if os.path.isfile(root) else _walk(root, (), _DEEPEST)
        for names, path in found:
            if source.is_session(names):
                yield from _sessions([source], root, path, needs_folder=True)


def find_named_sessions(paths: Sequence[str], formats: Collection[str]) -> Iterator[PastSession | Unreadable]:
    """Yield the sessions in files that somebody named, or in folders of such files, of these formats."""
    sources = [FORMATS[name] for name in formats]
    for named in paths:
        root = os.path.realpath(named)
        if not os.path.exists(root):
            yield Unreadable("", named, "is not there")
        elif os.path.isdir(root):
            below = [path for names, path in _walk(root, (), _DEEPEST_NAMED) if _may_hold_sessions(names)]
            for path in below:
                yield from _sessions(sources, root, path, needs_folder=False)
        else:
            yield from _sessions(sources, root, root, needs_folder=False)


def _may_hold_sessions(names: Sequence[str]) -> bool:
    """Return whether a file in a folder that somebody named is looked into: not what belongs to another file."""
    event = len(names) > 1 and names[-2] == "events" and names[-1] != "0.json"
    part = "message" in names[:-1] or "part" in names[:-1]
    return names[-1].endswith(_READABLE) and not event and not part


def read_past_runs(past: PastSession) -> Iterator[PastRun]:
    """Yield the runs of a session; see `past_runs`. Raises OSError."""
    event = HookEvent("end", past.client, past.session, past.cwd, past.path)
    found = list(past_runs(event, FORMATS[past.client].read_turns(event, 0, MAX_SESSION_TURNS)))
    for number, (ended, arguments) in enumerate(found):
        # Nothing in a file happened after it was written; runs whose times nobody told stay in order.
        last = past.modified - (len(found) - 1 - number) * _APART_S
        yield PastRun(arguments, min(ended, last) if ended else last)


class _PassedOver(Exception):
    pass


def _sessions(
    sources: Sequence[SessionFormat], root: str, path: str, *, needs_folder: bool
) -> Iterator[PastSession | Unreadable]:
    """Yield the sessions in a file, of the first of these formats that it is of; or why it is passed over."""
    client = sources[0].NAME if len(sources) == 1 else ""
    try:
        found = _plain_file(root, path)
        source, heads = _read_heads(sources, path)
        for head in heads:
            size = head.size or found.st_size
            if needs_folder and not head.cwd:
                yield Unreadable(source.NAME, path, "does not say which folder it was in")
            elif size > MAX_SESSION_FILE_BYTES:
                yield Unreadable(source.NAME, path, f"has a session of more than {_MOST_MB} MB")
            else:
                modified = head.modified or found.st_mtime
                yield PastSession(source.NAME, path, head.session, head.cwd, modified, size)
    except _PassedOver as why:
        yield Unreadable(client, path, str(why))
    except OSError as error:
        yield Unreadable.by(error, client, path)


def _read_heads(sources: Sequence[SessionFormat], path: str) -> tuple[SessionFormat, list[SessionHead]]:
    """The first of these formats that a file is of, with what it says of its sessions."""
    for source in sources:
        if heads := [head for head in source.read_heads(path) if head.session]:
            return source, heads
    raise _PassedOver("holds no session that can be read")


def _plain_file(root: str, path: str) -> os.stat_result:
    if os.path.commonpath([root, os.path.realpath(path)]) != root:
        raise _PassedOver("is a link out of the folder")
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise _PassedOver("is no plain file")
    # A database is read row by row.
    if found.st_size > MAX_SESSION_FILE_BYTES and not path.endswith(".db"):
        raise _PassedOver(f"has more than {_MOST_MB} MB")
    return found


def _walk(folder: str, names: tuple[str, ...], deepest: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is no folder below a folder that may be absent; links to folders are not followed."""
    if len(names) > deepest:
        return
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        below = (*names, entry.name)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, below, deepest)
        elif not (entry.is_symlink() and entry.is_dir()):
            yield below, entry.path
