"""What a run did that worked, as lines of its lesson: repairs, edits beside them, and the commands and calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.drafting.left_out_acts import (
    fails_later,
    is_by_work,
    is_replaced_later,
    last_of_checks,
    runs_later,
)
from mcp_reflect.domain.lessons.drafting.mistakes import REPAIRS
from mcp_reflect.domain.lessons.drafting.other_edits import other_edits
from mcp_reflect.domain.lessons.drafting.wrong_acts import describe_rejected
from mcp_reflect.domain.lessons.failures.objections import is_forbidden, is_repair_objected_to
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.failures.told_by_task import is_told_by_task
from mcp_reflect.domain.lessons.failures.wording import (
    ACCEPTED,
    describe_attempt,
    describe_customer_repair,
    describe_edit,
    describe_further_failure,
    describe_repair,
    describe_step,
    is_telling,
)
from mcp_reflect.domain.lessons.run.call_text import (
    describe_call_form,
    describe_case_call,
)
from mcp_reflect.domain.lessons.run.case_data import serves_one_case
from mcp_reflect.domain.lessons.run.code_cells import with_telling_lines
from mcp_reflect.domain.lessons.run.commands.effects import is_small_program, prepares, searches_output
from mcp_reflect.domain.lessons.run.commands.idle_commands import did_nothing
from mcp_reflect.domain.lessons.run.commands.printing_scripts import only_shows
from mcp_reflect.domain.lessons.run.commands.told_command import only_records, work_of
from mcp_reflect.domain.lessons.run.commands.variants import repeats
from mcp_reflect.domain.lessons.run.lookups import found_nothing, is_lookup, is_search, public_values
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undoing import find_cancelled, find_undone, only_takes_back
from mcp_reflect.domain.lessons.run.undone_files import find_discarded, find_unmade, undone_files
from mcp_reflect.domain.trajectory.tools import argument_values

_COMMANDS = 4
_WORKED_CHARS = 900
"""Commands and calls that worked, and characters of them together, that are told."""
_SEARCHES = 3
_RESTORES = re.compile(r"git (?:checkout|restore|stash|reset|clean)\b[^;&|\n]*")
"""A command that took back an edit, and does nothing else."""
_ID = re.compile(r"(?=\D*\d)[\w.-]{4,64}")
_NUMBERS_ONLY = re.compile(r"`[\w.:-]+\(\w+=\d{1,4}(?:, \w+=\d{1,4})*\)`")
"""A call with nothing but small numbers, such as the place of a button on a page: it tells nothing elsewhere."""


def tell_actions(
    steps: Sequence[Step],
    repairs: Sequence[Repair],
    rework: Rework,
    mistake: str,
    refused: Collection[int],
    objections: str,
    task: str,
    *,
    passed: bool,
    served: bool,
) -> Iterator[str]:
    """Lines on what failed and then worked, and on what worked at once; none on a failure that the `mistake` mended.

    `refused` are the acts, by their `id`, that the user spoke up against, in the words `objections`.
    """
    kept = [
        each
        for each in repairs
        if not (passed and id(each.worked) in refused and is_repair_objected_to(each, objections))
    ]
    shown = [each for each in kept if passed or not is_lookup(each.worked)][-REPAIRS:]
    describe_one = partial(_described_beside, mistake, refused, passed, served)
    yield from dict.fromkeys(filter(None, _described(shown, describe_one)))
    named = {id(step) for repair in shown for step in (repair.worked, *repair.commands)}
    subjects = {repair.worked.subject for repair in shown}
    if not passed:
        return
    undone = _undone(steps, shown)
    vain = {number for repair in shown for number in range(repair.tries[0], repair.tries[-1] + 1)}
    changed = next((number for number, step in enumerate(steps) if step.kind == "edit" and not step.failed), 0)
    worked = [
        step
        for number, step in enumerate(steps)
        if step.failed is not True
        and not (step.failed is None and step.errors)
        and is_telling(step)
        and id(step) not in named | undone
        and id(step) not in refused
        and not is_forbidden(step.subject, objections)
        and not any(repeats(subject, step.subject) for subject in subjects)
        and number not in vain
        and not rework.is_replaced(step)
        and not did_nothing(step.output)
        and not (is_lookup(step) and found_nothing(step))
        and not fails_later(step, steps[number + 1 :])
        and not (number < changed and runs_later(step, steps[changed:]))  # before, it says how things stood
    ]
    worked = [step for place, step in enumerate(worked) if not is_replaced_later(step, worked[place + 1 :])]
    worked = _without_first_looks(worked, steps[changed:])
    worked = [step for step in worked if not _only_restores(step)] or worked
    worked = [step for step in worked if step.kind != "command" or not only_shows(step.subject)] or worked
    stayed = [step for step in steps if step.kind != "edit" or id(step) not in refused]
    edits = [edit for edit in other_edits(stayed, shown) if not is_told_by_task(edit, task)]
    acting = [step for step in worked if not is_by_work(step)]
    if acting or shown:
        worked = acting
    elif edits:  # how they were checked
        worked = [step for step in worked if step.kind == "command" and searches_output(step.subject)][-1:]
    elif not worked:
        worked = [step for step in steps if step.failed is False and is_small_program(step.subject)][-1:]
    yield from map(describe_edit, edits)  # each by itself: of what a text led to the others stay
    if any(step.kind == "edit" and not step.failed for step in steps):
        worked = last_of_checks(worked)
    worked = with_telling_lines(steps, worked)
    describe_form = partial(describe_call_form, public=public_values(steps)) if served else _describe_work
    describe = describe_case_call if serves_one_case(steps) and not served else describe_form
    told = dict.fromkeys(line for line in map(describe, reversed(worked)) if not _NUMBERS_ONLY.fullmatch(line))
    whole = (line for line in told if not any(line != each and line[1:-1] in each for each in told))
    lines = list(_within(islice(whole, _COMMANDS - min(len(shown), 2)), _WORKED_CHARS))
    if lines:
        yield "; ".join(reversed(lines)) + _way_of([step for step in steps if id(step) not in named], worked)


def _describe_work(step: Step) -> str:
    """A step in words; of a command what it did, without what it looked at before and afterwards."""
    return describe_step(replace(step, subject=work_of(step.subject)) if step.kind == "command" else step)


def _only_restores(step: Step) -> bool:
    """Whether a command only put files back as they had been: what was done after that is what worked."""
    return step.kind == "command" and bool(undone_files(step.subject)) and only_takes_back(step.subject)


def _without_first_looks(worked: Sequence[Step], since: Sequence[Step]) -> list[Step]:
    """The commands without those before the first change that prepared nothing, where others ran `since` then.

    They showed how things stood: that they ended well says nothing of what was done about it.
    """
    after = {id(step) for step in since} if any(step.kind == "edit" for step in since) else set[int]()
    if not any(id(step) in after for step in worked):
        return list(worked)
    return [step for step in worked if id(step) in after or step.kind != "command" or prepares(step.subject)]


def _within(lines: Iterable[str], most: int) -> Iterator[str]:
    """The first of some lines that have room together; the first in any case."""
    room = most
    for number, line in enumerate(lines):
        room -= len(line)
        if number and room < 0:
            return
        yield line


def _described_beside(mistake: str, refused: Collection[int], passed: bool, served: bool, repair: Repair) -> str:
    if served or not (passed or repair.worked.kind == "command" or is_lookup(repair.worked)):
        told = describe_customer_repair(repair, passed=passed)
        rejected = mistake and repair.worked.kind == "call" and describe_rejected(repair.worked) in mistake
        return told.partition(ACCEPTED)[0] if rejected else told
    is_refused = not passed and repair.worked.kind == "command" and id(repair.worked) in refused
    if is_refused or any(act in mistake for act in (*map(describe_edit, repair.edits), describe_step(repair.worked))):
        return ""  # the way out was the mistake, and without one a failure says nothing of what to do
    return describe_repair(repair) if passed or repair.worked.kind == "call" else describe_attempt(repair)


def _undone(steps: Sequence[Step], repairs: Sequence[Repair]) -> set[int]:
    """The commands that only took back what the run did, and those that they took back before it worked.

    What was only cleaned up in the end had its part until then.
    """
    place_of = {id(step): place for place, step in enumerate(steps)}
    mended = [range(each.tries[0], place_of[id(each.worked)]) for each in repairs if id(each.worked) in place_of]
    found: set[int] = set()
    found.update(id(earlier) for earlier, _ in find_discarded(steps))
    found.update(id(step) for pair in find_cancelled(steps) for step in pair)
    changes = NetChanges(steps)
    edits = [step for step in steps if step.kind == "edit" and not step.failed]
    if edits and not changes.of(edits):  # of what came to nothing it is no matter that it was committed
        found.update(id(step) for step in steps if step.kind == "command" and only_records(step.subject))
    for earlier, later in [*find_undone(steps), *find_unmade(steps), *changes.taken_back()]:
        began, ended = place_of[id(earlier)], place_of[id(later)]
        if later.kind == "edit" or only_takes_back(later.subject) or _RESTORES.fullmatch(later.subject.strip()):
            found.add(id(later))
        if any(step.failed for step in steps[began:ended]) or any(began in each and ended in each for each in mended):
            found.add(id(earlier))
    return found


def _described(repairs: Sequence[Repair], describe: Callable[[Repair], str]) -> Iterator[str]:
    """A line for each step that worked after a failure; commands that it mended at once share one.

    A repair that is not told by itself is not told behind another one either.
    """
    lines: dict[int, str] = {}
    for repair in repairs:
        key, told = id(repair.worked), describe(repair)
        if told and key not in lines:
            lines[key] = told
        elif told and repair.worked.kind == "command":
            lines[key] = ". ".join(filter(None, (lines[key], describe_further_failure(repair))))
    yield from lines.values()


def _way_of(steps: Sequence[Step], worked: Sequence[Step]) -> str:
    """The searches that led to what a run did, where it did one thing only, such as giving an answer.

    Where it did more, the search that found what the acts were given, if another one had found nothing.
    """
    searches = [step for step in steps if step.failed is not True and is_search(step)]
    asked = [step for step in searches if not found_nothing(step)]
    if len(worked) != 1:
        given = {value for step in worked for value in argument_values(step.arguments) if _ID.fullmatch(value)}
        vain = {step.tool for step in searches if found_nothing(step)}
        asked = [step for step in asked if step.tool in vain and any(value in step.output for value in given)][:1]
    if not asked:
        return ""
    return f" after {', '.join(dict.fromkeys(describe_step(step) for step in asked[-_SEARCHES:]))}"
