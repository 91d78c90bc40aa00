"""Places of a run whose words the run itself refuted: what was thought there did not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mcp_reflect.domain.lessons.failures.failure_text import failure_text
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences.candidates import USER
from mcp_reflect.domain.trajectory.parsing import Trajectory


def refuted_places(trajectory: Trajectory, steps: Sequence[Step], repairs: Sequence[Repair]) -> list[range]:
    """Return the places of a run between two failures with one error, and those before an edit that was taken back.

    `steps` are the last ones of the run. A place is the number of steps before it.
    """
    before = steps_before(trajectory, steps)
    found = [*_between_failures(steps, repairs), *_before_edits_taken_back(trajectory, steps, before)]
    return [range(before + places.start, before + places.stop) for places in found]


def _between_failures(steps: Sequence[Step], repairs: Sequence[Repair]) -> Iterator[range]:
    tries: dict[int, set[int]] = {}
    for repair in repairs:
        tries.setdefault(id(repair.worked), set()).update(repair.tries)
    for places in tries.values():
        for failed, again in pairwise(sorted(places)):
            if steps[failed].failed and failure_text([steps[failed]]) == failure_text([steps[again]]):
                yield range(failed + 1, again + 1)


def _before_edits_taken_back(trajectory: Trajectory, steps: Sequence[Step], before: int) -> Iterator[range]:
    """The words that led to an edit which was undone after something failed, or the user spoke up."""
    place_of = {id(step): place for place, step in enumerate(steps)}
    spoke = [said.place - before for said in find_said(trajectory) if said.role == USER]
    for edit, later in NetChanges(steps).taken_back():
        place, until = place_of[id(edit)], place_of[id(later)]
        failed = any(step.failed for step in steps[place + 1 : until])
        if failed or any(place < each <= until for each in spoke):
            acted = (n for n in range(place - 1, -1, -1) if steps[n].kind != "call" and not is_inspection(steps[n]))
            yield range(next(acted, -1) + 1, place + 1)
