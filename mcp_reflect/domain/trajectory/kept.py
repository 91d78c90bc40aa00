"""Keeps what was read of a trajectory with it: several parts of a review ask for the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from mcp_reflect.domain.trajectory.parsing import Trajectory

_Result = TypeVar("_Result")


def keep_with_trajectory(read: Callable[[Trajectory], _Result]) -> Callable[[Trajectory], _Result]:
    """Call a pure function once for each trajectory, and keep the result as long as the trajectory.

    Results must not be changed by who gets them.
    """
    name = f"{read.__module__}.{read.__qualname__}"

    @wraps(read)
    def answer(trajectory: Trajectory) -> _Result:
        kept: dict[str, _Result] = vars(trajectory)  # where the cached properties of a trajectory are kept
        if name not in kept:
            kept[name] = read(trajectory)
        return kept[name]

    return answer
