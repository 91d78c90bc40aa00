"""Pairs as records have them: `tool=kubectl args="get pods"`, `note=[…] cmd=[…]`, `args={"q": "up"}`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re

_KEY = re.compile(r"[ \t,;]{0,9}(?P<key>[A-Za-z_][\w.-]{0,40})=")
_NEXT = r"(?=[ \t,;]{1,9}[A-Za-z_][\w.-]{0,40}=|[ \t]{0,9}$)"
"""What stands behind the end of a value: the next key, or the end."""
_NEXT_IN_BRACKETS = r"(?=[ \t,;]{1,9}[A-Za-z_][\w.-]{0,40}=[\[({]|[ \t]{0,9}$)"
_CLOSINGS = {
    '"': re.compile(r"(?<!\\)\"" + _NEXT),
    "'": re.compile(r"(?<!\\)'" + _NEXT),
    "[": re.compile(r"\]" + _NEXT_IN_BRACKETS),
    "(": re.compile(r"\)" + _NEXT_IN_BRACKETS),
    "{": re.compile(r"\}" + _NEXT),
}
_OTHER_ESCAPE = re.compile(r"\\(?![nt\"\\])")
_PLAIN = re.compile(r"[^\s,;]{1,8000}")
_DECODER = json.JSONDecoder()
_MOST_PAIRS = 40


class KeyValue(NamedTuple):
    """A pair, with its value as it is written, without the quotes or brackets around it.

    `opened` is the mark that its value begins with, and `rest` the number of the character where that begins.
    """

    key: str
    value: str
    opened: str
    rest: int


def read_key_values(text: str) -> tuple[list[KeyValue], str]:
    """Return the pairs that a line begins with, and what stands behind them.

    A quote inside of a quoted value doesn't end it: what ends one stands before the next key, or at the end.
    """
    found: list[KeyValue] = []
    place = 0
    while len(found) < _MOST_PAIRS and (key := _KEY.match(text, place)):
        value, opened, place = _value(text, key.end())
        found.append(KeyValue(key["key"], value, opened, key.end()))
    return found, text[place:].strip()


def _value(text: str, begin: int) -> tuple[str, str, int]:
    mark = text[begin : begin + 1]
    if mark in {"{", "["} and (end := _end_of_json(text, begin)):
        return text[begin:end], mark, end
    closing = _CLOSINGS[mark].search(text, begin + 1) if mark in _CLOSINGS else None
    if closing is None:
        plain = _PLAIN.match(text, begin)
        return (plain[0], "", plain.end()) if plain else ("", "", begin)
    if mark == "{":
        return text[begin : closing.end()], mark, closing.end()
    inner = text[begin + 1 : closing.start()]
    return _unescaped(inner, mark) if mark in {'"', "'"} else inner, mark, closing.end()


def _unescaped(inner: str, mark: str) -> str:
    """A quoted value as it was before it was quoted: with its ends of lines, where all escapes in it are JSON's."""
    if mark == '"' and "\\" in inner and not _OTHER_ESCAPE.search(inner):
        try:
            told = json.loads(f'"{inner}"')
        except ValueError:
            told = None
        if isinstance(told, str):
            return told
    return inner.replace(f"\\{mark}", mark)


def _end_of_json(text: str, begin: int) -> int:
    """The number of the character behind the JSON value that begins in a text; 0 where none does."""
    try:
        _, end = _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return 0
    return end if end == len(text) or text[end] in " \t,;" else 0


def object_of(pairs: list[KeyValue]) -> dict[str, Any]:
    """Return pairs as the arguments of a call; the first of those with the same key counts."""
    found: dict[str, Any] = {}
    for each in pairs:
        found.setdefault(each.key, each.value)
    return found
