"""Lessons are embedded in the background, or before the next query where few wait; then they help to be found."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcp_reflect.application.lesson_embedding import AT_ONCE, LessonEmbedding
from mcp_reflect.application.maintenance.audit import embed_missing
from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.requests import ErrorFix, Query, Submission, Verdict
from mcp_reflect.domain.lesson_vectors import LessonToEmbed
from mcp_reflect.domain.reflection.embedded_text import EMBEDDED_LESSON_WORDS, embedded_lesson
from mcp_reflect.domain.values import Vector
from mcp_reflect.errors import ModelUnavailable
from tests.application.intake.test_intake import repaired
from tests.support.composition import PROJECT, Parts, small_memory
from tests.support.fakes import HashEmbedder
from tests.support.ledgers import read
from tests.support.waiting import HANG_S, until

LESSONS = {
    "handle transient failures of the payment interface": "Retry with exponential backoff and jitter.",
    "handle wrong amounts of the payment interface": "Store money as integers of cents, never as floats.",
    "handle refunds of the payment interface": "A refund needs the id of the charge that it belongs to.",
}
RUNS = [Submission(task=task, review_result="pass", guidance=lesson) for task, lesson in LESSONS.items()]
MANY = [Submission(task=f"step {n}", review_result="pass", guidance=f"Use tool {n}.") for n in range(40)]
ASKED = Query(task="the amounts of the interface are off by a rounding error, store them as whole numbers")


def parts_of(parts: Parts) -> dict[str, float]:
    return {each.memory.task: each.parts.lesson for each in parts.memory.query(ASKED).matches}


def waiting(parts: Parts) -> list[LessonToEmbed]:
    return read(parts.ledger, lambda session: session.vectors.lessons_to_embed(PROJECT, parts.embedder.identity, 99))


def embedding_of(parts: Parts) -> LessonEmbedding:
    return LessonEmbedding(parts.ledger, parts.embedder, parts.tables)


def import_many(parts: Parts) -> None:
    assert len(list(parts.memory.submit_all(MANY))) == len(waiting(parts)) == len(MANY)


def test_a_query_right_after_a_write_ranks_by_its_lesson_as_one_after_a_restart_does(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        for run in RUNS:
            parts.memory.submit(run)
        assert len(waiting(parts)) == len(RUNS)
        moved = parts_of(parts)
        wanted = next(task for task in LESSONS if "amounts" in task)
        assert moved[wanted] == max(moved.values())
        assert min(moved.values()) < -0.01
        assert waiting(parts) == []
    with small_memory(tmp_path) as parts:
        assert parts_of(parts) == pytest.approx(moved)


def test_whoever_stores_a_lesson_does_not_wait_for_its_vector(tmp_path: Path) -> None:
    embedded: list[str] = []
    with small_memory(tmp_path) as parts:
        embed = parts.embedder.embed

        def note(texts: Sequence[str]) -> Vector:
            embedded.extend(texts)
            return embed(texts)

        parts.embedder.embed = note  # type: ignore[method-assign]
        for run in MANY[:AT_ONCE]:
            parts.memory.submit(run)
        assert embedded == [run.task for run in MANY[:AT_ONCE]]
        parts.memory.submit(MANY[AT_ONCE])  # one more than a query embeds
        assert len(embedded) == 2 * AT_ONCE + 1
        assert [each.text for each in waiting(parts)] == ["Guidance: Use tool 0."]


def test_every_way_to_store_one_lesson_has_it_embedded(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        memory = parts.memory
        late = memory.submit(Submission(task="release the package", trajectory="$ make release"))
        memory.review(late.trace_id, Verdict(result="pass", guidance="Tag the commit before the build."))
        assert len(waiting(parts)) == 1
        memory.query(ASKED)
        assert waiting(parts) == []
        memory.review(late.trace_id, Verdict(result="fail", guidance="Tag the commit after the build."))
        assert len(waiting(parts)) == 1
        memory.record_error(ErrorFix(task="build", mistake="E0382 use of moved value", fix="Clone the value."))
        assert len(waiting(parts)) == 2
        memory.query(ASKED)
        assert waiting(parts) == []
        assert len(read(parts.ledger, lambda s: s.memories.find(PROJECT))) == 2


def test_an_error_that_only_the_same_error_finds_is_not_embedded_twice(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        parts.memory.submit(repaired(7))
        found = read(parts.ledger, lambda s: s.memories.find(PROJECT))
        (error,) = [each for each in found if (each.kind, each.author) == ("error", "extractive")]
        assert error.id not in {each.memory_id for each in waiting(parts)}


def test_reindexing_embeds_the_lessons_of_an_import(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        import_many(parts)
        assert embed_missing(parts.ledger, parts.embedder, PROJECT) == 0
        assert waiting(parts) == []


def test_a_write_among_many_lessons_that_wait_embeds_its_own_first(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        import_many(parts)
        own = parts.memory.submit(RUNS[0]).memory
        assert own is not None
        assert len(waiting(parts)) == len(MANY) + 1 - AT_ONCE
        assert own.id not in {each.memory_id for each in waiting(parts)}
        embedding_of(parts).embed(PROJECT)
        assert waiting(parts) == []


def test_a_query_leaves_many_lessons_to_the_background(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        import_many(parts)
        embedding = embedding_of(parts)
        embedding.catch_up(PROJECT, refresh=False)
        assert len(waiting(parts)) == len(MANY)
        embedding.start()
        assert until(lambda: not waiting(parts))
        embedding.close()


def test_the_background_gives_way_to_an_import(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        import_many(parts)
        embedding = embedding_of(parts)
        with embedding.held_back(PROJECT):
            assert embedding._attempt(PROJECT)
            assert len(waiting(parts)) == len(MANY)
        embedding.start()
        assert until(lambda: not waiting(parts))
        embedding.close()


def test_a_query_waits_for_a_lesson_that_the_background_embeds(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()
    with small_memory(tmp_path) as parts:
        parts.memory.submit(RUNS[1])
        embedding, embed, calls = embedding_of(parts), parts.embedder.embed, []

        def slowly(texts: Sequence[str]) -> Vector:
            calls.append(texts)
            begun.set()
            assert go_on.wait(300)
            return embed(texts)

        parts.embedder.embed = slowly  # type: ignore[method-assign]
        embedding.start()
        embedding.notify(PROJECT)
        assert begun.wait(300)
        query = threading.Thread(target=embedding.catch_up, args=(PROJECT,), kwargs={"refresh": False})
        query.start()
        query.join(0.1)  # long enough to begin embedding, did it not wait
        assert query.is_alive()
        go_on.set()
        query.join(300)
        embedding.close()
        assert waiting(parts) == []
        assert len(calls) == 1


def test_a_query_embeds_its_task_while_the_background_embeds_the_lessons_of_earlier_runs(tmp_path: Path) -> None:
    lessons_begun, task_embedded = threading.Event(), threading.Event()
    at_the_same_time: list[bool] = []
    with small_memory(tmp_path) as parts:
        for run in RUNS:
            parts.memory.submit(run)
        embed = parts.embedder.embed

        def note(texts: Sequence[str]) -> Vector:
            if ASKED.task in texts:
                task_embedded.set()
            else:
                lessons_begun.set()
                at_the_same_time.append(task_embedded.wait(HANG_S))
            return embed(texts)

        parts.embedder.embed = note  # type: ignore[method-assign]
        parts.lessons.start()
        parts.lessons.notify(PROJECT)
        assert lessons_begun.wait(HANG_S)
        assert min(parts_of(parts).values()) < -0.01
        assert at_the_same_time == [True]


def test_the_vector_of_a_lesson_that_is_forgotten_meanwhile_is_kept_nowhere(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        kept, forgotten = (parts.memory.submit(run) for run in RUNS[:2])
        embed = parts.embedder.embed

        def forget(texts: Sequence[str]) -> Vector:
            erase_record(parts.ledger, PROJECT, forgotten.trace_id)
            parts.tables.reload(PROJECT)
            return embed(texts)

        parts.embedder.embed = forget  # type: ignore[method-assign]
        embedding_of(parts).embed(PROJECT)
        parts.embedder.embed = embed  # type: ignore[method-assign]
        assert kept.memory is not None
        assert forgotten.memory is not None
        both = [kept.memory.id, forgotten.memory.id]
        stored = read(parts.ledger, lambda s: s.vectors.lessons_of(both, parts.embedder.identity))
        assert [each.memory_id for each in stored] == [kept.memory.id]
        assert list(parts_of(parts)) == [RUNS[0].task]


def test_what_another_process_embedded_counts_here_too(tmp_path: Path) -> None:
    with small_memory(tmp_path) as ours, small_memory(tmp_path) as theirs:
        ours.memory.query(ASKED)
        for run in RUNS:
            theirs.memory.submit(run)
        with ours.tables.caught_up(PROJECT) as tables:  # before the others have embedded them
            assert len(tables.table) == len(RUNS)
        moved = parts_of(theirs)
        assert parts_of(ours) == moved
        assert min(moved.values()) < 0.0


def test_a_model_that_is_not_there_loses_no_run_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = HashEmbedder.embed

    def fail(_: HashEmbedder, texts: Sequence[str]) -> Vector:
        if ASKED.task not in texts:
            raise ModelUnavailable("the model cannot be loaded")
        return embed(parts.embedder, texts)

    with small_memory(tmp_path) as parts:
        for run in RUNS:
            parts.memory.submit(run)
        with monkeypatch.context() as patch:
            patch.setattr(HashEmbedder, "embed", fail)
            own = parts.memory.submit(RUNS[0].model_copy(update={"task": "call the interface of the bank"}))
            assert own.trace_id
            with pytest.raises(ModelUnavailable):
                embedding_of(parts).embed(PROJECT)
            assert set(parts_of(parts).values()) == {0.0}
        assert min(parts_of(parts).values()) < 0.0


def test_of_a_long_lesson_the_opening_is_embedded() -> None:
    words = [f"word{n}" for n in range(EMBEDDED_LESSON_WORDS + 30)]
    assert embedded_lesson("  Retry\n with  jitter. ") == "Retry with jitter."
    assert embedded_lesson(" ".join(words)) == " ".join(words[:EMBEDDED_LESSON_WORDS])


def test_what_a_lesson_advises_is_embedded_before_what_worked() -> None:
    acts = "What worked: editing a.py (`x` → `y`)\n  `make check`"
    advice = "Guidance: The clock stands still in tests.\n  Never sleep there."
    told = f"The clock.\n{acts}\n{advice}\nQuoted: A tool said so.\nTools: make"
    assert embedded_lesson(told) == (
        "The clock. The clock stands still in tests. Never sleep there. editing a.py (`x` → `y`) `make check` "
        "A tool said so. make"
    )
    assert embedded_lesson("`make check`\nMistake: Too slow.\nDo instead: `make quick`") == (
        "Too slow. `make quick` `make check`"
    )
    assert embedded_lesson(acts) == "editing a.py (`x` → `y`) `make check`"
    long = embedded_lesson(f"What worked: {'act ' * 60}\nGuidance: {'rule ' * 60}").split()
    assert (long.count("rule"), long.count("act")) == (36, 24)
