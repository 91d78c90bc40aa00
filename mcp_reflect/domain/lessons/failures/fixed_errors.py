"""Errors that a run met and fixed: a command that failed, what was changed, and the command that then passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same, signature_of
from mcp_reflect.domain.lessons.failures.failure_text import decisive_error
from mcp_reflect.domain.lessons.failures.repairs import (
    RETRIED_WITHIN,
    Repair,
    describe_change,
    is_inspection,
    is_preparation,
    repair_between,
)
from mcp_reflect.domain.lessons.failures.triggers import MOST_TRIGGERS, trigger_of
from mcp_reflect.domain.lessons.failures.wording import decisive_edits
from mcp_reflect.domain.lessons.run.command_lines import are_variants, normalised
from mcp_reflect.domain.lessons.run.compound_commands import separated_steps
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.run_again import has_same_operands, is_run_again
from mcp_reflect.domain.lessons.run.steps import Step, find_steps
from mcp_reflect.domain.models.repairing_edit import RepairingEdit
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
_COMPARED_CHARS = 4_000
"""Characters of a change; a longer one is a rewrite, with which a file is not compared."""
_REDACTED = "[redacted:"
_COMMANDS = 2
_EDITS = 3


@dataclass(frozen=True)
class FixedError:
    """`mistake` is the line that says what went wrong, `evidence` the output, `fix` what made `command` pass.

    `failure` says no more than that the command failed. `triggers` are the calls that led to it (`triggers.py`): the
    command that failed, and the edit that broke it. `edits` are those after which the very command passed.
    `unvouched` are those of its texts where nobody vouches for them (`provenance/carried_orders.py`).
    """

    mistake: str
    evidence: str
    fix: str
    command: str
    triggers: tuple[str, ...] = ()
    unvouched: tuple[str, ...] = ()
    failure: str = ""
    edits: tuple[RepairingEdit, ...] = ()


def last_steps(trajectory: Trajectory) -> list[Step]:
    """Return the last steps of a run, as many as are read for errors."""
    return list(separated_steps(find_steps(trajectory)[-_MOST_STEPS:]))


def find_fixed_errors(steps: Sequence[Step]) -> list[FixedError]:
    """Return the errors that these steps of a run fixed, in order, each once.

    An error is fixed where the command that failed with it passes later, after a change that the run shows and did not
    take back. What failed and was never seen to pass has no fix, nor has what passed because it does less.
    """
    found: list[tuple[SignatureGroup, FixedError]] = []
    for place, end, repair in _repairs(steps):
        signatures = error_signatures(repair.failed.output)
        if is_same(signatures, error_signatures(repair.worked.output)) or not (fix := _told(repair)):
            continue
        fixed = _fixed(repair, fix, _triggers(steps, range(place, end), repair, signatures))
        if not any(_is_known(signatures, fixed, *known) for known in found):
            found.append((signatures, fixed))
        if len(found) == _MOST_FIXES:
            break
    return [fixed for _, fixed in found]


def _is_known(signatures: SignatureGroup, fixed: FixedError, known: SignatureGroup, other: FixedError) -> bool:
    """Return true for the same error; those whose output says nothing are known by the command."""
    return is_same(signatures, known) if signatures else not known and fixed.mistake == other.mistake


def _repairs(steps: Sequence[Step]) -> Iterator[tuple[int, int, Repair]]:
    """Each failed command that passed later, by the places of both, with the changes in between."""
    net = NetChanges(steps)
    for place, failed in enumerate(steps):
        if failed.kind != "command" or not failed.failed or is_inspection(failed):
            continue
        near = range(place + 1, min(place + 1 + RETRIED_WITHIN, len(steps)))
        before = {normalised(step.subject) for step in steps[:place] if step.kind == "command"}
        again = [number for number in near if is_run_again(failed, steps[number], before)]
        for end in (number for number in again if steps[number].failed is False):
            tries = [number for number in again if number < end and steps[number].failed]
            # What came before the last of them did not mend it, or it was about something else.
            if any(_fail_alike(failed, steps[n]) or not has_same_operands(failed, steps[n]) for n in tries):
                break
            # What made it fail with another error mended this one, where the command stayed the same.
            stages = [n for n in tries[:1] if normalised(steps[n].subject) == normalised(failed.subject)]
            parts = [
                [step for step in steps[place + 1 : stop] if not _is_variant(step, failed)] for stop in (*stages, end)
            ]
            if stages and not any(step.kind == "edit" or is_preparation(step) for step in parts[0]):
                break  # the error went by itself
            repair = next(filter(None, (repair_between(failed, "", part, steps[end], net) for part in parts)), None)
            if repair:
                yield place, end, repair
            if repair or not any(step.kind == "edit" for step in parts[-1]):
                break  # else it passed with edits that were taken back: a later pass tells what did


def _fail_alike(failed: Step, other: Step) -> bool:
    """Return true where two failures report the same error, or neither says anything."""
    ours, theirs = error_signatures(failed.output), error_signatures(other.output)
    return is_same(ours, theirs) if ours or theirs else True


def _triggers(steps: Sequence[Step], places: range, repair: Repair, signatures: SignatureGroup) -> tuple[str, ...]:
    """The failed command, what failed with the same error up to its passing, and the edits that had to be corrected."""
    first = max(places.start - RETRIED_WITHIN, 0)
    found = [repair.failed]
    found += [
        step
        for step in steps[first : places.stop]
        if step.kind == "command" and step.failed and is_same(signatures, error_signatures(step.output))
    ]
    before = steps[first : places.start]
    corrected = {step.subject for step in repair.edits}
    own = normalised(repair.failed.subject)
    passed = next((n for n in reversed(range(len(before))) if normalised(before[n].subject) == own), -1)
    found += [step for step in before[passed + 1 :] if step.kind == "edit" and step.subject in corrected]
    return tuple(dict.fromkeys(filter(None, map(trigger_of, found))))[:MOST_TRIGGERS]


def _fixed(repair: Repair, fix: str, triggers: tuple[str, ...]) -> FixedError:
    mistake = truncate_line(_decisive_line(repair.failed.output) or _failure_of(repair.failed), _MISTAKE_CHARS)
    return FixedError(
        mistake=mistake,
        evidence=truncate_middle(repair.failed.output.strip(), _EVIDENCE_CHARS, head=0.3) or mistake,
        fix=fix,
        command=truncate(repair.worked.subject, _COMMAND_CHARS),
        triggers=triggers,
        failure=_failure_of(repair.failed),
        edits=tuple(_repairing(repair.edits)) if repair.same_command else (),
    )


def _repairing(edits: Sequence[Step]) -> Iterator[RepairingEdit]:
    """The changes of edits, but for long ones and those with redacted secrets, which no file holds as they are."""
    for step in edits:
        for replaced, written in step.change:
            if len(replaced) + len(written) <= _COMPARED_CHARS and _REDACTED not in replaced + written:
                yield RepairingEdit(step.subject, replaced, written)


def _failure_of(step: Step) -> str:
    return f"{_quoted(step)} failed"


def _decisive_line(output: str) -> str:
    """The most specific headline that names something, else the first one; empty where there is none."""
    found = find_headlines(output)
    named = decisive_error([each.text for each in found if signature_of(each).named])
    return named or (found[0].text if found else "")


def _is_variant(step: Step, failed: Step) -> bool:
    return step.kind == "command" and are_variants(normalised(step.subject), normalised(failed.subject))


def _told(repair: Repair) -> str:
    """Return what was changed, word for word: edits, commands in between, and the command where it is another one."""
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
