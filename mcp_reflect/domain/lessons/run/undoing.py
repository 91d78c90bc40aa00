"""Commands that take back what a run did before: files that it wrote, and what an earlier command put in or set.

Such a command is a step back and not what worked: a word of it says so, and it names nothing that the earlier lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.command_lines import parts_of
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.text.memoize import memoize_short

_UNDOES = re.compile(
    r"-{0,2}(?:un(?:do|hold|install|link|load|lock|mask|mount|pin|register|set|stage|track)"
    r"|remove|rm|delete|del|drop|disable|down|stop|reset|revert|rollback)",
    re.IGNORECASE,
)
_JOINS = re.compile(r"[();<>|&]+")
_FILE = re.compile(r".*\.\w+|\.")
"""A name behind `git checkout` that is no branch."""


def undone_files(command: str) -> tuple[str, ...]:
    """Return the files and folders that a command line removes or restores, as it names them; `.` stands for all."""
    return tuple(name.removeprefix("./") or "." for words in _commands(command) for name in _taken_back(words))


def only_removes(command: str) -> bool:
    """Return true where a command line does nothing but remove files, apart from what only reads."""
    return all(part.startswith(("rm ", "rmdir ")) for part in parts_of(command))


def is_among(path: str, undone: tuple[str, ...]) -> bool:
    """Return true where a file is one of those that a command takes back (`undone_files`), or lies in one of them."""
    return any(name == "." or f"/{name.strip('/')}/" in f"/{path}/" for name in undone)


def find_undone(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands that a later one took back, as `npm uninstall x` an install, each with that one."""
    commands = [step for step in steps if step.kind == "command"]
    for place, later in enumerate(commands):
        undoing = [] if later.failed else [words for words in _commands(later.subject) if _is_undoing(words)]
        for earlier in commands[:place] if undoing else ():
            if any(_undoes(words, before) for words in undoing for before in _commands(earlier.subject)):
                yield earlier, later


def _taken_back(words: tuple[str, ...]) -> Iterator[str]:
    named = [word for word in words if not word.startswith("-")]
    match named:
        case ["rm", *files]:
            yield from files
        case ["git", "rm", *files] if "--cached" not in words:
            yield from files
        case ["git", "restore", *files] if "--staged" not in words or "--worktree" in words:
            yield from files
        case ["git", "checkout", *files]:
            yield from (files if "--" in words else filter(_FILE.fullmatch, files))
        case ["git", "reset", *_] if "--hard" in words:
            yield "."
        case ["git", "stash"] | ["git", "stash", "push", *_]:
            yield "."


def _is_undoing(words: tuple[str, ...]) -> bool:
    return any(map(_UNDOES.fullmatch, words[1:]))


def _undoes(later: tuple[str, ...], earlier: tuple[str, ...]) -> bool:
    left = {word for word in later if not (word.startswith("-") or _UNDOES.fullmatch(word))}
    return len(left) > 1 and left <= set(earlier) and not _is_undoing(earlier)


@memoize_short(entries=2_048, chars=8_000)
def _commands(line: str) -> tuple[tuple[str, ...], ...]:
    """The commands of a line, each as its words without quotes."""
    found: list[list[str]] = [[]]
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        for word in lexer:
            if _JOINS.fullmatch(word):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:  # an open quote: nothing is known of what stands in it
        return ()
    return tuple(tuple(words) for words in found if words)
