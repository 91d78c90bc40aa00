"""The hub takes in what waits in the outbox: all of it, and nothing twice."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mcp_reflect import ReflectClient
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.outbox import WaitingRun, keep_run, refused_files, waiting_files
from mcp_reflect.application.requests import Submission
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import Settings, load_settings
from mcp_reflect.hub.outbox_intake import empty_outbox, take_in_runs
from mcp_reflect.wire.hub_launcher import START_LOCK
from mcp_reflect.wire.outbox_process import NotKept, OutboxProcess
from tests.support.fakes import HashEmbedder
from tests.support.hubs import RawClient, hub_pids, hubs_ended, kill_hub, posix, status
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}


@contextmanager
def opened(home: Path) -> Iterator[tuple[Settings, Store]]:
    settings = load_settings(environment(home), home.parent)
    with open_store(settings, "a test", HashEmbedder()) as store:
        yield settings, store


def keep(home: Path, key: str, project: str = "test-project", **more: object) -> Path:
    arguments = {"task": f"Task {key}", "trace_key": key, "review_result": "pass", "guidance": "Set the flag.", **more}
    return keep_run(home, WaitingRun(project, "bob", arguments))


def stored(store: Store, project: str = "test-project") -> tuple[int, int]:
    with store.ledger.reading() as session:
        counts = session.projects.counts(project, "bob")
    return counts.traces, counts.passes


def test_runs_are_stored_where_they_belong_and_once_even_if_a_hub_was_killed_before_it_took_the_file_away(
    home: Path,
) -> None:
    mine, other = keep(home, "a"), keep(home, "b", "other")
    before = mine.read_bytes()
    with opened(home) as (settings, store):
        assert take_in_runs(settings, store) == 2
        assert not waiting_files(home)
        assert not other.exists()
        mine.write_bytes(before)
        assert take_in_runs(settings, store) == 1
        assert not mine.exists()
        assert (stored(store), stored(store, "other")) == ((1, 1), (1, 1))


def test_ids_that_were_forgotten_meanwhile_cost_no_run(home: Path) -> None:
    keep(home, "a", retrieved_memory_ids=["mem_gone00000000"], helpful_memory_ids=["mem_gone00000000"])
    with opened(home) as (settings, store):
        assert take_in_runs(settings, store) == 1
        assert stored(store) == (1, 1)


def test_a_run_that_is_refused_is_set_aside_and_the_others_go_on(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    keep(home, "a")
    with opened(home) as (settings, store), caplog.at_level(logging.WARNING):
        take_in_runs(settings, store)
        wrong = keep(home, "a", task="Another task under the same key")
        keep(home, "c")
        wrong.with_name("no-run.json").write_text("{", encoding="utf-8")
        assert take_in_runs(settings, store) == 1
        assert stored(store) == (2, 2)
        assert len(refused_files(home)) == len(caplog.records) == 2
        empty_outbox(settings, store)
        assert not refused_files(home)


def test_a_run_that_the_memory_fails_at_keeps_no_other_waiting(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submit = MemoryService.submit

    def failing(memory: MemoryService, submission: Submission) -> ReviewOutcome:
        if submission.trace_key == "b":
            raise RecursionError("a fault")
        return submit(memory, submission)

    monkeypatch.setattr(MemoryService, "submit", failing)
    for key in "abc":
        keep(home, key)
    with opened(home) as (settings, store):
        assert take_in_runs(settings, store) == 2
        assert stored(store) == (2, 2)
    assert not waiting_files(home)
    assert len(refused_files(home)) == 1


@posix
@pytest.mark.slow
def test_hubs_that_are_killed_while_they_take_runs_in_lose_none_and_store_none_twice(home: Path) -> None:
    count = 12
    for number in range(count):
        keep(home, f"k{number}")
    for _ in range(2):
        waiting = len(waiting_files(home))
        with RawClient(environment(home, **LASTING)) as client:
            client.shake_hands()
            until(lambda before=waiting: len(waiting_files(home)) < before)
            kill_hub(home)
    with RawClient(environment(home, **LASTING)) as client:
        client.shake_hands()
        until(lambda: not waiting_files(home))
        assert client.call("memory_stats")["traces"]["total"] == count


@posix
def test_a_run_of_a_program_that_cannot_start_a_hub_is_stored_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hubs_ended(tmp_path / "home") as home:
        for name, value in environment(home, **LASTING).items():
            monkeypatch.setenv(name, value)
        for name in [name for name in os.environ if name.startswith("MCP_REFLECT_")]:
            if name not in environment(home, **LASTING):
                monkeypatch.delenv(name)
        with monkeypatch.context() as broken, ReflectClient() as client:
            broken.setattr(sys, "executable", "/bin/false")
            with client.trace("Fix the build") as run:
                run.log("$ make\nok")
                run.passed("it builds")
            outcome = client.create_trace("Fix the tests")
        assert run.outcome is None
        assert (outcome.available, outcome.waiting) == (False, True)
        assert len(waiting_files(home)) == 2
        assert hub_pids(home) == []
        with ReflectClient(strict=True, timeout=HANG_S) as later:
            later.query_memories("Fix the build")
            until(lambda: not waiting_files(home))
            found = {trace.task: trace.review_status for trace in later.list_traces("all")}
        assert found == {"Fix the build": "reviewed", "Fix the tests": "pending"}


@posix
def test_a_frozen_hub_costs_a_client_no_run_and_stores_none_twice(home: Path) -> None:
    """One run is sent to it before it freezes for good, one comes after; a third goes through a hook's way."""
    variables = environment(home, MCP_REFLECT_HUB__START_TIMEOUT_S="2", **LASTING)
    with RawClient(environment(home, **LASTING)) as early:
        early.shake_hands()
        frozen = int(status(home)["pid"])
        os.kill(frozen, signal.SIGSTOP)
        try:
            early.send("tools/call", {"name": "submit_trace", "arguments": {"task": "Sent to a frozen hub"}})
            early.close()
            until(lambda: len(waiting_files(home)) == 1)
            with RawClient(variables) as late:
                late.introduce()
                told = late.call("submit_trace", task="Nobody answers", review_result="pass", guidance="Wait.")
                assert (told["trace_id"][:5], told["waiting"]) == ("sent-", True)
            OutboxProcess(variables, str(home.parent)).keep({"task": "A turn", "trace_key": "turn-1"}, source="tests")
            assert len(waiting_files(home)) == 3
            assert all(file.stat().st_mode & 0o777 == 0o600 for file in waiting_files(home))
            with pytest.raises(NotKept, match="task") as refused:
                OutboxProcess(variables, str(home.parent)).keep({"task": ""})
            assert refused.value.data is not None
            assert (refused.value.data["code"], refused.value.data["argument"]) == ("invalid_argument", "task")
        finally:
            os.kill(frozen, signal.SIGCONT)  # what was sent to it is stored now, and the same run waits
    with RawClient(environment(home, **LASTING)) as client:
        client.shake_hands()
        until(lambda: not waiting_files(home))
        told = client.call("list_traces", review_status="all")["traces"]
    assert sorted(trace["task"] for trace in told) == ["A turn", "Nobody answers", "Sent to a frozen hub"]


@posix
def test_while_a_hub_is_starting_a_run_is_kept_at_once_and_a_review_of_it_finds_it(home: Path) -> None:
    """Somebody who never comes to an end holds the lock of whoever starts a hub."""
    home.mkdir()
    with (home / START_LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        variables = environment(home, MCP_REFLECT_HUB__ANSWER_WITHIN_S="1.5", **LASTING)
        with RawClient(variables) as client:
            client.introduce()
            told = client.call("submit_trace", task="Fix the build")
            assert (told["waiting"], len(waiting_files(home)), hub_pids(home)) == (True, 1, [])
            assert told["trace_id"] in told["next_step"]
            review = {"trace_id": told["trace_id"], "result": "pass", "guidance": "Set the flag."}
            refused = client.request("tools/call", {"name": "review_trace", "arguments": review})["result"]
            assert (refused["isError"], "call again" in refused["content"][0]["text"]) == (True, True)
            fcntl.flock(lock, fcntl.LOCK_UN)
            until(lambda: hub_pids(home) and (home / "hub.sock").exists())
    with RawClient(environment(home, **LASTING)) as client:
        client.shake_hands()
        reviewed = client.call("review_trace", **review)
        assert reviewed["trace_id"].startswith("trace_")
        shown = client.call("get_trace", trace_id=review["trace_id"])
        assert (shown["task"], shown["review"]["result"]) == ("Fix the build", "pass")


@posix
def test_a_server_without_a_hub_takes_the_outbox_in(home: Path) -> None:
    keep(home, "a", "test-project")
    with RawClient(environment(home, MCP_REFLECT_HUB__ENABLED="false")) as client:
        client.shake_hands()
        until(lambda: not waiting_files(home))
        assert client.call("memory_stats")["traces"]["total"] == 1
