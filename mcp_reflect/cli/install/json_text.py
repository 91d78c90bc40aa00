"""JSON with the places of its members, so that a text can be changed without being written anew.

`json` and `json5` of the package index give values without offsets, so this reads the text itself: JSON as RFC 8259 has
it, and with `comments` what editors allow on top: `//` and `/* */` comments and a comma after the last member.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from mcp_reflect.cli.install.config_errors import MalformedConfig, malformed_at

_SPACE = re.compile(r"[ \t\r\n]*")
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*[\s\S]*?\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


@dataclass(frozen=True)
class JsonValue:
    """A value and where it stands: `text[start:end]`. `members` is None for what is no object."""

    start: int
    end: int
    data: Any
    members: tuple[JsonMember, ...] | None = None

    def member(self, key: str) -> JsonMember | None:
        """Return the member of that name; of several the last, which is the one that parsers keep."""
        return next((member for member in reversed(self.members or ()) if member.key == key), None)


@dataclass(frozen=True)
class JsonMember:
    """A member of an object. `start` is where its key begins, `comma` where the comma after it stands, if one does."""

    key: str
    start: int
    value: JsonValue
    comma: int | None


def parse_json_text(text: str, *, comments: bool) -> JsonValue:
    """Return the value that a whole text holds. Raises MalformedConfig, which says where."""
    reader = _Reader(text, comments=comments)
    try:
        value = reader.value(reader.skip(0))
    except RecursionError:
        raise MalformedConfig("nested too deeply", 1, 1) from None
    end = reader.skip(value.end)
    if end != len(text):
        raise malformed_at(text, end, "nothing may follow the value")
    return value


@dataclass
class _Reader:
    text: str
    comments: bool
    _trivia: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        self._trivia = _TRIVIA if self.comments else _SPACE

    def skip(self, at: int) -> int:
        found = self._trivia.match(self.text, at)
        assert found is not None  # it matches the empty text
        if self.text.startswith(("//", "/*"), found.end()):
            problem = "this comment has no end" if self.comments else "comments are not allowed in this file"
            raise malformed_at(self.text, found.end(), problem)
        return found.end()

    def value(self, at: int) -> JsonValue:
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at)
        if first == "[":
            return self._array(at)
        if first == '"':
            end, data = self._string(at)
            return JsonValue(at, end, data)
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise malformed_at(
                self.text, at, "a value is missing here" if first in {"", "}", "]", ","} else "not a value"
            )
        return JsonValue(at, found.end(), json.loads(found[0]))

    def _string(self, at: int) -> tuple[int, str]:
        found = _STRING.match(self.text, at)
        if found is None:
            raise malformed_at(self.text, at, "this string has no end, or holds what a string must not")
        return found.end(), json.loads(found[0])

    def _object(self, start: int) -> JsonValue:
        members: list[JsonMember] = []
        data: dict[str, Any] = {}
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}":
            key_start = at
            if self.text[at : at + 1] != '"':
                raise malformed_at(self.text, at, "a key in double quotes, or }, is missing here")
            at, key = self._string(at)
            at = self.skip(at)
            if self.text[at : at + 1] != ":":
                raise malformed_at(self.text, at, "a colon is missing here")
            value = self.value(self.skip(at + 1))
            at, comma = self._after(value.end, "}")
            members.append(JsonMember(key, key_start, value, comma))
            data[key] = value.data
        return JsonValue(start, at + 1, data, tuple(members))

    def _array(self, start: int) -> JsonValue:
        data = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            value = self.value(at)
            data.append(value.data)
            at, _ = self._after(value.end, "]")
        return JsonValue(start, at + 1, data)

    def _after(self, end: int, closing: str) -> tuple[int, int | None]:
        """Return where the next member or the closing bracket begins, and where the comma before it stands."""
        at = self.skip(end)
        following = self.text[at : at + 1]
        if following == closing:
            return at, None
        if following != ",":
            raise malformed_at(self.text, at, f"a comma or {closing} is missing here")
        then = self.skip(at + 1)
        if not self.comments and self.text[then : then + 1] == closing:
            raise malformed_at(self.text, at, f"a comma before {closing} is not allowed in this file")
        return then, at
