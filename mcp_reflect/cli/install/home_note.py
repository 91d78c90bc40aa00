"""A note in the memory's home about configuration files of users, by their paths."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp_reflect.own_files import open_own, read_own, refuse_foreign


class HomeNote:
    """A JSON object in a file of the home. One that cannot be read is empty, one that cannot be written stays.

    What another user owns, and what a link leads to, is neither read nor written.
    """

    def __init__(self, home: Path, name: str) -> None:
        self._file = home / name

    def read(self) -> dict[str, Any]:
        """Return what is noted, by path."""
        try:
            noted = json.loads(read_own(self._file))
        except (OSError, ValueError, RecursionError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def write(self, noted: Mapping[str, Any]) -> None:
        """Note this and nothing else; an empty note leaves no file."""
        with suppress(OSError):
            if noted:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                refuse_foreign(self._file.parent)
                with os.fdopen(open_own(self._file, os.O_WRONLY | os.O_CREAT), "w", encoding="utf-8") as file:
                    file.truncate()
                    file.write(json.dumps(noted, indent=2) + "\n")
            else:
                refuse_foreign(self._file.parent)
                self._file.unlink(missing_ok=True)
                self._file.parent.rmdir()  # where installing made it; anything in it keeps it
