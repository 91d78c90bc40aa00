"""The error of a trajectory that cannot be read, as one of an argument."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp_reflect.domain.trajectory.parsing import TRAJECTORY_FORMS, UnreadableTrajectory
from mcp_reflect.errors import InvalidArgument


@contextmanager
def refuse_unreadable_trajectory() -> Iterator[None]:
    """Raise InvalidArgument in place of UnreadableTrajectory."""
    try:
        yield
    except UnreadableTrajectory as error:
        raise InvalidArgument("trajectory", str(error), TRAJECTORY_FORMS) from None
