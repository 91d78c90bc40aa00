"""Failures of a run that were repaired: which command passed later, after what, and as the user accepted it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mcp_reflect.domain.error_matching.signatures import error_signatures, is_same
from mcp_reflect.domain.lessons.failures.repairs import (
    RETRIED_WITHIN,
    Repair,
    is_inspection,
    is_preparation,
    repair_between,
)
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.run.command_lines import are_variants, is_small_program, normalised, parts_of
from mcp_reflect.domain.lessons.run.compound_commands import separated_parts
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.run_again import has_same_operands, is_run_again
from mcp_reflect.domain.lessons.run.steps import Step, find_steps, steps_before, user_places
from mcp_reflect.domain.trajectory.parsing import Trajectory

_MOST_STEPS = 600
"""The last steps of a run that are read."""


@dataclass(frozen=True)
class ReadSteps:
    """The last steps of a run, as many as are read for errors; `spoke` are the places of the user's turns in them."""

    steps: Sequence[Step]
    spoke: Sequence[int] = ()


def last_steps(trajectory: Trajectory) -> ReadSteps:
    """Return the last steps of a run, compound commands as their parts."""
    given = find_steps(trajectory)[-_MOST_STEPS:]
    before, parts = steps_before(trajectory, given), separated_parts(given)
    places = [place - before for place in user_places(trajectory) if place >= before]
    return ReadSteps([part for each in parts for part in each], [sum(map(len, parts[:place])) for place in places])


class RepairedFailure(NamedTuple):
    """`repair` mended the failure at `place` in the steps of a run; the command passed at `end`."""

    place: int
    end: int
    repair: Repair


def find_repaired_failures(read: ReadSteps) -> Iterator[RepairedFailure]:
    """Yield the failed commands that passed later, after changes that the run shows and did not take back."""
    steps = read.steps
    net, rework = NetChanges(steps), Rework(steps, read.spoke)
    for place, failed in enumerate(steps):
        if failed.kind != "command" or not failed.failed or _only_looks(failed):
            continue
        again = _run_again(steps, place)
        for first in (number for number in again if steps[number].failed is False):
            tries = [number for number in again if number < first and steps[number].failed]
            if any(_fail_alike(failed, steps[number]) for number in tries):
                break  # what came before the last of them did not mend it
            if not all(has_same_operands(failed, steps[number]) for number in tries) and not has_same_operands(
                failed, steps[first]
            ):
                break  # it was about something else
            end = _accepted(steps, place, first, again, rework)
            between = [
                step for step in steps[place + 1 : end] if not (_is_variant(step, failed) or rework.is_replaced(step))
            ]
            stage = _first_stage(steps, place, tries, net)
            changes = [step for step in between if step in stage]
            if stage and not any(map(_acts, changes)):
                break  # the error went by itself
            worked = steps[end]
            if _completes(failed, steps[place + 1 : end + 1]):
                worked = replace(worked, subject=failed.subject)
            parts = [changes, between] if any(map(_prepares, changes)) else [between]
            repair = next(filter(None, (repair_between(failed, "", part, worked, net) for part in parts)), None)
            if repair:
                yield RepairedFailure(place, end, repair)
            if repair or not any(step.kind == "edit" for step in between):
                break  # else it passed with edits that were taken back: a later pass tells what did


def _first_stage(steps: Sequence[Step], place: int, tries: Sequence[int], net: NetChanges) -> Sequence[Step]:
    """The steps up to the next failure of the very command, with another error: what made it so mended the first.

    There are none where edits among them were changed again: that was a detour.
    """
    if not tries or normalised(steps[tries[0]].subject) != normalised(steps[place].subject):
        return ()
    stage = steps[place + 1 : tries[0]]
    return stage if net.stand([step for step in stage if step.kind == "edit"]) else ()


def _prepares(step: Step) -> bool:
    return step.kind == "edit" or is_preparation(step)


def _acts(step: Step) -> bool:
    return step.kind == "edit" or (step.kind == "command" and not is_inspection(step))


def _run_again(steps: Sequence[Step], place: int) -> list[int]:
    """The places at which a failed command is run again, a compound one perhaps part by part."""
    failed = steps[place]
    near = range(place + 1, min(place + 1 + RETRIED_WITHIN, len(steps)))
    before = {normalised(step.subject) for step in steps[:place] if step.kind == "command"}
    return [
        number
        for number in near
        if is_run_again(failed, steps[number], before) or _completes(failed, steps[place + 1 : number + 1])
    ]


def _completes(failed: Step, later: Sequence[Step]) -> bool:
    """Return true where the last of these steps is the last part of a compound command all of which they ran."""
    *others, last = parts_of(failed.subject)
    if not others or normalised(later[-1].subject) != last:
        return False
    return set(others) <= {normalised(step.subject) for step in later if step.failed is False}


def _only_looks(step: Step) -> bool:
    return is_inspection(step) and not is_small_program(step.subject)


def _accepted(steps: Sequence[Step], place: int, end: int, again: Sequence[int], rework: Rework) -> int:
    """The place at which a command passed as the user wanted it: behind the words that had its repair done over."""
    while (redone := rework.redone_at(steps[place + 1 : end + 1])) is not None and redone > end:
        later = [number for number in again if number >= redone and steps[number].failed is False]
        if not later:
            break
        end = later[0]
    return end


def _fail_alike(failed: Step, other: Step) -> bool:
    """Return true where two failures report the same error, or neither says anything."""
    ours, theirs = error_signatures(failed.output), error_signatures(other.output)
    return is_same(ours, theirs) if ours or theirs else True


def _is_variant(step: Step, failed: Step) -> bool:
    return step.kind == "command" and are_variants(normalised(step.subject), normalised(failed.subject))
