"""The client's end of the shim: lines, and errors in place of the hub. Standard library only: shims import it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

CONNECTION_LOST_CODE = -32000
"""JSON-RPC leaves this range to servers; the SDKs use it for a connection that was lost."""


def read_client_lines(stdin: int) -> Iterator[bytes]:
    """The lines of a descriptor, each with its newline; a last line without one is given it."""
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


def refuse_first_request(reason: str, stdin: int = 0, stdout: int = 1) -> None:
    """Answer the client's first request with an error, where there is no server to do it."""
    for line in read_client_lines(stdin):
        message = parse_message(line)
        if "method" in message and "id" in message:
            with suppress(OSError):
                write_all(stdout, error_response(json.dumps(message["id"]), reason))
            return


def error_response(key: str, reason: str) -> bytes:
    """The answer to a request that could not be carried out; `key` is its id as JSON."""
    error = json.dumps({"code": CONNECTION_LOST_CODE, "message": reason})
    return f'{{"jsonrpc":"2.0","id":{key},"error":{error}}}\n'.encode()


def write_all(stdout: int, line: bytes) -> None:
    """All of a line. Raises OSError where nobody reads any more."""
    view = memoryview(line)
    while view:
        view = view[os.write(stdout, view) :]


def parse_message(line: bytes) -> dict[str, Any]:
    """The message in a line; empty where it holds none, which is left to the hub."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):  # RecursionError: nested too deeply
        return {}
    return message if isinstance(message, dict) else {}
