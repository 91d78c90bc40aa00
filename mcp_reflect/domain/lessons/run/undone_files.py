"""Files that commands of a run remove, restore or change in place, and what commands had made there before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.git_words import files_undone_by_git, has_restored, plain_git
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.commands.words import commands_of
from mcp_reflect.domain.lessons.run.step import Step

_LASTS = re.compile(r"\b(?:install|add|ci|sync|pull|fetch|login|exec|create|up|start)\b")
"""Commands that do more than to make files of the repository."""
_SETS_UP = frozenset({"cd", "export", "set"})
_CHANGERS = frozenset({"cp", "mv", "rm", "tee", "truncate"})
_IN_PLACE = {"sed": re.compile(r"--in-place|-[nEsruz]*i"), "perl": re.compile(r"-[0-9]*[npw]*[0-9]*i(?:\.\w+)?\Z|-pi")}
_NAMED_FILE = re.compile(r"[\w./@-]*\w\.\w[\w.]*|\.\w[\w.]*|[\w@-]+/[\w./@-]*")
_MADE = re.compile(
    r"\b(?:creat(?:ed?|ing)|generat(?:ed?|ing)|wrote|writ(?:ten|ing))\b[^\n]{0,80}?([\w.-]+/[\w./-]*\w\.\w+)",
    re.IGNORECASE,
)
_MOST_LOOKED_AT = 5_000


def undone_files(command: str) -> tuple[str, ...]:
    """Return the files and folders that a command line removes or restores, as it names them; `.` stands for all."""
    here = takewhile(lambda words: not _leaves_repository(words), commands_of(command))
    return tuple(name for words in here for name in files_undone_by(words))


def _leaves_repository(words: tuple[str, ...]) -> bool:
    """Return true for a change to a folder beside the one that the run works in, such as another worktree."""
    return words[0] == "cd" and len(words) > 1 and words[1].startswith("../") and words[1].strip("./") != ""


def files_undone_by(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that one command removes or restores, as it names them; `.` stands for all."""
    return tuple(name.removeprefix("./") or "." for name in _taken_back(plain_git(words)[0]) if name)


def only_removes(command: str) -> bool:
    """Return true where a command line does nothing but remove files, apart from what only reads."""
    return all(part.startswith(("rm ", "rmdir ")) for part in parts_of(command))


def find_unmade(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands that made or changed files, all of which a later one restored or removed, with that one.

    What a command makes is known where it says so: "Created new merge migration a/0018_merge.py".
    """
    done = [step for step in steps if step.kind == "command" and not step.failed]
    undoing = [(place, step, files) for place, step in enumerate(done) if (files := undone_files(step.subject))]
    for place, earlier in enumerate(done) if undoing else ():
        left = {*_changed_in_place(earlier), *_MADE.findall(earlier.output[:_MOST_LOOKED_AT])}
        for later, step, files in undoing if left else ():
            left = {name for name in left if later <= place or not is_among(name, files)}
            if not left:
                yield earlier, step
                break


def files_changed_by(command: str) -> tuple[str, ...]:
    """Return the files that a command line names to `sed -i`, `mv` and the like, which change them."""
    return tuple(
        word.removeprefix("./")
        for words in commands_of(command)
        if words[0] in _CHANGERS or _is_in_place(words)
        for word in words[-1 if words[0] in {"cp", "mv"} else 1 :]
        if _NAMED_FILE.fullmatch(word)
    )


def _is_in_place(words: tuple[str, ...]) -> bool:
    option = _IN_PLACE.get(words[0])
    return option is not None and any(map(option.match, words[1:]))


def _changed_in_place(step: Step) -> tuple[str, ...]:
    """The files that `sed -i` and the like change, where a command line does nothing else."""
    commands = [words for words in commands_of(step.subject) if words[0] not in _SETS_UP]
    return files_changed_by(step.subject) if commands and all(map(_is_in_place, commands)) else ()


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
            if acted is not None and not is_edited and has_restored(step.subject, step.output):
                yield acted, step
            if not only_reads(step.subject):
                acted = None if _LASTS.search(step.subject) else step


def is_among(path: str, undone: tuple[str, ...]) -> bool:
    """Return true where a file is one of those that a command takes back (`undone_files`), or lies in one of them."""
    return any(name == "." or f"/{name.strip('/')}/" in f"/{path}/" for name in undone)


def _taken_back(words: tuple[str, ...]) -> Iterator[str]:
    named = [word for word in words if not word.startswith("-")]
    yield from named[1:] if named[:1] == ["rm"] else files_undone_by_git(words)
