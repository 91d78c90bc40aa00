"""Failures of a run that were repaired: which command passed later, after what, and as the user accepted it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from mcp_reflect.domain.error_matching.signatures import error_signatures, is_same
from mcp_reflect.domain.lessons.failures.failure_text import failure_text, is_same_failure
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection, is_preparation
from mcp_reflect.domain.lessons.failures.muting import is_muted
from mcp_reflect.domain.lessons.failures.repairs import RETRIED_WITHIN, Repair, does_more, repair_between
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.run.commands.effects import is_small_program
from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.commands.variants import are_variants, parts_of
from mcp_reflect.domain.lessons.run.compound_commands import separated_parts
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.run_again import is_run_again, stands_for, tests_more, was_called_wrongly
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps, steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences.candidates import USER
from mcp_reflect.domain.trajectory.parsing import Trajectory

_MOST_STEPS = 600
"""The last steps of a run that are read."""


@dataclass(frozen=True)
class ReadSteps:
    """The last steps of a run, as many as are read for errors; `spoke` are the places of the user's turns in them.

    `words` are what the user said there, `closing` is what the agent said behind them all.
    """

    steps: Sequence[Step]
    spoke: Sequence[int] = ()
    closing: str = ""
    words: Sequence[str] = ()


def last_steps(trajectory: Trajectory, final_response: str = "") -> ReadSteps:
    """Return the last steps of a run, compound commands as their parts; a run that ends in silence has a response."""
    given = find_steps(trajectory)[-_MOST_STEPS:]
    before, parts = steps_before(trajectory, given), separated_parts(given)
    said = list(find_said(trajectory)) if trajectory.messages is not None else []
    asked = [each for each in said if each.role == USER][1:]
    asked = [each for each in asked if each.place >= before]
    closing = [each.text for each in said if each.role != USER and each.place == before + len(given)]
    ends = [0, *accumulate(map(len, parts))]
    return ReadSteps(
        [part for each in parts for part in each],
        [ends[each.place - before] for each in asked],
        "\n".join(closing) or final_response,
        [each.text for each in asked],
    )


class RepairedFailure(NamedTuple):
    """`repair` mended the failure at `place` in the steps of a run; the command passed at `end`.

    `alike` are the places at which it had failed in the same way before.
    """

    place: int
    end: int
    repair: Repair
    alike: Sequence[int] = ()


def find_repaired_failures(read: ReadSteps) -> Iterator[RepairedFailure]:
    """Yield the failed commands that passed later, after changes that the run shows and did not take back."""
    steps = read.steps
    net, rework = NetChanges(steps), Rework(steps, read.spoke)
    same: dict[int, list[int]] = {}
    for place, failed in enumerate(steps):
        if not is_failure(failed):
            continue
        again = _run_again(steps, place)
        if all(steps[number].failed is not False for number in again):
            again = _done_otherwise(steps, place, again)
        for first in (itself := _passed_itself(steps, place, again)) or _passed(steps, again):
            tries = [number for number in again if number < first and steps[number].failed]
            if alike := _last_alike(steps, place, first, again):
                same.setdefault(alike, []).extend([*same.get(place, ()), place])
                break
            end = _accepted(steps, place, first, again, rework)
            between = [
                step
                for step in steps[place + 1 : end]
                if (not _is_variant(step, failed) or (itself and _may_have_led(step, failed)))
                and not rework.is_replaced(step)
            ]
            stage = _first_stage(steps, place, tries, net)
            changes = [step for step in between if step in stage]
            if stage and not any(map(_acts, changes)):
                break  # the error went by itself
            worked = _settled(read, place, end, again)
            is_wider = tests_more(normalised(failed.subject), normalised(worked.subject))
            if is_wider or _completes(failed, steps[place + 1 : end + 1]):
                worked = replace(worked, subject=failed.subject)
            parts = [changes, between] if any(map(_prepares, changes)) else [between]
            repair = next(filter(None, (repair_between(failed, "", part, worked, net) for part in parts)), None)
            if repair and not is_muted(repair):
                yield RepairedFailure(place, end, repair, same.get(place, ()))
            if repair or not any(step.kind == "edit" for step in between):
                break  # else it passed with edits that were taken back: a later pass tells what did


def _passed(steps: Sequence[Step], again: Sequence[int]) -> list[int]:
    return [number for number in again if steps[number].failed is False]


def _passed_itself(steps: Sequence[Step], place: int, again: Sequence[int]) -> list[int]:
    """The places at which the very command passed, where only others like it, about something else, came in between."""
    own = normalised(steps[place].subject)
    itself = [number for number in _passed(steps, again) if normalised(steps[number].subject) == own]
    between = [number for number in range(place + 1, itself[0]) if steps[number].failed is not True] if itself else []
    for number in filter(lambda number: _acts(steps[number]), between):
        is_tried = number in again and is_preparation(steps[number])
        if not (is_tried or does_more(steps[number], steps[place])):
            return []
    return itself


def _may_have_led(step: Step, failed: Step) -> bool:
    return is_preparation(step) or does_more(step, failed)


def _last_alike(steps: Sequence[Step], place: int, first: int, again: Sequence[int]) -> int:
    """The last failure with the same error before a command passed; 0 where there is none.

    What came before it did not mend the error, nor did another form of the command behind which it came back.
    """
    failed = steps[place]
    passed = [number for number in again if steps[number].failed is False]
    end = first if normalised(steps[first].subject) == normalised(failed.subject) else passed[-1]
    alike = (number for number in again if number < end and steps[number].failed and _fail_alike(failed, steps[number]))
    return max(alike, default=0)


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


def _near(steps: Sequence[Step], place: int) -> range:
    return range(place + 1, min(place + 1 + RETRIED_WITHIN, len(steps)))


def _run_again(steps: Sequence[Step], place: int) -> list[int]:
    """The places at which a failed command is run again: a compound one perhaps part by part.

    Of a compound one also those at which a part of it is that had failed by itself before.
    """
    failed, earlier = steps[place], [step for step in steps[:place] if step.kind == "command"]
    before = {normalised(step.subject) for step in earlier}
    failed_before = {normalised(step.subject) for step in earlier if step.failed}
    parts = [part for part in parts_of(failed.subject) if part in failed_before]
    forms = [failed, *(replace(failed, subject=part) for part in parts)]
    return [
        number
        for number in _near(steps, place)
        if any(is_run_again(form, steps[number], before) for form in forms)
        or _completes(failed, steps[place + 1 : number + 1])
    ]


def _done_otherwise(steps: Sequence[Step], place: int, again: list[int]) -> list[int]:
    """The same places with those at which another command stood for one that never passed, where one of them passed."""
    failed, near = steps[place], _near(steps, place)
    if not any(steps[number].failed is False and stands_for(failed, steps[number]) for number in near):
        return again
    return [number for number in near if number in again or stands_for(failed, steps[number])]


def _completes(failed: Step, later: Sequence[Step]) -> bool:
    """Return true where the last of these steps is the last part of a compound command all of which they ran."""
    *others, last = parts_of(failed.subject)
    if not others or normalised(later[-1].subject) != last:
        return False
    return set(others) <= {normalised(step.subject) for step in later if step.failed is False}


def is_failure(step: Step) -> bool:
    """Return true for a failed command, but not where it reads and found nothing: only where it was called wrongly."""
    return step.kind == "command" and bool(step.failed) and not _only_looks(step)


def _only_looks(step: Step) -> bool:
    return is_inspection(step) and not (is_small_program(step.subject) or was_called_wrongly(step))


def _accepted(steps: Sequence[Step], place: int, end: int, again: Sequence[int], rework: Rework) -> int:
    """The place at which a command passed as the user wanted it: behind the words that had its repair done over."""
    while (redone := rework.redone_at(steps[place + 1 : end + 1])) is not None and redone > end:
        later = [number for number in again if number >= redone and steps[number].failed is False]
        if not later:
            break
        end = later[0]
    return end


def _settled(read: ReadSteps, place: int, end: int, again: Sequence[int]) -> Step:
    """The form in which a command passed; of several other ones the last that the agent's closing words name."""
    steps, own = read.steps, normalised(read.steps[place].subject)
    if own == normalised(steps[end].subject):
        return steps[end]
    later = (steps[number] for number in again if number > end and steps[number].failed is False)
    closing = " ".join(read.closing.split())
    named = [each for each in later if own != normalised(each.subject) and normalised(each.subject) in closing]
    return named[-1] if named else steps[end]


def _fail_alike(failed: Step, other: Step) -> bool:
    """Return true where two failures report the same error, or neither says anything."""
    ours, theirs = error_signatures(failed.output), error_signatures(other.output)
    if not (ours or theirs) or is_same(ours, theirs):
        return True
    return is_same_failure(failure_text([failed]), failure_text([other]))


def _is_variant(step: Step, failed: Step) -> bool:
    return step.kind == "command" and are_variants(normalised(step.subject), normalised(failed.subject))
