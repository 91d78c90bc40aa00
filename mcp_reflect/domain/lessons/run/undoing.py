"""Commands that take back what a run did before: files that it wrote, and what an earlier command put in or set.

Such a command is a step back and not what worked: a word of it says so, and it names nothing that the earlier lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.command_lines import only_reads, parts_of
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.text.memoize import memoize_short

_UNDOES = re.compile(
    r"-{0,2}(?:un(?:do|hold|install|link|load|lock|mask|mount|pin|register|set|stage|track)"
    r"|remove|rm|delete|del|drop|disable|down|stop|reset|revert|rollback)",
    re.IGNORECASE,
)
_CANCELS = re.compile(r"(?:^|_)(?:cancel|delete|discard|remove|revert|revoke|rollback|undo|void|withdraw)(?:_|$)")
"""Tools that take back what another one made."""
_LEAST_ID = 3
_MOST_CANCELLED = 10
_MOST_VALUES = 4
"""The last of such calls that are looked at, and values of each that are looked for."""
_JOINS = re.compile(r"[();<>|&]+")
_RESTORES = re.compile(r"(?:cd\s+\S+\s*&&\s*)?git\s+(?:checkout|restore|reset\s+--hard)\b")
_RESTORED = re.compile(r"^(?:Updated \d+ paths? from|HEAD is now at)\b", re.MULTILINE)
_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1.*?(?:^[ \t]*\2$|\Z)", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r".*\.\w+|\.")
"""A name behind `git checkout` that is no branch."""


def undone_files(command: str) -> tuple[str, ...]:
    """Return the files and folders that a command line removes or restores, as it names them; `.` stands for all."""
    return tuple(name.removeprefix("./") or "." for words in _commands(command) for name in _taken_back(words))


def only_removes(command: str) -> bool:
    """Return true where a command line does nothing but remove files, apart from what only reads."""
    return all(part.startswith(("rm ", "rmdir ")) for part in parts_of(command))


def only_takes_back(command: str) -> bool:
    """Return true where a command line does nothing but remove or restore files, apart from what only reads."""
    return all(map(undone_files, parts_of(command)))


def has_restored(output: str) -> bool:
    """Return true where git says that it restored files."""
    return _RESTORED.search(output) is not None


def find_discarded(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands whose output files version control then restored, each with the command that did.

    No edit of the run had changed these files, so what the last command had made there was not wanted.
    """
    acted: Step | None = None
    is_edited = False
    for step in steps:
        if step.kind == "edit":
            is_edited = True
        elif step.kind == "command" and not step.failed:
            if acted is not None and not is_edited and has_restored(step.output) and _RESTORES.match(step.subject):
                yield acted, step
            if not only_reads(step.subject):
                acted = step


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


def find_cancelled(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the calls that made something which a later call cancelled or deleted, each with that one.

    It is known by a value that the later call is given, and that nothing named before the earlier one returned it.
    """
    cancelling = [place for place, step in enumerate(steps) if _cancels(step) and not step.failed]
    for place in cancelling[-_MOST_CANCELLED:]:
        later = steps[place]
        named = [value for value in map(str, later.arguments.values()) if len(value) >= _LEAST_ID][:_MOST_VALUES]
        for value in named:
            first = next((step for step in steps[:place] if value in step.subject or value in step.output), None)
            if first is None or value in first.subject or first.kind != "call" or first.failed:
                continue
            if not (_cancels(first) or only_asks(first.tool)):
                yield first, later


def _cancels(step: Step) -> bool:
    return step.kind == "call" and _CANCELS.search(step.tool) is not None


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
    lexer = shlex.shlex(_DOCUMENT.sub("", line), posix=True, punctuation_chars=True)
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
