"""Values of any kind become plain JSON data, whatever they are made of."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from mcp_reflect.client.plain import EACH, ROOM, as_json

pytestmark = pytest.mark.timeout(20)


@dataclass
class Node:
    name: str
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)


def nodes(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(nodes, value.values()))
    return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1


def test_an_object_within_itself_is_written_once() -> None:
    root = Node("root")
    root.children = [Node("first", root), Node("second", root)]
    assert as_json(root) == {
        "name": "root",
        "parent": None,
        "children": [
            {"name": "first", "parent": "…", "children": []},
            {"name": "second", "parent": "…", "children": []},
        ],
    }


def test_what_is_shared_is_written_out_wherever_it_is() -> None:
    shared = {"a": 1}
    assert as_json([shared, shared]) == [{"a": 1}, {"a": 1}]


def test_what_is_shared_at_every_level_is_cut_off() -> None:
    shared: list[Any] = []
    for _ in range(50):
        shared = [shared, shared]
    # Each list that is open when the room is used up ends with one more.
    assert nodes(as_json({"role": "user", "content": shared})) <= ROOM / EACH + 60


def test_many_values_and_long_texts_are_cut_off_at_their_end() -> None:
    several = as_json([{str(number): number for number in range(1000)} for _ in range(1000)])
    assert nodes(several) <= ROOM / EACH + 2
    assert (several[0]["999"], several[-1]) == (999, "…")
    text = "x" * 1_000_000
    texts = as_json([text] * 1000)
    assert (texts[:12], len(texts), texts[-1]) == ([text] * 12, 14, "…")


def test_nesting_without_end_is_cut_off() -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    assert json.dumps(as_json(deep)) == "[" * 60 + '"\\u2026"' + "]" * 60
