"""Calls from a program: to hubs that come and go, and to a server of its own."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.wire import handshake, hub_connection, hub_errors, hub_launcher
from mcp_reflect.wire.caller import Caller, ConnectionLost, RemoteError
from mcp_reflect.wire.owner_note import read_owner
from tests.support.hubs import (
    RawClient,
    alive,
    changed_hub,
    hub_pids,
    kill_hub,
    posix,
    run_command,
    starting_hub,
    status,
)
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

pytestmark = posix

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}
ALONE = {"MCP_REFLECT_HUB__ENABLED": "false"}


@contextmanager
def calling(home: Path, *, wait: bool = True, idle_s: float | None = None, **more: str) -> Iterator[Caller]:
    with Caller(environment(home, **more), str(home.parent), "tester", wait=wait, idle_s=idle_s) as caller:
        yield caller


def total(caller: Caller) -> int:
    return int(caller.call("memory_stats", {})["traces"]["total"])


def children() -> list[int]:
    """The servers that this process started for itself."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0") if folder.name.isdigit() else []
            if b"mcp_reflect" in words:  # a hub's module has another name
                parent = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
                if int(parent) == os.getpid() and alive(int(folder.name)):
                    found.append(int(folder.name))
    return found


def calls_sent(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The calls that went to the hub that answers now, as they go: how many seconds each had left then."""
    carrier, sent = caller._carrier, list[float]()
    assert carrier is not None
    send = carrier.send

    def send_and_tell(line: bytes, until: float) -> None:
        left = until - time.monotonic()
        send(line, until)
        sent.append(left)

    monkeypatch.setattr(carrier, "send", send_and_tell)
    return sent


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


# -- with a hub


def test_the_first_call_starts_a_hub_and_the_next_ones_use_it(home: Path) -> None:
    with calling(home, **LASTING) as caller:
        assert hub_pids(home) == []
        assert total(caller) == 0
        caller.call("submit_trace", {"task": "t"})
        assert total(caller) == 1
        (client,) = status(home)["clients"]
        assert client["client"].startswith("tester ")
        assert client["project"] == "test-project"
    until(lambda: status(home)["clients"] == [])


def test_a_hub_that_a_program_started_leaves_no_zombie_behind(home: Path) -> None:
    with calling(home) as caller:
        total(caller)
        pid = kill_hub(home)
        until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_refused_call_says_why_and_the_connection_goes_on(home: Path) -> None:
    with calling(home, **LASTING) as caller:
        with pytest.raises(RemoteError, match=r"limit: got 0\. Allowed: a whole number from 1 to 100") as refused:
            caller.call("query_memories", {"task": "t", "limit": 0})
        assert (refused.value.code, refused.value.argument) == ("invalid_argument", "limit")
        since = status(home)["clients"][0]["since"]
        assert total(caller) == 0
        assert status(home)["clients"][0]["since"] == since


def test_a_refusal_says_as_data_which_ids_it_is_about(home: Path) -> None:
    gone = [f"mem_{number:012}" for number in range(7)]
    with calling(home) as caller:
        with pytest.raises(RemoteError, match="and 2 more") as refused:
            caller.call("submit_trace", {"task": "t", "retrieved_memory_ids": gone})
        assert (refused.value.code, refused.value.argument) == ("unknown_id", "retrieved_memory_ids")
        assert refused.value.ids == gone
        assert str(refused.value) == f"retrieved_memory_ids: {refused.value.message}"
        with pytest.raises(RemoteError, match="memory_id: unknown mem_0") as unread:
            caller.read_resource("reflect://memories/mem_0")
        assert (unread.value.code, unread.value.argument, unread.value.ids) == ("unknown_id", "memory_id", ["mem_0"])
        with pytest.raises(RemoteError) as unknown:
            caller.call("no_such_tool", {})
        assert (unknown.value.code, unknown.value.argument, unknown.value.ids) == ("unknown", "", [])


def test_text_that_is_no_unicode_is_refused_and_not_sent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with calling(home) as caller:
        total(caller)
        sent = calls_sent(caller, monkeypatch)
        with pytest.raises(RemoteError, match="surrogates"):
            caller.call("query_memories", {"task": "\ud800"})
        with pytest.raises(RemoteError, match="not JSON compliant"):
            caller.call("query_memories", {"task": "t", "lambda_": float("nan")})
        assert sent == []
        assert total(caller) == 0


def test_a_hub_killed_between_two_calls_is_replaced_unnoticed(home: Path) -> None:
    with calling(home, **LASTING) as caller:
        told = caller.call("submit_trace", {"task": "t", "review_result": "pass", "guidance": "g"})
        caller.call("query_memories", {"task": "t"})
        first = kill_hub(home)
        again = {"task": "u", "review_result": "pass", "guidance": "g", "trace_key": "k"}
        outcome = caller.call("submit_trace", again, again=True)
        assert status(home)["pid"] != first
        # The new hub knows this program's connection, and so what it was shown before.
        assert [update["memory_id"] for update in outcome["q_updates"]] == [told["memory"]["id"]]


@pytest.mark.parametrize("again", [False, True])
def test_a_hub_killed_during_a_call_costs_that_call_or_a_repetition(
    home: Path, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    with calling(home, **LASTING) as caller, ThreadPoolExecutor(1) as pool:
        total(caller)
        pid = status(home)["pid"]
        sent = calls_sent(caller, monkeypatch)
        os.kill(pid, signal.SIGSTOP)
        call = pool.submit(caller.call, "submit_trace", {"task": "t", "trace_key": "k"}, again=again)
        until(lambda: sent)
        os.kill(pid, signal.SIGKILL)
        if again:
            assert call.result(HANG_S)["trace_id"]
        else:
            with pytest.raises(ConnectionLost):
                call.result(HANG_S)
            caller.call("submit_trace", {"task": "t", "trace_key": "k"})
        assert total(caller) == 1


def test_a_hub_that_does_not_answer_costs_the_time_limit_and_no_wrong_answer_later(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with calling(home, **LASTING) as caller:
        total(caller)
        sent = calls_sent(caller, monkeypatch)
        with stopped(status(home)["pid"]):
            with pytest.raises(ConnectionLost, match="in time"):
                caller.call("submit_trace", {"task": "t"}, 0.3, again=True)
            assert [left <= 0.3 for left in sent] == [True]  # its own limit, once
            with pytest.raises(hub_errors.HubUnavailable, match="does not answer"):
                caller.call("list_traces", {}, 0.3)
        assert "traces" in caller.call("list_traces", {"review_status": "all"})


def test_the_start_of_a_hub_counts_into_the_time_limit_and_goes_on_after_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = tmp_path / "python"
    late.write_text(f'#!/bin/sh\nwhile [ ! -e "{tmp_path}/go" ]; do sleep 0.02; done\nexec "{sys.executable}" "$@"\n')
    late.chmod(0o700)
    with calling(home, **LASTING) as caller:
        with monkeypatch.context() as changed:
            changed.setattr(sys, "executable", str(late))
            with pytest.raises(hub_errors.HubUnavailable, match="did not start within"):
                caller.call("memory_stats", {}, 0.3)
        assert until(lambda: hub_pids(home))
        (tmp_path / "go").touch()
        assert total(caller) == 0
        # The second call may have started one more; whichever is not the owner ends by itself.
        assert until(lambda: len(hub_pids(home)) == 1)


_LISTENS_LATE = """
import time
from mcp_reflect.hub import owner

def open_late(home, open_listener=owner.open_listener):
    while not (home / "go").exists():
        time.sleep(0.02)
    return open_listener(home)

owner.open_listener = open_late
run_hub()
"""


def test_a_hub_that_another_process_is_starting_is_waited_for(home: Path) -> None:
    greeting = {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"}
    with starting_hub(home, _LISTENS_LATE) as hub, ThreadPoolExecutor(1) as pool:
        until(lambda: read_owner(str(home)))
        started: queue.Queue[Any] = queue.Queue()
        search = pool.submit(hub_launcher.connect_or_start, str(home), greeting, started=started.put)
        assert started.get(timeout=HANG_S).wait(HANG_S) == 2  # the home is taken
        (home / "go").touch()
        found = search.result(HANG_S)
        found.link.close()
        assert found.answer["status"]["pid"] == hub.pid
    assert started.empty()


def test_a_hub_that_lost_the_race_leaves_no_open_pipe(home: Path) -> None:
    ended: list[Any] = []

    def let_the_other_listen(process: Any) -> None:
        assert process.wait(HANG_S) == 2
        (home / "go").touch()
        until(lambda: (home / "hub.sock").exists() or (home / "hub.address").exists())
        ended.append(process)

    greeting = {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"}
    with starting_hub(home, _LISTENS_LATE):
        until(lambda: read_owner(str(home)))
        found = hub_launcher.connect_or_start(str(home), greeting, started=let_the_other_listen)
        found.link.close()
        assert [process.stdout.closed for process in ended] == [True]


def test_an_interrupted_call_leaves_no_answer_for_the_next_one(home: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with calling(home, **LASTING) as caller:
        total(caller)
        before = signal.signal(signal.SIGUSR1, interrupt)

        def interrupt_the_call() -> None:
            until(caller._lock.locked)
            os.kill(os.getpid(), signal.SIGUSR1)

        try:
            with stopped(status(home)["pid"]), ThreadPoolExecutor(1) as pool:
                pool.submit(interrupt_the_call)
                with pytest.raises(KeyboardInterrupt):
                    caller.call("memory_stats", {})
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert caller.call("list_traces", {}) == {"traces": []}


def test_threads_get_their_own_answers_and_wait_no_longer_than_they_want(home: Path) -> None:
    with calling(home, **LASTING) as caller, ThreadPoolExecutor(8) as pool:
        tasks = [f"task {number}" for number in range(24)]
        ids = list(pool.map(lambda task: caller.call("submit_trace", {"task": task})["trace_id"], tasks))
        shown = pool.map(lambda trace_id: caller.call("get_trace", {"trace_id": trace_id})["task"], ids)
        assert list(shown) == tasks
        with stopped(status(home)["pid"]):
            slow = pool.submit(caller.call, "memory_stats", {}, HANG_S)
            until(caller._lock.locked)
            with pytest.raises(hub_errors.HubUnavailable, match="another call"):
                caller.call("memory_stats", {}, 0.2)
        assert slow.result(HANG_S)


def test_a_hub_that_is_told_to_stop_does_not_wait_for_an_idle_program(home: Path) -> None:
    waiting = (
        "from mcp_reflect.hub import service, session; "
        f"service.FINISH_TIMEOUT_S = session.FINISH_TIMEOUT_S = {10 * HANG_S}; run_hub()"
    )
    with changed_hub(home, waiting) as hub, calling(home, idle_s=60, **LASTING) as caller:
        total(caller)
        assert run_command(home, "hub", "stop").returncode == 0
        assert hub.wait(HANG_S) == 0
        assert total(caller) == 0


def test_a_program_that_does_not_attend_finds_the_next_hub_all_the_same(home: Path) -> None:
    with calling(home, **LASTING) as caller:
        total(caller)
        os.kill(status(home)["pid"], signal.SIGTERM)
        assert total(caller) == 0
        until(lambda: len(hub_pids(home)) < 2)
        assert total(caller) == 0


def test_an_idle_connection_is_given_up_and_its_hub_may_leave(home: Path) -> None:
    with calling(home, idle_s=0.3, MCP_REFLECT_HUB__IDLE_EXIT_S="0.5") as caller:
        total(caller)
        until(lambda: not hub_pids(home))
        assert total(caller) == 0


def test_a_connection_in_use_is_kept(home: Path) -> None:
    idle_s = 1.0
    with calling(home, idle_s=idle_s, **LASTING) as caller:

        def was_in_use() -> bool:
            """Whether no call kept the next one waiting, as on a busy machine; then the connection is still there."""
            total(caller)
            since = status(home)["clients"][0]["since"]
            began = before = time.monotonic()
            longest = 0.0
            while before - began < 2.5 * idle_s:
                caller.call("list_traces", {})
                before, last = time.monotonic(), before
                longest = max(longest, before - last)
            clients = status(home)["clients"]
            if time.monotonic() - before + longest >= idle_s:
                return False
            assert [client["since"] for client in clients] == [since]
            return True

        until(was_in_use)


def test_a_forked_process_makes_a_connection_of_its_own(home: Path) -> None:
    script = (
        "import os, sys\n"
        "from mcp_reflect.wire.caller import TOOL_CALL_TIMEOUT_S, Caller\n"
        "caller = Caller()\n"
        "caller.call('submit_trace', {'task': 'parent'})\n"
        "pid = os.fork()\n"
        "caller.call('submit_trace', {'task': 'both'})\n"
        "print(sorted(t['task'] for t in caller.call('list_traces', {})['traces'])[-1], flush=True)\n"
        "caller.close()\n"
        "if pid == 0: os._exit(0)\n"
        "sys.exit(os.waitpid(pid, 0)[1])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script],
        env=environment(home, **LASTING),
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["parent", "parent"], "")
    with calling(home, **LASTING) as caller:
        assert total(caller) == 3


# -- with hubs that a test plays


class Hubs:
    """The hubs' ends of the connections that a caller makes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: queue.Queue[socket.socket] = queue.Queue()
        monkeypatch.setattr(hub_launcher, "connect_or_start", self._reach)

    def _reach(self, home: str, greeting: Any, **_: Any) -> hub_connection.HubConnection:
        ours, theirs = socket.socketpair()
        theirs.settimeout(HANG_S)
        self.made.put(theirs)
        return hub_connection.HubConnection(ours, handshake.LineReader(ours), {"ok": True})


def test_a_retiring_hub_still_answers_and_is_asked_nothing_more(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hubs = Hubs(monkeypatch)
    with calling(home) as caller, ThreadPoolExecutor(1) as pool:
        for number in (1, 2):
            call = pool.submit(caller.call, "memory_stats", {})
            with hubs.made.get(timeout=HANG_S) as link:
                assert json.loads(handshake.LineReader(link).next() or b"")["id"] == number
                link.sendall(handshake.RETIRING + b"\n")
                answer = {"jsonrpc": "2.0", "id": number, "result": {"structuredContent": {"number": number}}}
                link.sendall(b'{"method": "notifications/message"}\n' + json.dumps(answer).encode() + b"\n")
                assert call.result(HANG_S) == {"number": number}
                assert link.recv(1) == b""


def test_a_hub_that_ends_with_every_call_is_not_asked_for_ever(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hubs = Hubs(monkeypatch)
    with calling(home) as caller, ThreadPoolExecutor(1) as pool:
        call = pool.submit(caller.call, "memory_stats", {}, again=True)
        for _ in range(2):
            with hubs.made.get(timeout=HANG_S) as link:
                handshake.LineReader(link).next()
        with pytest.raises(ConnectionLost, match="before it answered"):
            call.result(HANG_S)
        assert hubs.made.empty()


# -- without a hub


def test_where_hubs_are_switched_off_a_program_has_a_server_of_its_own(home: Path) -> None:
    with calling(home, **ALONE) as caller:
        caller.call("submit_trace", {"task": "t"})
        with pytest.raises(RemoteError, match="limit"):
            caller.call("list_traces", {"limit": 0})
        assert total(caller) == 1
        assert hub_pids(home) == []
        (pid,) = children()
        assert os.getpgid(pid) != os.getpgid(0)  # Ctrl-C on the terminal does not reach it
    assert not alive(pid)
    with calling(home, **ALONE) as caller:
        assert total(caller) == 1
    assert children() == []


def test_a_server_of_ones_own_that_was_killed_is_replaced(home: Path) -> None:
    with calling(home, **ALONE) as caller:
        total(caller)
        os.kill(children()[0], signal.SIGKILL)
        until(lambda: not children())
        assert caller.call("memory_stats", {}, again=True)["traces"]["total"] == 0


def test_a_server_of_ones_own_that_hangs_costs_the_time_limit(home: Path) -> None:
    with calling(home, **ALONE) as caller:
        total(caller)
        os.kill(children()[0], signal.SIGSTOP)
        with pytest.raises(ConnectionLost, match="in time"):
            caller.call("submit_trace", {"task": "t", "trajectory": "x" * 1_000_000}, 0.5)
        assert children() == []
        assert total(caller) == 0


def test_a_home_that_another_server_owns_is_told_as_such(home: Path) -> None:
    with RawClient(environment(home, **ALONE)) as owner, calling(home, **ALONE) as caller:
        owner.shake_hands()
        with pytest.raises(hub_errors.HubUnavailable, match="in use by process"):
            caller.call("memory_stats", {})
        owner.close()
        owner.ended()
        assert total(caller) == 0


@pytest.mark.parametrize("more", [{}, ALONE])
def test_a_wrong_setting_is_told_in_its_own_words(home: Path, more: dict[str, str]) -> None:
    wrong = calling(home, MCP_REFLECT_MEMORY__LIMIT="many", **more)
    with wrong as caller, pytest.raises(hub_errors.HubUnavailable, match=r"memory\.limit"):
        caller.call("memory_stats", {})
    assert not more or children() == []


def test_where_nothing_can_be_started_that_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with calling(home) as caller, pytest.raises(hub_errors.HubUnavailable, match="no server can be started"):
        caller.call("memory_stats", {})
