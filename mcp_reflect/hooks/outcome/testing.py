"""Detects commands that run tests, and reads the result from their output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mcp_reflect.hooks.transcripts.turn import TurnResult

_TAIL = 30_000
_WRAPPERS = re.compile(r"(?:time|nice|nohup|env|sudo|command|exec|npx|bunx|xvfb-run|coverage|dotenv)\Z")
_RUNNERS = {"uv", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi", "conda", "bundle"}
_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*\Z|py\Z")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_ALONE = re.compile(
    r"(?:.*/)?(?:py\.?test|tox|nox|nosetests|jest|vitest|mocha|ava|rspec|phpunit|pest|ctest|gotestsum|trial|stestr)\Z"
)
_WITH_TEST = {
    *("npm", "yarn", "pnpm", "bun", "deno", "go", "cargo", "make", "gmake", "just", "task", "mvn", "mvnw", "gradle"),
    *(
        "gradlew",
        "dotnet",
        "mix",
        "swift",
        "sbt",
        "rake",
        "rails",
        "lein",
        "zig",
        "flutter",
        "dart",
        "bazel",
        "composer",
    ),
}
_TARGET = re.compile(r"(?:unit|integration|e2e|run)?[-_:]?tests?(?:[-_:]\w+)*\Z|check\Z|nextest\Z|verify\Z")
_WRITES = re.compile(
    r"(?:sed|perl)\s(?:\S+\s+)*?-\w*i|\b(?:patch|tee|mv|cp|rm|truncate|apply_patch)\s"
    r"|\bgit\s+(?:checkout|restore|reset|stash|apply|revert|merge|pull|rebase|cherry-pick|am|clean)\b"
    r"|(?:^|[^0-9&>-])>{1,2}\s*(?!&|/dev/|\s)"
)
_LOOKS_ONLY = {"--version", "--help", "-h", "--collect-only", "--co", "--fixtures"}
_HARMLESS = {"cd", "export", "source", ".", "set", "echo", "pushd", "true", ":"}
_NOT_RUN = {126, 127, 130, 137, 143}
"""Exit codes of a command that was not found, not allowed, or stopped: they say nothing about the tests."""
_NO_TESTS = re.compile(
    r"\bno tests ran\b|^Ran 0 tests|\[no test files\]|\bNo tests? found|No module named '?(?:pytest|nose)\b"
    r"|^\d+ deselected in|command not found|\bcd: |Missing script|timed out after",
    re.MULTILINE | re.IGNORECASE,
)

_FAILED = re.compile(
    r"""^.{0,80}?\b[1-9]\d*\ (?:failed|errors?)\b.{0,200}\bin\ [\d.]+s          # pytest
    | ^FAILED\ \((?:failures|errors|unexpected)                                 # unittest
    | ^\s*Tests?:?\s.{0,80}?\b[1-9]\d*\ failed                                  # jest, vitest
    | ^\s*[1-9]\d*\ failing\b                                                   # mocha
    | ^--- FAIL: | ^FAIL\t | ^FAIL$                                             # go
    | ^test\ result:\ FAILED                                                    # cargo
    | ^\#\ fail\ [1-9]                                                          # TAP, node
    | \b[1-9]\d*\ tests?\ failed\ out\ of\ \d                                   # ctest
    | \b\d+\ (?:examples?|runs?|tests?),.{0,60}\b[1-9]\d*\ (?:failures?|errors?)  # rspec, minitest
    | ^FAILURES!$                                                               # phpunit
    | Tests\ run:\ \d+,\ (?:Failures:\ [1-9]|Failures:\ 0,\ Errors:\ [1-9])      # maven
    | ^Failed!\s+-\ Failed: | ^BUILD\ FAILED | There\ were\ failing\ tests      # dotnet, gradle
    """,
    re.MULTILINE | re.VERBOSE,
)
_PASSED = re.compile(
    r"""^.{0,80}?\b[1-9]\d*\ passed\b.{0,200}\bin\ [\d.]+s
    | ^Ran\ [1-9]\d*\ tests?\ in\ [\d.]+s\s+OK\b
    | ^\s*Tests?:?\s.{0,80}?\b[1-9]\d*\ passed
    | ^\s*[1-9]\d*\ passing\b
    | ^ok\s+\t?\S+\s+(?:[\d.]+s|\(cached\))
    | ^test\ result:\ ok\.\ [1-9]
    | ^\#\ pass\ [1-9]
    | 100%\ tests\ passed,\ 0\ tests\ failed\ out\ of\ [1-9]
    | \b[1-9]\d*\ (?:examples?|runs?|tests?),.{0,60}\b0\ failures?\b(?!.{0,20}[1-9]\d*\ errors)
    | ^OK\ \([1-9]\d*\ tests?
    | Tests\ run:\ [1-9]\d*,\ Failures:\ 0,\ Errors:\ 0
    | ^Passed!\s+-\ Failed:
    """,
    re.MULTILINE | re.VERBOSE,
)


class DetectedTestRun(NamedTuple):
    """The place of a test run in a command line.

    `last`: its exit code is theirs. `bare`: nothing before them can fail. `guarded`: what follows runs only if
    they pass.
    """

    last: bool
    bare: bool
    guarded: bool


@lru_cache(maxsize=256)  # a run repeats its commands, and its evidence is looked for in several ways
def detect_test_run(command: str) -> DetectedTestRun | None:
    """Return the test run in a command line; None where it does not, or cannot be read with certainty."""
    if "<<" in command or len(command) > _TAIL:
        return None
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    try:
        tokens = list(lexer)
    except ValueError:
        return None
    segments: list[tuple[list[str], str]] = [([], "")]
    redirected = False
    for token in tokens:
        if token and not set(token) - set(";&|()\n"):
            segments[-1] = (segments[-1][0], token.strip() or ";")
            segments.append(([], ""))
        elif token and not set(token) - set("<>&"):
            redirected = True
        elif redirected:
            redirected = False
        else:
            segments[-1][0].append(token)
    filled = [(words, after) for words, after in segments if words]
    runs = [number for number, (words, _) in enumerate(filled) if _runs_tests(words)]
    if not runs:
        return None
    at = runs[-1]
    after = [filled[at][1], *(connector for _, connector in filled[at + 1 :])][: len(filled) - at]
    rest = len(filled) - at - 1
    return DetectedTestRun(
        last=rest == 0 and filled[at][1] in {"", ";"},
        bare=all(words[0] in _HARMLESS for words, _ in filled[:at]),
        guarded=all(connector == "&&" for connector in after[:rest]),
    )


def _runs_tests(words: Sequence[str]) -> bool:
    rest = _unwrapped(list(words))
    if rest and _PYTHON.match(rest[0]):
        return _python_tests(rest[1:])
    return _names_tests(rest)


def _unwrapped(words: list[str]) -> list[str]:
    """A command without what only runs another one."""
    while words:
        if _ASSIGNMENT.match(words[0]) or _WRAPPERS.match(words[0]):
            words = words[1:]
        elif words[0] == "timeout":
            words = _after_options(words[1:], numbers=True)
        elif words[0] in _RUNNERS and words[1:2] in (["run"], ["exec"]):
            words = _after_options(words[2:])
        else:
            break
    return words


def _after_options(words: list[str], *, numbers: bool = False) -> list[str]:
    while words and (words[0].startswith("-") or (numbers and words[0][:1].isdigit())):
        words = words[1:]
    return words


def _python_tests(words: list[str]) -> bool:
    if "-m" in words:
        rest = words[words.index("-m") + 1 :]
        return rest[:1] in (["unittest"], ["doctest"]) or _names_tests(rest)
    script = words[0].rpartition("/")[2] if words else ""
    return script == "runtests.py" or (script in {"manage.py", "setup.py"} and words[1:2] == ["test"])


def _names_tests(words: list[str]) -> bool:
    if not words:
        return False
    if _ALONE.match(words[0]):
        return not _LOOKS_ONLY & set(words)
    name = words[0].rpartition("/")[2]
    return name in _WITH_TEST and any(_TARGET.match(word) for word in words[1:4] if not word.startswith("-"))


def may_change_files(command: str) -> bool:
    """Return whether a command that runs no tests may have changed what tests are about."""
    return _WRITES.search(command) is not None


def judge_test_output(run: DetectedTestRun, output: str, exit_code: int | None) -> TurnResult | None:
    """Return the result of a test command; None where output and exit code disagree or say nothing."""
    text = output if len(output) <= _TAIL else output[-_TAIL:]
    if exit_code in _NOT_RUN:
        return None
    told: TurnResult | None = "fail" if _FAILED.search(text) else "pass" if _PASSED.search(text) else None
    if told is None and _NO_TESTS.search(text):
        return None
    ended: TurnResult | None = None
    if exit_code == 0 and (run.last or run.guarded):
        ended = "pass"
    elif exit_code and run.last and run.bare:
        ended = "fail"
    if told and ended and told != ended:
        return None
    return told or ended
