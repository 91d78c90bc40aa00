"""One process for one client: the server over this process's stdin and stdout."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from mcp_reflect.errors import ReflectError, error_data
from mcp_reflect.hub.blas import use_one_blas_thread
from mcp_reflect.hub.heaps import share_heaps
from mcp_reflect.hub.unused_packages import leave_out_unused_packages
from mcp_reflect.wire.hub_errors import HubUnavailable
from mcp_reflect.wire.shim.relay import Relay
from mcp_reflect.wire.shim.stdio import print_to_stderr, refuse_first_request

if TYPE_CHECKING:
    from mcp_reflect.application.memory_service import MemoryService
    from mcp_reflect.bootstrap.store import Store
    from mcp_reflect.config.load import Settings


def serve_standalone(relay: Relay | None = None) -> int:
    """Serve until the client closes stdin, and return the exit code.

    What stops the start is told in one line on stderr, and in an answer to the client's first request.
    `relay` already reads the client, for which it found no hub; without it, stdin and stdout are served.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="mcp-reflect: %(levelname)s: %(message)s")
    use_one_blas_thread()
    share_heaps()
    leave_out_unused_packages()
    from mcp_reflect.bootstrap.store import open_store  # noqa: PLC0415 - after logging is on stderr
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy
    from mcp_reflect.hub.status import warn_of_lost_writes  # noqa: PLC0415 - heavy
    from mcp_reflect.server.app import build_server  # noqa: PLC0415 - heavy

    try:
        # Opened before the server looks at stdin, so that a failure can still answer the first request.
        settings = load_settings()
        with open_store(settings, "a server without a hub") as store, _open_memory(settings, store) as memory:
            warn_of_lost_writes(store.ledger)
            if relay is None:
                build_server(lambda: nullcontext(memory), hooked=settings.hooks.active).run("stdio")
            else:
                _serve_relay(relay, memory, hooked=settings.hooks.active)
    except ReflectError as error:
        if relay is None:
            print_to_stderr(str(error))
            refuse_first_request(error_data(error))
        else:
            relay.upstream.refuse(HubUnavailable(str(error), 2, data=error_data(error)))
            relay.wait_for_client()
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


@contextmanager
def _open_memory(settings: Settings, store: Store) -> Iterator[MemoryService]:
    """Open the memory of this process's client, and take in the outbox of the home beside it, as a hub does."""
    from mcp_reflect.bootstrap.memory import build_memory  # noqa: PLC0415 - heavy
    from mcp_reflect.hub.outbox_intake import keep_taking_in  # noqa: PLC0415 - heavy

    with build_memory(settings, store) as memory, keep_taking_in(settings, store):
        store.start()
        store.notify(memory.profile.project)
        yield memory


def _serve_relay(relay: Relay, memory: MemoryService, *, hooked: bool) -> None:
    """Be the hub of one client."""
    import anyio  # noqa: PLC0415 - heavy
    from anyio.abc import SocketStream  # noqa: PLC0415 - heavy

    from mcp_reflect.hub.line_stream import LineStream  # noqa: PLC0415 - heavy
    from mcp_reflect.hub.session import HubSession  # noqa: PLC0415 - heavy
    from mcp_reflect.server.app import build_server  # noqa: PLC0415 - heavy
    from mcp_reflect.server.workers import WorkerQueue  # noqa: PLC0415 - heavy

    async def serve(link: socket.socket) -> None:
        async with await SocketStream.from_socket(link) as stream:
            await HubSession(LineStream(stream), memory, os.getpid(), WorkerQueue()).serve(build_server(hooked=hooked))

    ours, theirs = socket.socketpair()
    with theirs:
        relay.upstream.attach(ours)
        anyio.run(serve, theirs)
    relay.upstream.wait_until_finished()
