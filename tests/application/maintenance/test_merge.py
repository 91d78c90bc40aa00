"""Copies from before runs joined the memory that they bear out become one, and everything about them still replays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.maintenance.merge import Merging, find_copies, merge_copies
from mcp_reflect.application.provenance import explain
from mcp_reflect.application.requests import NO_RETRIEVAL, Query, Submission, Verdict
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES
from mcp_reflect.domain.models import Memory
from tests.support.composition import Parts, small_memory
from tests.support.ledgers import read
from tests.support.values import moment

TASK = "release the package to the index"
RULE = "Set `JAVA_HOME=/opt/jdk17`, then run `./gradlew publish --offline` before the tag is pushed"
CLAIM = "The release queue - drained every 15 minutes by `cron`, so a push right before takes 15 minutes to show"


@pytest.fixture
def unmerged(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> Parts:
    """A memory in which no run joins another's lesson, as before there were witnesses."""
    monkeypatch.setattr(LessonSearch, "candidates", lambda *_: NO_CANDIDATES)
    return parts


def run(parts: Parts, guidance: str = RULE, result: str = "pass", task: str = TASK, **more: Any) -> str:
    fields = {"retrieval_id": NO_RETRIEVAL, "guidance": guidance, "review_result": result} | more
    return parts.memory.submit(Submission.model_validate({"task": task} | fields)).trace_id


def active(parts: Parts, kind: Any = "reflection") -> list[Memory]:
    return read(parts.ledger, lambda s: s.memories.find("alpha", kind=kind, statuses=("active", "adopted")))


def agrees(parts: Parts) -> bool:
    parts.indexer.sync("alpha")
    return audit_project(parts.ledger, parts.index, parts.embedder, "alpha") == []


def merge(parts: Parts) -> list[Merging]:
    return merge_copies(parts.ledger, parts.memory.profile, parts.embedder, lambda: moment(10_000))


def record(memory: Memory) -> tuple[object, ...]:
    return memory.task, memory.reflection, memory.q_value, memory.trials, memory.runs, memory.borne_out


def test_merged_copies_are_what_joining_runs_would_have_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(parts: Parts) -> Memory:
        for words, result in [(RULE, "pass"), (RULE.upper(), "fail"), (RULE + ", carefully", "pass")]:
            run(parts, words, result)
        if len(active(parts)) > 1:
            assert len(merge(parts)) == 2
        assert agrees(parts)
        (held,) = active(parts)
        return held

    with small_memory(tmp_path / "joined") as parts:
        joined = play(parts)
    with small_memory(tmp_path / "merged") as parts, monkeypatch.context() as patched:
        patched.setattr(LessonSearch, "candidates", lambda *_: NO_CANDIDATES)
        merged = play(parts)
    assert record(merged) == record(joined)


def test_what_reviews_gave_to_a_copy_counts_for_the_memory_that_stays(unmerged: Parts) -> None:
    parts = unmerged
    traces = [run(parts), run(parts)]
    kept, copy = sorted(active(parts), key=lambda each: each.created_at)
    parts.memory.manage(copy.id, "adopt")
    for ids, result in [((copy.id,), "pass"), ((kept.id, copy.id), "pass"), ((copy.id,), "fail")]:
        run(parts, "Another thing entirely", result, f"mow the lawn {result}", retrieved_memory_ids=ids)
    assert [(each.kept.id, each.copy.id) for each in merge(parts)][:1] == [(kept.id, copy.id)]
    held = parts.memory.memory(kept.id)
    assert (held.status, held.reviews, held.passes, held.runs) == ("adopted", 4, 3, 5)
    gone = parts.memory.memory(copy.id)
    assert (gone.status, gone.reviews, gone.q_value) == ("archived", 0, gone.initial_q)
    origins = [each.id for each in explain(parts.ledger, parts.memory.profile, kept.id).origins]
    assert origins[:2] == traces
    assert agrees(parts)
    assert not find_copies(parts.ledger, parts.memory.profile, parts.embedder)
    parts.memory.reviews.review(traces[1], Verdict(result="fail", guidance=RULE))
    assert agrees(parts)
    erase_record(parts.ledger, "alpha", traces[0])
    parts.tables.reload("alpha")
    assert parts.memory.memory(kept.id).source_trace_id == traces[1]
    assert agrees(parts)


def test_lessons_with_another_value_or_for_another_task_are_no_copies(unmerged: Parts) -> None:
    run(unmerged)
    run(unmerged, RULE.replace("17", "21"))
    run(unmerged, "It needed the flag")
    run(unmerged, "It needed the flag", task="water the plants of the office on Friday")
    assert merge(unmerged) == []
    assert len(active(unmerged)) == 4


def test_a_claim_said_by_several_runs_is_one_memory(parts: Parts) -> None:
    first = run(parts, claims=(CLAIM,))
    second = run(parts, "Sign the archive", task="publish the docs of the team", claims=(CLAIM + "!",))
    (held,) = active(parts, "claim")
    assert (held.source_trace_id, held.runs, held.reflection) == (first, 2, CLAIM)
    assert [each.id for each in parts.memory.claims_of(second)] == [held.id]
    assert agrees(parts)
    parts.memory.reviews.review(second, Verdict(result="pass", guidance="Sign the archive", claims=("The sky is up.",)))
    assert [each.runs for each in active(parts, "claim") if each.id == held.id] == [1]
    assert agrees(parts)
    parts.memory.reviews.review(second, Verdict(result="pass", guidance="Sign the archive", claims=(CLAIM,)))
    assert agrees(parts)
    erase_record(parts.ledger, "alpha", first)
    parts.tables.reload("alpha")
    (held,) = active(parts, "claim")
    assert held.source_trace_id == second
    assert agrees(parts)


def test_copies_of_claims_are_merged_and_stay_so_when_said_again(unmerged: Parts) -> None:
    parts = unmerged
    traces = [run(parts, f"Lesson {word}", claims=(CLAIM,)) for word in ("one", "two", "three")]
    assert len(merge(parts)) == 2
    (held,) = active(parts, "claim")
    assert held.runs == 3
    assert agrees(parts)
    found = parts.memory.query(Query(task=CLAIM)).matches
    assert [match.memory.id for match in found if match.memory.kind == "claim"] == [held.id]
    parts.memory.reviews.review(traces[2], Verdict(result="fail", guidance="Lesson three", claims=(CLAIM,)))
    assert parts.memory.memory(held.id).runs == 3
    assert agrees(parts)
