"""What the relay does with calls that a hub has not answered: repeated where that does no harm, runs kept."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from mcp_reflect.server.tools.all_tools import TOOLS
from mcp_reflect.wire import request_meta
from mcp_reflect.wire.hub_errors import unavailable
from mcp_reflect.wire.outbox_process import NotKept
from mcp_reflect.wire.shim import deadlines, upstream
from mcp_reflect.wire.shim.downstream import RESTARTED
from mcp_reflect.wire.shim.repeatable import REPEATABLE_TOOLS, SubmittedRun, with_trace_key
from mcp_reflect.wire.shim.unserved import STARTING
from tests.support.waiting import until
from tests.wire.shim.test_relay import Stage, received, say

RUN = {"task": "Fix the build", "trace_key": ""}
ENVELOPE = {"io.modelcontextprotocol/clientInfo": {"name": "mcp"}}


class Kept(list[SubmittedRun]):
    """An outbox that refuses where it is `full`."""

    full = False
    prepared = False

    def prepare(self) -> None:
        self.prepared = True

    def release(self) -> None:
        self.prepared = False

    def keep(self, run: SubmittedRun) -> None:
        if self.full:
            raise NotKept("it is full")
        self.append(run)


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def stage(kept: Kept) -> Iterator[Stage]:
    made = Stage()
    made.relay.upstream.unserved.outbox = kept
    try:
        yield made
    finally:
        made.close()


def ask_for(stage: Stage, number: int, tool: str, arguments: dict[str, Any]) -> None:
    stage.say({"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})


def answer_overdue(stage: Stage) -> None:
    """Until something was answered: while the queue is being sent, nothing is."""
    until(stage.relay.overdue.answer)


def test_what_only_reads_may_be_repeated() -> None:
    reading = {tool.name for tool in TOOLS if tool.annotations and tool.annotations.read_only_hint}
    assert reading | {"review_trace"} == REPEATABLE_TOOLS


def test_a_query_and_a_run_survive_the_hub_they_were_sent_to_and_other_calls_say_so(stage: Stage) -> None:
    ask_for(stage, 1, "query_memories", {"task": "Fix the build"})
    ask_for(stage, 2, "submit_trace", RUN)
    ask_for(stage, 3, "record_error_fix", {"task": "t", "mistake": "m", "fix": "f"})
    link, lines = stage.hub()
    with link:
        first = [received(lines) for _ in range(3)]
    link, lines = stage.hub()
    with link:
        again = [received(lines) for _ in range(2)]
        assert again == first[:2]
        params = again[1]["params"]
        assert params["arguments"] == {"task": "Fix the build"}
        assert params["_meta"][request_meta.TRACE_KEY].startswith("sent-")
        lost = stage.heard()
        assert (lost["id"], lost["error"]["message"]) == (3, RESTARTED["message"])
        for number in (1, 2):
            say(link, {"id": number, "result": {}})
            assert stage.heard()["id"] == number


def test_the_agents_own_key_stays() -> None:
    message = {"method": "tools/call", "params": {"name": "submit_trace", "arguments": RUN | {"trace_key": "mine"}}}
    line = json.dumps(message).encode()
    assert with_trace_key(line, message) is line


def test_a_run_that_no_hub_takes_is_kept_and_the_client_told(stage: Stage, kept: Kept) -> None:
    stage.reachable = False
    ask_for(stage, 1, "submit_trace", RUN)
    told = stage.heard()["result"]
    assert told["structuredContent"]["waiting"] is True
    assert "do not submit it again" in told["content"][0]["text"]
    assert [run.arguments["task"] for run in kept] == ["Fix the build"]
    kept.full = True
    ask_for(stage, 2, "submit_trace", RUN)
    error = stage.heard()["error"]
    assert "not stored and cannot be kept: it is full" in error["message"]
    assert error["data"] == unavailable(error["message"])


def test_a_run_is_kept_where_the_hub_says_nothing_and_its_late_answer_is_dropped(
    stage: Stage, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "LONG_S", 0.0)
    ask_for(stage, 1, "submit_trace", RUN)
    ask_for(stage, 2, "query_memories", {"task": "Fix the build"})
    link, lines = stage.hub()
    with link:
        key = received(lines)["params"]["_meta"][request_meta.TRACE_KEY]
        received(lines)
        answer_overdue(stage)
        told = stage.heard()["result"]["structuredContent"]
        assert (told["waiting"], told["trace_id"]) == (True, key)
        assert [run.trace_key for run in kept] == [key]
        for number in (1, 2):
            say(link, {"id": number, "result": {}})
        assert stage.heard()["id"] == 2  # a program waits for a query as long as it takes


def test_a_query_for_which_the_time_is_set_is_answered_after_it_and_cancelled(stage: Stage) -> None:
    stage.relay.upstream._within_s = 1e-9
    ask_for(stage, 1, "query_memories", {"task": "Fix the build"})
    ask_for(stage, 2, "record_error_fix", {"task": "t", "mistake": "m", "fix": "f"})
    link, lines = stage.hub()
    with link:
        assert [received(lines).get("id") for _ in range(2)] == [1, 2]
        answer_overdue(stage)
        told = stage.heard()
        assert (told["id"], told["result"]["isError"]) == (1, True)
        assert "call again" in told["result"]["content"][0]["text"]
        assert told["result"]["_meta"][request_meta.ERROR] == STARTING
        assert received(lines)["params"] == {"requestId": 1}
        for number in (1, 2):
            say(link, {"id": number, "result": {}})
        assert stage.heard()["id"] == 2  # it may have been carried out, so only the hub can say


def test_the_outbox_is_prepared_before_it_is_needed(kept: Kept) -> None:
    stage = Stage()
    queue, overdue = stage.relay.upstream.queue, stage.relay.overdue
    stage.relay.upstream.unserved.outbox = kept
    stage.warm.clear()  # no hub comes
    try:
        ask_for(stage, 1, "submit_trace", RUN)
        until(lambda: queue.has_requests)
        overdue.answer()
        assert not kept.prepared
        queue._lines = [line._replace(queued_until=time.monotonic() + 1) for line in queue._lines]
        until(lambda: overdue.answer() or kept.prepared)
        assert not kept
    finally:
        stage.reachable = False  # whoever leaves would wait for its answer
        stage.warm.set()
        stage.close()


RUN_CALL = {"method": "tools/call", "params": {"name": "submit_trace", "arguments": {"task": "t"}}}
QUERY_CALL = {"method": "tools/call", "params": {"name": "query_memories", "arguments": {"task": "t"}}}
LIBRARY = {"clientInfo": {"name": "mcp"}}


@pytest.mark.parametrize(
    ("message", "initialize", "within_s", "expected"),
    [
        (RUN_CALL, LIBRARY, None, (2.5, 2.5)),
        (RUN_CALL, {"clientInfo": {"name": "codex"}}, None, (2.5, 45)),
        (RUN_CALL, {"clientInfo": {"name": "claude"}, "capabilities": {"roots": {}}}, None, (45, 45)),
        (RUN_CALL, {"clientInfo": {"name": "claude"}, "capabilities": {"roots": {}}}, 10.0, (9, 9)),
        (QUERY_CALL, LIBRARY, None, (45, math.inf)),
        (QUERY_CALL, {}, 4.0, (4, 4)),
        ({"method": "tools/list"}, LIBRARY, None, (math.inf, math.inf)),
        (
            {"method": "tools/call", "params": {"name": "submit_trace", "arguments": {}, "_meta": ENVELOPE}},
            {},
            None,
            (2.5, 2.5),
        ),
    ],
)
def test_how_long_a_call_waits_for_a_hub(
    message: dict[str, Any], initialize: dict[str, Any], within_s: float | None, expected: tuple[float, float]
) -> None:
    assert deadlines.limits_of(message, initialize, within_s) == expected


def test_a_run_whose_client_leaves_before_the_answer_is_kept(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream, "_LAST_ANSWERS_S", 0.0)
    stage = Stage()
    stage.relay.upstream.unserved.outbox = kept
    ask_for(stage, 1, "submit_trace", RUN)
    link, lines = stage.hub()
    with link:
        received(lines)
        stage.close()
    until(lambda: len(kept) == 1)
