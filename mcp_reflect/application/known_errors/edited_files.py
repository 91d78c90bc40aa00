"""Files that the repair of an error edited, looked at where an agent works now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from mcp_reflect.application.confined_file import read_confined
from mcp_reflect.domain.models.repairing_edit import RepairingEdit

_LARGEST = 1_000_000
"""Bytes of the largest file that is looked at, while an agent waits."""


def are_needed(edits: Sequence[RepairingEdit], folder: str) -> bool | None:
    """Return true where all the files are as they were before these edits, below a folder or its repository.

    None where nothing tells: no edits, or no such folder.
    """
    here = Path(folder) if folder else None
    if not edits or here is None or not here.is_dir():
        return None
    bases = _bases(here)
    return all(edit.is_needed_by(_content(edit.path, bases)) for edit in edits)


def _bases(folder: Path) -> list[Path]:
    """The folder, and those above it up to the one of its repository."""
    above = [folder, *folder.parents]
    root = next((number for number, each in enumerate(above) if (each / ".git").exists()), 0)
    return above[: root + 1]


def _content(path: str, bases: Sequence[Path]) -> str | None:
    """The text of a file that another clone had at this path; None where it is not here, or cannot be read."""
    for file in _places(path, bases):
        with suppress(OSError):
            if found := read_confined(file, _LARGEST):
                return found.content.decode("utf-8", "replace").replace("\r\n", "\n")
    return None


def _places(path: str, bases: Sequence[Path]) -> Iterator[Path]:
    """Yield the places where the file may be: its path without folders at the beginning, which the other clone had."""
    parts = [part for part in PurePosixPath(path).parts if part not in {"/", ".", ".."}]
    for base in bases:
        yield from (base.joinpath(*parts[begin:]) for begin in range(len(parts)))
