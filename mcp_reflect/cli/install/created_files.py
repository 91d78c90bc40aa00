"""Remembers which users' configurations `install` created, so that taking the server out leaves none of them behind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_NAME = "created-configs.json"


class CreatedFiles:
    """The note in a home: each file by its path, with the digest of what `install` last wrote into it.

    Where the note cannot be read or written, no file counts as created.
    """

    def __init__(self, home: Path) -> None:
        self._note = home / _NAME

    def holds(self, path: Path) -> bool:
        """Return whether `install` created a file, which no link has taken the place of."""
        return str(path.absolute()) in self._digests() and not path.is_symlink()

    def is_untouched(self, path: Path, content: bytes) -> bool:
        """Return whether a file's content is what `install` wrote, so that nobody misses a copy of it."""
        return self._digests().get(str(path.absolute())) == _digest(content)

    def put(self, path: Path, content: bytes) -> None:
        """Note a file that was created, or written once more, with its content."""
        self._write({**self._digests(), str(path.absolute()): _digest(content)})

    def discard(self, path: Path) -> None:
        """Forget a file that was deleted."""
        self._write({known: digest for known, digest in self._digests().items() if known != str(path.absolute())})

    def _digests(self) -> dict[str, str]:
        try:
            noted = json.loads(self._note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def _write(self, digests: Mapping[str, str]) -> None:
        with suppress(OSError):
            if digests:
                self._note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._note.write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")
            else:
                self._note.unlink(missing_ok=True)
                self._note.parent.rmdir()  # where installing made it; anything in it keeps it


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
