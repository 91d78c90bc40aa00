"""Whether something takes time in proportion to its input: a ratio of two measurements in one run, and no bound in
seconds, which a slow machine could not keep."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable

from mcp_reflect.domain.redaction.redact import redact

_TIMES = 4
_LARGEST_RATIO = 9.0
"""Between that of linear time, 4, and that of quadratic time, 16."""
_NOISE_S = 0.1


def takes_linear_time(run: Callable[[int], object], few: int) -> bool:
    """Return true where `run` takes for four times as many pieces about four times as long as for `few`.

    It is the CPU time of the thread, which other processes do not lengthen much.
    """
    little = min(_cpu_time(run, few) for _ in range(2))
    return _cpu_time(run, _TIMES * few) <= _LARGEST_RATIO * little + _NOISE_S


def redacts_in_linear_time(unit: str, *, start: str = "", end: str = "", size: int = 16_000) -> bool:
    """Return true where `redact` takes linear time for a text of that unit over and over, between `start` and `end`.

    `size` is that of the small text. By default the large one is just short enough to be searched as a whole. Every
    text is another one: `redact` remembers those without secrets.
    """
    numbers = itertools.count()
    return takes_linear_time(lambda times: redact(f"{next(numbers)}\n{start}{unit * times}{end}"), size // len(unit))


def _cpu_time(run: Callable[[int], object], number: int) -> float:
    """The CPU time of a run without the garbage collector, which would go through all that other tests have left."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        run(number)
        return time.thread_time() - began
    finally:
        if was_enabled:
            gc.enable()
