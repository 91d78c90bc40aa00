"""Forgetting: nothing is left of it in the ledger, and all other q_values still follow from the reviews."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.maintenance.erase import erase_record, plan_erasure
from mcp_reflect.application.requests import ErrorFix, Query, Submission, Verdict
from mcp_reflect.domain.models import InsightDraft
from mcp_reflect.errors import UnknownId
from tests.support.composition import Parts, small_memory
from tests.support.effort import examples
from tests.support.histories import Step, memories, play, steps, traces
from tests.support.home_files import files_with
from tests.support.ledgers import read

_PROPERTY = settings(max_examples=examples(40))

REVIEW: dict[str, Any] = {
    "review_result": "pass",
    "summary": "Quixotic flag",
    "claims": ("zephyr needs a flag",),
    "feedback": "fizzle",
}

SAID = "It needed the flag."


def gone(parts: Parts, thing_id: str) -> None:
    """As the owner of a home does it."""
    erase_record(parts.ledger, "alpha", thing_id)
    parts.tables.reload("alpha")
    parts.indexer.erase("alpha")
    parts.ledger.scrub()


def wrong(parts: Parts) -> list[str]:
    parts.indexer.sync("alpha")
    return [finding.text for finding in audit_project(parts.ledger, parts.index, parts.embedder, "alpha")]


def remains(folder: Path, word: str) -> list[str]:
    return files_with(folder, word.encode())


def dumped(folder: Path) -> str:
    """Everything in the ledger that is text."""
    database = sqlite3.connect(folder / "ledger.db")
    try:
        return "\n".join(database.iterdump())
    finally:
        database.close()


@pytest.mark.slow
@_PROPERTY
@given(steps, st.lists(st.integers(0, 50), min_size=1, max_size=3), steps)
def test_whatever_is_forgotten_the_rest_follows_from_its_reviews(
    history: list[Step], chosen: list[int], after: list[Step]
) -> None:
    with TemporaryDirectory() as folder, small_memory(Path(folder)) as parts:
        play(parts, history)
        for number in chosen:
            things = [*traces(parts), *memories(parts)]
            if not things:
                return
            thing = things[number % len(things)]
            foretold = plan_erasure(parts.ledger, parts.memory.profile, thing)
            gone(parts, thing)
            for update in foretold.q_updates:
                assert parts.memory.memory(update.memory_id).q_value == update.q_after
            assert not {each.id for each in foretold.memories} & set(memories(parts))
            text = dumped(Path(folder))
            assert not [each.id for each in (*foretold.traces, *foretold.memories) if each.id in text]
            assert wrong(parts) == []
        play(parts, after)
        assert wrong(parts) == []


def test_a_run_goes_with_all_that_came_from_it_and_what_it_credited_is_taken_back(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        memory = parts.memory
        first = memory.submit(Submission(task="deploy the service", review_result="pass", feedback=SAID))
        memory.query(Query(task="deploy the service"))
        second = memory.submit(Submission(task="deploy xylograph", trajectory="$ vortex", **REVIEW))
        memory.query(Query(task="deploy xylograph"))
        third = memory.submit(Submission(task="deploy again", review_result="fail", feedback=SAID))
        insight = InsightDraft(text="Juxtaposed", importance=0.5, evidence=(third.trace_id, second.trace_id))
        memory.insights.store([insight], "agent")
        assert first.memory is not None
        assert memory.memory(first.memory.id).q_value == pytest.approx(0.65 * 0.7)

        gone(parts, second.trace_id)
        assert memory.memory(first.memory.id).q_value == 0.5 * 0.7
        assert memory.memory(first.memory.id).reviews == 1
        for word in ("Quixotic", "zephyr", "fizzle", "xylograph", "vortex", "Juxtaposed", second.trace_id):
            assert remains(tmp_path, word) == []
        assert wrong(parts) == []
        with pytest.raises(UnknownId):
            memory.trace(second.trace_id)


def test_what_runs_were_found_to_have_followed_names_the_forgotten_no_more(tmp_path: Path) -> None:
    """The weights stay, under a mark: with none left, a review would credit all that was retrieved."""
    with small_memory(tmp_path) as parts:
        memory = parts.memory
        first = memory.submit(
            Submission(
                task="cancel the flight",
                trajectory="$ cancel ZX81",
                review_result="pass",
                correct_action="Use cancel with ZX81",
            )
        )
        other = memory.submit(Submission(task="cancel the flight", review_result="pass", summary="Wait."))
        memory.query(Query(task="cancel the flight", similarity_threshold=0.0))
        memory.submit(Submission(task="cancel it", trajectory="$ cancel ZX81", review_result="pass"))
        assert first.memory is not None
        assert other.memory is not None
        assert f'"{first.memory.id}":' in dumped(tmp_path)
        kept = memory.memory(other.memory.id).q_value
        gone(parts, first.memory.id)
        assert remains(tmp_path, first.memory.id) == []
        assert memory.memory(other.memory.id).q_value == kept
        assert wrong(parts) == []


def test_a_memory_goes_and_its_run_stays_without_the_words_of_the_memory(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        outcome = parts.memory.submit(Submission(task="deploy the service", **REVIEW))
        assert outcome.memory is not None
        gone(parts, outcome.memory.id)
        assert remains(tmp_path, "Quixotic") == remains(tmp_path, outcome.memory.id) == []
        assert parts.memory.trace(outcome.trace_id).task == "deploy the service"
        (claim,) = parts.memory.claims_of(outcome.trace_id)
        gone(parts, claim.id)
        assert remains(tmp_path, "zephyr") == []
        assert parts.memory.query(Query(task="deploy the service")).matches == []
        assert wrong(parts) == []


def test_a_verdict_on_a_forgotten_memory_does_not_become_one_on_all_others(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        made = [
            parts.memory.submit(Submission(task=f"deploy {word}", review_result="pass", feedback=SAID)).memory
            for word in ("here", "there")
        ]
        here, there = (memory.id for memory in made if memory is not None)
        shown = parts.memory.query(Query(task="deploy", limit=5))
        assert {match.memory.id for match in shown.matches} == {here, there}
        run = Submission(task="go", retrieval_id=shown.retrieval_id)
        outcome = parts.memory.submit(run.model_copy(update={"review_result": "pass", "helpful_memory_ids": (here,)}))
        gone(parts, here)
        assert parts.memory.memory(there).q_value == 0.5
        assert wrong(parts) == []
        parts.memory.review(outcome.trace_id, Verdict(result="pass"))
        assert parts.memory.memory(there).q_value == 0.65
        assert wrong(parts) == []


def test_an_error_goes_with_every_trace_of_its_returns(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        for evidence in ("OSError 28", "OSError 29"):
            recorded = parts.memory.record_error(
                ErrorFix(task="build", mistake="Disk quota of xylograph exceeded", fix="Clean", evidence=evidence)
            )
        parts.memory.record_error(ErrorFix(task="test", mistake="Unknown flag given", fix="Read the help"))
        assert recorded.memory.recurrences == 1
        gone(parts, recorded.memory.id)
        assert remains(tmp_path, "xylograph") == remains(tmp_path, "OSError 29") == []
        assert len(memories(parts)) == 1
        assert wrong(parts) == []


def test_what_was_shown_before_is_not_given_to_a_run_afterwards(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        outcome = parts.memory.submit(Submission(task="deploy the service", review_result="pass", feedback=SAID))
        shown = parts.memory.query(Query(task="deploy the service"))
        assert len(shown.matches) == 1
        gone(parts, outcome.trace_id)
        after = parts.memory.submit(Submission(task="go", retrieval_id=shown.retrieval_id, review_result="pass"))
        assert parts.memory.trace(after.trace_id).retrieved_memory_ids == ()


def test_other_runs_that_repeat_the_words_are_named(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        words = 'Say "zephyr" to the tool before deploying'
        outcome = parts.memory.submit(Submission(task="deploy", review_result="pass", guidance=words))
        log = json.dumps([{"role": "user", "content": f"told: {words}"}])
        quoting = parts.memory.submit(Submission(task="go", trajectory=log))
        parts.memory.submit(Submission(task="go", trajectory="nothing of it"))
        found = plan_erasure(parts.ledger, parts.memory.profile, outcome.trace_id)
        assert found.quoting == (quoting.trace_id,)


def test_what_does_not_exist_is_told_and_nothing_is_changed(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        parts.memory.submit(Submission(task="deploy"))
        before = read(parts.ledger, lambda s: s.feed.latest_seq())
        for project, thing in (("alpha", "trace_000000000000"), ("beta", traces(parts)[0])):
            with pytest.raises(UnknownId):
                erase_record(parts.ledger, project, thing)
        assert read(parts.ledger, lambda s: s.feed.latest_seq()) == before
