"""The pages of libraries' code that a process holds: what a start or an import touched, and hardly anything touches
again.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_QUIET_SHARE = 0.1
"""Of a core: below that nothing is being loaded."""


class CodePages:
    """Gives them back whenever modules were imported and the process has become quiet since."""

    def __init__(self) -> None:
        self._modules = 0
        self._looked_at = time.monotonic()
        self._cpu_s = time.process_time()

    def look(self) -> bool:
        """Compare with the last look, to be called some times a second; return whether pages were given back."""
        elapsed, cpu_s = time.monotonic() - self._looked_at, time.process_time() - self._cpu_s
        self._looked_at, self._cpu_s = time.monotonic(), time.process_time()
        modules = len(sys.modules)
        if modules == self._modules or cpu_s > elapsed * _QUIET_SHARE:
            return False
        self._modules = modules
        give_back_code_pages()
        return True


def give_back_code_pages() -> None:
    """Take the pages of all libraries' code out of this process, on Linux.

    They stay in the system's cache of files; the few that are needed come back from there, a microsecond for each.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            madvise = ctypes.CDLL(None).madvise
            for start, size in _code_mappings():
                madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.MADV_DONTNEED)


def _code_mappings() -> Iterator[tuple[int, int]]:
    """Address and size of what is mapped from files to be executed; that is never written, so that nothing is lost."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        addresses, permissions, _, _, _, *file = line.split(maxsplit=5)
        if permissions == "r-xp" and file and file[0].startswith("/"):
            start, _, end = addresses.partition("-")
            yield int(start, 16), int(end, 16) - int(start, 16)
