"""Whatever a program collects becomes a trajectory that the memory takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.application import requests
from mcp_reflect.client.calls.run_content import build_trajectory, clean_text
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.truncate import truncate_middle

text = st.text(st.characters(codec=None), max_size=40)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | text
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=12
)


class Strange:
    def __str__(self) -> str:
        return "strange"


def stored(items: list[Any]) -> str:
    """As the server takes it: checked, then parsed; the canonical text."""
    submission = requests.make_request(requests.Submission, task="t", trajectory=build_trajectory(items))
    return parse(submission.trajectory).text


@given(st.lists(values | st.binary(max_size=5) | st.sets(st.integers(), max_size=3) | st.builds(Strange), max_size=6))
def test_a_trajectory_of_anything_is_taken(items: list[Any]) -> None:
    stored(items)


@given(st.lists(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), max_size=6))
def test_lines_of_log_alone_stay_the_text_they_are(lines: list[str]) -> None:
    joined = "\n".join(lines)
    if not joined.lstrip("\ufeff \t\r\n").startswith("["):
        assert build_trajectory(lines) == joined
    else:
        assert [message["content"] for message in json.loads(build_trajectory(lines))] == lines


@given(text, st.integers(300, 1000))
def test_a_shortened_text_is_no_longer_than_allowed_and_keeps_both_ends(part: str, limit: int) -> None:
    whole = "<" + clean_text(part) * 50 + ">"
    short = truncate_middle(whole, limit)
    assert len(short) <= limit
    assert (short[0], short[-1]) == ("<", ">")
    assert short == whole or len(whole) > limit


def test_a_message_within_itself_is_stored() -> None:
    message: dict[str, Any] = {"role": "assistant"}
    message["state"] = {"messages": [message, message], "steps": 3}
    assert stored([message]) == '[{"role":"assistant","state":{"messages":["…","…"],"steps":3}}]'


@pytest.mark.parametrize("odd", [{"role": None}, {"role": 5}, {"role": None, "type": "message"}, {"type": 5}, {}])
def test_a_message_without_a_role_that_is_text_is_the_assistants(odd: dict[str, Any]) -> None:
    assert json.loads(stored([{"content": "x", **odd}]))[0]["role"] == "assistant"


def test_a_message_that_has_a_type_needs_no_role() -> None:
    (message,) = json.loads(stored([{"type": "function_call_output", "call_id": "1", "output": "x"}]))
    assert "role" not in message
