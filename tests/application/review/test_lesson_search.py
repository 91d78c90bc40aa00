"""Large banks: the neighbours of a lesson by the index are those that comparing every row finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.application.retrieval.project_tables import LATE_CHANGES
from mcp_reflect.application.review import lesson_search
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
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
        with found.tables.caught_up("alpha"):
            pass
        yield found


def neighbours(parts: Parts) -> set[str]:
    of_chunk = [TASK, "Mend the clock"]
    embedded = EmbeddedTexts.by(parts.embedder, of_chunk)
    draft = ReflectionDraft(guidance="Ask the owner of the grammar first.")
    return set(parts.lesson_search.candidates(make_trace(task=TASK), draft, embedded, [TASK]).memory_ids)


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


@pytest.mark.parametrize("between", [0, LATE_CHANGES // 2, 3 * LATE_CHANGES])
def test_a_lesson_that_the_tables_lack_is_joined(tmp_path: Path, between: int) -> None:
    """They are not read anew for each run: what came since is compared in the transaction, however much that is."""
    with small_memory(tmp_path) as parts:
        parts.tables.load("alpha")
        behind = []

        def taught(task: str, advice: str) -> str:
            run = Submission(task=task, retrieval_id=NO_RETRIEVAL, review_result="pass", guidance=advice)
            stored = parts.memory.submit(run).memory
            assert stored is not None
            with parts.tables.as_they_are("alpha") as tables:
                behind.append(parts.ledger.known_seq - tables.table.seq)
            return stored.id

        first = taught(TASK, "Ask the owner of the grammar first.")
        for number in range(between):
            taught(f"Wind clock {number}", f"Turn key `k{number}` to the left.")
        assert taught(TASK, "Ask the owner of the grammar first.") == first
    a_run = behind[0]
    assert 0 < max(behind) <= LATE_CHANGES + a_run
