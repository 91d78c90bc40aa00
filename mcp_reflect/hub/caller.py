"""Calls the server's tools from a program: hooks, the Python API, commands for people. Standard library only.

A `Caller` is a client of the hub as a shim is, without a client behind it. Where hubs are switched off, or none can be
had here, it starts a server of its own and speaks to that over pipes: the same lines, another carrier.

It speaks the stateless protocol: each request says all that the server must know, so nothing has to be introduced and a
hub that was replaced is noticed by nobody.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from mcp_reflect import __version__
from mcp_reflect.hub import address, election, frame
from mcp_reflect.hub.client_end import parsed

PROTOCOL = "2026-07-28"
CALL_S = 60.0
_FINISH_S = 5.0
_SENT_AT_MOST = 3
_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""As in `mcp_reflect.ids`, whose import would cost more than everything here."""


class Refused(Exception):
    """The tool refused the call; the message is its own and says what is allowed."""


class Lost(Exception):
    """The server went, or took too long, before it answered; nobody knows whether the call was carried out."""


class _Closed(Exception):
    """The server went before it could have read the call."""


class Caller:
    """Thread-safe: one call at a time. `environ` and `cwd` are what settings and project are read from.

    `client` is the name under which the hub's status shows this program.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, cwd: str = "", client: str = "mcp-reflect") -> None:
        self._environ = dict(os.environ if environ is None else environ)
        self._cwd = cwd or _here()
        self._meta = {
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientInfo": {"name": client, "version": __version__},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        self._connection = "con_" + "".join(_ID_LETTERS[byte & 31] for byte in os.urandom(12))
        self._carrier: _Socket | _Child | None = None
        self._lock = threading.Lock()
        self._last_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        timeout: float = CALL_S,
        *,
        again: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> Any:
        """The structured result of a tool. Waits at most `timeout` seconds, a hub's start included.

        `again`: the call may be carried out twice without harm, and is repeated once where its answer was lost.
        `meta`: what the server is told beside the arguments.
        Raises Refused, Lost, and election.Unavailable where no server can be had.
        """
        until = time.monotonic() + timeout
        with self._lock:
            for _ in range(_SENT_AT_MOST):
                try:
                    return self._once(tool, arguments, until, meta or {})
                except _Closed:
                    self._drop()
                except Lost:
                    self._drop()
                    if not again or time.monotonic() > until:
                        raise
                    again = False
                except BaseException:  # an answer that comes after an interrupt must not be taken for the next one's
                    self._drop()
                    raise
        raise Lost("the memory ends again and again; `mcp-reflect hub status` tells more")

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _once(self, tool: str, arguments: Mapping[str, Any], until: float, meta: Mapping[str, Any]) -> Any:
        if self._carrier is None:
            self._carrier = self._connected()
        carrier = self._carrier
        self._last_id += 1
        request = {
            "jsonrpc": "2.0",
            "id": self._last_id,
            "method": "tools/call",
            "params": {"name": tool, "arguments": dict(arguments), "_meta": {**meta, **self._meta}},
        }
        carrier.send(json.dumps(request).encode() + b"\n", until)
        while (line := carrier.next(until)) is not None:
            if line.startswith(frame.RETIRING):
                # What was sent before is still answered; whatever follows goes to the next hub.
                carrier.retired = True
                continue
            answer = parsed(line)
            if answer.get("id") == self._last_id and "method" not in answer:
                if carrier.retired:
                    self._drop()
                return _result(answer)
        raise Lost("the memory ended before it answered")

    def _connected(self) -> _Socket | _Child:
        home = address.home_folder(self._environ, self._cwd)
        if not address.hub_enabled(self._environ, home, self._cwd):
            return _Child(self._environ, self._cwd)
        hello = frame.hello(__version__, home, self._environ, self._cwd, self._connection)
        try:
            return _Socket(election.reach(home, hello))
        except election.Unavailable as error:
            if not error.alone:
                raise
            return _Child(self._environ, self._cwd)

    def _drop(self) -> None:
        carrier, self._carrier = self._carrier, None
        if carrier is not None:
            carrier.close()


class _Socket:
    """Lines over a hub's socket."""

    def __init__(self, found: election.Connection) -> None:
        self.retired = False
        self._link = found.link
        self._lines = found.lines

    def send(self, line: bytes, until: float) -> None:
        self._link.settimeout(max(until - time.monotonic(), 0.001))
        try:
            self._link.sendall(line)
        except TimeoutError:
            raise Lost("the memory did not take the call in time") from None
        except OSError as error:
            raise _Closed from error

    def next(self, until: float) -> bytes | None:
        self._link.settimeout(max(until - time.monotonic(), 0.001))
        try:
            return self._lines.next()
        except TimeoutError:
            raise Lost("the memory did not answer in time") from None
        except OSError:
            return None

    def close(self) -> None:
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()


class _Child:
    """Lines to a server that this process started for itself, where there is to be no hub."""

    def __init__(self, environ: Mapping[str, str], cwd: str) -> None:
        import subprocess  # noqa: PLC0415 - only where there is no hub

        self.retired = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mcp_reflect"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environ, "MCP_REFLECT_HUB__ENABLED": "false"},
            cwd=cwd,
        )

    def send(self, line: bytes, until: float) -> None:
        del until  # a pipe takes what it is given
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError as error:
            raise _Closed from error

    def next(self, until: float) -> bytes | None:
        assert self._process.stdout is not None
        # A read from a pipe has no time limit of its own on every system; ending the process ends the read.
        watch = threading.Timer(max(until - time.monotonic(), 0.001), self._process.kill)
        watch.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        if not line and time.monotonic() >= until:
            raise Lost("the memory did not answer in time")
        return line or None

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        try:
            self._process.wait(_FINISH_S)
        except Exception:  # noqa: BLE001 - subprocess is not imported here; whatever it was, the process must end
            self._process.kill()
            self._process.wait()


def _result(answer: Mapping[str, Any]) -> Any:
    if "error" in answer:
        raise Refused(str((answer["error"] or {}).get("message", "the memory answered with an error")))
    result = answer.get("result") or {}
    if result.get("isError"):
        texts = [str(part.get("text", "")) for part in result.get("content") or [] if isinstance(part, dict)]
        raise Refused("\n".join(text for text in texts if text) or "the call was refused")
    return result.get("structuredContent")


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under the process
        return os.path.expanduser("~")
