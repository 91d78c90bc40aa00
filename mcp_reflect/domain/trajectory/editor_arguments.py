"""Edits as the arguments of an editor tell them, under whatever names: the file, what is replaced, and by what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain.trajectory.notebooks import notebook_source
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch
from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.tools import command_of

OLD_TEXTS = ("old_string", "old_str", "old_text", "oldText", "old", "search", "find", "before", "from")
"""Names under which editors are given what they are to replace."""
NEW_TEXTS = ("new_string", "new_str", "new_text", "newText", "new", "replace", "replacement", "after", "to")
"""Names under which editors are given what comes in its place."""
_NEW = (*NEW_TEXTS[:-2], "content", "file_text", "new_source", "insert_text", "text", *NEW_TEXTS[-2:])
_WHOLE = ("content", "file_text", "text")
"""Names under which editors are given the text of a whole file."""
_PLACES = ("insert_line", "insert_after", "insert_before", "after_line", "anchor", "line", "position")
"""Names under which editors are told where to insert."""
_PATHS = ("file_path", "path", "filename", "file", "target_file", "notebook_path")


def edits_of(arguments: dict[str, Any], command: str) -> Sequence[FilePatch]:
    """Return the edits that an editor was called for; `command` is the command line of one that a shell ran.

    There is at least one.
    """
    path = next((str(arguments[key]) for key in _PATHS if arguments.get(key)), "")
    patch = command or str(arguments.get("patch") or arguments.get("input") or command_of(arguments))
    if "*** " in patch and (patched := read_patch(patch.splitlines())):
        return patched
    if blocks := replaced_texts(str(arguments.get("diff") or "").splitlines()):
        return [FilePatch(path, tuple((block.old, block.new) for block in blocks))]
    edits = arguments.get("edits")
    pieces = edits if isinstance(edits, list) else [arguments]
    texts = ((_text(piece, *OLD_TEXTS), _text(piece, *_NEW)) for piece in pieces if isinstance(piece, dict))
    change = tuple((old, notebook_source(path, new)) for old, new in texts)
    given = not isinstance(edits, list) and any(isinstance(arguments.get(name), str) for name in _WHOLE)
    writes = given and any(map(any, change)) and not _is_part(arguments)
    return [FilePatch(path, tuple(pair for pair in change if any(pair)), writes)]


def _is_part(arguments: Mapping[str, Any]) -> bool:
    """Return true where an editor was told what to replace, or where to insert."""
    return any(name in arguments for name in (*OLD_TEXTS, *_PLACES)) or (
        arguments.get("command") in {"insert", "append"}
    )


def _text(piece: dict[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := piece.get(key), str) and value), "")
