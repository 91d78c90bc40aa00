"""The credit that a run of the simulation gives to what it was shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from benchmarks.quality.world import World
from mcp_reflect.domain.learning import credit_assignment
from mcp_reflect.domain.trajectory.parsing import Trajectory, parse


@cache
def weights_of_use(world: World, task: int, shown: frozenset[int], run: int) -> Mapping[str, float]:
    """Return the weight with which a run followed each of the memories, regardless of their order."""
    return credit_assignment.credit_weights(
        [world.memories[i] for i in sorted(shown)], world.questions[task], _parsed(world, run)
    )


@cache
def weights_of_same_calls(world: World, shown: frozenset[int], run: int) -> Mapping[str, float]:
    """Return 1 for the memories whose own run made the same calls, or for all where none did; 0 for the others."""
    same = {i for i in shown if _calls(world, i) == _calls(world, run)}
    return {world.memories[i].id: float(i in same or not same) for i in shown}


@cache
def _calls(world: World, run: int) -> tuple[tuple[str, str], ...]:
    return tuple((call.name, call.arguments) for call in _parsed(world, run).calls)


@cache
def _parsed(world: World, run: int) -> Trajectory:
    return parse(world.trajectories[run])
