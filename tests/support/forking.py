"""Asks a fork server for processes; see `tests.support.fork_server`. Light to import, as a shim does it, too."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, cast

from mcp_reflect.wire import hub_launcher


class ForkedProcess:
    """As much of `subprocess.Popen` as tests and `hub_launcher` use, of a process that a fork server has made."""

    def __init__(self, server: socket.socket, stdout: IO[bytes] | None) -> None:
        self._server = server
        self._lines = server.makefile("rb")
        self._waiting = threading.Lock()
        self.stdout = stdout
        self.returncode: int | None = None
        self.pid = int(self._lines.readline())

    def poll(self) -> int | None:
        """Return the exit code, negative after a signal; None while the process runs."""
        with suppress(TimeoutError):
            return self.wait(0.0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code. Raises TimeoutError."""
        with self._waiting:
            if self.returncode is None:
                if timeout is not None and not _readable(self._server, timeout):
                    raise TimeoutError(f"process {self.pid} runs on")
                # A server that is gone has killed what it had made.
                self.returncode = int(self._lines.readline() or -signal.SIGKILL)
                self._lines.close()
                self._server.close()
            return self.returncode

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


def _readable(link: socket.socket, timeout: float) -> bool:
    import select  # noqa: PLC0415 - a shim mostly starts no hub

    return bool(select.select([link], [], [], timeout)[0])


def fork(
    server: str,
    command: Sequence[str],
    environ: Mapping[str, str],
    cwd: str,
    descriptors: Sequence[int],
    stdout: IO[bytes] | None = None,
    *,
    session: bool = False,
) -> ForkedProcess:
    """Start `python -m MODULE ARGUMENT …` as `command` gives it, with these as its descriptors 0, 1 and 2.

    `session`: in a session of its own, as `start_new_session` of `subprocess.Popen`. `stdout` is what the process's
    standard output can be read from.
    """
    request = {"command": list(command), "environ": dict(environ), "cwd": cwd, "session": session}
    link = socket.socket(socket.AF_UNIX)
    link.connect(server)
    line = json.dumps(request).encode() + b"\n"
    sent = socket.send_fds(link, [line], list(descriptors))
    if rest := line[sent:]:  # also nothing cannot be sent to a process that has ended already
        link.sendall(rest)
    return ForkedProcess(link, stdout)


@contextmanager
def hubs_forked(find_server: Callable[[], str]) -> Iterator[None]:
    """Let this process start its hubs by a fork server, whose socket `find_server` gives."""
    spawn_hub, start_process, interpreter = hub_launcher.spawn_hub, subprocess.Popen, sys.executable

    def fork_hub(command: Sequence[str], **options: Any) -> Any:
        # A test that puts another program in the interpreter's place wants that one started.
        if command[0] != interpreter or "mcp_reflect.hub" not in command:
            return start_process(command, **options)
        readable, writable = os.pipe()
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a shim does not import pathlib
            try:
                return fork(
                    find_server(),
                    [os.fspath(word) for word in command[command.index("-m") + 1 :]],
                    options.get("env", os.environ),
                    options.get("cwd") or os.getcwd(),  # noqa: PTH109 - as above
                    (nothing.fileno(), writable, options["stderr"]),
                    os.fdopen(readable, "rb"),
                    session=options["start_new_session"],
                )
            finally:
                os.close(writable)

    def spawn_by_fork(home: str, greeting: Mapping[str, Any]) -> Any:
        subprocess.Popen = cast("Any", fork_hub)  # type: ignore[misc]
        try:
            return spawn_hub(home, greeting)
        finally:
            subprocess.Popen = start_process  # type: ignore[misc]

    hub_launcher.spawn_hub = spawn_by_fork
    try:
        yield
    finally:
        hub_launcher.spawn_hub = spawn_hub
