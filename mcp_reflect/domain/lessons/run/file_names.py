"""Names of edited files that hold on other machines: paths from the folder that a run worked in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mcp_reflect.domain import lazy_re as re

_PARTS = 3
"""Of a path outside of the folder the last parts are shown: where a repository lies differs from machine to machine."""
_WORD = re.compile(r"[\w./~$-]+")
_ENTERED = re.compile(r"\bcd +(?:-- +)?[\"']?(/[^\s\"';&|]+)")
_CHARS = 20_000
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
_SYSTEM = re.compile(r"/(?:etc|usr|boot|lib)/")
"""Places that are the same on each machine."""
_HOME = re.compile(r"^/(?:home|Users)/[^/]+/")


def find_run_folder(edited: Iterable[str], texts: Iterable[str]) -> str:
    """Return the folder that a run worked in, with a slash at its end; empty where nothing tells.

    `edited` are paths of files, `texts` commands and error lines. A text tells the folder where it names an edited file
    from there on (`pytest tests/test_api.py`), or goes into one that holds an edited file.
    """
    paths = [path.replace("\\", "/") for path in dict.fromkeys(edited) if _ABSOLUTE.match(path)]
    if not paths:
        return ""
    votes: Counter[str] = Counter()
    for text in texts:
        votes.update(_told(text[:_CHARS], paths))
    # Of as many votes the shorter path: from there on more files have a name.
    return min(votes, key=lambda folder: (-votes[folder], len(folder)), default="")


def whole_paths(edited: Iterable[str]) -> dict[str, str]:
    """Return for each relative path the absolute one that ends with it, where there is just one: the same file."""
    paths = list(dict.fromkeys(edited))
    absolute = [path for path in paths if _ABSOLUTE.match(path)]
    found: dict[str, str] = {}
    for path in paths:
        named = [each for each in absolute if each.endswith(f"/{path.removeprefix('./')}")]
        if len(named) == 1 and not _ABSOLUTE.match(path):
            found[path] = named[0]
    return found


def shown_name(path: str, folder: str) -> str:
    """Return a path from `folder` on; of one that lies elsewhere the last parts, and of no path "a file"."""
    plain = path.replace("\\", "/")
    if _SYSTEM.match(plain):
        return plain
    if folder and plain.startswith(folder):
        return plain[len(folder) :]
    if plain and not _ABSOLUTE.match(path):
        return plain.removeprefix("./")
    return "/".join(_HOME.sub("", plain).rsplit("/", _PARTS)[-_PARTS:]) or "a file"


def _told(text: str, paths: list[str]) -> set[str]:
    """The folders that a text tells."""
    entered = {folder.rstrip("/") + "/" for folder in _ENTERED.findall(text)}
    told = {folder for folder in entered if any(path.startswith(folder) for path in paths)}
    words = {word.removeprefix("./").rstrip(".") for word in _WORD.findall(text)}
    for path in paths:
        parts = path.split("/")
        endings = ("/".join(parts[first:]) for first in range(1, len(parts)))  # the longest first
        named = next((ending for ending in endings if ending in words), "")
        if "." in named:
            told.add(path.removesuffix(named))
    return told
