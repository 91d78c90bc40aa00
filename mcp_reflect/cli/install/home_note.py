"""A note in the memory's home about configuration files of users, by their paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


class HomeNote:
    """A JSON object in a file of the home. One that cannot be read is empty, one that cannot be written stays."""

    def __init__(self, home: Path, name: str) -> None:
        self._file = home / name

    def read(self) -> dict[str, Any]:
        """Return what is noted, by path."""
        try:
            noted = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def write(self, noted: Mapping[str, Any]) -> None:
        """Note this and nothing else; an empty note leaves no file."""
        with suppress(OSError):
            if noted:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file.write_text(json.dumps(noted, indent=2) + "\n", encoding="utf-8")
            else:
                self._file.unlink(missing_ok=True)
                self._file.parent.rmdir()  # where installing made it; anything in it keeps it
