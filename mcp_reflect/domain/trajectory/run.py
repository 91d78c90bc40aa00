"""Parsed runs: a stored trace with its parsed trajectory, and with its review."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.domain.models import Memory, Review, Trace
from mcp_reflect.domain.trajectory.parsing import Trajectory, parse
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript


@dataclass(frozen=True)
class ParsedRun:
    """A trace with its trajectory, parsed once per call; that of a plain-text transcript is read into messages."""

    trace: Trace
    trajectory: Trajectory

    @classmethod
    def of(cls, trace: Trace, trajectory: Trajectory | None = None) -> ParsedRun:
        """Return a trace with its trajectory read, in time linear in its length.

        `trajectory` is the trace's as `parse` returns it, where the caller has that already.
        """
        return cls(trace, read_transcript(parse(trace.trajectory) if trajectory is None else trajectory))

    def reviewed(self, review: Review, retrieved: tuple[Memory, ...] = ()) -> ReviewedRun:
        """Return the run with its review and errors, in time linear in the length of the trajectory."""
        return ReviewedRun(self.trace, self.trajectory, review, self.trajectory.errors, retrieved, review.feedback)


@dataclass(frozen=True)
class ReviewedRun(ParsedRun):
    """The input of a reflector: a redacted run, its review, and the errors in the trajectory.

    `retrieved` are the memories that it should judge; empty where the reviewer named helpful or harmful ones.
    `feedback` is what a memory may hold of the reviewer's.
    """

    review: Review
    errors: tuple[str, ...] = ()
    retrieved: tuple[Memory, ...] = ()
    feedback: str = ""
