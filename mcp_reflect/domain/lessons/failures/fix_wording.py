"""Wording of a fix: the changes that made a command pass, a line each, and what the agent said of them in the end."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.change_text import describe_change, edits_by_file
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.failures.wording import decisive_edits
from mcp_reflect.domain.lessons.run.commands.told_command import told_command
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.text.quotation import read_quotation, without_sources
from mcp_reflect.domain.truncate import truncate

_CHANGE_CHARS = 500
_COMMAND_CHARS = 400
_COMMANDS = 2
_EDITS = 3

INSTEAD_OF = " instead of "
INSTEAD = f"`{INSTEAD_OF}`"
_RUN = re.compile(rf"Run `(.+?)(?:{INSTEAD}.+)?`$")
_CLOSING = "The agent said in the end: "


def fix_text(changes: Sequence[str], said: Sequence[str]) -> str:
    """Return a fix as one text; what the agent concluded from a text that it read is a quotation with that source."""
    quoted = [each for each in said if read_quotation(each)]
    own = " ".join(each for each in said if each not in quoted)
    closing = [f'{_CLOSING}"{own}"'] if own else []
    return "\n".join([*changes, *quoted, *closing])


def is_part_of_fix(line: str, changes: Sequence[str], said: Sequence[str]) -> bool:
    """Return true for a line of a fix that tells one of these changes, or what was said, as far as that may be told."""
    if line.startswith(_CLOSING):
        return any(sentence in line for sentence in said)
    return line in said or any(each.startswith(line) for change in changes for each in change.splitlines())


def command_of_change(change: str) -> str:
    """Return the command that a change runs, as `find_fixed_errors` words it; empty for an edit."""
    found = _RUN.match(change)
    return found[1] if found else ""


def commands_of_fix(fix: str) -> list[str]:
    """Return the commands that a fix has run before the one that failed, as `find_fixed_errors` words it."""
    lines = without_sources(fix).splitlines()
    return [command for line in lines if INSTEAD not in line and (command := command_of_change(line))]


def forms_of_fix(fix: str) -> list[str]:
    """Return the commands that a fix has run instead of the one that failed."""
    lines = without_sources(fix).splitlines()
    return [command for line in lines if INSTEAD in line and (command := command_of_change(line))]


def told_changes(repair: Repair) -> tuple[str, ...]:
    """Return what was changed, word for word: edits, commands in between, and the command where it is another one."""
    files = edits_by_file(repair.edits)
    edits = files if len(files) <= _EDITS else decisive_edits(repair.edits, repair.failed.output)
    changes = [told_edit(step) for step in edits]
    changes += list(dict.fromkeys(f"Run {quoted(step)}" for step in repair.commands))[-_COMMANDS:]
    if not repair.same_command:
        changes.append(f"Run {quoted(repair.worked)} instead of {quoted(repair.failed)}")
    return tuple(filter(None, changes))


def told_edit(step: Step) -> str:
    """Return what an edit changed in which file; of a new file its text."""
    change = describe_change(step, _CHANGE_CHARS)
    if change:
        return f"Edit {step.file}: {change}"
    written = next((new for old, new in step.change if new and not old), "")
    return f"Write {step.file}: {truncate(written.strip(), _CHANGE_CHARS)}" if written.strip() else f"Edit {step.file}"


def quoted(step: Step) -> str:
    """Return a command in backquotes; a long one cut."""
    return f"`{told_command(step.subject, _COMMAND_CHARS)}`"
