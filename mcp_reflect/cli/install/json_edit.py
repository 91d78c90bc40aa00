"""Changing one member of a JSON text and nothing else: comments, order, indentation and line ends stay.

What `put` adds, `remove` takes away again to the byte, where the object around it had other members or did not exist;
of an object that was there without members it is told the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from mcp_reflect.cli.install.config_errors import UnexpectedConfig
from mcp_reflect.cli.install.json_text import JsonMember, JsonValue, parse_json_text

_SAME_LINE = re.compile(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?")
"""Comments that belong to what stands before them: those that begin and end on its line."""


def parse_config(text: str, *, comments: bool) -> Any:
    """Return the value of the text, {} of an empty one. Raises MalformedConfig."""
    return parse_json_text(text, comments=comments).data if text.strip() else {}


def put_entry(text: str, path: Sequence[str], value: Any, *, comments: bool) -> str:
    """Return `text` with `value` at `path`. Objects on the way that are missing are made.

    Of a value that is there already, only the members that differ are written.
    Raises MalformedConfig or UnexpectedConfig.
    """
    if not text.strip():
        return json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    here = parse_json_text(text, comments=comments)
    root = here
    for depth, key in enumerate(path):
        found = _object(here, path[:depth]).member(key)
        if found is None:
            return _inserted(text, root, here, key, _nested(path[depth + 1 :], value))
        here = found.value
    if here.data == value:
        return text
    if here.members is None or not isinstance(value, dict) or any(key not in value for key in here.data):
        written = _written(value, text, root, _indent(text, here.start))
        return text[: here.start] + written + text[here.end :]
    for key, wanted in value.items():
        text = put_entry(text, [*path, key], wanted, comments=comments)
    return text


def empty_object(text: str, key: str, *, comments: bool) -> str | None:
    """Return the text of the object at a key if it has neither members nor comments; None otherwise."""
    found = parse_json_text(text, comments=comments).member(key) if text.strip() else None
    if found is None or found.value.members is None:
        return None
    written = text[found.value.start : found.value.end]
    return None if written[1:-1].strip() else written


def remove_entry(text: str, path: Sequence[str], *, comments: bool, empty: str | None = None) -> str:
    """Return `text` without the member at `path`, and without the object around it where nothing is left in that.

    `empty` is the text of that object as it stood there before, without members; it then takes the object's place.
    Raises MalformedConfig, UnexpectedConfig, and KeyError where there is no such member.
    """
    root = parse_json_text(text, comments=comments)
    here = root
    for depth, key in enumerate(path[:-1]):
        found = _object(here, path[:depth]).member(key)
        if found is None:
            raise KeyError(key)
        here = found.value
    members = _object(here, path[:-1]).members or ()
    places = [place for place, member in enumerate(members) if member.key == path[-1]]
    if not places:
        raise KeyError(path[-1])
    for place in reversed(places):  # one written twice must not come to light under the one that goes
        text = _without(text, here, place)
        here = _at(text, path[:-1], comments=comments)
    if len(path) > 1 and text[here.start : here.end] == "{}":
        if empty is not None:
            return text[: here.start] + empty + text[here.end :]
        return remove_entry(text, path[:-1], comments=comments)
    return text


def _at(text: str, path: Sequence[str], *, comments: bool) -> JsonValue:
    here = parse_json_text(text, comments=comments)
    for key in path:
        found = here.member(key)
        assert found is not None
        here = found.value
    return here


def _object(value: JsonValue, path: Sequence[str]) -> JsonValue:
    if value.members is None:
        raise UnexpectedConfig(f"{'.'.join(path) or 'the whole file'} must be an object in braces")
    return value


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _inserted(text: str, root: JsonValue, here: JsonValue, key: str, value: Any) -> str:
    """`text` with a member added at the end of the object `here`."""
    newline = _newline(text)
    members = here.members or ()
    if not members:
        inner = text[here.start + 1 : here.end - 1]
        at = here.start + 1 + len(inner.rstrip())
        if not _spread(text, root):
            return text[:at] + _member(key, value, text, root, None) + text[at:]
        closing = _indent(text, here.start)
        indent = closing + _unit(text, root)
        ending = "" if "\n" in text[at : here.end] else newline + closing
        return text[:at] + newline + indent + _member(key, value, text, root, indent) + ending + text[at:]
    last = members[-1]
    end = last.value.end if last.comma is None else last.comma + 1
    at = _after_comments(text, end)
    if "\n" in text[here.start : members[0].start] or "\n" in text[at : here.end] or "//" in text[end:at]:
        indent = _indent(text, last.start)
        if text[: last.start].rpartition("\n")[2] != indent:  # it does not begin its line
            indent = _indent(text, here.start) + _unit(text, root)
        lead, member = newline + indent, _member(key, value, text, root, indent)
    else:
        lead, member = _spacing(text)[0][1:], _member(key, value, text, root, None)
    if last.comma is None:
        return text[:end] + "," + text[end:at] + lead + member + text[at:]
    return text[:at] + lead + member + "," + text[at:]


def _without(text: str, here: JsonValue, place: int) -> str:
    members = here.members or ()
    member = members[place]
    before = members[place - 1] if place else None
    is_last = place == len(members) - 1
    # Comments above a member may be other members that somebody switched off: they stay.
    start = len(text[: member.start].rstrip(" \t\r\n"))
    end = _after_comments(text, member.value.end if member.comma is None else member.comma + 1)
    since = here.start + 1 if before is None else _comma(before) + 1
    if before is None and is_last and not (text[since:start] + text[end : here.end - 1]).strip():
        return text[: here.start] + "{}" + text[here.end :]
    if before is None and not is_last and "\n" not in text[start:end]:
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    kept, rest = text[since:start], text[end:]
    if "//" in kept.rpartition("\n")[2] and rest.lstrip(" \t")[:1] not in {"\r", "\n"}:
        rest = _newline(text) + rest  # a comment must not swallow what moves up to it
    if before is not None and is_last and member.comma is None:
        return text[: _comma(before)] + kept + rest
    return text[:since] + kept + rest


def _comma(member: JsonMember) -> int:
    assert member.comma is not None  # another member follows it
    return member.comma


def _after_comments(text: str, at: int) -> int:
    found = _SAME_LINE.match(text, at)
    assert found is not None  # it matches the empty text
    return found.end()


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str, at: int) -> str:
    """The white space that begins the line of an offset."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _spread(text: str, root: JsonValue) -> bool:
    """Return whether the text has a member to a line, as people write it; `{}` alone is written so."""
    return not root.members or "\n" in text[root.start : root.end]


def _unit(text: str, root: JsonValue) -> str:
    """Return the indentation of one level."""
    first = root.members[0].start if root.members else root.start
    return _indent(text, first) or "  "


def _spacing(text: str) -> tuple[str, str]:
    return (", ", ": ") if re.search(r'"\s*:[ \t]', text) or '"' not in text else (",", ":")


def _member(key: str, value: Any, text: str, root: JsonValue, indent: str | None) -> str:
    colon = ": " if indent is not None else _spacing(text)[1]
    return json.dumps(key, ensure_ascii=False) + colon + _written(value, text, root, indent)


def _written(value: Any, text: str, root: JsonValue, indent: str | None) -> str:
    """JSON for the value; over several lines, indented by `indent`, unless that is None or the text has one line."""
    if indent is None or not _spread(text, root):
        return json.dumps(value, ensure_ascii=False, separators=_spacing(text))
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text, root))
    return lines.replace("\n", _newline(text) + indent)
