"""The state that hooks keep of a session: the memories it was shown, and the turns that were submitted.

A small file per session in `<home>/sessions`, of JSON lines that are only ever appended: hooks of one session run side
by side, and each line is written in one piece. It holds ids and positions, never words of the session.
"""

from __future__ import annotations

import os
import time

from mcp_reflect import own_files
from mcp_reflect.wire import light_json

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SESSIONS_FOLDER = "sessions"
MAX_SESSION_BYTES = 1_000_000
"""Bytes of one session's file; what does not fit is forgotten, at worst shown again."""
SESSION_RETENTION_S = 30 * 24 * 3600.0
"""Files of sessions that have not been heard of for so long are removed."""

_NAME_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST_NAME = 80


class SessionState:
    """The file of one session, read when this is made.

    `shown` are all memories it was shown. `handed` says by a turn's key what was handed in of it. `settled` is where in
    the transcript the last turns begin that may still change. `asked` holds the keys of turns whose lesson was asked
    for.
    """

    def __init__(self, home: str, client: str, session: str) -> None:
        self._path = os.path.join(home, SESSIONS_FOLDER, f"{client}-{_file_name(session)}.jsonl")
        self.shown: set[str] = set()
        self.handed: dict[str, dict[str, Any]] = {}
        self.asked: set[str] = set()
        self.settled = 0
        self.opened = False
        self._given: list[tuple[str, list[str]]] = []
        self._size = 0
        self._read()

    def reload(self) -> None:
        """Read what other processes have added since."""
        self._given.clear()
        self._read()

    @property
    def lock_path(self) -> str:
        """Return the path of the lock file beside the session's file."""
        return self._path + ".lock"

    @property
    def times_shown(self) -> int:
        """The number of times that the session was shown memories; a position for `given`."""
        return len(self._given)

    def given(self, turn: str, since: int) -> list[str]:
        """Return the memories that a turn had: those shown for it, or, for an unknown turn, at `since` or later."""
        ids = (i for n, (of, found) in enumerate(self._given) if of == turn or (not of and n >= since) for i in found)
        return list(dict.fromkeys(ids))

    def show(self, turn: str, ids: list[str], again: list[str]) -> None:
        """Note that a turn is shown memories, and which others that it had been shown fit it `again`."""
        self.add({"turn": turn, "shown": ids, "again": again})

    def add(self, record: Mapping[str, Any]) -> None:
        """Append to the file. Raises OSError."""
        self._take(dict(record))
        line = light_json.dumps(record).encode() + b"\n"
        self._size += len(line)
        if self._size > MAX_SESSION_BYTES:
            return
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        descriptor = own_files.open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def _read(self) -> None:
        for record in self._records():
            self._take(record)

    def _records(self) -> list[dict[str, Any]]:
        try:
            lines = own_files.read_own(self._path, MAX_SESSION_BYTES).splitlines()
        except OSError:
            return []
        self._size = sum(map(len, lines)) + len(lines)
        records = []
        for line in lines:
            try:  # noqa: SIM105 - the import of contextlib would take longer than this module
                records.append(light_json.loads(line))
            except (ValueError, RecursionError):  # half written when the machine went down
                pass
        return [record for record in records if isinstance(record, dict)]

    def _take(self, record: dict[str, Any]) -> None:
        shown, again = _texts(record.get("shown")), _texts(record.get("again"))
        if "shown" in record:
            self.shown.update(shown)
            self._given.append((str(record.get("turn", "")), shown + again))
        if isinstance(record.get("handed"), str):
            self.handed[record["handed"]] = record
        if isinstance(record.get("asked"), str):
            self.asked.add(record["asked"])
        if isinstance(record.get("settled"), int):
            self.settled = record["settled"]
        if "opened" in record:
            self.opened = True
            self.shown.update(_texts(record["opened"]))


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _file_name(session: str) -> str:
    if 0 < len(session) <= _LONGEST_NAME and _NAME_CHARS.issuperset(session):
        return session
    import hashlib  # noqa: PLC0415 - the ids of all known clients are names already

    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:40]


def remove_old_sessions(home: str) -> None:
    """Remove the files of old sessions."""
    from contextlib import suppress  # noqa: PLC0415 - of no use but at the start of a session

    folder = os.path.join(home, SESSIONS_FOLDER)
    before = time.time() - SESSION_RETENTION_S
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat().st_mtime < before:
                    os.unlink(entry.path)
