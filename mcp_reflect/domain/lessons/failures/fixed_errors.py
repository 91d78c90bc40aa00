"""Errors that a run met and fixed: a command that failed, what was changed, and the command that then passed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_reflect.domain.error_matching.headlines import Headline, find_headlines
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same, signature_of
from mcp_reflect.domain.lessons.failures.failure_text import decisive_error
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps, RepairedFailure, find_repaired_failures
from mcp_reflect.domain.lessons.failures.repairs import RETRIED_WITHIN, Repair, describe_change, is_inspection
from mcp_reflect.domain.lessons.failures.triggers import MOST_TRIGGERS, trigger_of
from mcp_reflect.domain.lessons.failures.wording import decisive_edits
from mcp_reflect.domain.lessons.run.command_lines import normalised
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.models.repairing_edit import RepairingEdit
from mcp_reflect.domain.text.quotation import without_sources
from mcp_reflect.domain.truncate import truncate, truncate_line, truncate_middle

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
INSTEAD = "` instead of `"
_RUN = re.compile(rf"Run `(.+?)(?:{INSTEAD}.+)?`$")


@dataclass(frozen=True)
class FixedError:
    """`mistake` is the line that says what went wrong, `evidence` the output, `changes` what made `command` pass.

    `failure` says no more than that the command failed. `triggers` are the calls that led to it (`triggers.py`): the
    command that failed, and the edit that broke it. `edits` are those after which the very command passed.
    `unvouched` are those of its texts where nobody vouches for them (`provenance/carried_orders.py`).
    """

    mistake: str
    evidence: str
    changes: tuple[str, ...]
    command: str
    triggers: tuple[str, ...] = ()
    unvouched: tuple[str, ...] = ()
    failure: str = ""
    edits: tuple[RepairingEdit, ...] = ()

    @property
    def fix(self) -> str:
        """Return the changes as one text, a change per line or more."""
        return truncate("\n".join(self.changes), _FIX_CHARS)


def find_fixed_errors(read: ReadSteps) -> list[FixedError]:
    """Return the errors that these steps of a run fixed, in order, each once.

    An error is fixed where the command that failed with it passes later, after a change that the run shows and did not
    take back. What failed and was never seen to pass has no fix, nor has what passed because it does less. What the
    user had done over is told in its last form.
    """
    repaired = list(find_repaired_failures(read))
    mended = {each.place for each in repaired}
    found: list[tuple[SignatureGroup, FixedError]] = []
    for each in repaired:
        signatures, gone, changes = (
            error_signatures(each.repair.failed.output),
            _mended_lines(each.repair),
            _told(each.repair),
        )
        if gone is None or not changes:
            continue
        fixed = _fixed(each.repair, changes, gone, _triggers(read.steps, each, signatures, mended))
        if not any(_is_known(signatures, fixed, *known) for known in found):
            found.append((signatures, fixed))
        if len(found) == _MOST_FIXES:
            break
    return [fixed for _, fixed in found]


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
    found = [repair.failed, *(steps[place] for place in mended.alike)]
    for place, step in enumerate(steps[first : mended.end], first):
        tried = place > mended.place and place not in repaired and not is_inspection(step)
        if step.kind == "command" and step.failed and (tried or is_same(signatures, error_signatures(step.output))):
            found.append(step)
    before = steps[first : mended.place]
    corrected = {step.subject for step in repair.edits}
    own = normalised(repair.failed.subject)
    passed = next((n for n in reversed(range(len(before))) if normalised(before[n].subject) == own), -1)
    found += [step for step in before[passed + 1 :] if step.kind == "edit" and step.subject in corrected]
    wholes = [replace(step, subject=step.whole) for step in found if step.whole]
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
    return f"{_quoted(step)} failed"


def _decisive_line(found: Sequence[Headline]) -> str:
    """The most specific headline that names something, else the first one; empty where there is none."""
    named = decisive_error([each.text for each in found if signature_of(each).named])
    return named or (found[0].text if found else "")


def _told(repair: Repair) -> tuple[str, ...]:
    """Return what was changed, word for word: edits, commands in between, and the command where it is another one."""
    few = len(repair.edits) <= _EDITS
    edits = repair.edits if few else decisive_edits(repair.edits, repair.failed.output)[-_EDITS:]
    changes = [_edited(step) for step in edits]
    changes += list(dict.fromkeys(f"Run {_quoted(step)}" for step in repair.commands))[-_COMMANDS:]
    if not repair.same_command:
        changes.append(f"Run {_quoted(repair.worked)} instead of {_quoted(repair.failed)}")
    return tuple(filter(None, changes))


def command_of_change(change: str) -> str:
    """Return the command that a change runs, as `find_fixed_errors` words it; empty for an edit."""
    found = _RUN.match(change)
    return found[1] if found else ""


def commands_of_fix(fix: str) -> list[str]:
    """Return the commands that a fix has run before the one that failed, as `find_fixed_errors` words it."""
    lines = without_sources(fix).splitlines()
    return [command for line in lines if INSTEAD not in line and (command := command_of_change(line))]


def _edited(step: Step) -> str:
    change = describe_change(step, _CHANGE_CHARS)
    if change:
        return f"Edit {step.file}: {change}"
    written = next((new for old, new in step.change if new and not old), "")
    return f"Write {step.file}: {truncate(written.strip(), _CHANGE_CHARS)}" if written.strip() else f"Edit {step.file}"


def _quoted(step: Step) -> str:
    return f"`{truncate_line(step.subject, _COMMAND_CHARS)}`"
