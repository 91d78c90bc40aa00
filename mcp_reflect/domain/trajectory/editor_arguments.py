"""Edits as the arguments of an editor tell them, under whatever names: the file, what is replaced, and by what.

Names are compared in small letters, without underscores and the number at their end: `oldString`, `old_str_1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.notebooks import notebook_source
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch
from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.tools import REPLACED, REPLACING, WHOLE_TEXTS, command_of, file_of

_OLD, _NEW, _WHOLE = REPLACED, REPLACING, WHOLE_TEXTS
_PARTS = ("newsource", "newcode", "inserttext", "code", "codeedit", "changes", "append", "appendtext", "prepend")
"""Names under which they are given a part of one, without what stood there."""
_GIVEN = (*_NEW[:-2], *_WHOLE, *_PARTS, *_NEW[-2:])
_PLACES = ("insertline", "insertafter", "insertbefore", "afterline", "anchor", "line", "position", "append", "prepend")
"""Names under which editors are told where to insert."""
_PATHS = ("filepath", "path", "filename", "file", "targetfile", "notebookpath", "relativepath", "absolutepath")
_PATCHES = ("patch", "input", "diff", "patchtext", "unifieddiff")
_PATCHED_FILE = re.compile(r"^(?:\*\*\* |\+\+\+ )", re.MULTILINE)
_HUNK = re.compile(r"^@@ ?-\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_NO_TEXTS = ("command", "description", "explanation", "reason", "name", "instruction", "instructions")
_LISTS = ("edits", "replacements", "replacementchunks")
"""Names under which editors are given several replacements, each perhaps with a file of its own."""
_ELLIPSIS = re.compile(
    r"^[ \t]*(?:#|//|--|<!--|/\*|;)?[ \t]*(?:\.\.\.|…) ?existing code ?(?:\.\.\.|…).*\n?", re.MULTILINE
)
"""What some write for the lines that stay."""
_NUMBER = re.compile(r"\d+$")


def edits_of(arguments: Mapping[str, Any], command: str) -> Sequence[FilePatch]:
    """Return the edits that an editor was called for; `command` is the command line of one that a shell ran.

    There is at least one.
    """
    given = _by_plain_names(arguments)
    path = _path_of(given)
    patch = command or str(next(filter(None, map(given.get, _PATCHES)), "") or command_of(dict(arguments)))
    if patched := _read_any_patch(patch, path):
        return patched
    if blocks := replaced_texts(str(given.get("diff") or "").splitlines()):
        return [FilePatch(path, tuple((block.old, block.new) for block in blocks))]
    listed = next((value for name in _LISTS if isinstance(value := given.get(name), list)), None)
    if listed is None:
        change = _change(given, path)
        return [FilePatch(path, tuple(filter(any, [change])), _writes_whole(given) and any(change))]
    found: dict[str, list[tuple[str, str]]] = {}
    for piece in (_by_plain_names(each) for each in listed if isinstance(each, dict)):
        file = _path_of(piece) or path
        found.setdefault(file, []).append(_change(piece, file))
    return [FilePatch(file, tuple(filter(any, changes))) for file, changes in found.items()] or [FilePatch(path, ())]


def _read_any_patch(text: str, path: str) -> list[FilePatch]:
    """The changes of an `apply_patch` input or a unified diff; one that names no file is of the one at `path`."""
    if _PATCHED_FILE.search(text):
        return read_patch(text.splitlines())
    return read_patch([f"+++ {path}", *text.splitlines()]) if path and _HUNK.search(text) else []


def replaced_and_new(arguments: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the text that an editor was to replace, and what comes in its place; None for what it was not given."""
    given = _by_plain_names(arguments)
    old, new = (
        next((text for name in names if isinstance(text := given.get(name), str)), None) for names in (_OLD, _NEW)
    )
    return old, new


def _by_plain_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        plain = _NUMBER.sub("", name.lower().replace("_", "").replace("-", ""))
        found.setdefault(plain, value)
    return found


def _path_of(given: Mapping[str, Any]) -> str:
    return next((str(given[name]) for name in _PATHS if given.get(name)), "") or file_of(given)


def _change(given: Mapping[str, Any], path: str) -> tuple[str, str]:
    return _text(given, _OLD), notebook_source(path, _ELLIPSIS.sub("", _new_text(given)))


def _writes_whole(given: Mapping[str, Any]) -> bool:
    """Return true where an editor was given the text of a file, and neither what to replace nor where to insert."""
    is_part = any(name in given for name in (*_OLD, *_PLACES)) or given.get("command") in {"insert", "append"}
    is_whole = any(isinstance(given.get(name), str) for name in _WHOLE)
    return not is_part and (is_whole or (not _text(given, _GIVEN) and bool(_new_text(given))))


def _new_text(given: Mapping[str, Any]) -> str:
    """What an editor was to write: under a known name, else the longest text beside the file and its description."""
    if text := _text(given, _GIVEN):
        return text
    known = {*_PATHS, *_OLD, *_NEW, *_PATCHES, *_NO_TEXTS}
    return max(
        (v for name, v in given.items() if name not in known and isinstance(v, str) and "\n" in v), key=len, default=""
    )


def _text(given: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str) and value), "")
