"""Lessons are embedded with the write of one run and in the background after an import; then they help to be found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_reflect.application.lesson_embedding import LessonEmbedding
from mcp_reflect.application.maintenance.audit import embed_missing
from mcp_reflect.application.requests import ErrorFix, Query, Submission, Verdict
from mcp_reflect.domain.changes import LessonToEmbed
from mcp_reflect.domain.reflection.embedded_text import EMBEDDED_LESSON_WORDS, opening_of_lesson
from mcp_reflect.errors import ModelUnavailable
from tests.application.intake.test_intake import repaired
from tests.support.composition import PROJECT, Parts, small_memory
from tests.support.ledgers import read
from tests.support.waiting import until

LESSONS = {
    "handle transient failures of the payment interface": "Retry with exponential backoff and jitter.",
    "handle wrong amounts of the payment interface": "Store money as integers of cents, never as floats.",
    "handle refunds of the payment interface": "A refund needs the id of the charge that it belongs to.",
}
RUNS = [Submission(task=task, review_result="pass", guidance=lesson) for task, lesson in LESSONS.items()]
ASKED = Query(task="the amounts of the interface are off by a rounding error, store them as whole numbers")


def parts_of(parts: Parts) -> dict[str, float]:
    return {each.memory.task: each.parts.lesson for each in parts.memory.query(ASKED).matches}


def waiting(parts: Parts) -> list[LessonToEmbed]:
    return read(parts.ledger, lambda session: session.vectors.lessons_to_embed(PROJECT, parts.embedder.identity, 99))


def embedding_of(parts: Parts) -> LessonEmbedding:
    return LessonEmbedding(parts.ledger, parts.embedder, parts.tables)


def test_a_lesson_counts_from_the_write_of_its_run_on_and_after_a_restart(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        for run in RUNS:
            parts.memory.submit(run)
        assert waiting(parts) == []
        moved = parts_of(parts)
        wanted = next(task for task in LESSONS if "amounts" in task)
        assert moved[wanted] == max(moved.values())
        assert min(moved.values()) < -0.01
    with small_memory(tmp_path) as parts:
        assert parts_of(parts) == pytest.approx(moved)


def test_every_way_to_store_one_lesson_embeds_it(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        memory = parts.memory
        late = memory.submit(Submission(task="release the package", trajectory="$ make release"))
        memory.review(late.trace_id, Verdict(result="pass", guidance="Tag the commit before the build."))
        assert waiting(parts) == []
        memory.review(late.trace_id, Verdict(result="fail", guidance="Tag the commit after the build."))
        assert waiting(parts) == []
        memory.record_error(ErrorFix(task="build", mistake="E0382 use of moved value", fix="Clone the value."))
        assert waiting(parts) == []
        assert len(read(parts.ledger, lambda s: s.memories.find(PROJECT))) == 2


def test_an_error_that_only_the_same_error_finds_is_not_embedded_twice(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        parts.memory.submit(repaired(7))
        found = read(parts.ledger, lambda s: s.memories.find(PROJECT))
        assert ("error", "extractive") in {(each.kind, each.author) for each in found}
        assert waiting(parts) == []


def test_reindexing_embeds_the_lessons_of_an_import(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        assert len(list(parts.memory.submit_all(RUNS))) == len(RUNS)
        assert embed_missing(parts.ledger, parts.embedder, PROJECT) == 0
        assert waiting(parts) == []


def test_a_write_among_many_lessons_that_wait_embeds_its_own_first(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        many = [Submission(task=f"step {n}", review_result="pass", guidance=f"Use tool {n}.") for n in range(40)]
        assert len(list(parts.memory.submit_all(many))) == 40
        assert len(waiting(parts)) == 40
        own = parts.memory.submit(RUNS[0]).memory
        assert own is not None
        assert 30 < len(waiting(parts)) < 40
        assert own.id not in {each.memory_id for each in waiting(parts)}
        embedding_of(parts).embed(PROJECT)
        assert waiting(parts) == []


def test_the_background_gives_way_to_an_import(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        many = [Submission(task=f"step {n}", review_result="pass", guidance=f"Use tool {n}.") for n in range(40)]
        assert len(list(parts.memory.submit_all(many))) == 40
        embedding = embedding_of(parts)
        with embedding.held_back(PROJECT):
            assert embedding._attempt(PROJECT)
            assert len(waiting(parts)) == 40
        embedding.start()
        assert until(lambda: not waiting(parts))
        embedding.close()


def test_a_model_that_is_not_there_loses_no_run_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(texts: object) -> None:
        raise ModelUnavailable("the model cannot be loaded")

    with small_memory(tmp_path) as parts:
        assert len(list(parts.memory.submit_all(RUNS))) == len(RUNS)
        embedding = embedding_of(parts)
        with monkeypatch.context() as patch:
            patch.setattr(parts.embedder, "embed", fail)
            own = parts.memory.submit(RUNS[0].model_copy(update={"task": "call the interface of the bank"}))
            assert own.trace_id
            with pytest.raises(ModelUnavailable):
                embedding.embed(PROJECT)
        assert set(parts_of(parts).values()) == {0.0}
        embedding.embed(PROJECT)
        assert min(parts_of(parts).values()) < 0.0


def test_of_a_long_lesson_the_opening_is_embedded() -> None:
    words = [f"word{n}" for n in range(EMBEDDED_LESSON_WORDS + 30)]
    assert opening_of_lesson("  Retry\n with  jitter. ") == "Retry with jitter."
    assert opening_of_lesson(" ".join(words)) == " ".join(words[:EMBEDDED_LESSON_WORDS])
