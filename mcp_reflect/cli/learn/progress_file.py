"""Which sessions were learned from: a file of the home that is appended to, and read at the next start.

A session that has not changed since is not read again, so what was forgotten meanwhile does not come back.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from mcp_reflect.hooks.past_sessions import PastSession
from mcp_reflect.own_files import open_own, read_own

LEARNED_NAME = "learned.jsonl"


class LearnedFiles:
    """The file, in a home."""

    def __init__(self, home: Path) -> None:
        self._path = home / LEARNED_NAME
        self._seen: dict[tuple[str, str], tuple[int, float]] = {}
        with suppress(FileNotFoundError):
            for line in read_own(self._path).splitlines():
                with suppress(ValueError, KeyError, TypeError):  # half written when the machine went down
                    row = json.loads(line)
                    self._seen[row["path"], row["session"]] = (int(row["size"]), float(row["modified"]))

    def has(self, session: PastSession) -> bool:
        """Return whether a session was learned from as it is now."""
        return self._seen.get((session.path, session.session)) == (session.size, session.modified)

    def add(self, session: PastSession) -> None:
        """Note that everything of a session is stored. Raises OSError."""
        row = {"path": session.path, "session": session.session, "size": session.size, "modified": session.modified}
        descriptor = open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self._seen[session.path, session.session] = (session.size, session.modified)
