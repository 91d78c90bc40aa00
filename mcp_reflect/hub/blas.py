"""The threads of matrix products in a process that ranks. Imports nothing heavy: it has to come before numpy."""

from __future__ import annotations

import os


def use_one_blas_thread() -> None:
    """Have OpenBLAS compute in the calling thread, unless the user's environment says otherwise.

    Ranking reads memory faster than it computes, so that a second thread gains little, and on a busy machine all wait
    for the one that is not scheduled. It has no effect once numpy is imported.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
