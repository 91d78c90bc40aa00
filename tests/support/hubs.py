"""Hubs and shims as processes of their own, which end with the test that started them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pytest

from mcp_reflect.wire import address, handshake, hub_connection
from tests.support.forks import SHIM, forks, shim_command
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and process tables of POSIX")


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def hub_pids(home: Path) -> list[int]:
    """The hubs of a home, those that are starting or leaving included."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit():
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if b"mcp_reflect.hub" in words and os.fsencode(home) in words and alive(int(folder.name)):
                    found.append(int(folder.name))
    return found


@contextmanager
def hubs_ended(home: Path) -> Iterator[Path]:
    """Whatever happens inside, no hub of the home is left over."""
    try:
        yield home
    finally:
        for pid in hub_pids(home):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(lambda: not hub_pids(home))


@contextmanager
def changed_hub(home: Path, change: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A running hub of the home; `change` is Python that it runs first, and that calls `run_hub` last."""
    with starting_hub(home, change, **more) as hub:
        until(lambda: _is_listening(home))
        yield hub


def _is_listening(home: Path) -> bool:
    """Whether a connection is taken: a socket is there before anybody listens at it."""
    try:
        link, _ = address.connect_socket(str(home))
    except OSError:
        return False
    link.close()
    return True


@contextmanager
def starting_hub(home: Path, change: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A hub as `changed_hub` starts it, which may not answer yet."""
    code = f"from mcp_reflect.hub.owner import run_hub; {change}"
    hub = subprocess.Popen(
        [sys.executable, "-c", code, "mcp_reflect.hub", home],
        env=environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="600", **more),
        stdout=subprocess.DEVNULL,
    )
    try:
        yield hub
    finally:
        hub.kill()
        hub.wait()


def kill_hub(home: Path) -> int:
    """SIGKILL the hub that answers for the home; gives back who it was."""
    pid = int(status(home)["pid"])
    os.kill(pid, signal.SIGKILL)
    until(lambda: not alive(pid))
    return pid


def status(home: Path) -> dict[str, Any]:
    """What the running hub says of itself."""
    found = hub_connection.try_connect(str(home), {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"})
    assert found is not None, "no hub is running"
    found.link.close()
    return dict(found.answer["status"])


class RawClient:
    """A client without an SDK: lines in, lines out, every one of them kept."""

    def __init__(self, variables: dict[str, str], command: Sequence[str] = (), cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            command or shim_command(),
            env=variables,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self._arrived: queue.Queue[bytes | None] = queue.Queue()
        self._next_id = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(line)
        self._arrived.put(None)

    def send(self, method: str, params: dict[str, Any] | None = None, *, notify: bool = False) -> int:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            self._next_id += 1
            message["id"] = self._next_id
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._next_id

    def answer(self, within: float = HANG_S) -> dict[str, Any]:
        """The next message of the server."""
        line = self._arrived.get(timeout=within)
        assert line is not None, "the server closed its stdout"
        return dict(json.loads(line))

    def nothing_arrives(self, within: float) -> bool:
        """Whether the server says nothing for that many seconds."""
        try:
            self._arrived.put(self._arrived.get(timeout=within))
        except queue.Empty:
            return True
        return False

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        number = self.send(method, params)
        answer = self.answer()
        assert answer["id"] == number
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured result of a tool."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not answer["result"]["isError"], answer
        return dict(answer["result"]["structuredContent"])

    def introduce(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The answer to initialize, which may come before there is a hub."""
        answer = self.request("initialize", {**INITIALIZE, "protocolVersion": version})
        self.send("notifications/initialized", notify=True)
        return answer

    def shake_hands(self) -> dict[str, Any]:
        """The answer to initialize, once a server that has this client's session has answered another request, too."""
        answer = self.introduce()
        self.request("prompts/get", {"name": "finish_task"})
        return answer

    def ended(self, within: float = HANG_S) -> tuple[int, list[str]]:
        """The exit code and the lines on stderr, once it has ended."""
        code = self.process.wait(within)
        assert self.process.stderr is not None
        return code, self.process.stderr.read().decode().splitlines()

    def close(self) -> None:
        """Close stdin as a client that ends does."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        try:
            self.process.wait(HANG_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()


def run_command(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """`mcp-reflect` with these words."""
    variables = environment(home, **more)
    if forks.allowed:
        return forks.run(["mcp_reflect", *words], variables)
    return subprocess.run([*SHIM, *words], env=variables, capture_output=True, text=True, check=False, timeout=HANG_S)
