"""The words of a git command: its options, what it names, and the revision that it restores files from."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re

_SETS = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_TAKES_MESSAGE = re.compile(r"-[a-zA-Z]*m|-[CFs]|--(?:author|date|file|mainline|message|source)")


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
