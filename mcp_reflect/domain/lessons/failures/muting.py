"""Changes that make a failure go away by looking less: a test that is skipped or removed, a warning silenced."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.run.commands.operands import words_in
from mcp_reflect.domain.lessons.run.run_again import narrows
from mcp_reflect.domain.lessons.run.step import Step

_MUTES = re.compile(
    r"@(?:pytest\.mark\.)?(?:unittest\.)?(?:skip|xfail|Disabled|Ignore)\w*\b|\b(?:it|test|describe|context)\.(?:skip|todo)\b"
    r"|\bx(?:it|describe|test)\(|\bt\.Skip\w*\(|#\[ignore\b|\bpytest\.skip\("
    r"|#\s*(?:noqa|type:\s*ignore|nosec|pylint:\s*disable|pragma:\s*no cover|rubocop:disable)"
    r"|//\s*(?:@ts-(?:ignore|nocheck|expect-error)|eslint-disable|nolint|NOLINT)"
    r"|/\*\s*(?:eslint-disable|istanbul ignore)"
    r"|@SuppressWarnings\b|#pragma warning disable|#!?\[allow\("
)
"""What skips a test or silences a tool, in the line that it is about or above it."""
_TEST_NAME = re.compile(r"(?:^|[._-])(?:(?:unit)?tests?|specs?|e2e)(?:[._-]|$)|^Tests?[A-Z]|[a-z\d](?:Tests?|Specs?)$")
_TEST_FOLDER = re.compile(r"(?:unit|integration|functional)?[_-]?(?:tests?|specs?)|__tests__|e2e", re.IGNORECASE)
_PART_OF_TESTS = re.compile(r"\*+|unit|integration|functional|acceptance|e2e|system")
"""Folders of tests below one of all of them."""
_SOURCE = re.compile(
    r"(?:py|rb|rs|go|java|kts?|scala|groovy|cs|fs|vb|php|[cm]?[jt]sx?|vue|svelte|c|cc|cpp|cxx|h|hpp|mm?|swift|dart|exs?|erl"
    r"|cljs?|hs|ml|lua|p[lm]|t|sh|bats|r|jl|feature|\*)",
    re.IGNORECASE,
)
_MADE = re.compile(r"\..+|tmp|build|dist|target|out|obj|coverage|data|node_modules", re.IGNORECASE)
"""Folders of what was built or left behind: what is removed there was no test, whatever its name."""


def looks_less(step: Step) -> bool:
    """Return true for a step that only has less looked at: a muting edit, a removed test, a command that does less."""
    if step.kind == "command":
        return narrows(step.subject) or _removes_tests(step.subject)
    added = [line for old, new in step.change for line in new.splitlines() if line.strip() and line not in old]
    return step.kind == "edit" and bool(added) and all(map(_MUTES.search, added))


def is_muted(repair: Repair) -> bool:
    """Return true where all that was changed before the same command passed has less looked at."""
    changes = [*repair.edits, *repair.commands]
    return repair.same_command and bool(changes) and all(map(looks_less, changes))


def _removes_tests(command: str) -> bool:
    """Return true for a command that removes tests and nothing else."""
    words = [word for word in words_in(command) if word not in {"sudo", "git"}]
    removed = [word for word in words[1:] if not word.startswith("-")]
    return words[:1] == ["rm"] and bool(removed) and all(map(are_tests, removed))


def are_tests(path: str) -> bool:
    """Return true for the source of a test or a folder of tests, and not for what a test run leaves behind."""
    *folders, name = [part for part in path.split("/") if part not in {"", ".", ".."}] or [""]
    if any(map(_MADE.fullmatch, [*folders, name])):
        return False
    is_below = any(map(_TEST_FOLDER.fullmatch, folders))
    stem, _, ending = name.rpartition(".")
    if stem and _SOURCE.fullmatch(ending):
        return is_below or _TEST_NAME.search(stem) is not None
    if stem:
        return False
    return _TEST_FOLDER.fullmatch(name) is not None or (is_below and _PART_OF_TESTS.fullmatch(name) is not None)
