"""Blocks of code whose first line is a comment with a file and what was done to it: `# app/models/a.rb   (edit)`.

Below it stand lines with signs, or what the file holds now. Such a line is no command, though a `#` before a path may
be the prompt of root.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import FilePatch
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit

_NEW = r"(?:new(?: file)?|created?|added|writ(?:e|ten)|wrote|rewritten)"
_EDITED = (
    r"(?:edit(?:ed|s)?|chang(?:ed?|es)|updated?|modif(?:y|ied)|patch(?:ed)?|replaced?|append(?:ed)?|insert(?:ed)?"
    r"|extended|fixed|excerpt|diff)"
)
_GONE = r"(?:deleted?|removed?|renamed?|moved?)"
_NAME = r"(?=[^\s`'\"]{0,200}(?:/|\.[A-Za-z])|(?:Make|Docker|Gem|Rake|Proc|Vagrant|Jenkins|Brew|Pod)file\b)"
_PATH = rf"[`'\"]?(?P<path>{_NAME}[\w.@~/\\+-]{{1,200}})[`'\"]?"
_OPENING = r"[ \t]{0,4}(?:#{1,3}|//|--|;{1,2}|%|<!--|/\*+)[ \t]{0,4}"
_CLOSING = r"[ \t]{0,4}(?:-->|\*/)?[ \t]{0,9}"
_DONE = rf"(?:(?P<new>{_NEW})|{_EDITED}|(?P<gone>{_GONE}))"
_BEHIND = re.compile(
    rf"{_OPENING}(?:file:[ \t]{{0,4}})?{_PATH}"
    rf"(?P<told>[ \t]{{0,20}}(?:[(\[][ \t]?|(?:[:,]|[—–-]{{1,2}})[ \t]{{1,4}}){_DONE}\b[^\n]{{0,60}})?{_CLOSING}",
    re.IGNORECASE,
)
"""The file, and what was done to it behind: in brackets, or behind a dash, a colon or a comma."""
_BEFORE = re.compile(
    rf"{_OPENING}(?P<told>{_DONE}):?[ \t]{{1,4}}(?:file:?[ \t]{{1,4}})?{_PATH}{_CLOSING}", re.IGNORECASE
)
_LEFT_OUT = re.compile(r"[ \t]{0,40}(?:#|//|--)?[ \t]{0,4}(?:\.{3}|…)[^\n]{0,60}")
"""What stands for the lines that stay."""


def names_changed_file(line: str) -> bool:
    """Return true for a comment that names a file and what was done to it."""
    named = _named(line)
    return named is not None and named["told"] is not None


def read_named_block(lines: Sequence[str]) -> FilePatch | None:
    """Return the change that a block shows; None for any other block.

    Where the comment tells only the file, there have to be signs before the lines below it.
    """
    named = _named(lines[0]) if lines else None
    if named is None or named["gone"]:
        return None
    below = [f" {line}" if _LEFT_OUT.fullmatch(line) else line for line in lines[1:]]
    text = "\n".join(lines[1:]).strip("\n")
    is_whole = named["new"] is not None
    if _are_signed(below, is_whole=is_whole) and (change := read_signed_edit("\n".join(below), named["path"])):
        return change
    return FilePatch(named["path"], (("", text),), writes=is_whole) if named["told"] and text else None


def _are_signed(lines: Sequence[str], *, is_whole: bool) -> bool:
    """Return true for lines of a change; a list in YAML has a `-` before each of its points, too."""
    if is_whole:
        return all(line.startswith("+") for line in lines if line.strip())
    return any(line.startswith("+") or (line.startswith("-") and line[1:2] not in {" ", ""}) for line in lines)


def _named(line: str) -> re.Match[str] | None:
    return _BEHIND.fullmatch(line) or _BEFORE.fullmatch(line)
