"""Changes that make a failure go away by looking less: a test that is skipped or removed, a warning silenced."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.run.run_again import narrows
from mcp_reflect.domain.lessons.run.steps import Step

_MUTES = re.compile(
    r"@(?:pytest\.mark\.)?(?:unittest\.)?(?:skip|xfail|Disabled|Ignore)\w*\b|\b(?:it|test|describe|context)\.(?:skip|todo)\b"
    r"|\bx(?:it|describe|test)\(|\bt\.Skip\w*\(|#\[ignore\b|\bpytest\.skip\("
    r"|#\s*(?:noqa|type:\s*ignore|nosec|pylint:\s*disable|pragma:\s*no cover|rubocop:disable)"
    r"|//\s*(?:@ts-(?:ignore|nocheck|expect-error)|eslint-disable|nolint|NOLINT)"
    r"|/\*\s*(?:eslint-disable|istanbul ignore)"
    r"|@SuppressWarnings\b|#pragma warning disable|#!?\[allow\("
)
"""What skips a test or silences a tool, in the line that it is about or above it."""
_REMOVES_TESTS = re.compile(r"(?:git\s+)?rm\s+(?:-\w+\s+)*(?:\S*/)?\S*(?:test|spec)\S*\s*$", re.IGNORECASE)


def looks_less(step: Step) -> bool:
    """Return true for a step that only has less looked at: a muting edit, a removed test, a command that does less."""
    if step.kind == "command":
        return narrows(step.subject) or _REMOVES_TESTS.match(step.subject.strip()) is not None
    added = [line for old, new in step.change for line in new.splitlines() if line.strip() and line not in old]
    return step.kind == "edit" and bool(added) and all(map(_MUTES.search, added))


def is_muted(repair: Repair) -> bool:
    """Return true where all that was changed before the same command passed has less looked at."""
    changes = [*repair.edits, *repair.commands]
    return repair.same_command and bool(changes) and all(map(looks_less, changes))
