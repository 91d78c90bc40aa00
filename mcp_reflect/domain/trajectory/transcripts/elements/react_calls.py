"""Calls of ReAct agents: `Action: tool` with `Action Input: …`, `Action: Search[foo]`, and JSON as an action."""

from __future__ import annotations

import ast
import json
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.parsing import is_deeper
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from mcp_reflect.domain.trajectory.tools import EDITORS, SHELLS
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import without_fence

_NAME = re.compile(r"[\"'`*\[]{0,3}(?P<name>[A-Za-z_][\w.:-]{0,79}(?: [\w.:-]{1,40}){0,4})[\"'`*\]]{0,3}\.?")
_BRACKETS = re.compile(r"(?P<name>[A-Za-z_]\w{0,79})\[(?P<given>.{0,20000})\]", re.DOTALL)
_PARENTHESES = re.compile(r"(?P<name>[A-Za-z_]\w{0,79})\((?P<given>.{0,20000})\)", re.DOTALL)
_TOOL = re.compile(r"[a-z]+(?:_[a-z]+){1,4}")
_NAMED = re.compile(r"^--(\w{1,40}):(?: |$)", re.MULTILINE)
_TOOLS = ("action", "tool", "tool_name", "name", "function")
_INPUTS = ("action_input", "tool_input", "arguments", "args", "parameters", "input")
_PYTHON = re.compile(r"python|repl|interpreter|\bcode|ipython|jupyter", re.IGNORECASE)
_SQL = re.compile(r"sql|quer(?:y|ies)\b", re.IGNORECASE)
_SHELL = re.compile(
    r"(?:shell|bash|terminal|command)(?:[_ ](?:tool|line))?|(?:run|exec\w*)[_ ](?:shell|bash|command)\w*", re.IGNORECASE
)
PATCHERS = EDITORS | {"patch", "file_edit", "append", "insert", "change"}
"""Names of tools that are told an edit by lines with signs."""
_PATCHES = frozenset({"edit", "patch", "diff", "replace", "insert", "append"})
"""Words in the names of further such tools: `fs.patch`, `write_patch`."""
_LONGEST_LITERAL = 20_000
_MOST_LEVELS = 50


def add_react_call(found: CollectedMessages, action: str, given: str | None) -> bool:
    """Add the call that an action tells; return false for one that is no call of a tool, such as a command line.

    `given` is the text of its `Action Input:`, None where it has none.
    """
    action = without_fence(action).strip()
    if given is None:
        return _add_object(found, action) or _add_call_text(found, action)
    name = _NAME.fullmatch(action)
    if name is None:
        return False
    add_tool_call(found, name["name"], given_values(without_fence(given).strip()))
    return True


def _add_object(found: CollectedMessages, action: str) -> bool:
    told = read_object(action)
    name = next((told[key] for key in _TOOLS if isinstance(told.get(key), str)), "") if told else ""
    if told is None or not name:
        return False
    given: Any = next((told[key] for key in _INPUTS if key in told), {})
    if name.lower().startswith("final"):
        found.say(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
    else:
        add_tool_call(found, name, given if isinstance(given, dict) else str(given))
    return True


def _add_call_text(found: CollectedMessages, action: str) -> bool:
    brackets = _BRACKETS.fullmatch(action)
    if brackets and brackets["name"].lower() in {"finish", "final", "answer"}:
        found.say(brackets["given"])
    elif brackets:
        add_tool_call(found, brackets["name"], given_values(brackets["given"]))
    elif call := _PARENTHESES.fullmatch(action):
        if call["name"].lower() in {"finish", "final_answer", "submit"}:
            found.say(call["given"].strip("\"'"))
        else:
            add_tool_call(found, call["name"], named_arguments(action) or given_values(call["given"].strip("\"'")))
    return bool(brackets or _PARENTHESES.fullmatch(action))


def read_tool_and_given(action: str) -> tuple[str, dict[str, Any] | str] | None:
    """Return the tool that the first line of an action names, with what it is given below; None for any other text.

    That is a text, or arguments by name in lines as `--path: src/app.py`, which may go on below.
    """
    tool, _, given = action.strip().partition("\n")
    tool = tool.strip()
    if not given.strip() or not (tool in SHELLS | EDITORS or _TOOL.fullmatch(tool)):
        return None
    if not _NAMED.match(given.lstrip()):
        return tool, without_fence(given).strip("\n")
    parts = _NAMED.split(given.lstrip())[1:]
    return tool, {name: value.rstrip("\n") for name, value in zip(parts[::2], parts[1::2], strict=True)}


def named_arguments(call: str) -> dict[str, Any] | None:
    """Return the named arguments of a call that is written as Python's; None for any other text.

    One without a name is `input`; an object alone holds all of them.
    """
    try:
        read = ast.parse(call, mode="eval").body if len(call) <= _LONGEST_LITERAL else None
        if not isinstance(read, ast.Call):
            return None
        named = {each.arg: ast.literal_eval(each.value) for each in read.keywords if each.arg}
        plain = [ast.literal_eval(each) for each in read.args]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, SyntaxWarning):
        return None
    if not _may_be_kept([named, plain]):
        return None
    if len(plain) == 1 and isinstance(plain[0], dict) and not named:  # all arguments in an object
        return {str(key): value for key, value in plain[0].items()}
    return ({"input": plain[0] if len(plain) == 1 else plain} if plain else {}) | named


def given_values(given: str) -> dict[str, Any] | str:
    """Return the arguments that a text gives as an object; the text itself where it is none."""
    told = read_object(given)
    return given if told is None else told


def read_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is, as JSON or as Python writes it; None for any other text."""
    if not text.startswith("{"):
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = _literal(text)
    return {str(key): value for key, value in read.items()} if isinstance(read, dict) and _may_be_kept(read) else None


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text) if len(text) <= _LONGEST_LITERAL else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, SyntaxWarning):
        return None


def _may_be_kept(value: object) -> bool:
    """Return true for values that a trajectory may hold: JSON, not too deep, without NUL and lone surrogates."""
    try:
        told = json.dumps(value, ensure_ascii=False, allow_nan=False)
        told.encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return not is_deeper(value, _MOST_LEVELS) and r"\u0000" not in told


def _unquoted(command: str) -> str:
    """A command line without the quotes around all of it."""
    mark = command[:1]
    if mark in {"`", '"', "'"} and command.count(mark) == 2 and command.endswith(mark):  # noqa: PLR2004 - both ends
        command = command[1:-1]
    return command.removeprefix("$ ")


def is_patcher(tool: str) -> bool:
    """Return true for the name of a tool that may be told an edit by lines with signs."""
    lower = tool.lower()
    return lower in PATCHERS or not _PATCHES.isdisjoint(re.split(r"[\W_]+", lower))


def add_tool_call(found: CollectedMessages, name: str, given: dict[str, Any] | str) -> None:
    """Add a call of a tool; a plain text is put under the name that tools of this kind have for it."""
    lower = name.lower()
    tool = "_".join(name.split())
    text = given if isinstance(given, str) else str(given["input"]) if list(given) == ["input"] else None
    is_shell = lower in SHELLS or _SHELL.fullmatch(lower) is not None
    if text is not None and is_patcher(name) and (change := read_signed_edit(without_fence(text))):
        found.patch([change])
        return
    if text is not None and is_shell:
        found.call(tool if lower in SHELLS else "bash", {"command": _unquoted(without_fence(text).strip())})
    elif is_shell and isinstance(given, dict) and lower not in SHELLS and isinstance(given.get("command"), str):
        found.call("bash", given)
    elif text is not None and _PYTHON.search(lower):
        found.run_code(without_fence(text))
    elif text is not None and _SQL.search(lower):
        found.call(tool, {"query": without_fence(text).strip()})
    elif text is not None and lower not in EDITORS:
        found.call(tool, {"input": text} if text else {})
    else:
        found.call(tool, given)
