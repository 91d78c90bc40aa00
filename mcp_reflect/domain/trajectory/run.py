"""Runs as they are worked on: a stored trace with its trajectory parsed, and with its review."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.domain.models import Memory, Review, Trace
from mcp_reflect.domain.trajectory.parsing import Trajectory, parse


@dataclass(frozen=True)
class ParsedRun:
    """A trace with its trajectory, parsed once for all that a call does with it."""

    trace: Trace
    trajectory: Trajectory

    @classmethod
    def of(cls, trace: Trace) -> ParsedRun:
        """Parse the trajectory of a stored trace; takes time linear in its length."""
        return cls(trace, parse(trace.trajectory))

    def reviewed(self, review: Review, retrieved: tuple[Memory, ...] = ()) -> ReviewedRun:
        """The run with its review, its errors found; takes time linear in the length of the trajectory."""
        return ReviewedRun(self.trace, self.trajectory, review, self.trajectory.errors, retrieved)


@dataclass(frozen=True)
class ReviewedRun(ParsedRun):
    """What a reflector is given: a redacted run, its review, and the errors seen in the trajectory.

    `retrieved` are the memories it should judge; none where the reviewer named some.
    """

    review: Review
    errors: tuple[str, ...] = ()
    retrieved: tuple[Memory, ...] = ()
