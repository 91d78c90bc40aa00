"""Calls of tools that an agent makes in code: `print(run_shell("make"))`, `replace_in_file("a.py", old=…, new=…)`."""

from __future__ import annotations

import ast
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages

_SHELL = re.compile(
    r"(?:run_|exec(?:ute)?_)?(?:shell|bash|terminal|command|cmd)(?:_(?:command|tool))?|run|sh|system", re.IGNORECASE
)
_EDITS = re.compile(r"(?:str_?)?replace\w*|edit\w*|write\w*|create_file|patch\w*|append_\w+|save_file", re.IGNORECASE)
_PLACES, _PLACES_OF_TEXT = ("path", "old", "new"), ("path", "content")
_MOST_CHARS = 20_000


def add_code(found: CollectedMessages, code: str) -> None:
    """Add a cell of Python: the calls of tools where it makes nothing else, as commands and edits; else the cell."""
    calls = _calls_in(code)
    if not calls or not all(_is_tools(call) for call in calls):
        found.run_code(code)
        return
    for call in calls:
        name, given = _name_of(call), _arguments_of(call)
        if _SHELL.fullmatch(name) and given:
            found.run(str(next(iter(given.values()))))
        else:
            add_call(found, name, given)


def _calls_in(code: str) -> list[ast.Call]:
    """The calls that a program consists of, without what prints their results; none where it does anything else."""
    try:
        statements = ast.parse(code.strip()).body if len(code) <= _MOST_CHARS else []
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    found: list[ast.Call] = []
    for each in statements:
        value = each.value if isinstance(each, ast.Expr | ast.Assign) else None
        if isinstance(value, ast.Call) and _name_of(value) == "print" and len(value.args) == 1:
            value = value.args[0]
        if isinstance(value, ast.Name):  # the result of the call before is printed
            continue
        if not isinstance(value, ast.Call):
            return []
        found.append(value)
    return found


def _arguments_of(call: ast.Call) -> dict[str, Any]:
    """The arguments by name; of an editor without names these are the file, and the old and the new text."""
    places = _PLACES if len(call.args) + len(call.keywords) > 2 else _PLACES_OF_TEXT  # noqa: PLR2004 - a file and a text
    given = {
        name: argument.value
        for name, argument in zip(places, call.args, strict=False)
        if isinstance(argument, ast.Constant)
    }
    named = {str(each.arg): each.value.value for each in call.keywords if isinstance(each.value, ast.Constant)}
    return given | named


def _is_tools(call: ast.Call) -> bool:
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    is_plain = all(isinstance(value, ast.Constant) and _may_be_kept(value.value) for value in values)
    return is_plain and bool(_SHELL.fullmatch(_name_of(call)) or _EDITS.fullmatch(_name_of(call)))


def _may_be_kept(value: object) -> bool:
    """Whether a trajectory may hold a literal: no bytes, no NUL and no lone surrogates."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)
    return isinstance(value, int)


def _name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""
