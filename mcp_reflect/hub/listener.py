"""The hub's end of `address`: the socket, readable by its owner alone, and the note that says where it is."""

from __future__ import annotations

import errno
import json
import logging
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import SocketListener, SocketStream

from mcp_reflect.own_files import PlacedPath, read_own
from mcp_reflect.wire.address import ADDRESS_NAME, MAX_SOCKET_PATH_BYTES, SOCKET_NAME

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

_BACKLOG = max(socket.SOMAXCONN, 1024)  # the system takes less where it allows less
_FOLDER = "mcp-reflect-"
_DESCRIPTORS = 10_240
"""As many as macOS lets a process ask for."""
_FULL = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE_S = 0.2


@dataclass(frozen=True)
class HubListener:
    """The hub's socket. Every hello must show `token`, empty on a Unix socket; `file` goes with the home."""

    socket: socket.socket
    token: str
    file: Path


@contextmanager
def open_listener(home: Path, *, loopback: bool = not hasattr(socket, "AF_UNIX")) -> Iterator[HubListener]:
    """Listen for the home's clients. Only who holds the home's lock may call this. Raises OSError.

    What a hub that was killed left behind is removed.
    """
    note, path = home / ADDRESS_NAME, home / SOCKET_NAME
    place = PlacedPath(home)
    _clear(note, path)
    try:
        if loopback:
            listener, token = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG), secrets.token_urlsafe(32)
            _write(note, {"port": listener.getsockname()[1], "token": token})
        else:
            token = ""
            if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
                path = Path(tempfile.mkdtemp(prefix=_FOLDER)) / SOCKET_NAME
                _write(note, {"unix": str(path)})
            listener = _unix(path)
        with listener:
            listener.setblocking(False)  # noqa: FBT003 - the standard library's signature
            yield HubListener(listener, token, note if loopback else path)
    finally:
        if place.is_kept():  # in the place of a home that was deleted or moved another hub may listen
            _clear(note, path)
        elif path.parent != home:
            shutil.rmtree(path.parent, ignore_errors=True)


def raise_descriptor_limit() -> None:
    """Let this process have more descriptors, as every client takes one: macOS gives 256 to who does not ask."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # a system that allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def accept_connections(listener: SocketListener) -> AsyncIterator[SocketStream]:
    """Everyone who connects. Where the system has no room for one more, they wait until there is some."""
    full = False
    while True:
        try:
            stream = await listener.accept()
        except (OSError, anyio.BrokenResourceError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            if not isinstance(cause, OSError) or cause.errno not in _FULL:
                raise
            if not full:
                log.warning("who connects has to wait: %s", cause)
            full = True
            await anyio.sleep(_PAUSE_S)
        else:
            full = False
            yield stream


def _unix(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    except BaseException:  # whatever it was, nobody else can close the socket; raised on
        listener.close()
        raise
    finally:
        os.umask(before)
    listener.listen(_BACKLOG)
    return listener


def _write(note: Path, address: dict[str, object]) -> None:
    # What stood there before was removed.
    descriptor = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(address, file)


def _clear(note: Path, path: Path) -> None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        folder = Path(json.loads(read_own(note))["unix"]).parent
        # The folder was made by `listen`; nothing else is ever removed, whatever the note says.
        if folder.name.startswith(_FOLDER) and folder.parent == Path(tempfile.gettempdir()):
            shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        note.unlink(missing_ok=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)
