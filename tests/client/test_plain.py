"""Values of any kind become plain JSON data, whatever they are made of."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from mcp_reflect.client.calls.json_values import MAX_JSON_CHARS, VALUE_COST_CHARS, to_json_value, to_printable_text


@dataclass
class Node:
    name: str
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)


class Silent:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Proxy:
    """As those of frameworks that are good for something within a request only."""

    def __getattribute__(self, name: str) -> Any:
        raise LookupError("outside of a request")


class Message(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    role: str = "user"
    refusal: str | None = None
    content: Any = None


def nodes(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(nodes, value.values()))
    return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1


def test_an_object_within_itself_is_written_once() -> None:
    root = Node("root")
    root.children = [Node("first", root), Node("second", root)]
    assert to_json_value(root) == {
        "name": "root",
        "parent": None,
        "children": [
            {"name": "first", "parent": "…", "children": []},
            {"name": "second", "parent": "…", "children": []},
        ],
    }


def test_what_is_shared_is_written_out_wherever_it_is() -> None:
    shared = {"a": 1}
    assert to_json_value([shared, shared]) == [{"a": 1}, {"a": 1}]


@pytest.mark.slow
def test_what_is_shared_at_every_level_is_cut_off() -> None:
    shared: list[Any] = []
    for _ in range(50):
        shared = [shared, shared]
    # Each list that is open when the room is used up ends with one more.
    assert nodes(to_json_value({"role": "user", "content": shared})) <= MAX_JSON_CHARS / VALUE_COST_CHARS + 60


def test_many_values_and_long_texts_are_cut_off_at_their_end() -> None:
    several = to_json_value([{str(number): number for number in range(1000)} for _ in range(1000)])
    assert nodes(several) <= MAX_JSON_CHARS / VALUE_COST_CHARS + 2
    assert (several[0]["999"], several[-1]) == (999, "…")
    text = "x" * 1_000_000
    texts = to_json_value([text] * 1000)
    assert (texts[:12], len(texts), texts[-1]) == ([text] * 12, 14, "…")


def test_nesting_without_end_is_cut_off() -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    assert json.dumps(to_json_value(deep)) == "[" * 60 + '"\\u2026"' + "]" * 60


def test_a_value_that_raises_costs_itself_alone() -> None:
    odd = {"role": "user", "silent": [Silent(), 1], "proxy": Proxy(), Silent(): 2}
    assert to_json_value(odd) == {
        "role": "user",
        "silent": ["<unprintable Silent>", 1],
        "proxy": "<unprintable Proxy>",
        "<unprintable Silent>": 2,
    }
    assert to_printable_text(Silent()) == "<unprintable Silent>"


def test_a_field_that_pydantic_cannot_write_costs_itself_alone() -> None:
    assert to_json_value(Message(content=[Silent(), "text"])) == {
        "role": "user",
        "content": ["<unprintable Silent>", "text"],
    }
    within = Message()
    within.content = [within, 1]
    assert to_json_value(within) == {"role": "user", "content": ["…", 1]}


def test_a_class_is_a_value_like_any_other() -> None:
    assert to_json_value({"response_format": Message}) == {"response_format": f"{Message}"}
    assert to_json_value(Node) == f"{Node}"


def test_a_number_that_python_does_not_print_is_written_as_such() -> None:
    assert to_json_value(2**70) == 2**70
    assert to_json_value(10**700) == "1" + "0" * 700
    assert to_json_value([10**5000]) == ["<unprintable int>"]
    assert to_printable_text(10**5000) == "<unprintable int>"
