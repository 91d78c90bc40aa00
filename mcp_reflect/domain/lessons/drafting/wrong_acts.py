"""Acts of a failed run that were wrong or incomplete: those that its reviewer names, else the edits it ended with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.wording import NEW_FILE, describe_edit, describe_step
from mcp_reflect.domain.lessons.run.call_text import describe_call_form
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.lessons.run.undoing import files_changed_by

MOST_EDITS = 2
_FILE_NAME = re.compile(r"(?<![\w./@-])[\w@-][\w./@-]*\.[A-Za-z]\w{0,11}\b")


def edits_told(steps: Sequence[Step]) -> list[Step]:
    """Return the last edits of a failed run, as they ended: they are what was wrong or incomplete, not its checks."""
    edits = NetChanges(steps).of([step for step in steps if step.kind == "edit" and not step.failed])
    told = [_told_edit(step, steps) for step in edits if step.change]
    changes = [step for step in told if any(old for old, _ in step.change)]
    return (changes or told)[-MOST_EDITS:]  # of what was there before a run knew less than of its own files


def _told_edit(edit: Step, steps: Sequence[Step]) -> Step:
    """An edit, or the last of that file that tells anything, where the run wrote all of it."""
    if not describe_edit(edit).startswith(NEW_FILE):
        return edit
    later = [step for step in steps if step.kind == "edit" and not step.failed and step.subject == edit.subject]
    return next((step for step in reversed(later) if not describe_edit(step).startswith(NEW_FILE)), edit)


def acts_named_in(feedback: str, steps: Sequence[Step]) -> list[Step]:
    """The edits of files that the reviewer names; without any the last command that changes one of them."""
    named = set(map(_last_name, _FILE_NAME.findall(feedback)))
    if not named:
        return []
    edits = NetChanges(steps).of([step for step in steps if step.kind == "edit" and not step.failed])
    told = [step for step in edits if step.change and _last_name(step.subject) in named]
    ran = (step for step in reversed(steps) if step.kind == "command")
    changing = (step for step in ran if not named.isdisjoint(map(_last_name, files_changed_by(step.subject))))
    return told[-MOST_EDITS:] or list(islice(changing, 1))


def _last_name(path: str) -> str:
    return path.rpartition("/")[2]


def describe_rejected(step: Step) -> str:
    """Return a call of a run that worked on a case, which was wrong: without the values of that case."""
    return describe_call_form(step) if step.kind == "call" else describe_act(step)


def describe_act(step: Step) -> str:
    return describe_edit(step) if step.kind == "edit" else describe_step(step)
