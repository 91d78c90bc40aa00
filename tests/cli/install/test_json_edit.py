"""A member is put into JSON and taken out again; nothing else of the text moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.cli.install.config_errors import MalformedConfig, UnexpectedConfig
from mcp_reflect.cli.install.json_edit import parse_config, put_entry, remove_entry

ENTRY = {"type": "stdio", "command": "/opt/mcp reflect/bin/mcp-reflect", "args": [], "env": {"A": 'ä " \\ \n'}}
PATH = ("mcpServers", "reflect")

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
SERVERS = st.dictionaries(NAMES.filter(lambda name: name != "reflect"), VALUES, min_size=1, max_size=3)
SPACE = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", "\r\n\t"])
TRIVIA = SPACE | st.sampled_from(
    [" // note\n", "//{\r\n  ", "/* x */", " /* , } */ ", " /* a\n b */ ", '\n  // "y": {},\n']
)


def written(draw: st.DrawFn, value: Any, trivia: st.SearchStrategy[str], *, commas: bool) -> str:
    """JSON text for the value with whatever may stand between its tokens."""
    if isinstance(value, dict | list):
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        parts = []
        for item in value.items() if isinstance(value, dict) else value:
            if isinstance(value, dict):
                key, item = item  # noqa: PLW2901 - a member
                name = json.dumps(key, ensure_ascii=draw(st.booleans()))
                text = f"{name}{draw(trivia)}:{draw(trivia)}{written(draw, item, trivia, commas=commas)}"
            else:
                text = written(draw, item, trivia, commas=commas)
            parts.append(f"{draw(trivia)}{text}{draw(trivia)}")
        last = "," + draw(trivia) if parts and commas and draw(st.booleans()) else ""
        return opening + ",".join(parts) + last + (draw(trivia) if not parts else "") + closing
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def documents(draw: st.DrawFn, *, comments: bool, with_servers: bool) -> tuple[str, Any]:
    data = draw(st.dictionaries(NAMES.filter(lambda name: name != "mcpServers"), VALUES, max_size=3))
    if with_servers:
        place = draw(st.integers(0, len(data)))
        members = [*data.items()]
        members.insert(place, ("mcpServers", draw(SERVERS)))
        data = dict(members)
    trivia = TRIVIA if comments else SPACE
    return f"{draw(trivia)}{written(draw, data, trivia, commas=comments)}{draw(trivia)}", data


@pytest.mark.parametrize("comments", [True, False])
@given(data=st.data())
def test_what_is_put_in_beside_other_servers_is_taken_out_to_the_byte(comments: bool, data: st.DataObject) -> None:
    text, said = data.draw(documents(comments=comments, with_servers=True))
    changed = put_entry(text, PATH, ENTRY, comments=comments)
    assert parse_config(changed, comments=comments) == {**said, "mcpServers": {**said["mcpServers"], "reflect": ENTRY}}
    assert remove_entry(changed, PATH, comments=comments) == text


@pytest.mark.parametrize("comments", [True, False])
@given(data=st.data())
def test_servers_that_were_not_there_leave_with_the_last_of_them(comments: bool, data: st.DataObject) -> None:
    text, said = data.draw(documents(comments=comments, with_servers=False))
    changed = put_entry(text, PATH, ENTRY, comments=comments)
    assert parse_config(changed, comments=comments) == {**said, "mcpServers": {"reflect": ENTRY}}
    back = remove_entry(changed, PATH, comments=comments)
    assert back == text or (not said and parse_config(back, comments=comments) == {})


@given(data=st.data())
def test_any_member_can_go_and_every_other_stays(data: st.DataObject) -> None:
    text, said = data.draw(documents(comments=True, with_servers=True))
    name = data.draw(st.sampled_from(sorted(said["mcpServers"])))
    left = {key: value for key, value in said["mcpServers"].items() if key != name}
    expected = {**said, "mcpServers": left} if left else {k: v for k, v in said.items() if k != "mcpServers"}
    found = parse_config(remove_entry(text, ("mcpServers", name), comments=True), comments=True)
    assert found in [expected, {**said, "mcpServers": left}]  # an object with a comment in it stays


@given(data=st.data())
def test_any_member_can_get_another_value(data: st.DataObject) -> None:
    text, said = data.draw(documents(comments=True, with_servers=True))
    name = data.draw(st.sampled_from(sorted(said["mcpServers"])))
    value = data.draw(VALUES)
    changed = put_entry(text, ("mcpServers", name), value, comments=True)
    assert parse_config(changed, comments=True) == {**said, "mcpServers": {**said["mcpServers"], name: value}}


@given(VALUES)
def test_what_json_writes_is_read_as_it_was_meant(value: Any) -> None:
    for indent in (None, 2):
        assert parse_config(json.dumps(value, indent=indent), comments=False) == value


def test_an_entry_is_changed_without_its_comments() -> None:
    text = """{
  "mcpServers": {
    "reflect": {
      // mine
      "command": "old", // where it is
      "env": {"A": "1"}
    }
  }
}
"""
    changed = put_entry(text, PATH, {"command": "new", "env": {"A": "1", "B": "2"}}, comments=True)
    assert changed == text.replace('"old"', '"new"').replace('{"A": "1"}', '{"A": "1", "B": "2"}')


def test_indentation_and_line_ends_are_those_of_the_file() -> None:
    text = '{\r\n\t"mcpServers": {\r\n\t\t"x": {}\r\n\t}\r\n}'
    changed = put_entry(text, PATH, {"command": "c"}, comments=False)
    assert changed == (
        '{\r\n\t"mcpServers": {\r\n\t\t"x": {},\r\n\t\t"reflect": {\r\n\t\t\t"command": "c"\r\n\t\t}\r\n\t}\r\n}'
    )


def test_a_trailing_comma_stays_one() -> None:
    text = '{\n  "servers": {\n    "x": {}, // the other\n  },\n}\n'
    changed = put_entry(text, ("servers", "reflect"), {"command": "c"}, comments=True)
    assert changed.endswith('"x": {}, // the other\n    "reflect": {\n      "command": "c"\n    },\n  },\n}\n')


def test_a_file_in_one_line_stays_in_one_line() -> None:
    assert (
        put_entry('{"a":1}', PATH, {"command": "c"}, comments=False)
        == '{"a":1,"mcpServers":{"reflect":{"command":"c"}}}'
    )


@pytest.mark.parametrize("text", ["", " \n", "{}", "{\n}\n"])
def test_an_empty_file_gets_a_readable_one(text: str) -> None:
    lines = put_entry(text, PATH, {"command": "c"}, comments=False).split("\n")
    assert lines[:4] == ["{", '  "mcpServers": {', '    "reflect": {', '      "command": "c"']


def test_of_a_name_that_is_written_twice_none_is_left() -> None:
    text = '{"mcpServers": {"reflect": 1, "x": 2, "reflect": 3}}'
    assert remove_entry(text, PATH, comments=False) == '{"mcpServers": {"x": 2}}'


@pytest.mark.parametrize(
    ("text", "comments", "problem"),
    [
        ('{\n  "a": 1,\n}', False, "line 2, column 9: a comma before } is not allowed in this file"),
        ("{\n  // hi\n}", False, "line 2, column 3: comments are not allowed in this file"),
        ('{"a": 1 "b": 2}', True, "line 1, column 9: a comma or } is missing here"),
        ('{"a" 1}', True, "line 1, column 6: a colon is missing here"),
        ('{\n  "a": }', True, "line 2, column 8: a value is missing here"),
        ('{"a": nope}', True, "line 1, column 7: not a value"),
        ('{"a": "b\n"}', True, "line 1, column 7: this string has no end, or holds what a string must not"),
        ("{'a': 1}", True, "line 1, column 2: a key in double quotes, or }, is missing here"),
        ('{"a": [1, 2}', True, "line 1, column 12: a comma or ] is missing here"),
        ('{"a": 1', True, "line 1, column 8: a comma or } is missing here"),
        ("{} {}", True, "line 1, column 4: nothing may follow the value"),
        ("{ /* no end", True, "line 1, column 3: this comment has no end"),
        ("[" * 100_000, True, "line 1, column 1: nested too deeply"),
    ],
)
def test_what_is_broken_is_told_with_its_place(text: str, comments: bool, problem: str) -> None:
    with pytest.raises(MalformedConfig) as told:
        put_entry(text, PATH, ENTRY, comments=comments)
    assert str(told.value) == problem


@pytest.mark.parametrize(("text", "what"), [('{"mcpServers": []}', "mcpServers"), ("[]", "the whole file")])
def test_a_place_that_holds_something_else_is_left_alone(text: str, what: str) -> None:
    with pytest.raises(UnexpectedConfig, match=f"{what} must be an object"):
        put_entry(text, PATH, ENTRY, comments=True)


def test_what_is_not_there_cannot_be_removed() -> None:
    for text in ("{}", '{"mcpServers": {"x": 1}}'):
        with pytest.raises(KeyError):
            remove_entry(text, PATH, comments=True)
