"""A row of numbers as one line of text."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float]) -> str:
    """Return a bar for each value in [0, 1], on that scale: the same height means the same value in every line."""
    return "".join(_BARS[min(int(value * len(_BARS)), len(_BARS) - 1)] for value in values)
