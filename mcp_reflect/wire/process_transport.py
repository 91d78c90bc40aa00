"""The transport of a caller's lines to a server of its own, where there is to be no hub. Standard library only."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from mcp_reflect.wire import hub_errors, hub_launcher
from mcp_reflect.wire.transport import SHORTEST_S, ConnectionLost, NotDelivered


class ProcessTransport:
    """Lines to a server that this process started for itself, where there is to be no hub."""

    retired = False
    warnings: Sequence[str] = ()

    def __init__(self, environ: Mapping[str, str], cwd: str, home: str) -> None:
        """Raises HubUnavailable."""
        options: dict[str, Any] = {}
        if sys.platform != "win32":
            # Ctrl-C is meant for the program, which may still have something to store.
            options["start_new_session"] = True
        log = _log(home)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "mcp_reflect"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if log is None else log,
                env={**environ, "MCP_REFLECT_HUB__ENABLED": "false"},
                cwd=cwd,
                **options,
            )
        except OSError as error:
            raise hub_errors.HubUnavailable(f"no server can be started for {home}: {error}") from error
        finally:
            if log is not None:
                os.close(log)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def send(self, line: bytes, until: float) -> None:
        """Send a line within the time, `until` of `time.monotonic`. Raises ConnectionLost and NotDelivered."""
        with self._ended_at(until):
            try:
                self._stdin.write(line)
                self._stdin.flush()
            except OSError as error:
                if time.monotonic() >= until:
                    raise ConnectionLost("the memory did not take the call in time") from None
                raise NotDelivered from error

    def next(self, until: float) -> bytes | None:
        """Return the next line; None where the server ended. Raises ConnectionLost."""
        with self._ended_at(until):
            line = self._stdout.readline()
        if not line and time.monotonic() >= until:
            raise ConnectionLost("the memory did not answer in time")
        return line or None

    @contextmanager
    def _ended_at(self, until: float) -> Iterator[None]:
        """Pipes have no time limit of their own on every system; ending the process ends the wait for it."""
        watch = threading.Timer(max(until - time.monotonic(), SHORTEST_S), self._process.kill)
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def close(self, patience: float) -> None:
        """End the server; after that many seconds, whether it is ready or not."""
        with self._ended_at(time.monotonic() + patience):
            for pipe in (self._stdin, self._stdout):
                with suppress(OSError):
                    pipe.close()
            self._process.wait()

    def abandon(self) -> None:
        """Let go in a forked process of what its parent goes on using."""
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in (self._stdin, self._stdout):
            # Not `close`, which would first send what the parent has not sent yet.
            os.dup2(null, pipe.fileno())
        os.close(null)
        self._process.returncode = 0  # the parent waits for it


def _log(home: str) -> int | None:
    """Return where a hub would write its log; None where that cannot be written."""
    try:
        return hub_launcher.open_log(os.path.join(home, hub_launcher.HUB_LOG))
    except OSError:
        return None
