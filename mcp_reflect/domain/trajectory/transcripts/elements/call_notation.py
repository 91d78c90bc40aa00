"""Calls of tools in the notations that people and small frameworks write: `name({…})`, `name {…}`, tags, arrows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.editor_arguments import replaced_and_new
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from mcp_reflect.domain.trajectory.tools import EDITORS, SHELLS, is_instrument, is_tool_name, path_of
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import (
    add_tool_call,
    is_patcher,
    named_arguments,
    read_object,
)

_TOOLS = ("name", "tool", "tool_name", "function", "function_name", "recipient_name", "action")
_INPUTS = ("arguments", "args", "input", "parameters", "params", "tool_input", "action_input")
_NAMED = re.compile(
    r"(?:`|\*\*|\"|')?(?P<name>[A-Za-z_](?:[\w./-]|:(?=\w)){0,79})(?:`|\*\*|\"|')?"
    r"(?P<mark>[ \t]{0,3}\(|:(?=\s|$)"
    r"|[ \t]{1,3}(?:with|args|input|arguments)(?: (?:args|arguments|input|parameters))?:?(?=\s)"
    r"|(?=\s|\{|$))(?P<given>.*)",
    re.DOTALL,
)
"""A call that names its tool first; the mark is empty where its arguments stand directly behind the name."""
_PAIR = re.compile(
    r"\s{0,9},?\s{0,9}(?P<key>[A-Za-z_]\w{0,40})=(?P<value>\"[^\"\n]{0,8000}\"|'[^'\n]{0,8000}'|[^\s,\"']{1,8000})"
)
_LINE = re.compile(r"(?P<key>[A-Za-z_][\w -]{0,30}): ?(?P<value>.{1,8000})")
_CHILD = re.compile(r"<(?P<tag>[\w:.-]{1,60})(?P<given>[^<>\n]{0,400})>")
_ATTRIBUTE = re.compile(r"(?P<key>[\w-]{1,40})=(?:\"(?P<double>[^\"\n]{0,400})\"|'(?P<single>[^'\n]{0,400})')")
_HUNK = re.compile(r"\s{0,9}@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@")
_WRAPPERS = ("input", "arguments", "args", "parameters", "params")
_MOST_LINES = 60


def add_noted_call(found: CollectedMessages, tool: str, text: str) -> bool:
    """Add the call that a text tells; return false where it tells none.

    `tool` is the name of the tool; where it is empty, the text tells that, too.
    """
    text = without_fence(text).strip()
    if not tool:
        told = read_object(text)
        if told is not None:
            name = next((told[key] for key in _TOOLS if isinstance(told.get(key), str)), "")
            given: Any = next((told[key] for key in _INPUTS if key in told), None)
            if given is None:
                given = {key: value for key, value in told.items() if key not in _TOOLS}
            return add_call(found, name, (read_object(given) or given) if isinstance(given, str) else given)
        named = _NAMED.fullmatch(text)
        if named is None:
            return False
        tool, text = named["name"], named["given"].strip()
        is_plain = not named["mark"].strip() and text[:1] not in {"{", ""} and not named["given"].startswith("\n")
        if is_plain and not is_instrument(tool) and "_" not in tool:
            return False
        if named["mark"].strip() == "(":
            text = text.removesuffix("`").rstrip(";").removesuffix(")").strip()
            return add_call(found, tool, _arguments(tool, text, in_brackets=True))
    else:
        text = _without_name(tool, text)
    return add_call(found, tool, _arguments(tool, without_fence(text).strip()))


def add_tagged_call(found: CollectedMessages, tag: str, attributes: str, body: str) -> bool:
    """Add the call that a tag tells, with what stands between it and its end; return false where it tells none."""
    given = {each["key"]: each["double"] or each["single"] or "" for each in _ATTRIBUTE.finditer(attributes)}
    names = ("tool", "name", "function")
    name = next((given.pop(key) for key in names if key in given), "")
    inner = _children(body)
    if not name and set(inner) & {"tool", "name", "tool_name"}:
        name = next(inner.pop(key) for key in ("tool_name", "tool", "name") if key in inner).strip()
    if not name and tag not in CALL_TAGS:
        name = tag
    if not name:
        return add_noted_call(found, "", body)
    wrapped = next((inner[key] for key in _WRAPPERS if list(inner) == [key]), None)
    if wrapped is not None:
        inner = _children(wrapped)
        body = wrapped
    if inner:
        return add_call(found, name, {**given, **inner})
    if not given:
        return add_noted_call(found, name, body)
    if body.strip():
        given["content" if name.lower() in EDITORS else "command" if name.lower() in SHELLS else "input"] = body.strip(
            "\n"
        )
    return add_call(found, name, given)


CALL_TAGS = frozenset({"call", "tool_call", "function_call", "invoke", "tool", "tool_use", "toolcall", "tool-call"})
"""Tags that tell a call, whose attributes or content name the tool."""


def _children(body: str) -> dict[str, str]:
    """The texts between the tags that a body consists of, by their names; empty for a body of any other kind."""
    found: dict[str, str] = {}
    place = 0
    body = body.strip()
    while place < len(body):
        child = _CHILD.match(body, place)
        end = body.find(f"</{child['tag']}>", child.end()) if child else -1
        if child is None or end < 0 or len(found) >= _MOST_LINES:
            return {}
        named = next((each for each in _ATTRIBUTE.finditer(child["given"]) if each["key"] == "name"), None)
        key = (named["double"] or named["single"]) if named else child["tag"]
        found[str(key)] = body[child.end() : end].removeprefix("\n").removesuffix("\n")
        place = end + len(child["tag"]) + 3
        while place < len(body) and body[place].isspace():
            place += 1
    return found


def _without_name(tool: str, text: str) -> str:
    """What a call is given, without the name of its tool once more: `exec({…})` of `exec`."""
    if text.startswith(f"{tool}(") and text.endswith(")"):
        return text[len(tool) + 1 : -1]
    return text


def _arguments(tool: str, text: str, *, in_brackets: bool = False) -> dict[str, Any] | str:
    told = read_object(text)
    if told is not None:
        inner = next((told[key] for key in _INPUTS[:2] if list(told) == [key]), None)
        return inner if isinstance(inner, dict) else told
    if in_brackets and (called := named_arguments(f"f({text})")) is not None:
        return called
    pairs = _pairs(text) or _told_lines(text)
    is_shell = tool.lower().rpartition("__")[2] in SHELLS
    if pairs and (not is_shell or set(pairs) & {"command", "cmd", "script"}):
        return pairs
    return text[1:-1] if in_brackets and text[:1] in {'"', "'"} and text.endswith(text[:1]) else text


def _pairs(text: str) -> dict[str, Any]:
    """The arguments of a list `key=value, …`; empty for any other text."""
    found: dict[str, Any] = {}
    place = 0
    while pair := _PAIR.match(text, place):
        value = pair["value"]
        found[pair["key"]] = value[1:-1] if value[:1] in {'"', "'"} else value
        place = pair.end()
    return found if not text[place:].strip() else {}


def _told_lines(text: str) -> dict[str, Any]:
    """The arguments of lines `key: value`; empty for any other text."""
    lines = [line for line in text.split("\n", _MOST_LINES) if line.strip()]
    told = [_LINE.fullmatch(line.strip()) for line in lines]
    if not told or not all(told):
        return {}
    found = {each["key"].lower().replace(" ", "_"): each["value"].strip() for each in told if each}
    return found if len(found) > 1 or set(found) & {"command", "cmd", "path", "url", "query", "file_path"} else {}


def add_call(found: CollectedMessages, tool: str, given: Any) -> bool:
    """Add a call; the edit that it makes, where its arguments or its text tell one."""
    if not is_tool_name(tool):
        return False
    if isinstance(given, dict):
        path, (old, new) = path_of(given), replaced_and_new(given)
        known = tool.lower() in EDITORS or is_instrument(tool)
        if tool.lower() in EDITORS and (texts := _in_places(given)):
            found.edit(texts[0], (texts[1], texts[2]))
            return True
        if path and old is not None and new is not None and (not known or "old" in given or "find" in given):
            found.edit(path, (old, new))
        elif path and is_patcher(tool) and (change := read_signed_edit(_hunks(given), path)):
            found.patch([change])
        else:
            add_tool_call(found, tool, given)
        return True
    text = given if isinstance(given, str) else "" if given is None else str(given)
    return _add_text_edit(found, tool, text) or _add_text(found, tool, text)


def _hunks(given: Mapping[str, Any]) -> str:
    """The hunks of a diff that an editor was given as the text of a file; empty for any other text."""
    text = given.get("content", given.get("input"))
    return text if isinstance(text, str) and _HUNK.match(text) else ""


def _in_places(given: Mapping[str, Any]) -> Sequence[str]:
    """The file, the old and the new text where an editor was given these three without names; empty otherwise."""
    texts = given.get("input") if list(given) == ["input"] else None
    is_edit = isinstance(texts, list) and len(texts) == 3 and all(isinstance(each, str) for each in texts)  # noqa: PLR2004 - those three
    return texts if is_edit and texts is not None else ()


def _add_text(found: CollectedMessages, tool: str, text: str) -> bool:
    add_tool_call(found, tool, text)
    return True


def _add_text_edit(found: CollectedMessages, tool: str, text: str) -> bool:
    """Add the edit that a text tells by blocks or as a diff."""
    if tool.lower() in SHELLS:
        return False
    lines = text.split("\n")
    if "\n+++ " in f"\n{text}" and (patches := read_patch(lines)):
        before = found.calls
        found.patch(patches)
        return found.calls > before
    texts = replaced_texts(lines)
    path = _path_before(lines[: texts[0].begin]) if texts else ""
    if path:
        found.edit(path, *((each.old, each.new) for each in texts))
    return bool(path)


def _path_before(lines: Sequence[str]) -> str:
    words = " ".join(lines).replace("`", " ").split()
    return words[-1] if words and ("." in words[-1] or "/" in words[-1]) else ""
