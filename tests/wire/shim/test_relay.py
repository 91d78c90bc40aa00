"""The relay between a client and hubs that a test plays itself, for what no real hub can be made to do."""

from __future__ import annotations

import json
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mcp_reflect.wire import handshake, hub_connection, hub_errors
from mcp_reflect.wire.shim.downstream import RESTARTED
from mcp_reflect.wire.shim.front import Front
from mcp_reflect.wire.shim.relay import Relay
from tests.support.waiting import HANG_S, until


class Stage:
    """A relay, its client's two pipes, and the hubs' ends of the connections that it makes."""

    def __init__(self, front: Front | None = None) -> None:
        stdin, self._to_relay = os.pipe()
        self._from_relay, stdout = os.pipe()
        self._fds = [stdin, self._from_relay, stdout]
        self.hubs: queue.Queue[socket.socket] = queue.Queue()
        self.reachable = True
        self.warm = threading.Event()
        """Until it is set, a hub is starting."""
        if front is None:
            self.warm.set()
        self.relay = Relay("/home", {}, reach=self._reach, stdin=stdin, stdout=stdout, find_front=lambda: front)
        self._thread = threading.Thread(target=self.relay.run)
        self._client = os.fdopen(os.dup(self._from_relay), "rb")
        self._thread.start()

    def _reach(self, home: str, greeting: Any, waiting: Callable[[], None], **_: Any) -> hub_connection.HubConnection:
        if not self.warm.is_set():
            waiting()
        self.warm.wait(HANG_S)
        if not self.reachable:
            raise hub_errors.HubUnavailable("nobody is there")
        ours, theirs = socket.socketpair()
        theirs.settimeout(HANG_S)
        self.hubs.put(theirs)
        return hub_connection.HubConnection(ours, handshake.LineReader(ours), {"ok": True})

    def ask(self, number: int, method: str = "tools/call") -> None:
        self.say({"id": number, "method": method})

    def say(self, message: dict[str, Any]) -> None:
        os.write(self._to_relay, json.dumps(message).encode() + b"\n")

    def heard(self) -> dict[str, Any]:
        return dict(json.loads(self._client.readline()))

    def hub(self) -> tuple[socket.socket, handshake.LineReader]:
        """The next connection that the relay made."""
        link = self.hubs.get(timeout=HANG_S)
        return link, handshake.LineReader(link)

    def hub_is_gone(self) -> None:
        """Wait until the relay has seen the end of its connection."""
        upstream = self.relay.upstream
        until(lambda: upstream.link is not None)
        assert upstream.link is not None
        assert upstream.link.wait_until_finished(HANG_S)

    def close(self) -> None:
        os.close(self._to_relay)
        self._thread.join(HANG_S)
        self._client.close()
        for descriptor in self._fds:
            os.close(descriptor)
        assert not self._thread.is_alive()


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    try:
        yield made
    finally:
        made.close()


def say(link: socket.socket, message: dict[str, Any]) -> None:
    link.sendall(json.dumps(message).encode() + b"\n")


def received(lines: handshake.LineReader) -> dict[str, Any]:
    line = lines.next()
    assert line is not None
    return dict(json.loads(line))


def test_a_retiring_hub_gets_nothing_more_and_answers_what_it_has(stage: Stage) -> None:
    stage.ask(1)
    link, lines = stage.hub()
    with link:
        assert received(lines)["id"] == 1
        link.sendall(handshake.RETIRING + b"\n")
        assert lines.next() is None  # the relay's word that nothing more comes
        stage.ask(2)
        new, new_lines = stage.hub()
        with new:
            assert received(new_lines)["id"] == 2
            say(new, {"id": 2, "result": {}})
            assert stage.heard() == {"id": 2, "result": {}}
            say(link, {"id": 1, "result": {}})
            assert stage.heard() == {"id": 1, "result": {}}


def test_a_lost_hub_costs_one_error_for_each_request_and_none_for_a_cancelled_one(stage: Stage) -> None:
    for number in (1, 2, 3):
        stage.ask(number)
    stage.say({"method": "notifications/cancelled", "params": {"requestId": 2}})
    link, lines = stage.hub()
    with link:
        assert [received(lines).get("id") for _ in range(4)] == [1, 2, 3, None]
        say(link, {"id": 1, "result": {}})
        assert stage.heard()["id"] == 1
    lost = stage.heard()
    assert (lost["id"], lost["error"]) == (3, {"code": -32000, "message": RESTARTED["message"], "data": RESTARTED})


def test_what_is_safe_to_ask_again_is_not_asked_for_ever(stage: Stage) -> None:
    stage.ask(1, "tools/list")
    for _ in range(3):
        link, lines = stage.hub()
        with link:
            assert received(lines)["id"] == 1
    assert stage.heard()["error"]["data"] == RESTARTED
    assert stage.hubs.empty()


def test_requests_get_errors_while_no_hub_can_be_had_and_work_again_afterwards(
    stage: Stage, capfd: pytest.CaptureFixture[str]
) -> None:
    stage.reachable = False
    stage.ask(1)
    assert stage.heard()["error"]["message"] == "nobody is there"
    stage.reachable = True
    stage.ask(2)
    link, lines = stage.hub()
    with link:
        assert received(lines)["id"] == 2
        say(link, {"id": 2, "result": {}})
        assert stage.heard()["id"] == 2
    assert capfd.readouterr() == ("", "mcp-reflect: nobody is there\n")


def test_a_client_is_introduced_to_a_new_hub_in_its_own_words(stage: Stage) -> None:
    first = {"id": "a", "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    then = {"method": "notifications/initialized"}
    stage.say(first)
    link, lines = stage.hub()
    with link:
        assert received(lines) == first
        say(link, {"id": "a", "result": {"protocolVersion": "2025-06-18"}})
        assert stage.heard()["id"] == "a"
        stage.say(then)
        assert received(lines) == then
    stage.hub_is_gone()
    stage.ask(1)
    link, lines = stage.hub()
    with link:
        assert received(lines) == first
        say(link, {"id": "a", "result": {"protocolVersion": "2025-06-18"}})
        assert [received(lines), received(lines)["id"]] == [then, 1]
        say(link, {"id": 1, "result": {}})
        assert stage.heard()["id"] == 1  # and not the answer to what the client never asked twice


def test_a_hub_that_would_speak_another_protocol_is_refused(stage: Stage, capfd: pytest.CaptureFixture[str]) -> None:
    first = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    stage.say(first)
    link, lines = stage.hub()
    with link:
        received(lines)
        say(link, {"id": 0, "result": {"protocolVersion": "2025-06-18"}})
        assert stage.heard()["id"] == 0
    stage.hub_is_gone()
    stage.ask(1)
    link, lines = stage.hub()
    with link:
        received(lines)
        say(link, {"id": 0, "result": {"protocolVersion": "2024-11-05"}})
        assert "another protocol" in stage.heard()["error"]["message"]
    assert "another protocol" in capfd.readouterr().err


FIRST = {
    "jsonrpc": "2.0",
    "id": "a",
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
THEN = {"jsonrpc": "2.0", "method": "notifications/initialized"}
AGREED = {"result": {"protocolVersion": "2025-06-18"}}


@pytest.fixture
def cold() -> Iterator[Stage]:
    """A stage whose hub is starting until `warm` is set, with a front for its client."""
    answers = {
        "handshake_versions": ["2025-06-18"],
        "stateless_versions": [],
        "handshake": {"initialize": AGREED, "ping": {"result": {}}},
        "stateless": {},
    }
    made = Stage(Front(answers))
    try:
        yield made
    finally:
        made.warm.set()
        made.close()


def begin_opening(cold: Stage) -> None:
    """As the shim does at its start."""
    cold.relay.upstream.expect()
    threading.Thread(target=cold.relay.upstream._open_or_answer, daemon=True).start()


def test_what_waits_reaches_the_hub_in_its_order_behind_the_introduction(cold: Stage) -> None:
    begin_opening(cold)
    cold.say(FIRST)
    assert cold.heard() == {"jsonrpc": "2.0", "id": "a", **AGREED}
    cold.ask(1)
    cold.say(THEN)
    cold.say({"method": "notifications/progress", "params": {}})
    cold.ask(2)
    cold.say({"jsonrpc": "2.0", "id": 3, "method": "ping"})
    assert cold.heard()["id"] == 3
    cold.warm.set()
    link, lines = cold.hub()
    with link:
        assert received(lines) == FIRST
        say(link, {"id": "a", **AGREED})
        assert received(lines) == THEN
        assert [received(lines).get("id") for _ in range(3)] == [1, None, 2]
        for number in (1, 2):
            say(link, {"id": number, "result": {}})
            assert cold.heard()["id"] == number


@pytest.mark.parametrize("answered", [False, True])
def test_a_hub_that_dies_as_it_takes_over_is_replaced_unnoticed(cold: Stage, answered: bool) -> None:
    begin_opening(cold)
    cold.say(FIRST)
    assert cold.heard()["id"] == "a"
    cold.say(THEN)
    cold.warm.set()
    link, lines = cold.hub()
    with link:
        assert received(lines) == FIRST
        if answered:
            say(link, {"id": "a", **AGREED})
            assert received(lines) == THEN
    if answered:
        cold.hub_is_gone()
    cold.ask(1)
    link, lines = cold.hub()
    with link:
        assert received(lines) == FIRST
        say(link, {"id": "a", **AGREED})
        assert [received(lines), received(lines)["id"]] == [THEN, 1]
        say(link, {"id": 1, "result": {}})
        assert cold.heard()["id"] == 1


def test_a_hub_that_retires_as_it_takes_over_is_replaced_unnoticed(cold: Stage) -> None:
    begin_opening(cold)
    cold.say(FIRST)
    assert cold.heard()["id"] == "a"
    cold.say(THEN)
    cold.ask(1)
    cold.warm.set()
    link, lines = cold.hub()
    with link:
        assert received(lines) == FIRST
        link.sendall(handshake.RETIRING + b"\n")
        say(link, {"id": "a", **AGREED})
        new, new_lines = cold.hub()
        with new:
            assert received(new_lines) == FIRST
            say(new, {"id": "a", **AGREED})
            assert [received(new_lines), received(new_lines)["id"]] == [THEN, 1]
            say(new, {"id": 1, "result": {}})
            assert cold.heard() == {"id": 1, "result": {}}  # not what the first hub said to the shim


def test_a_client_that_leaves_before_the_hub_comes_is_not_kept() -> None:
    stage = Stage(Front({"handshake_versions": ["2025-06-18"], "handshake": {"initialize": AGREED}}))
    begin_opening(stage)
    stage.say(FIRST)
    assert stage.heard()["id"] == "a"
    stage.say(THEN)
    stage.close()  # fails where the relay waits for the hub
    stage.warm.set()


def test_a_session_that_is_answered_just_as_the_hub_fails_goes_on(cold: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_opening(cold)
    front, asked, refused = cold.relay._find_front(), threading.Event(), threading.Event()

    def find() -> Front | None:
        asked.set()
        refused.wait(0.1)  # by then the other thread waits for its turn
        return front

    monkeypatch.setattr(cold.relay, "_find_front", find)
    cold.say(FIRST)
    asked.wait(HANG_S)
    error = hub_errors.HubUnavailable("it ended as it started")
    assert not cold.relay.upstream.refuse(error, unless=lambda: cold.relay.introduced)
    assert cold.heard()["id"] == "a"


def test_a_cancelled_request_that_waits_never_reaches_a_hub(cold: Stage) -> None:
    begin_opening(cold)
    cold.say(FIRST)
    assert cold.heard()["id"] == "a"
    for number in (1, 2):
        cold.ask(number)
    cold.say({"method": "notifications/cancelled", "params": {"requestId": 1}})
    cold.ask(3)
    cold.say({"jsonrpc": "2.0", "id": 4, "method": "ping"})
    assert cold.heard()["id"] == 4  # so the relay has read what came before
    cold.warm.set()
    link, lines = cold.hub()
    with link:
        assert received(lines) == FIRST
        say(link, {"id": "a", **AGREED})
        assert [received(lines)["id"] for _ in range(2)] == [2, 3]
        for number in (2, 3):
            say(link, {"id": number, "result": {}})
            assert cold.heard()["id"] == number
