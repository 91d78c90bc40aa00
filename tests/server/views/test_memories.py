"""What clients see of a memory: the same fields in the same order, whatever its kind."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mcp_reflect.application.memory_service import RetrievedMemories
from mcp_reflect.domain.models import MEMORY_KINDS, Kind, Match, ReflectionMemory, ScoreParts
from mcp_reflect.server.views.concise import concise_memories
from mcp_reflect.server.views.memories import memory_view, retrieved_view
from tests.support.values import make_memory, make_trace

FIRST = ["id", "kind", "task", "reflection", "q_value", "similarity", "relevance", "score"]
RATED = ["rating", "interval"]
WORDS = ["key_mistake", "correct_action", "guidance"]
LAST = ["author", "source_trace_id", "reviews", "runs", "borne_out", "created_at", "last_used_at"]

CONTENT: dict[Kind, dict[str, Any]] = {
    "reflection": {
        "summary": "s",
        "key_mistake": "m",
        "correct_action": "c",
        "guidance": "g",
        "applicable_tools": ("grep",),
        "tools_used": ("ls",),
        "success": False,
        "error_keywords": ("key word",),
    },
    "error": {
        "key_mistake": "m",
        "correct_action": "c",
        "guidance": "g",
        "evidence": ("e",),
        "tests": ("t",),
        "recurrences": 2,
        "error_keywords": ("key word",),
    },
    "claim": {"tools_used": ("ls",), "success": True},
    "insight": {"evidence": ("trace_a",), "importance": 0.5, "contradicts": ("mem_b",)},
}

OF_KIND: dict[Kind, list[str]] = {
    "reflection": [],
    "error": ["evidence", "tests", "recurrences"],
    "claim": [],
    "insight": ["evidence", "importance", "contradicts"],
}


def keys(kind: Kind, words: list[str], rated: list[str], of_kind: list[str]) -> list[str]:
    tools = ["applicable_tools", "tools_used", "metadata", "success"]
    return [*FIRST, *rated, "user", "status", "summary", *words, *tools, *of_kind, *LAST]


@pytest.mark.parametrize("kind", MEMORY_KINDS)
def test_a_memory_of_each_kind_has_the_fields_of_the_contract(kind: Kind) -> None:
    memory = make_memory(make_trace(), kind=kind, **CONTENT[kind])
    assert list(memory_view(memory)) == keys(kind, WORDS, RATED, OF_KIND[kind])
    assert list(memory_view(memory, concise=True)) == keys(kind, [], [], OF_KIND[kind])


@pytest.mark.parametrize("kind", MEMORY_KINDS)
def test_fields_of_some_kinds_are_left_out_where_they_are_empty(kind: Kind) -> None:
    assert list(memory_view(make_memory(make_trace(), kind=kind))) == keys(kind, WORDS, RATED, [])


@pytest.mark.parametrize("kind", MEMORY_KINDS)
def test_a_view_holds_the_content_as_json_values_and_nothing_of_the_index(kind: Kind) -> None:
    view = memory_view(make_memory(make_trace(), kind=kind, **CONTENT[kind]))
    for name, value in CONTENT[kind].items():
        if name != "error_keywords":
            assert view[name] == (list(value) if isinstance(value, tuple) else value)
    assert not view.keys() & {"error_keywords", "project", "initial_q", "trials", "successes"}


def test_a_field_that_a_kind_lacks_is_shown_empty() -> None:
    view = memory_view(make_memory(make_trace(), kind="claim", reflection="Look first."))
    assert [view[name] for name in ("summary", *WORDS, "applicable_tools")] == ["", "", "", "", []]


def test_figures_of_a_match_stand_in_the_view_of_an_answer() -> None:
    memory = make_memory(make_trace(), q_value=0.75)
    parts = ScoreParts(lambda_=0.5, meaning=0.1, words=0.1, lesson=0.0, neighbours=0.0, quality=0.3, task_record=0.05)
    match = Match(memory=memory, similarity=0.1, relevance=0.2, score=0.3, parts=parts)
    view = memory_view(memory, match)
    assert view["score_parts"] == parts.model_dump()
    assert "score_parts" not in memory_view(memory, match, concise=True)
    assert [view[name] for name in ("similarity", "relevance", "score", "rating")] == [0.1, 0.2, 0.3, 5.0]
    assert [memory_view(memory)[name] for name in ("similarity", "relevance", "score")] == [None, None, None]


def test_a_memory_that_contradicts_another_of_the_answer_names_it() -> None:
    rules = (
        "Allow at most 5 attempts for each request.",
        "Allow at most 8 attempts for each request.",
        "Log each one.",
    )
    memories = [
        ReflectionMemory(
            id=f"mem_{number}",
            project="alpha",
            user="ann",
            task="retry failed requests",
            reflection=rule,
            author="agent",
            source_trace_id=f"trace_{number}",
            initial_q=0.5,
            q_value=0.5,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for number, rule in enumerate(rules)
    ]
    parts = ScoreParts(lambda_=0.5, meaning=0.1, words=0.1, lesson=0.0, neighbours=0.0, quality=0.3, task_record=0.05)
    matches = [Match(memory=memory, similarity=0.9, relevance=0.9, score=0.9, parts=parts) for memory in memories]
    retrieved = RetrievedMemories("ret_1", matches)
    for shown in (retrieved_view(retrieved), concise_memories(retrieved)):
        assert [view.get("disagrees_with") for view in shown["memories"]] == [["mem_1"], ["mem_0"], None]


def test_a_memory_that_is_shown_to_be_tried_says_so() -> None:
    known, new = (
        ReflectionMemory(
            id=f"mem_{number}",
            project="alpha",
            user="ann",
            task="retry failed requests",
            reflection="Log each one.",
            author="agent",
            source_trace_id=f"trace_{number}",
            initial_q=0.5,
            q_value=0.5,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for number in range(2)
    )
    parts = ScoreParts(lambda_=0.5, meaning=0.1, words=0.1, lesson=0.0, neighbours=0.0, quality=0.3, task_record=0.05)
    matches = [
        Match(memory=memory, similarity=0.9, relevance=0.9, score=0.9, parts=parts, untried=memory is new)
        for memory in (known, new)
    ]
    for shown in (
        retrieved_view(RetrievedMemories("ret_1", matches)),
        concise_memories(RetrievedMemories("ret_1", matches)),
    ):
        assert [view.get("untried") for view in shown["memories"]] == [None, True]
