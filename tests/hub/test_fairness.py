"""What one connection does must not hold up another."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.hubs import RawClient, alive, changed_hub, posix, run_command, status
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

pytestmark = posix

FLOOD = 300


@pytest.fixture
def silent_llm() -> Iterator[str]:
    """An LLM server that accepts and never answers."""
    held: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                held.append(listener.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=accept)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()
    for connection in held:
        connection.close()


def test_a_flood_of_one_connection_does_not_starve_another(home: Path) -> None:
    with RawClient(environment(home)) as flooding, RawClient(environment(home)) as other:
        for client in (flooding, other):
            client.shake_hands()
            client.call("query_memories", task="warm")
        before = len(flooding.lines)

        def flood() -> None:
            for number in range(FLOOD):
                flooding.send("tools/call", {"name": "query_memories", "arguments": {"task": f"flood {number}"}})

        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(flood)
            until(lambda: len(flooding.lines) > before)
            for number in range(10):
                other.call("query_memories", task=f"other {number}")
            answered = len(flooding.lines) - before
            sending.result(HANG_S)
        # Ten calls among three hundred: in one common row the other would have waited for most of them.
        assert answered < FLOOD / 2
        until(lambda: len(flooding.lines) - before == FLOOD)
        assert all("error" not in json.loads(line) for line in flooding.lines)


def test_a_slow_model_of_one_connection_delays_nobody(home: Path, silent_llm: str) -> None:
    model = {"MCP_REFLECT_REFLECTION__MODEL": "m", "OPENAI_BASE_URL": silent_llm}
    patient = f"from mcp_reflect.server.tools import loop_tools; loop_tools.PATIENCE_S = {10 * HANG_S}; run_hub()"
    with (
        changed_hub(home, patient),
        RawClient(environment(home, **model)) as slow,
        RawClient(environment(home)) as other,
    ):
        slow.shake_hands()
        other.shake_hands()
        for client in (slow, other):
            client.call("query_memories", task="warm")
        answered = len(slow.lines)
        for number in range(6):
            arguments = {"task": f"t{number}", "review_result": "fail"}
            slow.send("tools/call", {"name": "submit_trace", "arguments": arguments})
        until(lambda: other.call("memory_stats")["traces"]["reviewed"] == 6)
        # All six wait for the model; the other connection works, and so does the slow one itself.
        for _ in range(5):
            other.call("query_memories", task="t")
            other.call("submit_trace", task="u", review_result="pass", guidance="g")
        assert len(slow.lines) == answered
        number = slow.send("tools/call", {"name": "query_memories", "arguments": {"task": "t"}})
        assert slow.answer()["id"] == number
        # Nor does the connection without a model write, without one, what waits for the other's model.
        listed = other.call("list_traces", review_status="reviewed", limit=20)["traces"]
        assert sum(trace["ingest_status"] == "queued" for trace in listed) == 6


@pytest.mark.slow
def test_a_reflection_that_waits_for_a_model_stays_queued_when_the_hub_leaves(home: Path, silent_llm: str) -> None:
    model = {"MCP_REFLECT_REFLECTION__MODEL": "m", "OPENAI_BASE_URL": silent_llm, "MCP_REFLECT_HUB__IDLE_EXIT_S": "0.3"}
    with RawClient(environment(home, **model)) as client:
        client.shake_hands()
        outcome = client.call("submit_trace", task="t", review_result="fail")
        assert outcome["ingest_status"] == "queued"
        assert status(home)["queued"] == 1
        pid = status(home)["pid"]
    until(lambda: not alive(pid))
    with RawClient(environment(home, **model)) as client:
        client.shake_hands()
        assert client.call("get_trace", trace_id=outcome["trace_id"])["ingest_status"] == "queued"
        assert run_command(home, "verify").returncode == 0
