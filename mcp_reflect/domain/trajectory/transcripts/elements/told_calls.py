"""Calls that stand below a label which tells their tool: `action: shell`, `agent / python`, `Tool: ssh web1`."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.shell_log import commands_with_output
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit, signed_lines_below
from mcp_reflect.domain.trajectory.told_wording import IS_COMMAND_LINE
from mcp_reflect.domain.trajectory.tools import SHELLS, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import split_fences, without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import (
    PATCHERS,
    add_react_call,
    add_tool_call,
    is_patcher,
)
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import foreign_words

_GENERAL = frozenset(
    {
        *("action", "act", "tool", "tool call", "call", "function", "step", ""),
        *foreign_words("call"),
        *foreign_words("tool"),
    }
)
"""Labels that tell nothing of the tool."""
_COMMANDS = foreign_words("command")
"""Labels of a command line, beside the names of shells."""
_WRITERS = frozenset({"write", "save", "create"})
_READERS = frozenset({"read", "open", "view", "search", "look", "fetch", "list", "measure", "query"})
_WORDS = frozenset({"run", "exec", "execute", "command", "cmd", "console", "replace", "write", "edit"})
"""Names of tools that a sentence may begin with."""
_ON_HOST = re.compile(r"(?:ssh|on|remote)[ \t]{1,3}(?P<host>[\w.@,: -]{1,80})", re.IGNORECASE)
_PROMPT = re.compile(r"[ \t]{0,4}(?:[\w.@~/:-]{0,40}\$|> \$) \S")
_FIRST_WORD = re.compile(r"[`*]{0,2}(?P<name>[A-Za-z_][\w.-]{0,79})[`*]{0,2}:?(?=\s|$)")
_STATEMENT = re.compile(r"\b[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,6}(?: = |=\S|\([^()]{0,200}\))")
_MOST_OF_SENTENCE = 400


def add_told_call(found: CollectedMessages, label: str, tool: str, text: str) -> None:
    """Add the call that stands below a label; `tool` is what the label tells of the tool, empty where it is silent."""
    text = text.strip("\n")
    if label in _COMMANDS and not tool:
        found.run(without_fence(text).strip().removeprefix("$ "))
        return
    if label not in _GENERAL and not tool:
        _add_by_label(found, label, text)
        return
    head, _, body = (tool, "", text) if tool else text.partition("\n")
    if (body.strip() or tool) and _add_by_tool(found, head.strip(), body):
        return
    whole = f"{tool}\n{text}" if tool else text
    first = _FIRST_WORD.match(whole)
    name = first["name"].lower() if first else ""
    if first and name in (SHELLS | PATCHERS) - _WORDS and _add_by_tool(found, name, whole[first.end() :].strip()):
        return
    given = whole[first.end() :].strip() if first else ""
    if first and given.startswith("{") and is_tool_name(first["name"]) and add_noted_call(found, first["name"], given):
        return
    if add_react_call(found, whole, None):
        return
    if name not in _WORDS and IS_COMMAND_LINE.match(without_fence(whole).strip()[:_MOST_OF_SENTENCE]):
        found.run(without_fence(whole).strip().removeprefix("$ "))
    else:
        found.call("action" if label in _GENERAL else label, {_named(whole): whole.strip()})


def _named(text: str) -> str:
    """The argument for what an agent tells to have done: `code` where it is a statement or a call of a program."""
    return "code" if _STATEMENT.search(text[:_MOST_OF_SENTENCE]) else "input"


def add_session(found: CollectedMessages, tool: str, text: str) -> bool:
    """Add the commands behind prompts in a text, each with its output; return false for a text that begins otherwise.

    What the label tells of a machine is kept as their host.
    """
    text = without_fence(text).strip("\n")
    if not _PROMPT.match(text):
        return False
    host = _ON_HOST.fullmatch(tool.strip())
    for command, output in commands_with_output(text):
        if host:
            found.call("ssh", {"command": command, "host": host["host"].strip()})
        else:
            found.run(command)
        if output.strip():
            found.answer(output)
    return True


def add_call_with_result(found: CollectedMessages, tool: str, text: str) -> bool:
    """Add a call and its result where a text shows both: a session, or two fences; return false for any other text."""
    parts = [part for part in split_fences(text) if part.text.strip()]
    fenced = [part for part in parts if part.language is not None]
    if not fenced:
        return False
    if all(_PROMPT.match(part.text) for part in fenced):
        for part in fenced:
            add_session(found, tool, part.text)
        return True
    if len(fenced) != 2 or parts[-1] is not fenced[1]:  # noqa: PLR2004 - the arguments and the result
        return False
    before = found.calls
    add_told_call(found, "tool", tool, fenced[0].text)
    if found.calls > before:
        found.answer(fenced[1].text)
    return found.calls > before


def _add_by_label(found: CollectedMessages, label: str, text: str) -> None:
    first, _, body = text.partition("\n")
    if label in _WRITERS and body.strip():
        found.write(first.strip("` "), body)
    elif label in _WRITERS | _READERS:
        found.call(label, {"path" if label != "search" else "query": first.strip("` ")})
        if body.strip():
            found.answer(body)
    elif not (is_patcher(label) and _add_edit(found, "", text)):
        add_tool_call(found, label, text)


def _add_by_tool(found: CollectedMessages, head: str, body: str) -> bool:
    """Add the call of the tool that a line names, with the lines below it; return false where the line names none."""
    first = _FIRST_WORD.match(head)
    if first is None:
        return False
    name, rest = first["name"], head[first.end() :].strip()
    lower = name.lower()
    if is_patcher(name):
        return _add_edit(found, rest, body) or add_noted_call(found, name, "\n".join(filter(None, (rest, body))))
    if _ON_HOST.fullmatch(head):
        command = without_fence(body).strip().removeprefix("$ ")
        if command:
            found.call("ssh", {"command": command, "host": rest})
        return bool(command)
    if rest and lower not in SHELLS:
        return False
    return is_tool_name(name) and bool(body.strip()) and add_noted_call(found, name, body)


def _add_edit(found: CollectedMessages, path: str, text: str) -> bool:
    """Add the edit that a text tells by lines with signs; what stands below them is what the editor answered."""
    told, path = without_fence(text).strip("\n"), path.strip("`'\": ")
    change, answer = read_signed_edit(told, path), ""
    if change is None:
        lines = [path, *told.split("\n")] if path else told.split("\n")
        end = 1 + signed_lines_below(lines[0], lines[1:])
        change, answer = read_signed_edit("\n".join(lines[:end])), "\n".join(lines[end:])
    if change is not None:
        found.patch([change])
        if answer.strip():
            found.answer(answer)
    return change is not None
