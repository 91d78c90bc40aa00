"""Classifies the end of a run by its exception."""

from __future__ import annotations

import sys
from typing import Literal

RunEnding = Literal["well", "failed", "skipped", "interrupted"]

_OF_TESTS: dict[str, RunEnding] = {
    "_pytest.outcomes.Exit": "interrupted",
    "_pytest.outcomes.XFailed": "skipped",
    "builtins.Failed": "failed",  # pytest calls these two builtins, for shorter reports
    "builtins.Skipped": "skipped",
    "unittest.case.SkipTest": "skipped",
}


def classify_ending(error: BaseException | None) -> RunEnding:
    """Return how a run ended. "skipped" and "interrupted" are no verdict; an interrupted program must not be held up.

    Ctrl-C, exit, the end of a generator and cancellation say nothing of the run; in asyncio and trio none of them is an
    Exception, only a future's cancellation is. Of what tests raise, which is no Exception always, the names are known:
    neither framework is to be imported for it.
    """
    if error is None:
        return "well"
    for kind in type(error).__mro__:
        if known := _OF_TESTS.get(f"{kind.__module__}.{kind.__qualname__}"):
            return known
    futures = sys.modules.get("concurrent.futures")
    if not isinstance(error, Exception) or (futures is not None and isinstance(error, futures.CancelledError)):
        return "interrupted"
    return "failed"
