"""What a run changed in files beside its repairs, as it ended: where it is little, it is a part of what worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain.lessons.failures.change_text import describe_change, edits_by_file
from mcp_reflect.domain.lessons.failures.muting import are_tests
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.failures.wording import decisive_edits
from mcp_reflect.domain.lessons.run.call_text import CALL_CHARS
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step

_SMALL_CHANGE = 2
"""Most edits beside the repairs of a run that are told: of many, none says what made the difference."""
_SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - read, not written to
"""Folders of files that a run makes to look at something: beside what it changed elsewhere they are no part of it."""


def other_edits(steps: Sequence[Step], repairs: Sequence[Repair]) -> list[Step]:
    """Return what a run changed in files beside its repairs, as it ended; nothing where that is no small change.

    What checks a change stands behind it, and makes a small change no larger.
    """
    told: dict[str, tuple[tuple[str, str], ...]] = {}
    for step in (edit for repair in repairs for edit in decisive_edits(repair.edits, repair.error)):
        told[step.subject] = told.get(step.subject, ()) + step.change
    edits = NetChanges(steps).of([step for step in steps if step.kind == "edit" and not step.failed])
    edits = [step for step in edits if not step.subject.startswith(_SCRATCH)] or edits
    files = edits_by_file([each for step in edits if (each := _untold(step, told.get(step.subject, ())))])
    left = [step for step in files if describe_change(step, CALL_CHARS)]
    of_tests = [step for step in left if are_tests(step.file)]
    others = [step for step in left if step not in of_tests]
    shown = [*others, *of_tests] if len(left) <= _SMALL_CHANGE else others
    return shown if len(shown) <= _SMALL_CHANGE else []


def _untold(edit: Step, told: Sequence[tuple[str, str]]) -> Step | None:
    """An edit without the changes that a repair tells; of a file that one tells only what those leave as it was."""
    if not told:
        return edit
    known = "\n".join(text for pair in told for text in pair)
    change = tuple((old, new) for old, new in edit.change if (old, new) not in told and not _is_in(new, known))
    return replace(edit, change=change) if change else None


def _is_in(text: str, known: str) -> bool:
    return all(line.strip() in known for line in text.splitlines())
