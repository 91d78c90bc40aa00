"""Calls that worked where a run made them first: a call that had led to an error is warned of as long as it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_reflect.application.known_errors.recurrences import commands_that_worked, error_of, is_led_by
from mcp_reflect.domain.lessons.failures.fix_wording import commands_of_fix
from mcp_reflect.domain.lessons.failures.triggers import is_same_trigger, trigger_key, trigger_of
from mcp_reflect.domain.lessons.failures.ways_out import is_way_out
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.models import ErrorMemory


@dataclass(frozen=True)
class WorkedCall:
    """A call that worked at once in a run; `before` are the triggers of what the run had done up to then."""

    trigger: str
    before: tuple[str, ...] = ()

    def shows_it_works(self, memory: ErrorMemory) -> bool:
        """Return true where the call had led to an error, and works now.

        A run that did first what the error's fix says, as one does that was warned, shows nothing of the call alone;
        nor does a call together with what made it work.
        """
        if not is_led_by(memory, [self.trigger]):
            return False
        if is_way_out(self.trigger, memory.triggers, commands_that_worked(memory), error_of(memory)):
            return False
        mends = [Step("command", "", command) for command in commands_of_fix(memory.correct_action)]
        mends += [Step("edit", "", edit.path, change=((edit.replaced, edit.written),)) for edit in memory.edits]
        return not any(is_same_trigger(each, done) for each in map(trigger_of, mends) if each for done in self.before)


def find_worked_calls(steps: Sequence[Step]) -> list[WorkedCall]:
    """Return the commands and edits that worked where the run made them first."""
    found: list[WorkedCall] = []
    done: dict[str, list[str]] = {}
    before: list[str] = []
    for step in steps:
        if not (trigger := trigger_of(step)):
            continue
        alike = done.setdefault(trigger_key(trigger), [])
        if any(is_same_trigger(trigger, each) for each in alike):
            continue
        if step.failed is False:
            found.append(WorkedCall(trigger, tuple(before)))
        alike.append(trigger)
        before.append(trigger)
    return found
