"""Zeroing of the unused space in Chroma's HNSW files, which may hold text that this process freed before.

The C++ index allocates memory for its capacity without clearing it, and writes the whole allocation to its files when
it creates them: room for 100 elements, 180 kB with 384 dimensions. It stays there until the first 1,000 entries are
persisted. The memory holds what the process freed last, which may be an erased text. An allocator option would solve
this for one C library only, so the files are overwritten instead.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

_HEADER = struct.Struct("<i6Q")
"""The first fields of `header.bin`: version, offset of level 0, capacity, elements, bytes per element, two offsets."""
_VERSION = 1
_DATA, _LENGTHS = "data_level0.bin", "length.bin"
_LENGTH_BYTES = 4
"""Bytes per element of `length.bin`."""
_CHUNK = 1 << 20

_Stamp = tuple[int, int]
"""Modification time in nanoseconds and size in bytes of a file."""


class UnusedSpace:
    """The unused parts of all HNSW files of one folder; looks at a file again only after it has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clean: dict[str, tuple[_Stamp, _Stamp]] = {}

    def zero(self) -> int:
        """Overwrite every unused part with zeros and return how many bytes were not zero before. Raises OSError.

        Nobody may write to the index meanwhile.
        """
        changed = 0
        with os.scandir(self._folder) as found:
            segments = [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]
        for segment in segments:
            try:
                changed += self._zero_segment(segment)
            except FileNotFoundError:  # Chroma is making it, or dropped it meanwhile
                continue
        return changed

    def _zero_segment(self, segment: str) -> int:
        data, lengths = os.path.join(segment, _DATA), os.path.join(segment, _LENGTHS)  # noqa: PTH118 - each query waits
        stamps = _stamp(data), _stamp(lengths)
        if self._clean.get(segment) == stamps:
            return 0
        changed = 0
        for name, size in _used_bytes(Path(segment, "header.bin").read_bytes()).items():
            changed += _zero_from(Path(segment, name), size)
        self._clean[segment] = _stamp(data), _stamp(lengths)
        return changed


def _used_bytes(header: bytes) -> dict[str, int]:
    """Return the bytes that the elements take by file name; empty for a header of another version."""
    if len(header) < _HEADER.size:
        return {}
    version, _, _, elements, element_bytes, _, _ = _HEADER.unpack_from(header)
    if version != _VERSION:
        return {}
    return {_DATA: elements * element_bytes, _LENGTHS: elements * _LENGTH_BYTES}


def _stamp(file: str) -> _Stamp:
    found = os.stat(file)  # noqa: PTH116 - as above
    return found.st_mtime_ns, found.st_size


def _zero_from(file: Path, start: int) -> int:
    changed = 0
    with file.open("r+b") as content:
        content.seek(start)
        while chunk := content.read(_CHUNK):
            dirty = len(chunk) - chunk.count(0)
            if dirty:
                changed += dirty
                content.seek(-len(chunk), os.SEEK_CUR)
                content.write(bytes(len(chunk)))
        content.flush()
        if changed:
            os.fsync(content.fileno())
    return changed
