"""Lines over one of the hub's connections."""

from __future__ import annotations

import anyio
from anyio.abc import SocketStream

MAX_LINE_BYTES = 64_000_000
"""Bytes: a trajectory of the largest size that is allowed, with every character escaped, and room to spare."""


class LineTooLong(Exception):
    """A line is longer than it may be."""


class LineStream:
    """`receive` is for one task; `send` for any."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._sending = anyio.Lock()
        self._ready: list[bytes] = []
        self._rest: list[bytes] = []

    @property
    def has_next(self) -> bool:
        """Return whether another line is here already: its sender did not wait for anything."""
        return bool(self._ready)

    async def receive(self, longest: int = MAX_LINE_BYTES) -> bytes | None:
        """Return the next line without its newline; None at the end. Raises LineTooLong."""
        while not self._ready:
            try:
                chunk = await self._stream.receive(1 << 16)
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return None
            head, newline, tail = chunk.rpartition(b"\n")
            if newline:
                self._ready = b"".join([*self._rest, head]).split(b"\n")[::-1]
                self._rest = [tail] if tail else []
                continue
            self._rest.append(chunk)
            if len(self._rest) << 16 > longest and sum(map(len, self._rest)) > longest:
                raise LineTooLong
        return self._ready.pop()

    async def send(self, line: bytes) -> None:
        """Send a line that has its newline. A peer that is gone is no error: its end is seen in receiving."""
        async with self._sending:
            try:
                await self._stream.send(line)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()
