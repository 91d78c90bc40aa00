"""Commands that are run again: the same one, or one that does the same in another way."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection

from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.lessons.run.command_lines import normalised, program_of
from mcp_reflect.domain.lessons.run.steps import Step

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


def is_run_again(failed: Step, other: Step, tried: Collection[str] = ()) -> bool:
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


def has_same_operands(one: Step, other: Step) -> bool:
    """Return true where two commands differ in options and assignments at most, without values that stand alone."""
    ours, theirs = (Counter(_split(normalised(step.subject))) for step in (one, other))
    differing = (ours - theirs) + (theirs - ours)
    return all(_OPTION.match(word) or _ASSIGNMENT.match(word) for word in differing)


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
    named = re.compile(rf"(?<!\w){re.escape(operand)}(?!\w)")
    return any(named.search(each.text) and _NOT_THERE.search(each.text) for each in find_headlines(output))
