"""Remembers which users' configurations `install` created, so that taking the server out leaves none of them behind."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mcp_reflect.cli.install.home_note import HomeNote

_NAME = "created-configs.json"


class CreatedFiles:
    """The note in a home: each file by its path, with the digest of what `install` last wrote into it.

    Where the note cannot be read or written, no file counts as created.
    """

    def __init__(self, home: Path) -> None:
        self._note = HomeNote(home, _NAME)

    def holds(self, path: Path) -> bool:
        """Return whether `install` created a file, which no link has taken the place of."""
        return str(path.absolute()) in self._note.read() and not path.is_symlink()

    def is_untouched(self, path: Path, content: bytes) -> bool:
        """Return whether a file's content is what `install` wrote, so that nobody misses a copy of it."""
        return self._note.read().get(str(path.absolute())) == _digest(content)

    def put(self, path: Path, content: bytes) -> None:
        """Note a file that was created, or written once more, with its content."""
        self._note.write({**self._note.read(), str(path.absolute()): _digest(content)})

    def discard(self, path: Path) -> None:
        """Forget a file that was deleted."""
        self._note.write(
            {known: digest for known, digest in self._note.read().items() if known != str(path.absolute())}
        )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
