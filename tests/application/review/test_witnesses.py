"""Runs that teach the same lesson become one memory, with the evidence of each, and each can be taken away again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.maintenance.erase import erase_record, plan_erasure
from mcp_reflect.application.provenance import explain
from mcp_reflect.application.requests import NO_RETRIEVAL, Query, Submission, Verdict
from mcp_reflect.domain.models import Memory
from tests.support.composition import Parts, small_memory
from tests.support.ledgers import read

TASK = "release the package to the index"
RULE = "Set `JAVA_HOME=/opt/jdk17`, then run `./gradlew publish --offline` before the tag is pushed"
OTHER = "Sign the archive with the key of the team before the upload, never with your own key"


def run(parts: Parts, guidance: str = RULE, result: str = "pass", task: str = TASK, **more: Any) -> tuple[str, Memory]:
    """Submit a run that was given nothing; its trace and the memory that holds its lesson."""
    fields = {"retrieval_id": NO_RETRIEVAL, "guidance": guidance, "review_result": result} | more
    outcome = parts.memory.submit(Submission.model_validate({"task": task} | fields))
    assert outcome.memory is not None
    return outcome.trace_id, outcome.memory


def agrees(parts: Parts) -> bool:
    parts.indexer.sync("alpha")
    return audit_project(parts.ledger, parts.index, parts.embedder, "alpha") == []


def active(parts: Parts) -> list[Memory]:
    return read(parts.ledger, lambda s: s.memories.find("alpha", statuses=("active",)))


def record(memory: Memory) -> tuple[object, ...]:
    return memory.source_trace_id, memory.reflection, memory.q_value, memory.trials, memory.runs, memory.borne_out


def test_runs_with_one_lesson_are_one_memory_with_the_evidence_of_all(parts: Parts) -> None:
    first, memory = run(parts)
    assert record(memory) == (first, memory.reflection, 0.5, 0.0, 1, 1)
    again = [run(parts, RULE.upper() if n else RULE + "!", task=f"{TASK} {n * 'now '}")[0] for n in range(3)]
    run(parts, result="fail")
    submitted = parts.memory.reviews.outcome(again[-1])
    assert [(update.memory_id, update.reward) for update in submitted.q_updates] == [(memory.id, 1.0)]
    (held,) = active(parts)
    assert (held.id, held.source_trace_id, held.runs, held.borne_out) == (memory.id, first, 5, 4)
    assert held.trials == pytest.approx(4)
    assert held.q_value == pytest.approx((1 - 0.5 * 0.7**3) * 0.7)
    origins = explain(parts.ledger, parts.memory.profile, memory.id).origins
    assert [each.id for each in origins][:4] == [first, *again]
    assert all(parts.memory.summary(trace_id).memory_id == memory.id for trace_id in again)
    assert agrees(parts)


def test_a_lesson_of_another_task_or_with_another_value_stays_another_memory(parts: Parts) -> None:
    run(parts)
    run(parts, RULE.replace("17", "21"))
    run(parts, RULE.replace("before", "after"))
    run(parts, task="water the plants of the office on Friday")
    run(parts, "It needed the flag")
    run(parts, "It needed the flag", task="release the package")
    assert len(active(parts)) == 6
    assert agrees(parts)


def test_a_run_that_was_shown_the_lesson_counts_once(parts: Parts) -> None:
    _, memory = run(parts)
    shown = parts.memory.query(Query(task=TASK, limit=1))
    _, held = run(parts, retrieval_id=shown.retrieval_id)
    assert (held.id, held.reviews, held.runs) == (memory.id, 1, 2)
    named = {"retrieved_memory_ids": [memory.id], "helpful_memory_ids": [memory.id]}
    trace, held = run(parts, **named)
    assert (held.id, held.reviews, held.runs) == (memory.id, 2, 3)
    parts.memory.reviews.review(trace, Verdict(result="fail", guidance=RULE, harmful_memory_ids=(memory.id,)))
    held = parts.memory.memory(memory.id)
    assert (held.reviews, held.borne_out) == (2, 2)
    assert agrees(parts)


def test_a_failure_bears_out_the_mistake_that_it_names(parts: Parts) -> None:
    for _ in range(3):
        run(parts, result="fail", key_mistake="Pushed the tag before the upload had ended")
    (held,) = active(parts)
    assert (held.runs, held.borne_out, held.success) == (3, 3, False)
    assert agrees(parts)


def test_a_later_review_takes_a_run_out_and_back(parts: Parts) -> None:
    first, memory = run(parts)
    second, _ = run(parts)
    before = record(parts.memory.memory(memory.id))
    parts.memory.reviews.review(second, Verdict(result="pass", guidance=OTHER))
    alone = parts.memory.memory(memory.id)
    assert (alone.runs, alone.q_value) == (1, 0.5)
    assert len(active(parts)) == 2
    assert agrees(parts)
    parts.memory.reviews.review(second, Verdict(result="pass", guidance=RULE))
    assert record(parts.memory.memory(memory.id)) == before
    assert agrees(parts)
    parts.memory.reviews.review(first, Verdict(result="pass", guidance=OTHER))
    moved = parts.memory.memory(memory.id)
    assert (moved.source_trace_id, moved.runs, moved.q_value) == (second, 1, 0.5)
    assert agrees(parts)


@pytest.mark.parametrize("forgotten", [0, 1, 2, 3])
def test_a_forgotten_run_leaves_what_there_would_be_without_it(tmp_path: Path, forgotten: int) -> None:
    """The runs differ in words and results, and one of them was shown the memory."""

    def play(parts: Parts, left_out: int | None) -> list[str]:
        traces = []
        for number, (words, result) in enumerate([(RULE, "pass"), (RULE + ".", "fail"), (RULE.upper(), "pass")]):
            traces.append("" if number == left_out else run(parts, words, result)[0])
        if left_out != 3:
            shown = parts.memory.query(Query(task=TASK, limit=1))
            traces.append(run(parts, OTHER, retrieval_id=shown.retrieval_id)[0])
        return traces

    def state(parts: Parts) -> list[tuple[object, ...]]:
        return sorted((m.reflection, m.success, m.q_value, m.runs, m.borne_out, m.task) for m in active(parts))

    with small_memory(tmp_path / "all") as parts, small_memory(tmp_path / "without") as without:
        trace = play(parts, None)[forgotten]
        play(without, forgotten)
        foretold = plan_erasure(parts.ledger, parts.memory.profile, trace)
        erase_record(parts.ledger, "alpha", trace)
        parts.tables.reload("alpha")
        for update in foretold.q_updates:
            assert parts.memory.memory(update.memory_id).q_value == update.q_after
        assert state(parts) == state(without)
        assert agrees(parts)


def test_a_filter_finds_a_lesson_by_each_of_its_runs(parts: Parts) -> None:
    _, memory = run(parts, metadata={"repo": "one"})
    second, _ = run(parts, metadata={"repo": "two"})

    def found(repo: str) -> list[str]:
        matches = parts.memory.query(Query(task=TASK, metadata_filter={"repo": repo})).matches
        return [match.memory.id for match in matches]

    assert found("one") == found("two") == [memory.id]
    assert found("three") == []
    parts.memory.reviews.review(second, Verdict(result="pass", guidance=OTHER))
    assert found("one") == [memory.id]
    assert memory.id not in found("two")


def test_the_best_words_stand_for_all_and_go_with_their_run(parts: Parts) -> None:
    _, memory = run(parts)
    longer, held = run(parts, RULE + ", carefully")
    assert "carefully" in held.reflection
    assert parts.memory.query(Query(task=TASK)).matches[0].memory.runs == 2
    parts.memory.reviews.review(longer, Verdict(result="pass", guidance=OTHER))
    assert "carefully" not in parts.memory.memory(memory.id).reflection


def test_what_several_runs_bear_out_says_so(parts: Parts) -> None:
    run(parts)
    assert "Borne out" not in parts.memory.augment(Query(task=TASK))[0]
    run(parts)
    text, _ = parts.memory.augment(Query(task=TASK))
    assert text.endswith("\n  Borne out by 2 of 2 runs.")
    submitted, _ = run(parts, OTHER, task=text)
    assert parts.memory.trace(submitted).task == TASK
