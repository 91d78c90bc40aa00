"""Every case; a seed splits them into two halves, of which one was looked at while the matching was mended."""

from __future__ import annotations

import random

from benchmarks.repeats.case import Case
from benchmarks.repeats.cases.builds import BUILDS
from benchmarks.repeats.cases.python import PYTHON
from benchmarks.repeats.cases.shells import SHELLS

CASES: tuple[Case, ...] = (*PYTHON, *SHELLS, *BUILDS)
_SEED = 18


def halves() -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return the half that was looked at and the half that was held out."""
    seen = set(random.Random(_SEED).sample(range(len(CASES)), len(CASES) // 2))
    return tuple(c for n, c in enumerate(CASES) if n in seen), tuple(c for n, c in enumerate(CASES) if n not in seen)
