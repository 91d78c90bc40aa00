"""Errors that a run met and fixed: a command that failed, what was changed, and the command that then passed.

Beside them stand the calls after which it changed its course (`course_changes.py`): what failed and was given up for
another way, and what ended well and was done over for the user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from mcp_reflect.domain.error_matching.headlines import Headline, find_headlines
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same, signature_of
from mcp_reflect.domain.lessons.failures.course_changes import (
    ClosingWords,
    CourseChange,
)
from mcp_reflect.domain.lessons.failures.failure_text import decisive_error
from mcp_reflect.domain.lessons.failures.fix_wording import fix_text, quoted, told_changes, told_edit
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repaired_failures import (
    ReadSteps,
    RepairedFailure,
    find_repaired_failures,
    is_failure,
)
from mcp_reflect.domain.lessons.failures.repairs import RETRIED_WITHIN, Repair, repair_between
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.failures.triggers import MOST_TRIGGERS, trigger_of
from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.run_again import has_same_operands, is_run_again
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.models.repairing_edit import RepairingEdit
from mcp_reflect.domain.truncate import truncate, truncate_line, truncate_middle

_MOST_FIXES = 8
_EVIDENCE_CHARS = 4_000
_FIX_CHARS = 1_500
_COMMAND_CHARS = 400
_MISTAKE_CHARS = 300
_COMPARED_CHARS = 4_000
"""Characters of a change; a longer one is a rewrite, with which a file is not compared."""
_REDACTED = "[redacted:"


@dataclass(frozen=True)
class FixedError:
    """`mistake` is the line that says what went wrong, `evidence` the output, `changes` what made `command` pass.

    `failure` says no more than that the command failed. `triggers` are the calls that led to it (`triggers.py`): the
    command that failed, and the edit that broke it. `edits` are those after which the very command passed. `said` are
    the agent's closing sentences about what mended it. `is_correction` is true where the fix is what the user or the
    reviewer wants instead of what the run did (`rejections.py`).
    `unvouched` are those of its texts where nobody vouches for them (`provenance/carried_orders.py`). `output` is the
    evidence as it was, where some of it is withheld: the error is known again by it, and nobody is shown it.
    """

    mistake: str
    evidence: str
    changes: tuple[str, ...]
    command: str
    triggers: tuple[str, ...] = ()
    unvouched: tuple[str, ...] = ()
    failure: str = ""
    edits: tuple[RepairingEdit, ...] = ()
    said: tuple[str, ...] = ()
    is_correction: bool = False
    output: str = ""

    @property
    def reported(self) -> str:
        """Return the text by which the error is known again."""
        return self.output or self.evidence

    @property
    def fix(self) -> str:
        """Return the changes as one text, a change per line or more, and what the agent said of them."""
        return truncate(fix_text(self.changes, self.said), _FIX_CHARS)


def find_fixed_errors(read: ReadSteps) -> list[FixedError]:
    """Return the errors that these steps of a run fixed, in order, each once.

    An error is fixed where the command that failed with it passes later, after a change that the run shows and did not
    take back; what passed because it does less has no fix. What the user had done over is told in its last form. What
    was given up has the way that the run's closing words name, unless a repair of the same call is told.
    """
    closing = ClosingWords(read.steps, read.closing)
    found: list[tuple[SignatureGroup, FixedError]] = []
    repaired = list(find_repaired_failures(read))
    left = chain(_given_up(read, closing, _mended_by(repaired)), _done_over(read, closing))
    for signatures, fixed in chain(_repaired(read, closing, repaired), _untold(left, found)):
        if not any(_is_known(signatures, fixed, *known) for known in found):
            found.append((signatures, fixed))
        if len(found) == _MOST_FIXES:
            break
    return [fixed for _, fixed in found]


def _mended_by(repaired: Sequence[RepairedFailure]) -> set[tuple[str, str]]:
    """Kind and subject of the steps that repaired a failure: they were not done instead of another one."""
    parts = ((each.repair.worked, *each.repair.edits, *each.repair.commands) for each in repaired)
    return {(step.kind, step.subject) for part in parts for step in part}


def _repaired(
    read: ReadSteps, closing: ClosingWords, repaired: Sequence[RepairedFailure]
) -> Iterator[tuple[SignatureGroup, FixedError]]:
    mended = {each.place for each in repaired}
    for each in map(partial(_from_first, read.steps), repaired):
        failed, changes = each.repair.failed, told_changes(each.repair)
        signatures, gone = error_signatures(failed.output), _mended_lines(each.repair)
        if gone is not None and changes:
            fixed = _fixed(each.repair, changes, gone, _triggers(read.steps, each, signatures, mended))
            yield signatures, replace(fixed, said=closing.explain(failed, changes))


def _from_first(steps: Sequence[Step], mended: RepairedFailure) -> RepairedFailure:
    """Return a failure that only another form of the command repaired from the first form that failed so.

    That is the command as it is run the next time; the forms behind it were tries that changed nothing.
    """
    repair = mended.repair
    if not mended.alike or repair.edits or repair.commands or repair.same_command:
        return mended
    return mended._replace(repair=replace(repair, failed=steps[min(mended.alike)]))


def _untold(
    left: Iterable[tuple[SignatureGroup, FixedError]], found: Sequence[tuple[SignatureGroup, FixedError]]
) -> Iterator[tuple[SignatureGroup, FixedError]]:
    """Yield those of which no other that was found tells all the calls already."""
    for signatures, fixed in left:
        if not {trigger for _, other in found for trigger in other.triggers}.issuperset(fixed.triggers):
            yield signatures, fixed


def _given_up(
    read: ReadSteps, closing: ClosingWords, mended_by: Collection[tuple[str, str]]
) -> Iterator[tuple[SignatureGroup, FixedError]]:
    """The failures that never passed, with the way that the run took instead."""
    for place, step in enumerate(read.steps):
        changed = closing.find_change(place) if is_failure(step) else None
        if changed is not None and (changed.instead.kind, changed.instead.subject) not in mended_by:
            found = find_headlines(step.output)
            yield error_signatures(step.output), _changed(step, changed, _decisive_line(found), step.output, read.steps)


def _done_over(read: ReadSteps, closing: ClosingWords) -> Iterator[tuple[SignatureGroup, FixedError]]:
    """The commands that ended well and that the user then had done in another form; their words say what was wrong."""
    net = NetChanges(read.steps)
    for step, final, spoken in Rework(read.steps, read.spoke).replaced(read.steps):
        said = closing.explain(step, [final.subject])
        if is_run_again(step, final) and (said or has_same_operands(step, final)):
            words = " ".join(read.words[read.spoke.index(spoken)].split()) if read.words else ""
            mistake = truncate_line(f'{quoted(step)} was wrong: the user said "{words}"', _MISTAKE_CHARS)
            end = next(place for place, each in enumerate(read.steps) if each is final)
            repair = repair_between(step, "", read.steps[spoken:end], final, net)
            changes, triggers = told_changes(repair) if repair else (), _own_triggers(step)
            yield (), FixedError(mistake, mistake, changes, final.subject, triggers, failure=mistake, said=said)


def _changed(step: Step, changed: CourseChange, line: str, output: str, steps: Sequence[Step]) -> FixedError:
    instead = changed.instead
    net = NetChanges(steps).of([instead]) if instead.kind == "edit" else []
    change = f"Run {quoted(_whole(instead))}" if instead.kind == "command" else "".join(map(told_edit, net))
    mistake = truncate_line(line or _failure_of(step), _MISTAKE_CHARS)
    return FixedError(
        mistake=mistake,
        evidence=truncate_middle(output.strip(), _EVIDENCE_CHARS, head=0.3) or mistake,
        changes=tuple(filter(None, [change])),
        command="",
        triggers=_own_triggers(step),
        failure=_failure_of(step),
        said=changed.said,
    )


def _own_triggers(step: Step) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(trigger_of, (step, _whole(step))))))


def _whole(step: Step) -> Step:
    return replace(step, subject=step.whole or step.subject)


def _mended_lines(repair: Repair) -> list[Headline] | None:
    """The headlines of a failure that are gone where the command passed; None where none of several is."""
    found, left = find_headlines(repair.failed.output), error_signatures(repair.worked.output)
    gone = [each for each in found if not any(signature_of(each).agrees(still) for still in left)]
    return gone if gone or not found else None


def _is_known(signatures: SignatureGroup, fixed: FixedError, known: SignatureGroup, other: FixedError) -> bool:
    """Return true for the same error; those whose output says nothing are known by the command."""
    return is_same(signatures, known) if signatures else not known and fixed.mistake == other.mistake


def _triggers(
    steps: Sequence[Step], mended: RepairedFailure, signatures: SignatureGroup, repaired: Collection[int]
) -> tuple[str, ...]:
    """The calls that led to an error.

    They are the failed command, what failed with the same error up to its passing, what was tried on the way and never
    worked (`repaired` are the places of what did), and the edits that had to be corrected.
    """
    repair = mended.repair
    first = max(mended.place - RETRIED_WITHIN, 0)
    found = [repair.failed, steps[mended.place], *(steps[place] for place in mended.alike)]
    for place, step in enumerate(steps[first : mended.end], first):
        tried = place > mended.place and place not in repaired and not is_inspection(step)
        if step.kind == "command" and step.failed and (tried or is_same(signatures, error_signatures(step.output))):
            found.append(step)
    before = steps[first : mended.place]
    corrected = {step.subject for step in repair.edits}
    own = normalised(repair.failed.subject)
    passed = next((n for n in reversed(range(len(before))) if normalised(before[n].subject) == own), -1)
    found += [step for step in before[passed + 1 :] if step.kind == "edit" and step.subject in corrected]
    wholes = [_whole(step) for step in found if step.whole]
    own, way_out = trigger_of(repair.failed), trigger_of(repair.worked)
    is_form = own != way_out and not (repair.edits or repair.commands)
    known = (each for each in map(trigger_of, found + wholes) if each and not (is_form and each == way_out))
    return tuple(dict.fromkeys(known))[:MOST_TRIGGERS]


def _fixed(repair: Repair, changes: tuple[str, ...], gone: Sequence[Headline], triggers: tuple[str, ...]) -> FixedError:
    mistake = truncate_line(_decisive_line(gone) or _failure_of(repair.failed), _MISTAKE_CHARS)
    return FixedError(
        mistake=mistake,
        evidence=truncate_middle(repair.failed.output.strip(), _EVIDENCE_CHARS, head=0.3) or mistake,
        changes=changes,
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
    return f"{quoted(step)} failed"


def _decisive_line(found: Sequence[Headline]) -> str:
    """The most specific headline that names something, else the first one; empty where there is none."""
    named = decisive_error([each.text for each in found if signature_of(each).named])
    return named or (found[0].text if found else "")
