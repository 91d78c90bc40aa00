"""Large banks: the neighbours of a lesson by the index are those that comparing every row finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect.application import lesson_search
from mcp_reflect.application.embedded_texts import EmbeddedTexts
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.values import Vector
from mcp_reflect.errors import IndexFailure
from tests.support.composition import Parts, small_memory
from tests.support.values import make_trace

TASK = "Fix the parser of the shop"


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    with small_memory(tmp_path) as found:
        for number, task in enumerate([*["Mend the clock"] * 6, *[TASK] * 3]):
            found.memory.submit(
                Submission(
                    task=task,
                    retrieval_id=NO_RETRIEVAL,
                    review_result="pass",
                    guidance=f"Use flag {number} of `a{number}`.",
                )
            )
        yield found


def neighbours(parts: Parts) -> set[str]:
    embedded = EmbeddedTexts(parts.embedder.identity, {TASK: parts.embedder.embed([TASK])[0]})
    draft = ReflectionDraft(guidance="Ask the owner of the grammar first.")
    return set(parts.lesson_search.candidates(make_trace(task=TASK), draft, embedded).memory_ids)


@pytest.mark.parametrize("state", ["synchronised", "behind", "failing"])
def test_a_large_bank_is_searched_as_a_small_one(parts: Parts, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    """Also while the index lags behind, and where it fails."""
    expected = neighbours(parts)
    assert len(expected) == 3
    if state == "synchronised":
        parts.indexer.sync("alpha")
    asked: list[int] = []
    nearest = parts.index.nearest

    def ask(project: str, model: str, vector: Vector, limit: int) -> list[str]:
        asked.append(limit)
        if state == "failing":
            raise IndexFailure("scripted")
        return nearest(project, model, vector, limit)

    monkeypatch.setattr(parts.index, "nearest", ask)
    monkeypatch.setattr(lesson_search, "_SCAN_LIMIT", 5)
    assert neighbours(parts) == expected
    assert asked
