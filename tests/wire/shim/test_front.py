"""What the shim answers while a hub is starting, and how it hands the session over."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from docs.tools.front import FRONT_FILE, METHODS, ask_server, enveloped, front_text, initialize
from mcp_reflect.server.tools.all_tools import TOOLS
from mcp_reflect.wire.shim.front import ACCEPTED_NAME, Front, note_accepted, open_front
from tests.config.test_settings import EXAMPLES
from tests.support.hubs import INITIALIZE, RawClient, hub_pids, kill_hub, posix, run_command, status, until
from tests.support.servers import ERAS, environment
from tests.support.waiting import HANG_S

LISTED = {"tools/list": "tools", "prompts/list": "prompts", "resources/templates/list": "resourceTemplates"}
LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}
UNPROVEN = '[reflection]\nbase_url = "http://[::1]:9/v1"\n'


def new_front() -> Front:
    return Front(json.loads(FRONT_FILE.read_text(encoding="utf-8")))


def answers_of(front: Front, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As `ask_server` does; a request that is left to the hub has an empty answer."""
    found = []
    for number, request in enumerate(requests):
        line = front.answer({"jsonrpc": "2.0", "id": number, **request})
        answer = {} if line is None else json.loads(line)
        assert answer.get("id", number) == number
        found.append({name: answer[name] for name in ("result", "error") if name in answer})
    return found


# -- what is answered


def test_the_shipped_answers_are_those_of_the_server() -> None:
    shipped = FRONT_FILE.read_text(encoding="utf-8")
    assert json.loads(shipped) == json.loads(front_text()), "run `python -m docs.tools.front`"


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, "2024-01-01", LATEST_MODERN_VERSION])
def test_a_handshake_is_answered_as_by_the_server_in_every_version(version: str) -> None:
    listing: list[dict[str, Any]] = [{"method": method} for method in METHODS]
    odd = [
        {"method": "ping", "params": {"_meta": {"progressToken": 1}}},
        {"method": "tools/list", "params": {"cursor": "further"}},
        initialize(version),
    ]
    requests = [{"method": "ping"}, initialize(version), *listing, *odd]
    assert answers_of(new_front(), requests) == ask_server(requests)


def test_a_stateless_client_is_answered_as_by_the_server() -> None:
    requests = [enveloped(method, LATEST_MODERN_VERSION) for method in ("tools/list", "server/discover", *METHODS)]
    requests[0]["params"]["_meta"]["progressToken"] = "a"
    assert answers_of(new_front(), requests) == ask_server(requests)


@pytest.mark.parametrize(
    "request_", [initialize(LATEST_HANDSHAKE_VERSION), enveloped("server/discover", LATEST_MODERN_VERSION)]
)
def test_a_client_with_hooks_is_told_to_leave_submitting_to_them(tmp_path: Path, request_: dict[str, Any]) -> None:
    home = str(tmp_path)
    front = open_front({"MCP_REFLECT_HOOKS__ACTIVE": "true"}, home, home)
    assert front is not None
    told = answers_of(front, [request_])
    assert told == ask_server([request_], hooked=True)
    assert told != ask_server([request_])


@pytest.mark.parametrize(
    "opening",
    [
        {"method": "tools/list"},
        {"method": "server/discover"},
        {"method": "tools/call", "params": {"name": "memory_stats"}},
        {"method": "initialize"},
        {"method": "initialize", "params": [1]},
        {"method": "initialize", "params": {**INITIALIZE, "capabilities": {"roots": 1}}},
        {"method": "initialize", "params": {**INITIALIZE, "clientInfo": {"name": "x"}}},
        {"method": "initialize", "params": {**INITIALIZE, "protocolVersion": 1}},
        {"method": "initialize", "params": INITIALIZE, "id": None},
        {"method": "initialize", "params": INITIALIZE, "id": True},
        {"method": "initialize", "params": INITIALIZE, "jsonrpc": "1.0"},
        enveloped("tools/list", "2099-01-01"),
        enveloped("no/such", LATEST_MODERN_VERSION),
        {"method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}},
    ],
)
def test_a_client_that_opens_in_another_way_is_the_hubs(opening: dict[str, Any]) -> None:
    rest = [initialize("2025-06-18"), {"method": "ping"}, enveloped("tools/list", LATEST_MODERN_VERSION)]
    assert answers_of(new_front(), [opening, *rest]) == [{}] * 4


def test_what_belongs_to_the_other_era_is_the_hubs() -> None:
    handshake = [initialize("2025-06-18"), enveloped("tools/list", LATEST_MODERN_VERSION)]
    assert answers_of(new_front(), handshake)[1] == {}
    stateless = [enveloped("tools/list", LATEST_MODERN_VERSION), initialize("2025-06-18"), {"method": "ping"}]
    assert answers_of(new_front(), stateless)[1:] == [{}, {}]


def test_a_list_with_an_argument_that_is_none_is_the_hubs() -> None:
    wrong: list[dict[str, Any]] = [{"cursor": 1}, {"other": 1}, {"_meta": 1}, {"_meta": {"progressToken": 1.5}}]
    front = new_front()
    asked = [initialize("2025-06-18"), *({"method": "tools/list", "params": params} for params in wrong)]
    assert answers_of(front, asked)[1:] == [{}] * len(wrong)


# -- whom it is answered


def test_no_wrong_setting_is_taken_for_right(tmp_path: Path) -> None:
    home = str(tmp_path)
    for variable, (_, wrong) in EXAMPLES.items():
        assert open_front({variable: wrong}, home, home) is None, variable
    assert open_front({"OPENAI_API_KEY": "sk", "USER": "ann", "CLAUDE_PROJECT_DIR": home}, home, home) is not None


def test_settings_that_a_hub_accepted_are_known_until_they_change(tmp_path: Path) -> None:
    home, environ = str(tmp_path), {"Q_LEARNING_ALPHA": "4e-1"}
    assert open_front(environ, home, home) is None
    note_accepted(environ, home, home)
    note_accepted(environ, home, home)
    assert open_front(environ, home, home) is not None
    assert open_front({"Q_LEARNING_ALPHA": "4"}, home, home) is None
    (tmp_path / "config.toml").write_text(UNPROVEN, encoding="utf-8")
    assert open_front(environ, home, home) is None
    assert len((tmp_path / ACCEPTED_NAME).read_text().split()) == 1
    assert "4e-1" not in (tmp_path / ACCEPTED_NAME).read_text()


def test_a_home_that_something_else_owns_is_the_hubs_to_refuse(tmp_path: Path) -> None:
    note = tmp_path / "owner.json"
    note.write_text(json.dumps({"pid": 1, "role": "a server without a hub"}))
    assert open_front({}, str(tmp_path), str(tmp_path)) is None
    note.write_text(json.dumps({"pid": 1, "role": "a hub"}))
    assert open_front({}, str(tmp_path), str(tmp_path)) is not None


# -- over stdio, on a cold home


class Gate:
    """Starts shims whose hub comes once the gate is open, or never."""

    def __init__(self, folder: Path) -> None:
        self._open = folder / "open"
        self._crash = folder / "crash"
        python = folder / "python"
        python.write_text(
            f'#!/bin/sh\n[ -e "{self._crash}" ] && exit 3\n'
            f'while [ ! -e "{self._open}" ]; do sleep 0.02; done\nexec "{sys.executable}" "$@"\n'
        )
        python.chmod(0o700)
        script = f"import sys; sys.argv = ['mcp-reflect']; sys.executable = {str(python)!r}\n"
        self.command = [sys.executable, "-c", script + "from mcp_reflect.__main__ import main; main()"]

    def open(self) -> None:
        self._open.touch()

    def close(self) -> None:
        self._open.unlink()

    def crash(self, *, always: bool) -> None:
        """Whether a hub ends as soon as it is started."""
        if always:
            self._crash.touch()
        else:
            self._crash.unlink()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@posix
def test_a_client_of_the_handshake_era_is_ready_before_the_hub_and_handed_over(home: Path, gate: Gate) -> None:
    with RawClient(environment(home, **LASTING), gate.command) as client:
        assert client.introduce()["result"]["serverInfo"]["name"] == "mcp-reflect"
        early = {method: client.request(method)["result"] for method in (*LISTED, "resources/list", "ping")}
        assert len(early["tools/list"]["tools"]) == len(TOOLS)
        assert hub_pids(home)
        assert not (home / "hub.sock").exists()
        gate.open()
        assert client.call("memory_stats")["traces"]["total"] == 0
        assert {method: client.request(method)["result"] for method in early} == early
        (known,) = status(home)["clients"]
        assert known["client"] == "raw 1"
        kill_hub(home)  # the introduction is known to the next hub, too
        until(lambda: "result" in client.request("prompts/get", {"name": "finish_task"}))
        assert sum("protocolVersion" in json.loads(line).get("result", {}) for line in client.lines) == 1


@posix
def test_a_stateless_client_is_ready_before_the_hub_and_handed_over(home: Path, gate: Gate) -> None:
    with RawClient(environment(home), gate.command) as client:
        meta = enveloped("", LATEST_MODERN_VERSION)["params"]
        early = {method: client.request(method, meta)["result"] for method in ("server/discover", *LISTED)}
        assert not (home / "hub.sock").exists()
        gate.open()
        stats = client.request("tools/call", {"name": "memory_stats", "arguments": {}, **meta})
        assert stats["result"]["structuredContent"]["traces"]["total"] == 0
        assert {method: client.request(method, meta)["result"] for method in early} == early


@posix
@pytest.mark.anyio
@pytest.mark.process
@pytest.mark.parametrize("era", ERAS)
async def test_the_sdks_client_lists_tools_before_there_is_a_hub(home: Path, gate: Gate, era: str) -> None:
    command, *words = gate.command
    target = StdioServerParameters(command=command, args=words, env=environment(home))
    with anyio.fail_after(HANG_S):
        async with Client(target, mode=era) as client:
            assert len((await client.list_tools()).tools) == len(TOOLS)
            assert not (home / "hub.sock").exists()
            gate.open()
            result = await client.call_tool("memory_stats", {})
            assert not result.is_error


@posix
def test_what_comes_right_after_initialize_is_answered_when_it_can_be(home: Path, gate: Gate) -> None:
    with RawClient(environment(home), gate.command) as client:
        client.send("initialize", INITIALIZE)
        client.send("notifications/initialized", notify=True)
        submit = {"name": "submit_trace", "arguments": {"task": "t", "trace_key": "k"}}
        calls = [client.send("tools/call", submit) for _ in range(2)]
        given_up = client.send("tools/call", {"name": "submit_trace", "arguments": {"task": "given up"}})
        client.send("notifications/cancelled", {"requestId": given_up}, notify=True)
        listed, alive = client.send("tools/list"), client.send("ping")
        assert [client.answer()["id"] for _ in range(3)] == [1, listed, alive]
        gate.open()
        answers = [client.answer() for _ in calls]
        assert sorted(answer["id"] for answer in answers) == calls
        assert len({answer["result"]["structuredContent"]["trace_id"] for answer in answers}) == 1
        assert client.call("memory_stats")["traces"]["total"] == 1


@posix
def test_a_hub_that_does_not_come_costs_an_error_that_says_what_to_do(home: Path, gate: Gate) -> None:
    with RawClient(environment(home, MCP_REFLECT_HUB__START_TIMEOUT_S="1"), gate.command) as client:
        client.introduce()
        error = client.request("tools/call", {"name": "memory_stats", "arguments": {}})["error"]
        assert "did not start within 1 seconds" in error["message"]
        assert "doctor" in error["message"]
        assert client.request("ping")["result"] == {}
        gate.open()
        until(lambda: "result" in client.request("tools/call", {"name": "memory_stats", "arguments": {}}))


@posix
def test_a_hub_that_crashes_costs_errors_and_the_session_goes_on(home: Path, gate: Gate) -> None:
    gate.crash(always=True)
    with RawClient(environment(home), gate.command) as client:
        client.introduce()
        for _ in range(2):
            error = client.request("tools/call", {"name": "memory_stats", "arguments": {}})["error"]
            assert "ended with code 3 as it started" in error["message"]
        assert len(client.request("tools/list")["result"]["tools"]) == len(TOOLS)
        gate.crash(always=False)
        gate.open()
        assert client.call("memory_stats")["traces"]["total"] == 0


@posix
def test_a_client_that_comes_after_the_crash_is_served_all_the_same(home: Path, gate: Gate) -> None:
    gate.crash(always=True)
    with RawClient(environment(home), gate.command) as client:
        assert client.process.stderr is not None
        assert b"ended with code 3 as it started" in client.process.stderr.readline()
        assert client.introduce()["result"]["serverInfo"]["name"] == "mcp-reflect"
        error = client.request("tools/call", {"name": "memory_stats", "arguments": {}})["error"]
        assert "ended with code 3 as it started" in error["message"]
        gate.crash(always=False)
        gate.open()
        assert client.call("memory_stats")["traces"]["total"] == 0


@posix
def test_a_client_with_settings_of_its_own_is_ready_before_the_first_hub(home: Path, gate: Gate) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[memory]\nlimit = 5\nscope = "user"\n', encoding="utf-8")
    with RawClient(environment(home, Q_LEARNING_ALPHA="0.4", **LASTING), gate.command) as client:
        client.introduce()
        assert not (home / "hub.sock").exists()
        gate.open()
        assert client.call("memory_stats")["scope"] == "user"


@posix
def test_settings_that_are_not_proven_right_are_left_to_the_hub_until_one_has_accepted_them(
    home: Path, gate: Gate
) -> None:
    home.mkdir()
    (home / "config.toml").write_text(UNPROVEN, encoding="utf-8")
    with RawClient(environment(home, **LASTING), gate.command) as client:
        number = client.send("initialize", INITIALIZE)
        until(lambda: hub_pids(home))
        assert client.nothing_arrives(0.5)
        gate.open()
        assert client.answer()["id"] == number
        client.request("tools/list")
    until((home / ACCEPTED_NAME).exists)
    run_command(home, "hub", "stop")
    gate.close()
    with RawClient(environment(home), gate.command) as client:
        client.introduce()
        assert not (home / "hub.sock").exists()
        gate.open()
        client.call("memory_stats")
