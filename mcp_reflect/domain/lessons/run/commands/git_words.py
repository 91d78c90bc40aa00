"""The words of a git command: its options, what it names, and the files that it restores, from which revision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re

_SETS = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_TAKES_MESSAGE = re.compile(r"-[a-zA-Z]*m|-[CFs]|--(?:author|date|file|mainline|message|source)")
_RESTORES = re.compile(r"(?:cd\s+\S+\s*&&\s*)?git\s+(?:checkout|restore|reset\s+--hard)\b")
_RESTORED = re.compile(r"^Updated \d+ paths? from\b", re.MULTILINE)
_FILE = re.compile(
    r".*\.\w+|\.|(?:[^/]+/)*(?:(?:Docker|Container|Make|GNUmake|Gem|Rake|Proc|Jenkins|Vagrant|Just|Brew|Pod|Pip|Task|Tilt)file"
    r"|(?:Docker|Container)file\S*|justfile|makefile|BUILD|WORKSPACE|README|LICENSE|NOTICE|CHANGELOG|VERSION)"
)
"""A name behind `git checkout` that is no branch."""


def plain_git(words: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return a git command without variables before it and options of git itself, and the folder that these name.

    Another command is returned as it is.
    """
    start = next((place for place, word in enumerate(words) if not _SETS.fullmatch(word)), 0)
    if words[start] != "git":
        return words, ""
    folder, place = "", start + 1
    while place + 1 < len(words) and words[place] in {"-C", "-c"}:
        folder = words[place + 1] if words[place] == "-C" else folder
        place += 2
    return ("git", *words[place:]), folder


def options_and_names(words: Sequence[str]) -> tuple[set[str], list[str]]:
    """Return the options of a command, without messages and other values, and the words that are none."""
    options: set[str] = set()
    names: list[str] = []
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word.startswith("-"):
            options.add(word)
            is_value = _TAKES_MESSAGE.fullmatch(word) is not None
        else:
            names.append(word)
    return options, names


def revision_of(words: Sequence[str]) -> str:
    """Return the revision that `git checkout` or `git restore` takes files from; empty where it names none."""
    for place, word in enumerate(words):
        if word.startswith("--source="):
            return word.partition("=")[2]
        if word in {"-s", "--source"} and words[1:2] == ("restore",):
            return "".join(words[place + 1 : place + 2])
    before = words[2 : words.index("--")] if "--" in words and words[1:2] == ("checkout",) else ()
    return next((word for word in before if not word.startswith("-")), "")


def has_restored(command: str, output: str) -> bool:
    """Return true where git was told to restore files and says that it did."""
    return _RESTORED.search(output) is not None and _RESTORES.match(command) is not None


def files_undone_by_git(words: Sequence[str]) -> Iterator[str]:
    """Yield the files that a git command removes or restores, as it names them; `.` stands for all."""
    named = [word for word in words if not word.startswith("-")]
    match named:
        case ["git", "rm", *files] if "--cached" not in words:
            yield from files
        case ["git", ("checkout" | "restore"), *_] if "--theirs" in words or "--ours" in words:
            return
        case ["git", "restore", *files] if "--staged" not in words or "--worktree" in words:
            yield from files
        case ["git", "checkout"] if "-f" in words or "--force" in words:
            yield "."
        case ["git", "switch", *_] if "--discard-changes" in words:
            yield "."
        case ["git", "checkout", *files]:
            yield from (files if "--" in words else filter(_FILE.fullmatch, files))
        case ["git", "reset", *_] if "--hard" in words:
            yield "."
        case ["git", "stash"] | ["git", "stash", "push", *_]:
            yield "."
