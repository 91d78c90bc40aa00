"""JSON without the `json` module: its results and its errors, for every value and every text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.wire import light_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()) | st.integers() | st.booleans(), inner),
    max_leaves=12,
)


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result in a form in which NaN equals itself, or the error."""
    try:
        return repr(function(*arguments, **options))
    except (ValueError, TypeError, RecursionError) as error:
        return type(error), str(error)


@given(VALUES, st.booleans(), st.booleans())
def test_values_are_written_as_json_writes_them(value: Any, ensure_ascii: bool, allow_nan: bool) -> None:
    options = {"ensure_ascii": ensure_ascii, "allow_nan": allow_nan}
    assert outcome(light_json.dumps, value, **options) == outcome(json.dumps, value, **options)


@given(VALUES, st.sampled_from(["", " ", "\r\n", "\t"]), st.sampled_from(["", "\n", " x", "]", "\u00a0"]))
def test_texts_are_read_as_json_reads_them(value: Any, before: str, after: str) -> None:
    text = before + json.dumps(value) + after
    assert outcome(light_json.loads, text) == outcome(json.loads, text)
    assert outcome(light_json.loads, text.encode()) == outcome(json.loads, text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        '{"a":}',
        "nul",
        "[1,]",
        '"\x01"',
        "\ufeff1",
        b"\xff",
        b"\xef\xbb\xbf1",
        '"a"'.encode("utf-16"),
        "[" * 100_000,
    ],
)
def test_what_is_no_json_is_told_in_the_words_of_json(text: str | bytes) -> None:
    assert outcome(light_json.loads, text) == outcome(json.loads, text)


def test_values_without_a_form_in_json_are_refused_in_the_words_of_json() -> None:
    circle: list[Any] = []
    circle.append(circle)
    for value in ({1, 2}, circle, {(): 1}, b"bytes"):
        assert outcome(light_json.dumps, value) == outcome(json.dumps, value)


def test_an_interpreter_without_the_c_functions_has_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(light_json, "_FUNCTIONS", None)
    assert light_json.loads(light_json.dumps({"é": [1.5, None]}, ensure_ascii=False)) == {"é": [1.5, None]}


def test_this_interpreter_has_the_c_functions() -> None:
    assert light_json._FUNCTIONS is not None  # otherwise hooks wait for the import of json
