"""Remembers what of a configuration was empty before `install`, so that taking the server out restores its bytes.

A text with our entry does not tell whether the section around that stood there before, empty, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcp_reflect.cli.install.home_note import HomeNote

_NAME = "empty-configs.json"

WHOLE = ""
"""Stands for the whole file among its sections."""


class EmptyParts:
    """The note in a home: of each file the text of its empty sections by their keys, and of WHOLE if all was empty.

    It holds white space, braces and names of sections, and nothing else of a user's configuration.
    """

    def __init__(self, home: Path) -> None:
        self._note = HomeNote(home, _NAME)

    def of(self, path: Path) -> dict[str, str]:
        """Return the empty parts of a file."""
        parts = self._note.read().get(str(path.absolute()))
        found = parts.items() if isinstance(parts, dict) else ()
        return {key: text for key, text in found if isinstance(text, str)}

    def update(self, path: Path, changes: Mapping[str, str | None]) -> None:
        """Note parts of a file that are empty, and forget those that are None."""
        before = self.of(path)
        parts = {key: text for key, text in (before | dict(changes)).items() if text is not None}
        if parts != before:
            others = {known: noted for known, noted in self._note.read().items() if known != str(path.absolute())}
            self._note.write(others | ({str(path.absolute()): parts} if parts else {}))
