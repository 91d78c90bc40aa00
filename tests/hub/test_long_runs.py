"""Long runs are prepared in a process of their own; what is stored of them is the same."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.adapters.sql_ledger.statements import SqliteStatements
from mcp_reflect.application.intake import run_intake
from mcp_reflect.application.intake.prepared_run import RunToPrepare
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.application.review import review_service
from mcp_reflect.application.review.preparation_budget import BUDGET_CHARS, SHORT_RUN_CHARS
from mcp_reflect.application.review.prepared_review import ReviewToPrepare
from mcp_reflect.bootstrap import answering_process
from mcp_reflect.bootstrap.preparation_process import PreparationProcess
from mcp_reflect.bootstrap.run_preparation import prepare
from mcp_reflect.errors import InvalidArgument, MemoryUnavailable
from tests.support.composition import small_memory
from tests.support.hubs import alive, posix
from tests.support.values import moment
from tests.support.waiting import HANG_S, until

pytestmark = pytest.mark.process

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
RULES = ("Set `JAVA_HOME=/opt/jdk17`, then run `./gradlew publish --offline`", "Never push the tag before the build")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryService]:
    with small_memory(tmp_path / "home") as parts:
        yield parts.memory


def long_run(**more: Any) -> Submission:
    """A run that follows one of RULES, holds a secret and an error that it fixed, and fails."""
    steps = [
        ("make release", f"export TOKEN={SECRET}\nError: JAVA_HOME is not set", True),
        ("export JAVA_HOME=/opt/jdk17 && ./gradlew publish --offline", "published\n" * 200, False),
        ("make release", "Error: the tag exists", True),
    ]
    messages: list[dict[str, Any]] = []
    for number, (command, output, failed) in enumerate(steps):
        use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output, "is_error": failed}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    fields = {"task": "release the package", "trajectory": json.dumps(messages), "review_result": "fail"}
    return Submission.model_validate(fields | more)


def to_prepare(memory: MemoryService, submission: Submission | None = None) -> RunToPrepare:
    return RunToPrepare(memory.profile, submission or long_run(), (), client_can_sample=False, now=moment(0))


def stored(folder: Path, submission: Submission, *, at_once: bool = True) -> dict[str, Any]:
    """What a memory that taught two rules before holds of a run afterwards, which is reviewed `at_once` or later."""
    with small_memory(folder) as parts:
        memory = parts.memory
        for rule in RULES:
            memory.submit(Submission(task=f"release it: {rule}", review_result="pass", guidance=rule))
        shown = memory.query(Query(task="release the package"))
        given = submission.model_copy(update={"retrieval_id": shown.retrieval_id})
        if at_once:
            outcome = memory.submit(given)
        else:
            unreviewed = memory.submit(given.model_copy(update={"review_result": ""}))
            outcome = memory.review(unreviewed.trace_id, given.verdict)
        trace = memory.trace(outcome.trace_id)
        review = memory.summary(outcome.trace_id).review
        assert review is not None
        assert len(trace.retrieved_memory_ids) == 2
        by_rule = {match.memory.reflection: match.memory.id for match in shown.matches}
        names = {i: rule for rule, i in by_rule.items()}
        return {
            "trajectory": trace.trajectory,
            "tools": trace.tools_used,
            "status": outcome.ingest_status,
            "lesson": outcome.memory and outcome.memory.reflection,
            "used": {names[i]: weight for i, weight in review.used.items()},
            "moved": sorted((names[u.memory_id], u.q_before, u.q_after) for u in outcome.q_updates),
        }


def test_a_run_that_was_prepared_apart_is_stored_as_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_place = stored(tmp_path / "in-place", long_run())
    for module in (run_intake, review_service):
        monkeypatch.setattr(module, "LONG_RUN_CHARS", 1_000)
    prepared = list[RunToPrepare]()
    ask = PreparationProcess.prepare
    monkeypatch.setattr(PreparationProcess, "prepare", lambda self, run: (prepared.append(run), ask(self, run))[1])
    assert stored(tmp_path / "apart", long_run()) == in_place
    reviewed = list[ReviewToPrepare]()
    ask_review = PreparationProcess.prepare_review
    monkeypatch.setattr(
        PreparationProcess, "prepare_review", lambda self, asked: (reviewed.append(asked), ask_review(self, asked))[1]
    )
    assert stored(tmp_path / "later", long_run(), at_once=False) == in_place
    assert [len(asked.memories) for asked in (*prepared, *reviewed)] == [2, 2, 2]
    assert SECRET not in in_place["trajectory"]
    assert in_place["moved"], "the run moves nothing, and this compares nothing"


def test_runs_of_middle_length_are_prepared_apart_once_many_of_them_come(
    memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = list[str]()
    ask = PreparationProcess.prepare
    monkeypatch.setattr(
        PreparationProcess, "prepare", lambda self, run: (apart.append(run.submission.task), ask(self, run))[1]
    )
    fits = BUDGET_CHARS // (3 * SHORT_RUN_CHARS)
    for number in range(fits + 3):
        text = f"Run {number} compiled the module again. " + "It printed nothing new. " * (3 * SHORT_RUN_CHARS // 24)
        memory.submit(Submission(task=f"compile module {number}", trajectory=text))
    assert apart, "a flood is prepared by the process of its clients"
    assert not {f"compile module {number}" for number in range(fits - 1)} & set(apart)
    assert len(memory.traces(None, 100)) == fits + 3


def test_a_run_that_comes_with_its_verdict_is_written_once(
    memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = list[int]()
    run = SqliteStatements.run

    def counted(self: SqliteStatements, sql: str, **values: object) -> int:
        rows = run(self, sql, **values)
        if sql.startswith("UPDATE traces"):
            written.append(rows)
        return rows

    monkeypatch.setattr(SqliteStatements, "run", counted)
    outcome = memory.submit(long_run())
    assert written == [], "a row is written whole, which takes as long as storing the run"
    for result, counts in (("", "fail"), ("pass", "pass")):
        if result:
            memory.review(outcome.trace_id, Submission(task="t", review_result="pass").verdict)
        review = memory.summary(outcome.trace_id).review
        assert review is not None
        assert review.result == counts
    assert written == [1]


def test_a_long_run_without_a_verdict_is_reviewed_later_as_it_was_handed_in(
    memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (run_intake, review_service):
        monkeypatch.setattr(module, "LONG_RUN_CHARS", 1_000)
    outcome = memory.submit(long_run(review_result=""))
    with memory._ledger.reading() as session:
        assert memory.reviews.latest.find(session, outcome.trace_id) is None, "what is kept was never parsed"
    memory.review(outcome.trace_id, Submission(task="t", review_result="fail").verdict)
    assert memory.trace(outcome.trace_id).tools_used == ("Bash",)


def test_a_long_run_that_cannot_be_read_is_refused_as_any_other(memory: MemoryService) -> None:
    cut_off = long_run(trajectory='[{"role": "user", "content": "cut off"')
    refusals = []
    with closing(PreparationProcess()) as process:
        for ask in (process.prepare, prepare):
            with pytest.raises(InvalidArgument) as refusal:
                ask(to_prepare(memory, cut_off))
            refusals.append(str(refusal.value))
    assert refusals[0] == refusals[1]


@posix
def test_a_run_whose_process_is_killed_is_prepared_by_another_one(memory: MemoryService) -> None:
    with closing(PreparationProcess()) as process:
        wanted = process.prepare(to_prepare(memory)).trace.trajectory
        found = list[str]()
        endless = long_run(trajectory=" ".join(f"word{number} {number * 7919}" for number in range(30_000)))
        thread = threading.Thread(
            target=lambda: found.append(process.prepare(to_prepare(memory, endless)).trace.trajectory)
        )
        before = process.pid
        assert before is not None
        thread.start()
        os.kill(before, signal.SIGKILL)
        thread.join(HANG_S)
        assert found == [endless.trajectory]
        assert process.pid != before
        assert process.prepare(to_prepare(memory)).trace.trajectory == wanted


def test_a_run_whose_processes_all_end_is_an_error_and_nothing_is_stored(
    memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_intake, "LONG_RUN_CHARS", 1_000)
    ends_at_once = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(1)")
    monkeypatch.setattr(answering_process, "_command", lambda *_: ends_at_once)
    with pytest.raises(MemoryUnavailable, match="Nothing was stored"):
        memory.submit(long_run())
    assert memory.traces(None, 10) == []


@posix
def test_a_process_that_does_not_answer_is_ended_and_nothing_is_stored(
    memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = (sys.executable, "-c", "import time; time.sleep(3600)")
    command = answering_process._command
    with closing(PreparationProcess(answer_s=0.2)) as process:
        monkeypatch.setattr(answering_process, "_command", lambda *_: silent)
        for run in (long_run(), long_run(trajectory="more than a pipe takes " * 100_000)):
            with pytest.raises(MemoryUnavailable, match="Nothing was stored"):
                process.prepare(to_prepare(memory, run))
            assert process.pid is None
        monkeypatch.setattr(answering_process, "_command", command)
        process._answer_s = HANG_S
        assert process.prepare(to_prepare(memory)).trace.trajectory, "the next run is prepared"


def test_where_no_process_can_be_started_the_run_is_prepared_here(
    memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering_process, "_command", lambda *_: ("/nowhere/python",))
    monkeypatch.setattr(run_intake, "LONG_RUN_CHARS", 1_000)
    outcome = memory.submit(long_run())
    assert memory.trace(outcome.trace_id).tools_used == ("Bash",)


@posix
def test_a_process_that_has_nothing_to_do_ends(memory: MemoryService) -> None:
    with closing(PreparationProcess(idle_s=0.0)) as process:
        process.prepare(to_prepare(memory))
        until(lambda: process.pid is None)
    with closing(PreparationProcess()) as process:
        process.prepare(to_prepare(memory))
        pid = process.pid
        assert pid is not None
        assert alive(pid)
    assert not alive(pid)
