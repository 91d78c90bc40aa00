"""What `with client.trace(task) as run` promises, against a real hub."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from mcp_reflect import ReflectClient, current_run
from mcp_reflect.client.calls.results import Memory
from mcp_reflect.errors import InvalidArgument, UsageError
from tests.client.conftest import forget
from tests.support.hubs import kill_hub, posix, status
from tests.support.waiting import HANG_S

pytestmark = posix

TASK = "Fix the login test"


def lesson(client: ReflectClient, task: str = TASK) -> Memory:
    memory = client.create_trace(task, review_result="pass", guidance="Run it with -k login.").memory
    assert memory is not None
    return memory


def test_a_run_is_given_memories_and_its_result_moves_them(client: ReflectClient) -> None:
    known = lesson(client)
    with client.trace(TASK, limit=3, model="m", metadata={"area": "web"}, reference_context="green") as run:
        assert [memory.id for memory in run.memories] == [known.id]
        assert run.augmented_task.startswith(TASK + "\n\nRelevant memories:")
        run.message("user", run.augmented_task)
        run.message({"role": "assistant", "tool_calls": [{"function": {"name": "pytest", "arguments": "{}"}}]})
        run.final_response = "done"
        run.metadata["attempt"] = 2
        run.passed("3 passed")
    assert run.outcome is not None
    (moved,) = run.outcome.q_updates
    assert (moved.memory_id, moved.q_after) == (known.id, 0.65)
    stored = client.get_trace(run.outcome.trace_id)
    assert (stored.task, stored.final_response, stored.model, stored.result) == (TASK, "done", "m", "pass")
    assert stored.metadata == {"area": "web", "attempt": 2}
    assert stored.reference_context == "green"
    assert stored.tools_used == ("pytest",)
    assert stored.review is not None
    assert stored.review.feedback == "3 passed"
    assert "Relevant memories" not in stored.trajectory


def test_a_run_without_a_verdict_waits_for_its_review(client: ReflectClient) -> None:
    with client.trace(TASK) as run:
        run.log("$ make")
    (pending,) = client.list_traces()
    assert run.outcome is not None
    assert pending.trace_id == run.outcome.trace_id
    assert client.get_trace(pending.trace_id).trajectory == "$ make"


def test_the_last_verdict_counts_and_its_reflection_is_stored(client: ReflectClient) -> None:
    first, second = lesson(client), lesson(client, "Fix the logout test")
    with client.trace(TASK, alpha=0.5) as run:
        run.passed()
        run.failed("the wrong test")
        run.helpful(first)
        run.harmful(second.id, first)
        run.helpful(first.id)
        run.reflect(summary="s", guidance="g", applicable_tools=["pytest"])
        run.reflect(guidance="better", claims=["pytest takes -k - it selects tests"])
    assert run.outcome is not None
    assert {(u.memory_id, u.q_after) for u in run.outcome.q_updates} == {(first.id, 0.75), (second.id, 0.25)}
    assert run.outcome.memory is not None
    assert (run.outcome.memory.summary, run.outcome.memory.guidance) == ("s", "better")
    assert (run.outcome.memory.author, run.outcome.memory.success) == ("agent", False)
    assert len(client.get_trace(run.outcome.trace_id).claims) == 1


def test_what_is_asked_during_a_run_counts_to_the_run(client: ReflectClient) -> None:
    known = lesson(client)
    with client.trace("nothing like it", augment=False) as run:
        client.query_memories(TASK)
        run.passed()
    assert run.outcome is not None
    assert [update.memory_id for update in run.outcome.q_updates] == [known.id]
    with client.trace(TASK, augment=False) as run:
        assert (run.augmented_task, run.memories) == (TASK, ())
        run.passed()
    assert run.outcome is not None
    assert run.outcome.q_updates == ()


def test_a_run_that_looks_up_any_number_of_memories_is_stored_with_the_last_hundred(client: ReflectClient) -> None:
    with client.trace(TASK, augment=False) as run:
        ids = [lesson(client, f"task number {number}").id for number in range(101)]
        for number in range(101):
            assert run.count_retrieved(client.connection, [Memory(ids[number]), Memory(ids[0])])
        run.passed()
    assert run.outcome is not None
    assert client.get_trace(run.outcome.trace_id).retrieved_memory_ids == (*ids[2:], ids[0])


# -- exceptions


def test_an_exception_makes_the_run_a_fail_and_is_raised_on_unchanged(client: ReflectClient) -> None:
    known = lesson(client)
    error = ValueError("no such user")
    with pytest.raises(ValueError, match="no such user") as raised, client.trace(TASK) as run:
        run.message("user", "go")
        run.passed()
        raise error
    assert raised.value is error
    assert (error.args, error.__cause__, error.__context__, getattr(error, "__notes__", None)) == (
        ("no such user",),
        None,
        None,
        None,
    )
    assert run.outcome is not None
    assert [(update.memory_id, update.reward) for update in run.outcome.q_updates] == [(known.id, 0.0)]
    stored = client.get_trace(run.outcome.trace_id)
    assert stored.review is not None
    assert (stored.result, stored.review.feedback) == ("fail", "ValueError: no such user")
    assert "Traceback (most recent call last)" in stored.trajectory
    assert stored.memory is not None
    assert stored.memory.reflection == "Mistake: ValueError: no such user"


def test_what_was_said_of_a_failed_run_is_kept_beside_the_error(client: ReflectClient) -> None:
    with pytest.raises(KeyError), client.trace(TASK) as run:
        run.failed("the server was down")
        raise KeyError("host")
    assert run.outcome is not None
    review = client.get_trace(run.outcome.trace_id).review
    assert review is not None
    assert review.feedback == "the server was down\nKeyError: 'host'"


@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt, SystemExit, GeneratorExit, CancelledError, lambda: BaseExceptionGroup("g", [SystemExit()])],
)
def test_what_ends_a_program_is_no_verdict(client: ReflectClient, error: Callable[[], BaseException]) -> None:
    lesson(client)
    made = error()
    with pytest.raises(type(made)) as raised, client.trace(TASK) as run:
        run.log("half of it")
        raise made
    assert raised.value is made
    assert run.outcome is not None
    assert (run.outcome.review_status, run.outcome.q_updates) == ("pending", ())
    assert client.get_trace(run.outcome.trace_id).trajectory == "half of it"


def test_the_checks_of_a_test_are_verdicts_and_skipping_it_is_none(client: ReflectClient) -> None:
    lesson(client)
    with pytest.raises(pytest.fail.Exception), client.trace(TASK) as run:
        pytest.fail("wrong answer")
    assert run.outcome is not None
    review = client.get_trace(run.outcome.trace_id).review
    assert review is not None
    assert (review.result, review.feedback) == ("fail", "Failed: wrong answer")
    with pytest.raises(pytest.skip.Exception), client.trace(TASK) as run:
        pytest.skip("no GPU")
    assert run.outcome is not None
    assert run.outcome.review_status == "pending"


def test_a_verdict_that_was_given_before_the_program_is_ended_counts(client: ReflectClient) -> None:
    with pytest.raises(SystemExit), client.trace(TASK) as run:
        run.passed()
        sys.exit(0)
    assert run.outcome is not None
    assert run.outcome.review_status == "reviewed"


def test_ctrl_c_ends_a_program_soon_even_where_the_memory_hangs(home: Path) -> None:
    script = (
        # What a shell starts in the background is deaf to Ctrl-C, and so would be what this test starts.
        "import signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from mcp_reflect import ReflectClient\n"
        "with ReflectClient(timeout=600) as client, client.trace('t') as run:\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)"
    )
    with ReflectClient(strict=True) as client:
        client.create_trace("warm")
        pid = status(home)["pid"]
        with subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            os.kill(pid, signal.SIGSTOP)
            try:
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=HANG_S)
            finally:
                os.kill(pid, signal.SIGCONT)
        assert process.returncode == -signal.SIGINT
        assert said.strip().splitlines()[-1] == b"KeyboardInterrupt"


# -- the memory fails


def test_without_a_memory_the_body_runs_as_if_nothing_was(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with ReflectClient(home=tmp_path / "file" / "home") as client, caplog.at_level(logging.WARNING):
        for _ in range(3):
            with client.trace(TASK) as run:
                assert run.augmented_task == TASK
                run.passed()
            assert run.outcome is None
        with pytest.raises(ZeroDivisionError), client.trace(TASK):
            _ = 1 / 0
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 5
    assert [text for text in told if "was not stored" not in text] == told[:1]


def test_a_hub_that_is_killed_during_a_run_costs_nothing(client: ReflectClient, home: Path) -> None:
    known = lesson(client)
    with client.trace(TASK) as run:
        kill_hub(home)
        run.passed()
    assert run.outcome is not None
    assert [update.memory_id for update in run.outcome.q_updates] == [known.id]
    assert len(client.list_traces("all")) == 2


def test_a_run_with_a_key_of_its_own_is_stored_once(client: ReflectClient) -> None:
    for _ in range(2):
        with client.trace(TASK, trace_key="ticket-7") as run:
            run.passed()
    assert len(client.list_traces("all")) == 1


def test_memories_that_are_forgotten_during_a_run_do_not_cost_it(client: ReflectClient) -> None:
    kept, gone = lesson(client), lesson(client, "Fix the logout test")
    with client.trace(TASK, augment=False) as run:
        client.query_memories(TASK)
        assert set(run._retrieved) == {kept.id, gone.id}
        run.helpful(kept, gone)
        forget(gone.id)
        run.passed()
    assert run.outcome is not None
    assert [update.memory_id for update in run.outcome.q_updates] == [kept.id]
    assert client.get_trace(run.outcome.trace_id).retrieved_memory_ids == (kept.id,)


def test_where_the_memory_that_misled_is_forgotten_no_other_is_credited_for_it(client: ReflectClient) -> None:
    _kept, gone = lesson(client), lesson(client, "Fix the logout test")
    with client.trace(TASK) as run:
        run.harmful(gone)
        forget(gone.id)
        run.failed()
    assert run.outcome is not None
    assert (run.outcome.review_status, run.outcome.q_updates) == ("reviewed", ())


def test_an_id_that_never_was_one_is_told_and_the_run_is_stored(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ReflectClient() as client, caplog.at_level(logging.WARNING):
        with client.trace(TASK) as run:
            run.passed()
            run.helpful(*(f"mem_nowhere_{number}" for number in range(12)))
        assert run.outcome is not None
        assert {f"mem_nowhere_{number}" in caplog.text for number in range(12)} == {True}


def test_a_message_is_told_by_its_role_and_a_line_of_log_by_anything(client: ReflectClient) -> None:
    with client.trace(TASK) as run:
        run.message(role="tool", content="3 passed", tool_call_id="c1")
        run.message(content="Done.", role="assistant")
        run.log({"exit": 0})
        run.log("exit", 0, None)
        run.log("a", "b", sep="")
        run.log()
    assert run.messages == [
        {"role": "tool", "content": "3 passed", "tool_call_id": "c1"},
        {"role": "assistant", "content": "Done."},
        "{'exit': 0}",
        "exit 0 None",
        "ab",
        "",
    ]
    with pytest.raises(TypeError, match="a whole message, or a role"):
        run.message(content="whose?")


def test_what_is_told_after_the_end_of_a_run_is_refused(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ReflectClient() as client, client.trace(TASK) as run:
        run.log("$ pytest")
    late = (run.passed, run.failed, run.helpful, run.harmful, run.reflect, partial(run.log, "12 passed"))
    for tell in late:
        caplog.clear()
        tell()
        assert "the run's block has ended, and it was stored without this" in caplog.text
    with ReflectClient(strict=True) as client, client.trace(TASK) as run:
        pass
    for tell in (run.passed, partial(run.set_output, "12 passed"), partial(run.message, "assistant", "Done.")):
        with pytest.raises(UsageError, match="block has ended"):
            tell()


def test_more_memories_than_a_review_can_name_are_told_at_once_and_the_run_is_stored(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReflectClient() as client:
        first = lesson(client)
        with client.trace(TASK) as run:
            run.helpful(first)
            run.helpful(*(f"mem_{number}" for number in range(60)))
            run.helpful(*(f"mem_{number}" for number in range(60, 120)))
            assert "helpful_memory_ids" in caplog.text
            run.helpful(first, "mem_7")
            run.passed()
    assert run.outcome is not None
    assert [update.memory_id for update in run.outcome.q_updates] == [first.id]


def test_a_mistake_found_at_the_end_of_a_run_does_not_take_its_result(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReflectClient() as client, caplog.at_level(logging.ERROR):
        with pytest.raises(LookupError, match="the body's own"), client.trace(TASK) as run:
            run.task = ""
            raise LookupError("the body's own")
        assert "task" in caplog.text
        assert client.list_traces("all") == ()
    with ReflectClient(strict=True) as client:
        with pytest.raises(UsageError, match="mem_nowhere"), client.trace(TASK) as run:
            run.helpful("mem_nowhere")
            run.passed()
        with pytest.raises(LookupError, match="the body's own"), client.trace(TASK) as run:
            run.helpful("mem_nowhere")
            raise LookupError("the body's own")


def test_feedback_of_any_length_is_kept_as_far_as_it_goes(client: ReflectClient) -> None:
    with client.trace(TASK) as run:
        run.failed("first \ud800" + "x" * 300_000 + "last")
    assert run.outcome is not None
    review = client.get_trace(run.outcome.trace_id).review
    assert review is not None
    assert len(review.feedback) <= 200_000
    assert (review.feedback[:7], review.feedback[-4:]) == ("first ?", "last")


def test_a_mistake_in_the_body_is_an_exception_there(client: ReflectClient) -> None:
    with client.trace(TASK) as run:
        with pytest.raises(TypeError, match="whole message"):
            run.message({"role": "user"}, "twice")
        with pytest.raises(InvalidArgument, match="feedback"):
            run.failed(7)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="helpful_memory_ids"):
            run.helpful("")
        with pytest.raises(InvalidArgument, match="summary"):
            run.reflect(summary="x" * 10_000)
        with pytest.raises(TypeError, match="did you mean guidance"):
            run.reflect(guidence="g")
        assert run.result is None
    with pytest.raises(RuntimeError, match="once"):
        run.start()
    with pytest.raises(InvalidArgument, match="task"):
        client.trace("")


# -- whatever is collected


class SdkMessage(BaseModel):
    role: str
    content: str
    refusal: str | None = None


@dataclass
class Step:
    role: str
    content: list[Any]


def test_messages_of_any_kind_are_stored(client: ReflectClient) -> None:
    with client.trace(TASK) as run:
        run.messages = [
            SdkMessage(role="assistant", content="from an SDK"),
            Step("user", [{"type": "text", "text": "from a \ud800 dataclass \x00"}]),
            "ValueError: in a log",
            {"content": "without a role", "score": float("nan"), "at": Path("x")},
            42,
        ]
        run.final_response = {"answer": 42}
        run.failed("no")
    assert run.outcome is not None
    stored = client.get_trace(run.outcome.trace_id)
    for text in ("from an SDK", "dataclass", "ValueError: in a log", "without a role", "nan", "42"):
        assert text in stored.trajectory
    assert stored.final_response == "{'answer': 42}"
    assert run.outcome.memory is not None
    assert "ValueError: in a log" in run.outcome.memory.reflection


def test_odd_values_do_not_cost_a_run(client: ReflectClient) -> None:
    class Silent:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    with client.trace(TASK) as run:
        run.messages = [{"role": None, "content": Silent()}, {"content": 10**5000, "format": SdkMessage}, Silent()]
        run.final_response = Silent()
        run.passed()
    assert run.outcome is not None
    stored = client.get_trace(run.outcome.trace_id)
    assert stored.trajectory.count("<unprintable Silent>") == 2
    assert stored.final_response == "<unprintable Silent>"


def test_a_run_longer_than_what_is_stored_keeps_its_beginning_and_its_end(client: ReflectClient) -> None:
    with client.trace(TASK) as run:
        for number in range(60):
            run.message("user", f"number {number} " + "x" * 100_000)
        run.passed("y" * 1000)
    assert run.outcome is not None
    stored = client.get_trace(run.outcome.trace_id)
    assert 3_500_000 < stored.trajectory_characters <= 4_000_000
    assert "number 0 " in stored.trajectory
    with client.trace(TASK) as run:
        run.log("[not JSON\n" + "z" * 5_000_000)
    assert run.outcome is not None


# -- threads and nesting


def test_runs_of_threads_are_their_own(client: ReflectClient) -> None:
    together = threading.Barrier(4)

    def work(number: int) -> str:
        with client.trace(f"task {number}") as run:
            together.wait(HANG_S)
            assert current_run() is run
            inner = current_run()
            assert inner is not None
            inner.log(f"by {number}")
            together.wait(HANG_S)
            run.passed()
        assert current_run() is None
        assert run.outcome is not None
        return run.outcome.trace_id

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(work, range(4)))
    for number, trace_id in enumerate(ids):
        stored = client.get_trace(trace_id)
        assert (stored.task, stored.trajectory) == (f"task {number}", f"by {number}")


def test_a_thread_that_is_given_the_context_works_for_the_run(client: ReflectClient) -> None:
    with client.trace(TASK) as run, ThreadPoolExecutor(1) as pool:
        assert pool.submit(current_run).result() is None
        assert pool.submit(copy_context().run, current_run).result() is run


def test_runs_nest(client: ReflectClient) -> None:
    with client.trace("outer") as outer:
        with pytest.raises(ValueError, match="inner"), client.trace("inner") as inner:
            assert current_run() is inner
            raise ValueError("inner")
        assert current_run() is outer
        outer.passed()
    assert current_run() is None
    assert {(trace.task, trace.result) for trace in client.list_traces("all")} == {("outer", "pass"), ("inner", "fail")}


def test_a_generator_that_is_not_finished_stores_its_run_without_a_verdict(client: ReflectClient) -> None:
    def agent() -> Iterator[int]:
        with client.trace(TASK) as run:
            run.log("one")
            yield 1
            yield 2

    steps = agent()
    assert next(steps) == 1
    steps.close()  # type: ignore[attr-defined]
    assert [trace.review_status for trace in client.list_traces("all")] == ["pending"]
    assert current_run() is None
