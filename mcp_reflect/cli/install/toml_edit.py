"""Changing one table of a TOML text and nothing else.

A new table goes to the end of the file, by text, so that taking it out gives back the very same bytes; whatever is more
involved (a change of a table, tables written in braces) is done by tomlkit, which keeps comments and order. Either way
the result is read with tomllib and compared with what it should say.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.cli.install.config_errors import MalformedConfig, UnexpectedConfig

_PLACE = re.compile(r"(?s)(.*) \(at line (\d+), column (\d+)\)")
_HEADER = re.compile(r"\s*\[")


def parse_config(text: str) -> Any:
    """Return the value of the text. Raises MalformedConfig."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        if found:
            raise MalformedConfig(found[1], int(found[2]), int(found[3])) from None
        lines = text.split("\n")
        raise MalformedConfig(
            str(error).removesuffix(" (at end of document)"), len(lines), len(lines[-1]) + 1
        ) from None


def put_entry(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """Return `text` with the table `value` at `path`, two keys long. Raises MalformedConfig or UnexpectedConfig."""
    before = parse_config(text)
    outer, name = path
    tables = before.get(outer, {})
    if not isinstance(tables, dict):
        raise UnexpectedConfig(f"{outer} must be a table")
    if tables.get(name) == value:
        return text
    wanted = copy.deepcopy(before)
    wanted.setdefault(outer, {})[name] = dict(value)
    lines, newline = _lined(text)
    for attempt in (_appended, _assigned):
        if attempt is _appended and name in tables:
            continue
        changed = attempt(lines, outer, name, value)
        if changed is not None and _says(changed, wanted):
            return changed.replace("\n", newline)
    raise UnexpectedConfig(f"{outer}.{name} is written in a way that cannot be changed safely")


def remove_entry(text: str, path: Sequence[str]) -> str:
    """Return `text` without the table at `path`.

    Raises MalformedConfig, UnexpectedConfig, and KeyError where there is no such table.
    """
    outer, name = path
    wanted = copy.deepcopy(parse_config(text))
    del wanted[outer][name]
    lines, newline = _lined(text)
    for attempt in (_cut, _deleted):
        changed = attempt(lines, outer, name)
        if _says(changed, wanted) or (not wanted[outer] and _says(changed, _less(wanted, outer))):
            return changed.replace("\n", newline)
    raise UnexpectedConfig(f"{outer}.{name} is written in a way that cannot be changed safely")


def _less(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def _lined(text: str) -> tuple[str, str]:
    """The text with line feeds only, and what they stand for; a text with both kinds of line ends stays as it is."""
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        return text.replace("\r\n", "\n"), "\r\n"
    return text, "\n"


def _says(text: str, wanted: Any) -> bool:
    try:
        return bool(tomllib.loads(text) == wanted)
    except tomllib.TOMLDecodeError:
        return False


def _appended(text: str, outer: str, name: str, value: Mapping[str, Any]) -> str:
    import tomlkit  # noqa: PLC0415 - for one client only

    table = tomlkit.table()
    for key, item in value.items():
        table[key] = _item(item)
    above = tomlkit.table(is_super_table=True)
    above[name] = table
    document = tomlkit.document()
    document[outer] = above
    block = document.as_string()
    if not text:
        return block
    # A file without a last line end keeps that, which is how `_cut` knows what to take away.
    return f"{text}\n{block}" if text.endswith("\n") else f"{text}\n\n{block.rstrip()}"


def _assigned(text: str, outer: str, name: str, value: Mapping[str, Any]) -> str | None:
    import tomlkit  # noqa: PLC0415 - for one client only
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415 - likewise

    try:
        document = tomlkit.parse(text)
        tables: Any = document[outer]
        if name not in tables:
            tables[name] = _item(value)
        table = tables[name]
        for key, item in value.items():
            if key not in table or table[key] != item:
                table[key] = _item(item)
        for key in [key for key in table if key not in value]:
            del table[key]
        return document.as_string()
    except (TOMLKitError, ValueError, TypeError):  # what tomlkit cannot do is left to people
        return None


def _item(value: Any) -> Any:
    import tomlkit  # noqa: PLC0415 - for one client only

    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    table.update({key: _item(item) for key, item in value.items()})
    return table


def _cut(text: str, outer: str, name: str) -> str:
    """Without the lines from each header of the table, or of one inside it, to its last key."""
    keys = [rf"""(?:{re.escape(key)}|"{re.escape(key)}"|'{re.escape(key)}')""" for key in (outer, name)]
    ours = re.compile(rf"\s*\[\[?\s*{keys[0]}\s*\.\s*{keys[1]}\s*[.\]]")
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        if not ours.match(lines[at]):
            kept.append(lines[at])
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not _HEADER.match(lines[end]):
            end += 1
        while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
            end -= 1  # comments and blank lines before the next header belong to that
        if kept and not kept[-1].strip():
            kept.pop()
        at = end
    return "\n".join(kept)


def _deleted(text: str, outer: str, name: str) -> str:
    import tomlkit  # noqa: PLC0415 - for one client only

    document = tomlkit.parse(text)
    tables: Any = document[outer]
    del tables[name]
    return document.as_string()
