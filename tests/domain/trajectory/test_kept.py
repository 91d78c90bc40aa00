"""What is read of a trajectory is kept with it."""

from __future__ import annotations

from mcp_reflect.domain.trajectory.kept import keep_with_trajectory
from mcp_reflect.domain.trajectory.parsing import Trajectory, parse


def test_a_trajectory_is_read_once_by_each_function() -> None:
    read: list[str] = []

    @keep_with_trajectory
    def length(trajectory: Trajectory) -> int:
        read.append(trajectory.text)
        return len(trajectory.text)

    @keep_with_trajectory
    def lines(trajectory: Trajectory) -> int:
        return trajectory.text.count("\n")

    first, same = parse("$ make\ndone"), parse("$ make\ndone")
    assert [length(first), lines(first), length(first), length(same)] == [11, 1, 11, 11]
    assert read == [first.text, same.text]
    assert first == same  # what is kept is no part of it
