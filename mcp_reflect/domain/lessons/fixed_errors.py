"""Errors that a run met and fixed: a command that failed, what was changed, and the command that then passed."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same, signature_of
from mcp_reflect.domain.lessons.command_lines import are_variants, normalised, program_of
from mcp_reflect.domain.lessons.compound_commands import separated_steps
from mcp_reflect.domain.lessons.failure_text import decisive_error
from mcp_reflect.domain.lessons.net_changes import NetChanges
from mcp_reflect.domain.lessons.repairs import RETRIED_WITHIN, Repair, describe_change, is_inspection, repair_between
from mcp_reflect.domain.lessons.steps import Step, find_steps
from mcp_reflect.domain.lessons.triggers import MOST_TRIGGERS, trigger_of
from mcp_reflect.domain.lessons.wording import decisive_edits
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.truncate import truncate, truncate_line, truncate_middle

_MOST_STEPS = 600
"""The last steps of a run that are read."""
_MOST_FIXES = 8
_EVIDENCE_CHARS = 4_000
_FIX_CHARS = 1_500
_CHANGE_CHARS = 500
_COMMAND_CHARS = 400
_MISTAKE_CHARS = 300
_COMMANDS = 2
_EDITS = 3

_NARROWS = re.compile(
    r"pytest\b.*\s-m\s|(?:^|\s)(?:-k|-run|--?(?:ignore|deselect|exclude|skip|filter|grep|only|no-verify|help|version|dry-run|force-exclude)\b"
    r"|-h)(?=[\s=]|$)|\|\|\s*(?:true|:)|;\s*(?:true|echo|:)\b|\b--continue\b"
)
"""What makes a command pass by doing less."""
_NOT_THERE = re.compile(
    r"not found|no such|(?:could not|cannot|can't|unable to) (?:find|load|open|locate)|missing|unknown|no module"
    r"|does not exist",
    re.IGNORECASE,
)
_OPTION = re.compile(r"--?[A-Za-z]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True)
class FixedError:
    """`mistake` is the line that says what went wrong, `evidence` the output, `fix` what made `command` pass.

    `triggers` are the calls that led to it (`triggers.py`): the command that failed, and the edit that broke it.
    `unvouched` are those of its texts where nobody vouches for them (`provenance/carried_orders.py`).
    """

    mistake: str
    evidence: str
    fix: str
    command: str
    triggers: tuple[str, ...] = ()
    unvouched: tuple[str, ...] = ()


def last_steps(trajectory: Trajectory) -> list[Step]:
    """Return the last steps of a run, as many as are read for errors."""
    return list(separated_steps(find_steps(trajectory)[-_MOST_STEPS:]))


def find_fixed_errors(steps: Sequence[Step]) -> list[FixedError]:
    """Return the errors that these steps of a run fixed, in order, each once.

    An error is fixed where the command that failed with it is the next time run after a change, and passes. What failed
    and was never seen to pass has no fix, nor has what passed because it does less, or what only says that something
    failed.
    """
    found: list[tuple[SignatureGroup, FixedError]] = []
    for place, repair in _repairs(steps):
        signatures = error_signatures(repair.failed.output)
        gone = signatures and not is_same(signatures, error_signatures(repair.worked.output))
        if gone and not any(is_same(signatures, known) for known, _ in found) and (fix := _told(repair)):
            found.append((signatures, _fixed(repair, fix, _triggers(steps, place, repair, signatures))))
        if len(found) == _MOST_FIXES:
            break
    return [fixed for _, fixed in found]


def _repairs(steps: Sequence[Step]) -> Iterator[tuple[int, Repair]]:
    """Each failed command whose next run passed, by its place, with the changes in between."""
    net = NetChanges(steps)
    for place, failed in enumerate(steps):
        if failed.kind != "command" or not failed.failed or is_inspection(failed):
            continue
        near = range(place + 1, min(place + 1 + RETRIED_WITHIN, len(steps)))
        before = {normalised(step.subject) for step in steps[:place] if step.kind == "command"}
        retry = next((number for number in near if _is_run_again(failed, steps[number], before)), None)
        if retry is None or steps[retry].failed is not False:
            continue
        # A variant that worked, and did not do, has prepared nothing.
        between = [step for step in steps[place + 1 : retry] if not _is_variant(step, failed)]
        if repair := repair_between(failed, "", between, steps[retry], net):
            yield place, repair


def _triggers(steps: Sequence[Step], place: int, repair: Repair, signatures: SignatureGroup) -> tuple[str, ...]:
    """The failed command, what failed with the same error before it, and the edits that the repair had to correct."""
    before = steps[max(place - RETRIED_WITHIN, 0) : place]
    found = [repair.failed]
    found += [
        step
        for step in before
        if step.failed and _is_run_again(step, repair.failed) and is_same(signatures, error_signatures(step.output))
    ]
    corrected = {step.subject for step in repair.edits}
    own = normalised(repair.failed.subject)
    passed = next((n for n in reversed(range(len(before))) if normalised(before[n].subject) == own), -1)
    found += [step for step in before[passed + 1 :] if step.kind == "edit" and step.subject in corrected]
    return tuple(dict.fromkeys(filter(None, map(trigger_of, found))))[:MOST_TRIGGERS]


def _fixed(repair: Repair, fix: str, triggers: tuple[str, ...]) -> FixedError:
    return FixedError(
        mistake=truncate_line(_decisive_line(repair.failed.output), _MISTAKE_CHARS),
        evidence=truncate_middle(repair.failed.output.strip(), _EVIDENCE_CHARS, head=0.3),
        fix=fix,
        command=truncate(repair.worked.subject, _COMMAND_CHARS),
        triggers=triggers,
    )


def _decisive_line(output: str) -> str:
    """The most specific headline that names something, else the first one."""
    found = find_headlines(output)
    return decisive_error([each.text for each in found if signature_of(each).named]) or found[0].text


def _is_variant(step: Step, failed: Step) -> bool:
    return step.kind == "command" and are_variants(normalised(step.subject), normalised(failed.subject))


def _is_run_again(failed: Step, other: Step, tried: Collection[str] = ()) -> bool:
    """Return true where a step is the failed command again, or does the same in another way.

    `tried` are normalised commands that were run before: that the failed one names such a command is no advice.
    """
    if other.kind != failed.kind or other.tool != failed.tool:
        return False
    before, after = normalised(failed.subject), normalised(other.subject)
    if before == after or (after in failed.output and after not in tried):  # some tools say what to run instead
        return True
    if program_of(before) != program_of(after) and not _operands(before) & _operands(after):
        return False
    if _NARROWS.search(after) and not _NARROWS.search(before):
        return False
    removed, added = _other_operands(before, after), _other_operands(after, before)
    if removed:  # another operand makes another command, unless there was no such thing
        return all(_is_missing(operand, failed.output) for operand in removed)
    return not added


def _other_operands(command: str, other: str) -> list[str]:
    """The words of a command that the other lacks, without its program, assignments, and options with their values."""
    words, program = _split(command), program_of(command)
    left = Counter(_split(other))
    found: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if left[word]:
            left[word] -= 1
        elif not (
            word in {program, "sudo", "env"}
            or word.endswith(f"/{program}")
            or _ASSIGNMENT.match(word)
            or _OPTION.match(word)
            or _OPTION.match(before)
        ):
            found.append(word)
    return found


def _operands(command: str) -> set[str]:
    """The words of a command but its program, assignments and options."""
    words = set(_split(command)) - {program_of(command)}
    return {word for word in words if not _OPTION.match(word) and not _ASSIGNMENT.match(word)}


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _is_missing(operand: str, output: str) -> bool:
    """Return true where an output says that there is nothing of that name."""
    return any(operand in each.text and _NOT_THERE.search(each.text) for each in find_headlines(output))


def _told(repair: Repair) -> str:
    """What was changed, word for word: the edits, the commands in between, and the command where it is another one."""
    changes = [_edited(step) for step in decisive_edits(repair.edits, repair.failed.output)[-_EDITS:]]
    changes += [f"Run {_quoted(step)}" for step in repair.commands[-_COMMANDS:]]
    if not repair.same_command:
        changes.append(f"Run {_quoted(repair.worked)} instead of {_quoted(repair.failed)}")
    return truncate("\n".join(filter(None, changes)), _FIX_CHARS)


def _edited(step: Step) -> str:
    change = describe_change(step, _CHANGE_CHARS)
    if change:
        return f"Edit {step.file}: {change}"
    written = next((new for old, new in step.change if new and not old), "")
    return f"Write {step.file}: {truncate(written.strip(), _CHANGE_CHARS)}" if written.strip() else f"Edit {step.file}"


def _quoted(step: Step) -> str:
    return f"`{truncate_line(step.subject, _COMMAND_CHARS)}`"
