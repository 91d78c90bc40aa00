"""The heaps of a process with many threads. Imports nothing heavy: it has to come before the threads."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

_M_ARENA_MAX = -8  # of glibc's malloc.h
_HEAPS = 2


def share_heaps() -> None:
    """Have all threads allocate from two heaps, unless the user's environment says otherwise.

    glibc gives new threads heaps of their own, up to eight for each core, and what is free in one serves no other
    thread. The interpreter's lock lets one thread allocate at a time anyhow, so that two heaps are as fast. It has no
    effect on threads that run already, nor with another C library.
    """
    if sys.platform == "linux" and "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)
