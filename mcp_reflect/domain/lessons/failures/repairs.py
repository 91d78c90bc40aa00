"""Repairs in a run: failed steps with their errors, and the changes after which the same step worked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.command_form import command_form
from mcp_reflect.domain.lessons.failures.enabling_calls import find_enabling_calls
from mcp_reflect.domain.lessons.failures.failure_text import failure_text, is_same_failure, says_new
from mcp_reflect.domain.lessons.failures.mending_commands import find_mending, is_inspection, is_preparation
from mcp_reflect.domain.lessons.run.code_cells import is_code_cell, shares_code
from mcp_reflect.domain.lessons.run.commands.effects import asks_database, is_small_program
from mcp_reflect.domain.lessons.run.commands.lines import exports_of, folder_of, normalised
from mcp_reflect.domain.lessons.run.commands.variants import are_variants, parts_of, repeats
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.run_again import is_another_form, narrows
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undoing import find_undone
from mcp_reflect.domain.lessons.run.undone_files import find_unmade
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.trajectory.tools import argument_values

RETRIED_WITHIN = 60
"""Steps behind a failure in which its repair is looked for."""

_MISSPELT = re.compile(
    r"not found|not recogni[sz]ed|unknown (?:sub)?command|no such (?:sub)?command|is not an? .{0,30}command"
    r"|did you mean|invalid (?:sub)?command",
    re.IGNORECASE,
)
"""What a shell or a program says of a command that it does not have."""


@dataclass(frozen=True)
class Repair:
    """`failed` did not work, with `error` as its decisive line; `worked` did. `edits` and `commands` came in between.

    Where the two are the same command, what was in between made the difference; otherwise what changed in it did, or
    the folder that it ran in. `tries` are the places of all the failures among the steps of the run, and of forms of
    the command that worked and did not do. `first` is the first failure where it failed in another way than the last,
    with `first_error`.
    """

    failed: Step
    error: str
    worked: Step
    edits: tuple[Step, ...] = ()
    commands: tuple[Step, ...] = ()
    tries: tuple[int, ...] = ()
    first: Step | None = None
    first_error: str = ""

    @property
    def same_command(self) -> bool:
        """Return true where both steps are the same command, and more than its folder or its exports was changed."""
        failed, worked = self.failed.subject, self.worked.subject
        if parts_of(failed) != parts_of(worked):
            return False
        moved = folder_of(failed) != folder_of(worked) or exports_of(failed) != exports_of(worked)
        return not moved or bool(self.edits or self.commands)


def find_repairs(steps: Sequence[Step]) -> Iterator[Repair]:
    """Yield each failing step with the first later step that did the same and worked, in order of the failures.

    A failure that is repeated before it is mended counts once, with its last error; what was changed before it was
    repeated does not count where it failed in the same way again.
    """
    done: set[int] = set()
    net = NetChanges(steps)
    unmade = {id(earlier) for earlier, _ in find_unmade(steps)}
    for place, step in enumerate(steps):
        if (
            not step.failed
            or step.kind == "edit"
            or place in done
            or (is_inspection(step) and not is_small_program(step.subject))
        ):
            continue
        near = range(place + 1, min(place + 1 + RETRIED_WITHIN, len(steps)))
        later = [number for number in near if id(steps[number]) not in unmade and is_retry(step, steps[number])]
        worked = _first_success(steps, step, later)
        if worked is not None and net.was_undone(steps[place:worked], steps[worked]):
            worked = _first_success(steps, step, [number for number in later if number > worked]) or worked
        if worked is None:
            continue
        tries = [place, *(number for number in later if number < worked)]
        done.update(tries)
        failures = [number for number in tries if steps[number].failed is not False]
        last = steps[failures[-1]]
        failed = last if parts_of(last.subject) != parts_of(steps[worked].subject) or len(failures) == 1 else step
        between = [
            each
            for each in range(_begin(steps, failures, worked) + 1, worked)
            if each not in tries or _only_more_between(steps, step, each, worked)
        ]
        error = failure_text([last, step])
        refused = [steps[each] for each in failures]
        if repair := repair_between(failed, error, [steps[each] for each in between], steps[worked], net, refused):
            at_first = failure_text([step])
            if at_first and says_new(at_first, error):
                repair = replace(repair, first=step, first_error=at_first)
            yield replace(repair, tries=tuple(tries))


def _first_success(steps: Sequence[Step], failed: Step, later: Sequence[int]) -> int | None:
    """The place of the retry that worked: the first, or the very command where it did not do by the first alone.

    A form that does less, such as one without the tests, is not it where the whole worked later. Of queries and code it
    is the last: those before it were looked at and not enough.
    """
    worked = [number for number in later if steps[number].failed is False]
    if not narrows(normalised(failed.subject)):
        worked = [number for number in worked if not narrows(normalised(steps[number].subject))] or worked
    if not worked or failed.kind != "command":
        return worked[-1 if is_code_cell(failed) else 0] if worked else None
    again = next((number for number in worked if repeats(failed.subject, steps[number].subject)), worked[0])
    if _only_more_between(steps, failed, worked[0], again):
        return again
    between = steps[worked[0] + 1 : again]
    return (
        again if any(_is_change(step) or (step.failed and not is_inspection(step)) for step in between) else worked[0]
    )


def _only_more_between(steps: Sequence[Step], failed: Step, first: int, again: int) -> bool:
    """Return true where the very command worked again, and what was done from `first` on was one like it only."""
    acted = [step for step in steps[first:again] if step.kind != "call" and not is_inspection(step)]
    return repeats(failed.subject, steps[again].subject) and all(does_more(step, failed) for step in acted)


def _begin(steps: Sequence[Step], tries: Sequence[int], worked: int) -> int:
    """The failure behind which the changes begin that count: not those after which it failed as it had before."""
    end = worked
    for before, again in zip(reversed(tries[:-1]), reversed(tries), strict=False):
        changed = any(_is_change(step) for step in steps[again + 1 : end])
        changed |= end == worked and parts_of(steps[again].subject) != parts_of(steps[worked].subject)
        if changed and _failed_so_before(steps, again, tries[: tries.index(before) + 1]):
            return again
        end = end if changed else again
    return tries[0]


def _failed_so_before(steps: Sequence[Step], again: int, before: Sequence[int]) -> bool:
    """Return true where a step failed in the way of the one before it, or of any before that it repeats."""
    error = failure_text([steps[again]])
    same = (each for each in before if each == before[-1] or repeats(steps[each].subject, steps[again].subject))
    return any(is_same_failure(failure_text([steps[each]]), error) for each in same)


def _is_change(step: Step) -> bool:
    return (step.kind == "edit" and not step.failed) or is_preparation(step)


def repair_between(
    failed: Step,
    error: str,
    between: Sequence[Step],
    worked: Step,
    net: NetChanges,
    refused: Sequence[Step] = (),
) -> Repair | None:
    """Return the repair that the steps in between made; None where they and the command changed nothing.

    `refused` are all the failures of a call that is repaired, in order.

    What was taken back before the step worked had no part in it, nor had what took it back, be it an edit of before.
    Where that alone is left, the run had broken it itself: nothing was repaired.
    """
    undone = {id(step) for pair in find_undone(between) for step in pair}
    undone |= {id(earlier) for earlier, _ in find_unmade(between)}
    places = {id(step): place for place, step in enumerate(between)}
    taken_back = [(earlier, later) for earlier, later in net.taken_back() if id(later) in places]
    if any(id(earlier) not in places and net.broke(earlier, failed) for earlier, _ in taken_back):
        return None
    undone |= {id(later) for _, later in net.taken_back() if later.kind == "command"}
    between = [step for step in between if id(step) not in undone]
    edits = [each for each in between if each.kind == "edit" and not each.failed]
    repair = Repair(
        failed=failed,
        error=error,
        worked=worked,
        edits=tuple(net.of(edits)),
        commands=tuple(
            find_enabling_calls(refused or [failed], between, worked)
            if failed.kind == "call"
            else (each for each in between if is_preparation(each))
        ),
    )
    if edits and not (repair.edits or repair.commands) and net.undone_behind(edits, worked):
        return None
    if repair.commands or (repair.same_command and not repair.edits):
        repair = replace(repair, commands=tuple(find_mending(between, failed)) or repair.commands)
    return repair if not repair.same_command or repair.edits or repair.commands else None


def is_retry(failed: Step, other: Step) -> bool:
    """Return true where the other step repeats the failed one: the same call, or a variant of it."""
    if other.kind != failed.kind or other.tool != failed.tool:
        return False
    if failed.kind == "call":
        return _asks_alike(failed, other)
    if repeats(failed.subject, other.subject):
        return True
    if is_inspection(other) and not (is_inspection(failed) or _MISSPELT.search(failed.output)):
        return False
    before, after = normalised(failed.subject), normalised(other.subject)
    if asks_database(after) and not asks_database(before):
        return False
    return are_variants(before, after) or is_another_form(before, after, failed.output)


def does_more(step: Step, failed: Step) -> bool:
    """Return true for a command like a failed one that worked and changes something, or is about something else."""
    if step.kind != "command" or step.failed is not False or not is_retry(failed, step):
        return False
    ours, theirs = (Counter(command_form(normalised(each.subject)).words) for each in (step, failed))
    return is_preparation(step) or bool(ours - theirs and theirs - ours)


def _asks_alike(failed: Step, other: Step) -> bool:
    """Return true where two calls of one tool share an argument, or a word: else they are about different things.

    Of two programs the later one has a good part of the other's words.
    """
    if is_code_cell(failed) and is_code_cell(other):
        return shares_code(failed, other)
    ours, theirs = failed.arguments, other.arguments
    if not ours or any(theirs.get(name) == value for name, value in ours.items()):
        return True
    words, others = (term_weights(" ".join(argument_values(given))).keys() for given in (ours, theirs))
    return not words.isdisjoint(others)
