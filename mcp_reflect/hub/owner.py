"""The process that owns a home: it opens the memory, serves all clients, and tells its starter why it could not."""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import ExitStack

import anyio

from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import MemoryUnavailable, ReflectError
from mcp_reflect.hub.handshake import refusal_line
from mcp_reflect.hub.listener import open_listener, raise_descriptor_limit
from mcp_reflect.hub.log_file import HubLog
from mcp_reflect.hub.service import Hub
from mcp_reflect.hub.status import warn_of_lost_writes
from mcp_reflect.wire.hub_launcher import HUB_LOG
from mcp_reflect.wire.owner_note import HUB_ROLE
from mcp_reflect.wire.version import __version__


def run_hub(version: str = __version__, *, loopback: bool | None = None) -> int:
    """Own the home of this process's environment until nobody needs it, and return the exit code.

    What stops the start is reported on stdout as one line of JSON; afterwards nothing is written there.
    `version` and `loopback` are other ones in tests only.
    """
    try:
        settings = load_settings()
        with open_store(settings, HUB_ROLE) as store, ExitStack() as stack:
            logs = HubLog(settings.home / HUB_LOG)
            # A folder that will be deleted or unmounted must not be held by a process that outlives its starter.
            os.chdir(settings.home)
            try:
                listening = stack.enter_context(
                    open_listener(settings.home)
                    if loopback is None
                    else open_listener(settings.home, loopback=loopback)
                )
            except OSError as error:
                problem = MemoryUnavailable(f"no hub can listen in {settings.home}: {error}")
                return _report(problem, 1, alone=True)
            logs.take(1)
            warn_of_lost_writes(store.ledger)
            raise_descriptor_limit()
            gc.freeze()
            gc.enable()
            anyio.run(Hub(settings, store, listening, logs, version).serve)
    except ReflectError as error:
        return _report(error, 2, alone=False)
    return 0


def _report(error: ReflectError, exit_code: int, *, alone: bool) -> int:
    """Tell whoever starts this hub why it ends, and return its exit code."""
    sys.stdout.write(json.dumps({**refusal_line(error, exit_code), "alone": alone}) + "\n")
    sys.stdout.flush()
    return exit_code
