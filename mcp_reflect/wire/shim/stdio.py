"""Stdin, stdout and stderr of this process, and its end. Standard library only: every shim imports this."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from mcp_reflect.wire.json_rpc import error_response, parse_message


def print_to_stderr(line: str) -> None:
    """Print one line for a person."""
    with suppress(OSError):
        os.write(2, f"mcp-reflect: {line}\n".encode(errors="replace"))


def exit_now(code: int) -> NoReturn:
    """End this process at once with that exit code."""
    # Not sys.exit: threads may be blocked in reading, and there is nothing to clean up.
    os._exit(code)


def read_client_lines(stdin: int) -> Iterator[bytes]:
    """Yield the lines of a descriptor but blank ones, each with its newline, which the last one may be given."""
    rest: list[bytes] = []
    while chunk := os.read(stdin, 1 << 16):
        head, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            rest.append(chunk)
            continue
        for line in b"".join([*rest, head]).split(b"\n"):
            if line.strip():
                yield line + newline
        rest = [tail] if tail else []
    if rest:
        yield b"".join(rest) + b"\n"


def write_all(stdout: int, line: bytes) -> None:
    """Write the whole of a line to a descriptor. Raises OSError where nobody reads any more."""
    view = memoryview(line)
    while view:
        view = view[os.write(stdout, view) :]


def refuse_first_request(data: Mapping[str, Any], stdin: int = 0, stdout: int = 1) -> None:
    """Answer the client's first request with an error, given as data, where there is no server to do it."""
    for line in read_client_lines(stdin):
        message = parse_message(line)
        if "method" in message and "id" in message:
            with suppress(OSError):
                write_all(stdout, error_response(json.dumps(message["id"]), data))
            return


class ClientWriter:
    """Writes lines to the client, from any thread; ends this process where the client no longer reads."""

    def __init__(self, stdout: int) -> None:
        self._stdout = stdout
        self._writing = threading.Lock()

    def write(self, line: bytes) -> None:
        """Write the whole of a line, which ends in a newline."""
        try:
            with self._writing:
                write_all(self._stdout, line)
        except OSError:
            exit_now(0)
