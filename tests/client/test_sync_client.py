"""The calls of the plain client against a real hub."""

from __future__ import annotations

import logging
import math
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import mcp_reflect
from mcp_reflect import ReflectClient
from mcp_reflect.client import connection
from mcp_reflect.errors import InvalidArgument, MemoryUnavailable, UsageError
from tests.client.conftest import forget
from tests.support.hubs import changed_hub, hub_pids, kill_hub, posix, status
from tests.support.llm_server import hang, llm_server, reflection
from tests.support.waiting import HANG_S

pytestmark = posix

MESSAGES = [
    {"role": "user", "content": "Fix the login test"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "run_tests", "input": {"path": "tests"}}],
    },
]


def test_the_loop_in_four_calls(client: ReflectClient) -> None:
    first = client.create_trace(
        "Fix the login test", trajectory=MESSAGES, model="m", metadata={"area": "web"}, final_response="done"
    )
    assert (first.review_status, first.ingest_status, first.available) == ("pending", "none", True)
    assert [trace.trace_id for trace in client.list_traces()] == [first.trace_id]
    reviewed = client.review_trace(first.trace_id, "pass", feedback="3 passed", guidance="Run it with -k login.")
    assert reviewed.memory is not None
    assert (reviewed.memory.q_value, reviewed.memory.author) == (0.5, "agent")
    assert client.list_traces() == ()

    found = client.query_memories("Fix the login test", limit=3, metadata_filter={"area": "web"})
    assert len(found) == 1
    assert [memory.id for memory in found] == [reviewed.memory.id]
    assert found[0].similarity == pytest.approx(1.0, abs=1e-3)
    assert found[0].tools_used == ("run_tests",)
    assert isinstance(found[0].created_at, datetime)
    assert found[0].created_at.tzinfo == UTC
    augmented = client.augment_with_memories("Fix the login test")
    assert augmented.augmented_task.startswith("Fix the login test\n\nRelevant memories:\n\nSuccessful memories:")
    assert augmented.memories[0].guidance == "Run it with -k login."

    second = client.create_trace("Fix it again", retrieval_id=augmented.retrieval_id, review_result="fail")
    (moved,) = second.q_updates
    assert (moved.memory_id, moved.q_before, moved.q_after, moved.reward) == (found[0].id, 0.5, 0.35, 0.0)
    shown = client.get_trace(second.trace_id)
    assert shown.retrieved_memory_ids == (found[0].id,)
    assert shown.review is not None
    assert (shown.result, shown.review.result) == ("fail", "fail")
    assert shown == client.wait_for_trace(second.trace_id)


def test_what_a_thread_retrieved_counts_for_its_next_trace_and_no_others(client: ReflectClient) -> None:
    lesson = client.create_trace("t", review_result="pass", guidance="g").memory
    assert lesson is not None

    def other() -> tuple[int, int]:
        before = client.create_trace("x", review_result="pass")
        client.query_memories("t")
        return len(before.q_updates), len(client.create_trace("y", review_result="fail").q_updates)

    client.query_memories("t", limit=1)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(other).result()[0] == 0
    assert [update.memory_id for update in client.create_trace("z", review_result="pass").q_updates] == [lesson.id]
    assert client.create_trace("later", review_result="pass").q_updates == ()


def test_of_all_that_was_retrieved_the_last_hundred_memories_are_noted(home: Path) -> None:
    connection = ReflectClient().connection
    for number in range(150):
        connection.note_retrieved([f"mem_{number}"])
    connection.note_retrieved(["mem_100"])
    assert connection.take_retrieved() == [*(f"mem_{number}" for number in range(50, 150) if number != 100), "mem_100"]
    assert connection.take_retrieved() == []


def test_memories_that_are_named_take_the_place_of_those_retrieved(client: ReflectClient) -> None:
    for task in ("a first task", "a second task"):
        client.create_trace(task, review_result="pass", guidance="g")
    found = client.query_memories("a first task")
    assert len(found) == 2
    named = client.create_trace("x", retrieved_memory_ids=[found[1].id], review_result="pass")
    assert [update.memory_id for update in named.q_updates] == [found[1].id]
    client.query_memories("a first task")
    assert client.create_trace("y", retrieved_memory_ids=[], review_result="pass").q_updates == ()


def test_what_was_noted_and_is_forgotten_is_left_out_and_what_is_named_has_to_be_there(client: ReflectClient) -> None:
    lessons = [client.create_trace(f"task {n}", review_result="pass", guidance="g").memory for n in range(8)]
    kept, *gone = [memory.id for memory in lessons if memory is not None]
    client.connection.note_retrieved([kept, *gone])
    forget(*gone)
    outcome = client.create_trace("t", review_result="pass")
    assert [update.memory_id for update in outcome.q_updates] == [kept]
    with pytest.raises(UsageError, match=f"retrieved_memory_ids: unknown {gone[0]}"):
        client.create_trace("t", retrieved_memory_ids=[kept, gone[0]])
    client.connection.note_retrieved([kept, gone[0]])
    with pytest.raises(UsageError, match=f"unknown {gone[0]}"):
        client.create_trace("t", review_result="pass", helpful_memory_ids=[gone[0]])
    with pytest.raises(InvalidArgument, match="helpful_memory_ids"):
        client.create_trace("t", review_result="pass", helpful_memory_ids=7)  # type: ignore[arg-type]


def test_the_same_key_stores_nothing_twice(client: ReflectClient) -> None:
    first = client.create_trace("t", trace_key="k", review_result="pass")
    assert client.create_trace("t", trace_key="k", review_result="pass").trace_id == first.trace_id
    assert len(client.list_traces("all")) == 1


def test_a_mistake_at_the_call_is_an_exception_of_a_strict_client_before_anything_is_sent(own_home: Path) -> None:
    with ReflectClient(timeout=HANG_S, strict=True) as client:
        with pytest.raises(InvalidArgument, match="limit"):
            client.query_memories("t", limit=0)
        with pytest.raises(InvalidArgument, match="task"):
            client.augment_with_memories("")
        with pytest.raises(InvalidArgument, match="lambda_"):
            client.query_memories("t", lambda_="much")  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="trajectory"):
            client.create_trace("t", trajectory=["no message"])  # type: ignore[list-item]
        with pytest.raises(InvalidArgument, match="review_result: got 'good'"):
            client.create_trace("t", review_result="good")  # type: ignore[typeddict-item]
        with pytest.raises(InvalidArgument, match="result"):
            client.review_trace("trace_1", "")  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="review_status"):
            client.list_traces("open")  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="trace_id"):
            client.get_trace(7)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="did you mean limit"):
            client.query_memories("t", limits=3)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="did you mean final_response"):
            client.create_trace("t", final_answer="x")  # type: ignore[call-arg]
        with pytest.raises(InvalidArgument, match="metadata"):
            client.create_trace("t", metadata="area=web")  # type: ignore[typeddict-item]
        with pytest.raises(InvalidArgument, match="alpha"):
            client.trace("t", alpha=2)
        assert hub_pids(own_home) == []
        with pytest.raises(UsageError, match="unknown trace_nowhere"):
            client.get_trace("trace_nowhere")
    for timeout in (0, -1, math.nan, math.inf, 1e10, 10**400):
        with pytest.raises(InvalidArgument, match=r"above 0, at most 86,400 \(a day\)"):
            ReflectClient(timeout=timeout)
    with pytest.raises(InvalidArgument, match="project"):
        ReflectClient("no such id!")


def test_nothing_that_is_wrong_raises_into_a_program_unless_its_client_is_strict(
    client: ReflectClient, caplog: pytest.LogCaptureFixture
) -> None:
    known = client.create_trace("t", review_result="pass", guidance="Ask first.").trace_id
    with ReflectClient(timeout=HANG_S) as lenient, caplog.at_level(logging.ERROR):
        assert not lenient.query_memories("t", limit=0).available
        assert lenient.augment_with_memories("").augmented_task == ""
        assert lenient.create_trace("t", review_result="good").review_status == "pending"  # type: ignore[typeddict-item]
        assert not lenient.get_trace("trace_nowhere").available
        assert not lenient.review_trace(known, "pass", alpha=3).available
        assert not lenient.find_error_fixes("").available
        assert lenient.create_memory("t", guidance=" ") is None
        assert lenient.create_trace("u", review_result="pass", helpful_memory_ids=["mem_nowhere"]).available
        with lenient.trace("", limit=-1, alpha=7) as run:
            run.log(b"bytes")  # type: ignore[arg-type]
            run.failed(7)  # type: ignore[arg-type]
            run.helpful("")
        assert run.outcome is None
        with lenient.trace("v", alpha=7, metadata={"when": object}) as run:
            run.helpful("", "mem_nowhere")
            run.reflect(summary="x" * 10_000, guidance=7)
            run.passed()
        assert run.outcome is not None
        assert run.outcome.memory is not None
        assert len(run.outcome.memory.summary) <= 8_000
    for told in ("limit", "task", "review_result", "unknown trace_nowhere", "alpha", "error", "no words", "guidance"):
        assert told in caplog.text


def test_what_does_not_fit_is_made_to_fit(client: ReflectClient, caplog: pytest.LogCaptureFixture) -> None:
    long = "Mend the build. " + "It says: no such file. " * 3_000 + "Keep the interface."
    tags = {"since": date(2026, 1, 2), "who": {"id": 7}, "area": ["web", 3], "none": None, "rate": math.nan, 5: True}
    for _ in range(2):
        with client.trace(long, metadata=tags) as run:  # type: ignore[arg-type]  # names of tags are text
            run.passed()
            run.reflect(guidance="Name the file.")
    assert run.augmented_task.startswith(long + "\n")
    assert run.outcome is not None
    stored = client.get_trace(run.outcome.trace_id)
    assert 31_000 < len(stored.task) <= 32_000
    assert (stored.task[:15], stored.task[-19:]) == (long[:15], long[-19:])
    assert stored.metadata == {
        "since": "2026-01-02",
        "who": '{"id": 7}',
        "area": ["web", 3],
        "rate": "nan",
        "5": True,
    }
    assert sum("metadata['since'] holds a date" in record.getMessage() for record in caplog.records) == 1
    outcome = client.create_trace("t", metadata={f"tag{n}": "x" * 3_000 for n in range(40)}, final_response="y" * 10**6)
    assert 10 < len(client.get_trace(outcome.trace_id).metadata) < 40


def test_a_client_is_told_its_project_user_home_and_name(tmp_path: Path, own_home: Path) -> None:
    with ReflectClient("other", user="bob", home=own_home, name="my-agent", timeout=HANG_S) as client:
        client.create_trace("t")
        (shown,) = status(own_home)["clients"]
        assert (shown["project"], shown["user"], shown["client"].split()[0]) == ("other", "bob", "my-agent")
        assert client.list_traces()[0].user == "bob"


def test_a_killed_hub_costs_nothing(client: ReflectClient, home: Path) -> None:
    client.create_trace("t", trace_key="k")
    kill_hub(home)
    assert client.create_trace("t", trace_key="k").trace_id
    assert len(client.list_traces()) == 1


def test_a_client_may_be_used_again_after_it_was_closed(client: ReflectClient) -> None:
    client.create_trace("t")
    client.close()
    assert len(client.list_traces()) == 1


# -- reflections by a model


def test_a_review_does_not_wait_for_the_model_and_waiting_does(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with llm_server() as server:
        monkeypatch.setenv("MCP_REFLECT_REFLECTION__MODEL", "scripted")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "test" * 5)
        server.enqueue(hang())
        patient = f"from mcp_reflect.server.tools import loop_tools; loop_tools.PATIENCE_S = {10 * HANG_S}; run_hub()"
        with changed_hub(own_home, patient), ReflectClient(timeout=HANG_S, strict=True) as client:
            outcome = client.create_trace("t", review_result="fail", feedback="no flag")
            assert outcome.ingest_status == "queued"
            assert outcome.memory is not None
            assert outcome.memory.author == "extractive"
            with pytest.raises(TimeoutError, match=r"no reflection after 0\.3 seconds"):
                client.wait_for_trace(outcome.trace_id, timeout=0.3)
    with llm_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        server.default(reflection(summary="Written late."))
        with ReflectClient("other", timeout=HANG_S, strict=True) as client:
            outcome = client.create_trace("t", review_result="fail", feedback="no flag")
            written = client.wait_for_trace(outcome.trace_id, timeout=HANG_S)
            assert written.memory is not None
            assert (written.memory.summary, written.memory.author) == ("Written late.", "llm")


def test_a_run_without_a_review_is_waited_for_until_somebody_reviews_it(client: ReflectClient) -> None:
    trace_id = client.create_trace("t").trace_id
    with pytest.raises(TimeoutError, match="no review"):
        client.wait_for_trace(trace_id, timeout=0.1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.wait_for_trace, trace_id, HANG_S)
        client.review_trace(trace_id, "pass", guidance="g")
        assert waiting.result().result == "pass"


# -- without a memory


@pytest.fixture
def nowhere(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home that cannot be made."""
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("MCP_REFLECT_HOME", str(tmp_path / "file" / "home"))


@pytest.mark.usefixtures("nowhere")
def test_without_a_memory_every_call_gives_an_empty_result_and_one_warning_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING), ReflectClient() as client:
        augmented = client.augment_with_memories("t")
        assert (augmented.augmented_task, augmented.memories, augmented.available) == ("t", (), False)
        assert list(client.query_memories("t")) == []
        outcome = client.create_trace("t", review_result="pass")
        assert (outcome.trace_id, outcome.available) == ("", False)
        assert not client.review_trace(outcome.trace_id, "fail").available
        assert not client.get_trace(outcome.trace_id).available
        assert not client.wait_for_trace(outcome.trace_id).available
        assert client.list_traces() == ()
    (warning,) = caplog.records
    assert warning.name == "mcp_reflect.client"
    assert "MCP_REFLECT_HOME" in warning.getMessage()


@pytest.mark.usefixtures("nowhere")
def test_a_strict_client_says_that_there_is_no_memory() -> None:
    with ReflectClient(strict=True) as client, pytest.raises(MemoryUnavailable, match="MCP_REFLECT_HOME"):
        client.query_memories("t")


def test_a_memory_that_does_not_answer_holds_a_program_up_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "RETRY_PAUSE_S", HANG_S)
    with ReflectClient(timeout=2) as client, ReflectClient(timeout=HANG_S, strict=True) as patient:
        patient.create_trace("t")
        waited, call = [], client.connection._caller.call

        def counted(tool: str, *given: Any, **options: Any) -> Any:
            waited.append(tool)
            return call(tool, *given, **options)

        monkeypatch.setattr(client.connection._caller, "call", counted)
        pid = status(home)["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            for _ in range(10):
                assert not client.query_memories("t").available
            assert waited == ["query_memories"]
        finally:
            os.kill(pid, signal.SIGCONT)


def test_importing_the_client_loads_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; from mcp_reflect import ReflectClient, reflect_trace, current_run\n"
        "files = {n: getattr(m, '__file__', '') or '' for n, m in sys.modules.items()}\n"
        "print([n for n, f in files.items() if 'site-packages' in f and not n.startswith('_')])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_S, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_package_names_what_it_offers() -> None:
    assert {"ReflectClient", "AsyncReflectClient", "reflect_trace", "current_run"} <= set(dir(mcp_reflect))
    with pytest.raises(AttributeError, match="no attribute 'Client'"):
        _ = mcp_reflect.Client  # type: ignore[attr-defined]
