"""Wording of steps and repairs in a lesson: their own commands, values and error lines, verbatim."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mcp_reflect.domain.lessons.repairs import Repair, describe_change, is_inspection
from mcp_reflect.domain.lessons.steps import Step
from mcp_reflect.domain.truncate import truncate_line

_COMMAND_CHARS = 160
CALL_CHARS = 200
_ERROR_CHARS = 180
_CHANGE_CHARS = 200
_EDITS = 2
_PATH_PARTS = 3
"""Of a long path the last parts are shown: where a repository lies differs from machine to machine."""
_LOOKUP = re.compile(
    r"(?:get|list|search|find|read|fetch|query|lookup|look_up|think|view|show|describe|calculate|glob|grep)"
)


def is_telling(step: Step) -> bool:
    """Return true for commands with arguments and for calls that change something, which a lesson may quote."""
    if step.kind == "edit" or not step.subject:
        return False
    if step.kind == "command":
        return not is_inspection(step) and len(step.subject) > 2  # noqa: PLR2004 - no command is shorter
    return not _LOOKUP.match(step.tool.lower().rpartition("__")[2])


def describe_step(step: Step) -> str:
    """Return a command in backquotes, another call as `tool(name=value)`; long ones cut."""
    if step.kind == "command":
        return f"`{truncate_line(step.subject, _COMMAND_CHARS)}`"
    return f"`{step.tool}({truncate_line(step.subject, CALL_CHARS)})`"


def describe_repair(repair: Repair) -> str:
    """Return what works, which the next run needs first, with the changes before it; then what failed, and how."""
    error = f": {first_sentence(repair.error)}" if repair.error else "."
    changes = [_describe_edit(step) for step in decisive_edits(repair.edits, repair.error)[-_EDITS:]]
    changes += [describe_step(step) for step in repair.commands[-2:]]
    after = f" after {'; '.join(changes)}" if changes else ""
    if repair.same_command:
        return f"{describe_step(repair.worked)}{after}. Before that it failed{error}"
    return f"{describe_step(repair.worked)}{after}. {describe_step(repair.failed)} failed{error}"


def decisive_edits(edits: Sequence[Step], error: str) -> list[Step]:
    """Return the last edit of each file, latest last; only those of files that the error names, where it names any."""
    by_file = {step.subject: step for step in edits}
    named = [step for path, step in by_file.items() if path and path.rpartition("/")[2] in error]
    return named or list(by_file.values())


def file_name(step: Step) -> str:
    """Return the last three parts of the path of an edit; "a file" where none is known."""
    return "/".join(step.subject.rsplit("/", _PATH_PARTS)[-_PATH_PARTS:]) if step.subject else "a file"


def _describe_edit(step: Step) -> str:
    name = file_name(step)
    change = describe_change(step, _CHANGE_CHARS)
    return f"editing {name} ({change})" if change else f"writing {name}"


def first_sentence(error: str) -> str:
    """Return an error line on one line, cut behind its first sentence where it is long."""
    line = " ".join(error.split())
    if len(line) > _ERROR_CHARS and 0 < (end := line.find(". ")) <= _ERROR_CHARS:
        return line[:end]
    return truncate_line(line, _ERROR_CHARS).rstrip(".")
