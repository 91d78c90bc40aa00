"""Each kind of memory: what it holds, where it came from, and what it can be found by."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.field_checks import InvalidRecord
from mcp_reflect.domain.models import (
    MEMORY_FIELDS,
    MEMORY_KINDS,
    Kind,
    flat_fields,
)
from tests.support.values import make_memory, make_trace


@pytest.mark.parametrize("kind", MEMORY_KINDS)
def test_a_memory_says_its_kind_and_comes_back_from_its_json(kind: Kind) -> None:
    memory = make_memory(make_trace(), kind=kind)
    again = MEMORY_KINDS[kind].model_validate(json.loads(json.dumps(memory.model_dump(mode="json"))))
    assert (again, type(again), again.kind) == (memory, MEMORY_KINDS[kind], kind)


@pytest.mark.parametrize(
    ("kind", "foreign"),
    [
        ("reflection", {"evidence": ("e",)}),
        ("error", {"summary": "s"}),
        ("claim", {"key_mistake": "m"}),
        ("insight", {"recurrences": 1}),
    ],
)
def test_a_field_of_another_kind_is_refused(kind: Kind, foreign: dict[str, Any]) -> None:
    with pytest.raises(InvalidRecord, match=next(iter(foreign))):
        make_memory(make_trace(), kind=kind, **foreign)


@pytest.mark.parametrize("kind", MEMORY_KINDS)
def test_a_flat_memory_has_the_fields_of_all_kinds(kind: Kind) -> None:
    memory = make_memory(make_trace(), kind=kind)
    fields = flat_fields(memory)
    assert fields.keys() == MEMORY_FIELDS
    own = MEMORY_KINDS[kind].model_fields
    assert MEMORY_KINDS[kind].model_validate({name: value for name, value in fields.items() if name in own}) == memory


def test_only_an_insight_comes_from_several_runs() -> None:
    trace = make_trace(id="t1")
    assert make_memory(trace, kind="insight", evidence=("t2", "t1")).source_trace_ids == ("t1", "t2")
    assert [make_memory(trace, kind=kind).source_trace_ids for kind in MEMORY_KINDS if kind != "insight"] == [
        ("t1",)
    ] * 3


def test_a_later_review_rewrites_what_came_from_the_run_alone() -> None:
    assert {kind for kind, model in MEMORY_KINDS.items() if model.is_rewritten} == {"reflection", "claim"}


def test_insights_alone_are_never_pruned() -> None:
    assert {kind for kind, model in MEMORY_KINDS.items() if not model.is_prunable} == {"insight"}


def test_a_list_of_memories_shows_a_reflection_by_its_task_and_others_by_what_they_say() -> None:
    trace = make_trace(task="the task")
    assert make_memory(trace).headline == "the task"
    assert make_memory(trace, kind="error", key_mistake="the mistake").headline == "the mistake"
    assert make_memory(trace, kind="claim", reflection="the claim").headline == "the claim"
    assert make_memory(trace, kind="insight", reflection="the insight").headline == "the insight"


def test_what_a_memory_advises_stands_apart_where_its_kind_has_fields_for_it() -> None:
    trace = make_trace()
    advice = {"correct_action": "do", "guidance": "always"}
    for kind in ("reflection", "error"):
        assert make_memory(trace, kind=kind, **advice).instructions == ("do", "always")
    for kind in ("claim", "insight"):
        assert make_memory(trace, kind=kind).instructions == ()


def test_a_reflection_is_about_the_tools_it_names_else_about_those_of_its_run() -> None:
    trace = make_trace()
    assert make_memory(trace, applicable_tools=("a",), tools_used=("b",)).tools == ("a",)
    assert make_memory(trace, tools_used=("b",)).tools == ("b",)
    assert make_memory(trace, kind="claim", tools_used=("b",)).tools == ("b",)


def test_passages_are_the_words_that_somebody_said() -> None:
    trace = make_trace()
    said = {"key_mistake": "m", "correct_action": "c", "guidance": "g"}
    assert make_memory(trace, summary="s", **said).passages == ("s", "m", "c", "g")
    assert make_memory(trace, kind="error", evidence=("e1", "e2"), **said).passages == ("m", "c", "g", "e1", "e2")
    for kind in ("claim", "insight"):
        assert make_memory(trace, kind=kind, reflection="r").passages == ("r",)
