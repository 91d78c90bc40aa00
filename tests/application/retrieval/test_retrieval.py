"""What a search sees of other processes and of other searches."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed
from mcp_reflect.application.requests import ErrorFix, ErrorQuery, Query, Submission, Verdict
from mcp_reflect.domain.models import Result, Retrieval
from mcp_reflect.domain.ranking.recency import microseconds
from mcp_reflect.domain.text import lexical_index
from tests.support.composition import PROJECT, Parts, small_memory
from tests.support.ledgers import read

TASKS = [
    f"{verb} the {thing} of {place}" for verb in ("mend", "test") for thing in ("parser", "clock") for place in "ABCDE"
]

SAID = "It needed the flag."


@pytest.fixture(scope="module")
def closed_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a run of each task, to be copied: nobody has it open."""
    folder = tmp_path_factory.mktemp("closed") / "home"
    with small_memory(folder) as made:
        for number, task in enumerate(TASKS):
            review = {"review_result": "pass" if number % 3 else "fail", "guidance": f"lesson {number}"}
            made.memory.query(Query(task=task, limit=3))
            made.memory.submit(Submission(task=task, **review))
    return folder


@pytest.fixture
def parts(tmp_path: Path, closed_home: Path) -> Iterator[Parts]:
    shutil.copytree(closed_home, tmp_path, dirs_exist_ok=True)
    with small_memory(tmp_path) as made:
        made.memory.query(Query(task=TASKS[0]))  # reads the ranking table; later calls only bring it up to date
        yield made


def found(parts: Parts, lambda_: float) -> list[str]:
    query = Query(task="mend the clock of A", limit=5, lambda_=lambda_, mmr_lambda=1.0, retrieval="semantic")
    return [match.memory.id for match in parts.memory.query(query).matches]


def open_retrievals(parts: Parts) -> list[Retrieval]:
    return read(parts.ledger, lambda s: s.retrievals.open_of(parts.memory.profile.connection))


def test_what_another_process_has_just_written_is_found_and_shown_once(parts: Parts, tmp_path: Path) -> None:
    assert found(parts, 0.5)
    with small_memory(tmp_path) as other:
        stored = other.memory.submit(Submission(task="mend the clock of A", review_result="pass", guidance="wind it"))
    assert stored.memory is not None
    before = open_retrievals(parts)
    assert stored.memory.id in found(parts, 0.0)  # with lambda, what its own review credited may rank higher
    (shown,) = [each for each in open_retrievals(parts) if each not in before]
    assert stored.memory.id in shown.memory_ids


def test_a_first_search_builds_no_postings_since_reading_the_project_did(
    tmp_path: Path, closed_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(closed_home, tmp_path, dirs_exist_ok=True)
    with small_memory(tmp_path) as read_before, small_memory(tmp_path) as unread:
        read_before.tables.load(PROJECT)
        monkeypatch.setattr(lexical_index, "build_postings", _unexpected)
        assert read_before.memory.query(Query(task=TASKS[0])).matches
        with pytest.raises(AssertionError, match="postings are built"):
            unread.memory.query(Query(task=TASKS[0]))


def _unexpected(documents: object) -> object:
    raise AssertionError(f"postings are built of {documents}")


def test_the_ledger_is_asked_what_is_new_only_where_others_wrote(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    latest = SqlChangeFeed.latest_seq
    monkeypatch.setattr(SqlChangeFeed, "latest_seq", lambda feed: asked.append(1) or latest(feed))
    trace = parts.memory.submit(Submission(task="mend the clock of A", review_result="pass", feedback=SAID))
    assert trace.memory is not None
    assert trace.memory.id in found(parts, 0.5)
    asked.clear()  # a submit asks for lessons like its own, and the first query behind it for what is to be embedded
    assert trace.memory.id in found(parts, 0.5)
    assert not asked
    with small_memory(tmp_path) as other:
        other.memory.review(trace.trace_id, Verdict(result="fail"))
    asked.clear()  # the review asked as well
    found(parts, 0.5)
    assert len(asked) == 2  # for lessons to embed, and for the table
    found(parts, 0.5)
    assert len(asked) == 2


def test_what_a_search_for_an_error_shows_counts_as_used_at_once(parts: Parts) -> None:
    error = parts.memory.record_error(ErrorFix(task="deploy", mistake="disk full", fix="make room")).memory
    parts.memory.errors.find(ErrorQuery(error="disk full"))
    used = read(parts.ledger, lambda s: s.memories.by_ids([error.id]))[error.id].last_used_at
    assert used is not None
    with parts.tables.as_they_are("alpha") as tables:
        table = tables.table
        assert table.used[table.rows_of([error.id])].tolist() == [microseconds(used)]


def test_one_lesson_at_a_time_is_tried_beside_those_that_helped(tmp_path: Path) -> None:
    task = "mend the clock of the tower"
    with small_memory(tmp_path) as made:

        def lesson(number: int, text: str) -> str:
            run = Submission(task=f"{task}, part {number}", review_result="pass", guidance=text)
            outcome = made.memory.submit(run)
            assert outcome.memory is not None
            return outcome.memory.id

        known = [lesson(number, f"turn screw {number} by {number + 1} degrees") for number in range(4)]
        for number in range(6):
            named = {"helpful_memory_ids" if number % 2 else "harmful_memory_ids": tuple(known)}
            result: Result = "pass" if number % 2 else "fail"
            run = Submission(task=task, review_result=result, feedback="ok", retrieved_memory_ids=tuple(known), **named)
            made.memory.submit(run)
        new = {lesson(number, f"oil wheel {number} with {number + 1} drops") for number in range(4, 8)}
        found = made.memory.query(Query(task=task, limit=4)).matches
        assert [match.memory.id in new for match in found] == [match.untried for match in found]
        assert sum(match.untried for match in found) == 1
        augmented, _ = made.memory.augment(Query(task=task, limit=4))
        assert augmented.count("Not tried yet") == 1
