"""Of a run with a wrong part the rest is stored, unless its client is strict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mcp_reflect import ReflectClient
from mcp_reflect.application import outbox
from mcp_reflect.client.calls import fields
from mcp_reflect.client.calls.tool_calls import submit_request
from mcp_reflect.client.runs.submission import submit_run
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import InvalidArgument
from tests.support.hubs import posix
from tests.support.waiting import HANG_S

pytestmark = posix

TASK = "Run the end-to-end tests"
GUIDANCE = "Start the stack first."


@pytest.fixture
def lenient(client: ReflectClient) -> Iterator[ReflectClient]:
    """A client of the same project that is not strict, as programs have it."""
    with ReflectClient(timeout=HANG_S) as made:
        yield made


def lesson(client: ReflectClient, task: str = TASK) -> str:
    memory = client.create_memory(task, guidance=GUIDANCE)
    assert memory is not None
    return memory.id


def test_memories_named_before_the_verdict_is_known_do_not_cost_the_run(
    client: ReflectClient, lenient: ReflectClient, caplog: pytest.LogCaptureFixture
) -> None:
    known = lesson(client)
    with lenient.trace(TASK) as run:
        run.log("$ make e2e")
        run.helpful(*run.memories)
    assert run.outcome is not None
    assert (run.outcome.review_status, run.outcome.q_updates) == ("pending", ())
    assert "helpful_memory_ids: given without a verdict. Allowed: together with a verdict, or in review_trace()" in (
        caplog.text
    )
    # The run still says what it was given, so that the later review can name it.
    outcome = client.review_trace(run.outcome.trace_id, "pass", helpful_memory_ids=[known])
    assert [(update.memory_id, update.reward) for update in outcome.q_updates] == [(known, 1.0)]
    assert lenient.create_trace(TASK, helpful_memory_ids=[known], retrieved_memory_ids=[known]).trace_id


def test_a_run_that_is_interrupted_before_its_verdict_is_stored_by_a_strict_client_too(client: ReflectClient) -> None:
    lesson(client)
    with pytest.raises(KeyboardInterrupt), client.trace(TASK) as run:
        run.helpful(*run.memories)
        raise KeyboardInterrupt
    assert run.outcome is not None
    assert run.outcome.review_status == "pending"
    with pytest.raises(InvalidArgument, match="given without a review"), client.trace(TASK) as run:
        run.helpful(*run.memories)


@pytest.mark.parametrize("name", ["metadata", "model", "reference_context", "final_response", "messages", "trace_key"])
def test_a_part_without_a_value_is_left_out(client: ReflectClient, name: str) -> None:
    with client.trace(TASK) as run:
        setattr(run, name, None)
        run.passed()
    assert run.outcome is not None
    stored = client.get_trace(run.outcome.trace_id)
    assert (stored.model, stored.reference_context, stored.final_response, stored.trajectory) == ("", "", "", "")
    assert stored.metadata == {}


def test_a_field_without_a_value_counts_as_not_given(client: ReflectClient) -> None:
    nothing: dict[str, Any] = dict.fromkeys(fields.TraceFields.__annotations__)
    outcome = client.create_trace(TASK, **nothing)
    assert outcome.review_status == "pending"
    reviewed = client.review_trace(outcome.trace_id, "pass", feedback=None, alpha=None)  # type: ignore[arg-type]
    assert reviewed.review_status == "reviewed"
    options: dict[str, Any] = {"model": None, "metadata": None, "reference_context": None, "trace_key": None}
    with client.trace(TASK, **options) as run:
        run.passed()
    assert run.outcome is not None


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("guidance", 5),
        ("claims", ["a", "b", "c", "d"]),
        ("alpha", 3),
        ("model", 7),
        ("reference_context", b"bytes"),
        ("metadata", "area=web"),
        ("trace_key", "k" * 201),
        ("feedback", 7),
        ("helpful_memory_ids", [""]),
        ("retrieved_memory_ids", 5),
        ("retrieval_id", 5),
        ("applicable_tools", 5),
    ],
)
def test_a_wrong_part_is_left_out_and_told(
    client: ReflectClient, lenient: ReflectClient, caplog: pytest.LogCaptureFixture, name: str, wrong: Any
) -> None:
    given: dict[str, Any] = {"trajectory": "$ make e2e", "review_result": "pass", "summary": "s", name: wrong}
    with pytest.raises(InvalidArgument, match=f"{name}: "):
        client.create_trace(TASK, **given)
    outcome = lenient.create_trace(TASK, **given)
    assert (outcome.review_status, outcome.memory is not None) == ("reviewed", True)
    assert f"a run of {TASK!r} goes without a part that is wrong: {name}: " in caplog.text
    assert client.get_trace(outcome.trace_id).trajectory == "$ make e2e"


def test_what_is_only_too_long_or_no_list_of_messages_is_made_to_fit(
    client: ReflectClient, lenient: ReflectClient
) -> None:
    trajectory: Any = [{"role": "user", "content": "go"}, "$ make e2e"]
    outcome = lenient.create_trace(
        TASK, trajectory=trajectory, review_result="pass", guidance="x" * 10_000, model="m" * 300
    )
    assert outcome.memory is not None
    assert 7_000 < len(outcome.memory.guidance) <= 8_000
    stored = client.get_trace(outcome.trace_id)
    assert "$ make e2e" in stored.trajectory
    assert 100 < len(stored.model) <= 200
    for unreadable in ("[1, 2", 7, "y" * 5_000_000):
        outcome = lenient.create_trace(TASK, trajectory=unreadable)  # type: ignore[arg-type]
        assert client.get_trace(outcome.trace_id).trajectory_characters


def test_a_wrong_verdict_is_none(client: ReflectClient, lenient: ReflectClient) -> None:
    known = lesson(client)
    wrong: Any = {"review_result": "good", "helpful_memory_ids": known, "retrieved_memory_ids": [known]}
    outcome = lenient.create_trace(TASK, **wrong)
    assert outcome.review_status == "pending"
    assert client.review_trace(outcome.trace_id, "pass", helpful_memory_ids=[known]).q_updates


def test_of_memories_that_are_named_wrongly_none_is_credited(client: ReflectClient, lenient: ReflectClient) -> None:
    given, other = lesson(client), lesson(client, "Deploy the service")
    both = {"helpful_memory_ids": [given], "harmful_memory_ids": [given]}
    for wrong in (both, {"helpful_memory_ids": [other]}):
        outcome = lenient.create_trace(TASK, review_result="pass", retrieved_memory_ids=[given], **wrong)  # type: ignore[typeddict-item]
        assert (outcome.review_status, outcome.q_updates) == ("reviewed", ())
    outcome = lenient.create_trace(
        TASK, review_result="pass", retrieved_memory_ids=[given], helpful_memory_ids=[given, other]
    )
    assert [update.memory_id for update in outcome.q_updates] == [given]


def test_a_key_that_belongs_to_another_run_is_no_part_that_can_be_left_out(
    client: ReflectClient, lenient: ReflectClient, caplog: pytest.LogCaptureFixture
) -> None:
    client.create_trace(TASK, trace_key="k")
    assert not lenient.create_trace("Another task", trace_key="k").available
    assert "already belongs to trace" in caplog.text
    assert len(client.list_traces()) == 1


def test_what_the_hub_would_refuse_later_does_not_go_to_the_outbox(
    home: Any, lenient: ReflectClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lenient.connection, "_left_alone_until", float("inf"))
    call = submit_request(TASK, {"helpful_memory_ids": "mem_1", "trajectory": "$ make"}, strict=False)
    assert submit_run(lenient.connection, call, ()).waiting
    (kept,) = outbox.waiting_files(load_settings().home)
    run = outbox.read_run(kept)
    kept.unlink()
    assert run.arguments["helpful_memory_ids"] == []


def test_a_memory_with_a_wrong_part_is_not_stored_and_the_part_is_told_by_its_name(
    client: ReflectClient, caplog: pytest.LogCaptureFixture
) -> None:
    for wrong in ("maybe", "", None, 7):
        with pytest.raises(InvalidArgument) as refused:
            client.create_memory("Migrate", wrong, guidance=GUIDANCE)  # type: ignore[arg-type]
        assert str(refused.value) == f'result: got {wrong!r}. Allowed: "pass" or "fail"'
    with pytest.raises(InvalidArgument, match="no words"):
        client.create_memory("Migrate", guidance=None)  # type: ignore[arg-type]
    with ReflectClient(timeout=HANG_S) as lenient:
        assert lenient.create_memory("Migrate", guidance=GUIDANCE, summary=5) is None  # type: ignore[arg-type]
        assert lenient.create_memory("Migrate", "maybe", guidance=GUIDANCE) is None  # type: ignore[arg-type]
        assert "create_memory() goes without the memory: summary: got 5" in caplog.text
        assert client.list_traces("all") == ()
        stored = lenient.create_memory("Migrate", guidance=GUIDANCE, summary=None)  # type: ignore[arg-type]
        assert stored is not None


def test_bytes_are_no_list_of_numbers() -> None:
    request = submit_request(TASK, {"trajectory": b"hello"}, strict=False)
    assert "104" not in str(request.arguments["trajectory"])
    assert "hello" in str(request.arguments["trajectory"])
