"""Sessions are read by other processes as by this one, in order, and none is lost where such a process ends."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from mcp_reflect.application.profile import Profile
from mcp_reflect.cli.learn import reader_pool
from mcp_reflect.cli.learn.reader_pool import ReaderPool, reader_count
from mcp_reflect.cli.learn.session_reader import ReadingRequest, ReadRuns, read_session
from mcp_reflect.hooks.past_sessions import PastSession, find_sessions
from tests.support.hubs import alive
from tests.support.past_sessions import BEGAN, PastStep, write_session

pytestmark = pytest.mark.process

STEPS = [
    PastStep(prompt="Make the tests of the parser pass"),
    PastStep(command="python -m pytest -q", output="3 passed in 0.10s"),
    PastStep(says="They pass."),
    PastStep(prompt="Now write the changelog"),
    PastStep(says="Written."),
]


@pytest.fixture
def requests(tmp_path: Path) -> list[ReadingRequest]:
    for number in range(12):
        write_session(tmp_path, "codex", f"s{number:02}", tmp_path, STEPS[: 3 + 2 * (number % 2)])
    found = [each for each in find_sessions("codex", {}, str(tmp_path)) if isinstance(each, PastSession)]
    gone = found[5]._replace(path=str(tmp_path / "gone.jsonl"))
    profile = Profile(project="p", user="ann", scope="project", similarity_threshold=0.5, relevance_threshold=0.5)
    since = BEGAN.timestamp() + 200
    return [ReadingRequest(each, profile, since if each.session == "s07" else 0.0) for each in [*found, gone]]


def told(read: ReadRuns) -> tuple[object, ...]:
    runs = [(run.trace.task, run.trace.trajectory, run.review and run.review.run.review.result) for run in read.runs]
    return runs, read.left_out, read.refused, str(read.error)


def test_other_processes_read_what_this_one_does(requests: list[ReadingRequest]) -> None:
    with ReaderPool(0) as here, ReaderPool(2) as pool:
        expected = [told(read) for _, read in here.read(requests)]
        read = list(pool.read(requests))
    assert [request for request, _ in read] == requests
    assert [told(each) for _, each in read] == expected
    assert [len(each.runs) for _, each in read] == [1, 2] * 3 + [1, 1] + [1, 2] * 2 + [0]
    assert [request.session.session for request, each in read if each.left_out] == ["s07"]
    assert isinstance(read[-1][1].error, FileNotFoundError)


def test_what_a_process_that_ended_had_to_read_is_read_here(
    requests: list[ReadingRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    start = reader_pool._start
    monkeypatch.setattr(reader_pool, "_start", lambda: started.append(start()) or started[-1])
    with ReaderPool(1) as pool:
        os.kill(started[0].pid, signal.SIGKILL)
        assert sum(len(each.runs) for _, each in pool.read(requests)) == 17
    assert not alive(started[0].pid)


def test_what_no_other_process_has_begun_with_is_read_here(
    requests: list[ReadingRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = reader_pool._start()
    here: list[ReadingRequest] = []
    monkeypatch.setattr(reader_pool, "_start", lambda: reader)

    def read_here(request: ReadingRequest) -> ReadRuns:
        here.append(request)
        if len(here) == len(requests) - 1:
            os.kill(reader.pid, signal.SIGCONT)
        return read_session(request)

    monkeypatch.setattr(reader_pool, "read_session", read_here)
    with ReaderPool(1) as pool:
        os.kill(reader.pid, signal.SIGSTOP)  # it is given one session at most
        read = list(pool.read(requests))
    assert len(here) >= len(requests) - 1
    assert [(request, told(each)) for request, each in read] == [(each, told(read_session(each))) for each in requests]


def test_few_runs_are_read_by_this_process_alone() -> None:
    assert reader_count(100) == 0
    assert 0 <= reader_count(10**6) <= reader_pool.MOST_READERS


@pytest.mark.skipif(not hasattr(os, "getloadavg"), reason="this system tells no load")
def test_a_machine_without_a_free_core_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (1_000.0, 0.0, 0.0))
    assert reader_count(10**6) == 0


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system tells no cores")
def test_beside_a_load_of_one_a_machine_of_two_cores_starts_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    for load in (0.0, 1.4):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert reader_count(10**6) == 1
