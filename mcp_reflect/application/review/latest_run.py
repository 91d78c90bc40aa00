"""The run that a connection handed in last, as it was parsed: most often it is the one that is reviewed next."""

from __future__ import annotations

from mcp_reflect.application.ports import ReadSession
from mcp_reflect.domain.trajectory.run import ParsedRun

_MOST_CHARS = 400_000
"""Longest trajectory that is kept: parsed, it takes several times as much memory as its text."""


class LatestRun:
    """Holds at most one run, from when it was stored until it is reviewed or the next one is stored. Thread-safe."""

    def __init__(self) -> None:
        self._run: ParsedRun | None = None

    def keep(self, run: ParsedRun) -> None:
        """Keep a run that was stored without a review, in place of the one before."""
        self._run = run if len(run.trace.trajectory) <= _MOST_CHARS else None

    def find(self, session: ReadSession, trace_id: str) -> ParsedRun | None:
        """Return the run where it is that of a trace, and that is stored as it was handed in; else None."""
        run = self._run
        is_it = run is not None and run.trace.id == trace_id and session.traces.is_unchanged(run.trace)
        return run if is_it else None

    def drop(self, trace_id: str) -> None:
        """Let the run of a trace go, which was reviewed."""
        run = self._run
        if run is not None and run.trace.id == trace_id:
            self._run = None
