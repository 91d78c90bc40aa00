"""Commands that may have mended a failure: what they changed is needed by others, or the failure names them."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain.lessons.run.commands.effects import only_reads, prepares
from mcp_reflect.domain.lessons.run.commands.idle_commands import did_nothing
from mcp_reflect.domain.lessons.run.commands.lines import normalised, program_of, subcommand_of
from mcp_reflect.domain.lessons.run.commands.printing_scripts import only_shows
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.step import Step

_FEW_COMMANDS = 2
"""Commands up to which all are told, where one of them prepares something: alone it may be half of the repair."""


def is_preparation(step: Step) -> bool:
    """Return true for a command that worked and changed something that others need."""
    return step.kind == "command" and step.failed is False and prepares(step.subject) and not did_nothing(step.output)


def is_inspection(step: Step) -> bool:
    """Return true for a command that only reads."""
    return step.kind == "command" and only_reads(step.subject)


def find_mending(between: Sequence[Step], failed: Step) -> list[Step]:
    """The commands that mended a failure: all that acted where they are few, else those that are likely to have."""
    own = {normalised(failed.subject), *parts_of(failed.subject)}
    acted: dict[str, Step] = {}
    for step in between:
        if (
            step.kind == "command"
            and step.failed is False
            and not (only_shows(step.subject) or did_nothing(step.output))
        ):
            command = normalised(step.subject)
            acted.pop(command, None)  # where it ran last
            acted[command] = step
    others = [step for command, step in acted.items() if command not in own]
    prepared = [step for step in others if is_preparation(step)]
    if len(others) <= (_FEW_COMMANDS if prepared else 1):
        return others
    return prepared or [step for step in others if _may_have_mended(step, failed)]


def _may_have_mended(step: Step, failed: Step) -> bool:
    """Return true where a command is another one of the failed program, or one that its output names."""
    ours, theirs = normalised(failed.subject), normalised(step.subject)
    if theirs in failed.output:
        return True
    others = subcommand_of(ours), subcommand_of(theirs)
    return program_of(ours) == program_of(theirs) and all(others) and others[0] != others[1]
