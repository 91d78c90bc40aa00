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
from mcp_reflect.domain.trajectory.here_documents import without_documents

REVERTED = "the last commit"
"""What stands for the files of the commit that `git revert` takes back: which they are the command does not say."""
_UNDOES = re.compile(
    r"-{0,2}(?:un(?:do|hold|install|link|load|lock|mask|mount|pin|register|set|stage|track)"
    r"|remove|rm|delete|del|drop|disable|down|stop|reset|revert|rollback)",
    re.IGNORECASE,
)
_CANCELS = re.compile(r"(?:^|_)(?:cancel|delete|discard|remove|revert|revoke|rollback|undo|void|withdraw)(?:_|$)")
"""Tools that take back what another one made."""
_LASTS = re.compile(r"\b(?:install|add|ci|sync|pull|fetch|login|exec|create|up|start)\b")
"""Commands that do more than to make files of the repository."""
_SETS_UP = frozenset({"cd", "export", "set"})
_CHANGERS = frozenset({"cp", "mv", "rm", "tee", "truncate"})
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|-p[a-z]*i")
_NAMED_FILE = re.compile(r"[\w./@-]*\w\.\w[\w.]*|\.\w[\w.]*|[\w@-]+/[\w./@-]*")
_LEAST_ID = 3
_MOST_CANCELLED = 10
_MOST_VALUES = 4
"""The last of such calls that are looked at, and values of each that are looked for."""
_JOINS = re.compile(r"[();<>|&]+")
_RESTORES = re.compile(r"(?:cd\s+\S+\s*&&\s*)?git\s+(?:checkout|restore|reset\s+--hard)\b")
_RESTORED = re.compile(r"^Updated \d+ paths? from\b", re.MULTILINE)
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


def restored_first(command: str) -> tuple[str, ...]:
    """Return the files that the first command of several restores by version control; empty for a single command."""
    acting = [words for words in _commands(command) if words[0] not in _SETS_UP]
    return tuple(_taken_back(acting[0])) if len(acting) > 1 and acting[0][0] == "git" else ()


def find_unmade(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands that changed files in place, all of which a later one restored or removed, with that one."""
    for place, earlier in enumerate(steps):
        files = set(_changed_in_place(earlier)) if earlier.kind == "command" and not earlier.failed else set[str]()
        for later in steps[place + 1 :] if files else ():
            if later.kind == "command" and not later.failed and (undone := undone_files(later.subject)):
                files = {name for name in files if not is_among(name, undone)}
                if not files:
                    yield earlier, later
                    break


def files_changed_by(command: str) -> tuple[str, ...]:
    """Return the files that a command line names to `sed -i`, `mv` and the like, which change them."""
    return tuple(
        word.removeprefix("./")
        for words in _commands(command)
        if words[0] in _CHANGERS or _is_in_place(words)
        for word in words[1:]
        if _NAMED_FILE.fullmatch(word)
    )


def _is_in_place(words: tuple[str, ...]) -> bool:
    return words[0] in {"sed", "perl"} and any(map(_IN_PLACE.match, words[1:]))


def _changed_in_place(step: Step) -> tuple[str, ...]:
    """The files that `sed -i` and the like change, where a command line does nothing else."""
    commands = [words for words in _commands(step.subject) if words[0] not in _SETS_UP]
    return files_changed_by(step.subject) if commands and all(map(_is_in_place, commands)) else ()


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
                acted = None if _LASTS.search(step.subject) else step


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
        values = map(str, later.arguments.values())
        named = [value for value in values if len(value) >= _LEAST_ID and any(map(str.isdigit, value))][:_MOST_VALUES]
        for value in named:
            first = next((step for step in steps[:place] if value in step.subject or value in step.output), None)
            if first is None or value in first.subject or first.kind != "call" or first.failed:
                continue
            if not (_cancels(first) or only_asks(first.tool)) and _share_noun(first.tool, later.tool):
                yield first, later


def _share_noun(one: str, other: str) -> bool:
    return not set(one.lower().split("_")).isdisjoint(other.lower().split("_"))


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
        case ["git", "revert", *_]:
            yield REVERTED
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
    lexer = shlex.shlex(without_documents(line), posix=True, punctuation_chars=True)
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
