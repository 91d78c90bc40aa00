"""Python scripts that replace text in a file: `s = s.replace(OLD, NEW)` between reading a file and writing it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcp_reflect.domain.trajectory.patches import FilePatch

if TYPE_CHECKING:
    import ast

_MOST_NODES = 2_000
_OPENERS = frozenset({"open", "Path"})
_WRITERS = frozenset({"write", "write_text", "writelines"})
_REPLACE_ARGUMENTS = 2


def replacements_in(script: str) -> list[FilePatch]:
    """Return what a script replaces in the one file that it names; nothing where it is not that plain.

    The script is parsed, and not run. Old and new text must stand in it as they are.
    """
    import ast  # noqa: PLC0415 - few runs hold such a script

    try:
        nodes = list(ast.walk(ast.parse(script)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if len(nodes) > _MOST_NODES:
        return []
    names = dict(_texts_by_name(nodes))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    paths = {path for call in calls if _name_of(call) in _OPENERS and (path := _text(call.args[:1], names))}
    changes = [
        (old, new)
        for call in calls
        if _name_of(call) == "replace" and len(call.args) >= _REPLACE_ARGUMENTS
        for old, new in [(_text(call.args[:1], names), _text(call.args[1:2], names))]
        if old
    ]
    changes += [
        ("", text) for node in nodes if isinstance(node, ast.BinOp) and (text := _text([node.right], names)).strip()
    ]
    writes = any(_name_of(call) in _WRITERS for call in calls)
    return [FilePatch(paths.pop(), tuple(changes))] if len(paths) == 1 and changes and writes else []


def _texts_by_name(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    import ast  # noqa: PLC0415

    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from ((each.id, node.value.value) for each in node.targets if isinstance(each, ast.Name))


def _name_of(call: ast.Call) -> str:
    """The last name of what is called: `replace` of `s.replace`."""
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def _text(arguments: list[ast.expr], names: dict[str, str]) -> str:
    """The text that the first of these is, as it stands or by its name; empty for anything else."""
    import ast  # noqa: PLC0415

    for given in arguments:
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            return given.value
        if isinstance(given, ast.Name):
            return names.get(given.id, "")
    return ""
