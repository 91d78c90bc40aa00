"""What the files of a folder hold, also while a hub writes there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below `folder` with its bytes.

    A file that goes between the listing and the reading is left out: a journal ends with its transaction.
    """
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with suppress(FileNotFoundError):
                yield file, file.read_bytes()


def files_with(folder: Path, *marks: bytes) -> list[str]:
    """The paths, relative to `folder`, of the files that hold any of the marks; one file at least must be there."""
    found = list(contents(folder))
    assert found, f"{folder} holds no file"
    return [file.relative_to(folder).as_posix() for file, content in found if any(mark in content for mark in marks)]
