"""SQLite's journal (WAL) beside its index in shared memory: whether the frames that the index counts are still there.

SQLite checks the frames when it opens a journal and relies on its index from then on. A journal that something else
cuts off or zeroes meanwhile would be copied into the database as it is, over pages that were whole. The formats are
those of https://sqlite.org/walformat.html; they are the same for every version of SQLite 3.

SQLite's locks of a journal stand in its index. POSIX drops all locks that a process holds on a file as soon as it
closes any descriptor of it (https://sqlite.org/howtocorrupt.html, 2.2). Other processes would then take the index for
abandoned and truncate it while it is mapped here. So a descriptor of the index stays open until the file is deleted.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_INDEX_HEADER = struct.Struct("=8xI2xHI12x8s8x")
"""Of the index: the number of changes, the size of a page, the number of frames, and the salts of each frame."""
_COPIES = 2
_LARGEST_PAGE = 65_536  # written as 1
_JOURNAL_HEADER = 32
_FRAME_HEADER = 24
_SALTS = slice(8, 16)

_LOCKS_END_WITH_ANY_DESCRIPTOR = os.name == "posix"
_held: dict[Path, int] = {}
_turn = threading.Lock()
"""Held while a descriptor in `_held` is used, since it has one position."""


def is_damaged(database: Path) -> bool:
    """Return whether frames of the journal that SQLite relies on are cut off, overwritten or gone with their file.

    Zeroed blocks and cuts are seen, because they hit headers of frames; a change within one page is not. False where
    there is no index, or where it is just being written.
    """
    index = _index(database)
    if index is None:
        return False
    _, page, frames, salts = _INDEX_HEADER.unpack(index)
    length = _FRAME_HEADER + (_LARGEST_PAGE if page == 1 else page)
    whole = True
    if frames:
        try:
            with Path(f"{database}-wal").open("rb") as journal:
                for number in range(frames):
                    journal.seek(_JOURNAL_HEADER + number * length)
                    whole = whole and journal.read(_FRAME_HEADER)[_SALTS] == salts
                whole = whole and journal.seek(0, 2) >= _JOURNAL_HEADER + frames * length
        except FileNotFoundError:
            whole = False
        except OSError:
            return False
    return not whole and _index(database) == index


def discard_index(database: Path) -> None:
    """Make SQLite read the journal anew, as after a crash: the whole transactions before the damage stay."""
    with suppress(OSError), _opened_index(database) as descriptor:
        os.write(descriptor, bytes(_COPIES * _INDEX_HEADER.size))


def _index(database: Path) -> bytes | None:
    """Return the header of the index; None where there is none, or where its two copies differ."""
    try:
        with _opened_index(database) as descriptor:
            first, second = (os.read(descriptor, _INDEX_HEADER.size) for _ in range(_COPIES))
    except OSError:
        return None
    return first if len(first) == _INDEX_HEADER.size and first == second else None


@contextmanager
def _opened_index(database: Path) -> Iterator[int]:
    """Open the index at its beginning for reading and writing, without losing SQLite's locks of it. Raises OSError."""
    path = Path(f"{database}-shm")
    with _turn:
        descriptor = _held.get(path)
        if descriptor is None or not os.path.samestat(os.fstat(descriptor), path.stat()):
            _close_deleted()
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            if _LOCKS_END_WITH_ANY_DESCRIPTOR:
                _held[path] = descriptor
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            yield descriptor
        finally:
            if not _LOCKS_END_WITH_ANY_DESCRIPTOR:
                os.close(descriptor)


def _close_deleted() -> None:
    """Close the indexes that SQLite deleted when their last connection was closed: no lock of theirs matters."""
    for path in [path for path, descriptor in _held.items() if os.fstat(descriptor).st_nlink == 0]:
        os.close(_held.pop(path))
