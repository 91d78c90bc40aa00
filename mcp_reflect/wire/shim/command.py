"""The shim that a client starts. Standard library only, and little of it: people wait, and each client has one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from mcp_reflect.wire import address, handshake, hub_errors, hub_launcher
from mcp_reflect.wire.outbox_process import OutboxProcess
from mcp_reflect.wire.shim.relay import Relay
from mcp_reflect.wire.shim.repeatable import SubmittedRun
from mcp_reflect.wire.shim.stdio import exit_now, print_to_stderr
from mcp_reflect.wire.version import __version__

if TYPE_CHECKING:
    from mcp_reflect.wire.shim.front import Front


class _Outbox:
    """The outbox of the home, for the runs of one connection."""

    def __init__(self, environ: dict[str, str], cwd: str, connection: str) -> None:
        self._process = OutboxProcess(environ, cwd)
        self._connection = connection
        self.prepare = self._process.prepare
        self.release = self._process.release

    def keep(self, run: SubmittedRun) -> None:
        self._process.keep(run.arguments, trace_key=run.trace_key, connection=self._connection)


def serve_through_hub() -> Relay | None:
    """Serve the client on stdin and stdout. Returns only where this process is to serve it without a hub.

    Gives back the relay that reads the client where a hub was tried, which wants a server attached to it; None where
    hubs are switched off.
    """
    environ = dict(os.environ)
    try:
        cwd = os.getcwd()
    except OSError:  # it was deleted under the process
        cwd = os.path.expanduser("~")
    home = address.home_folder(environ, cwd)
    if not address.hub_enabled(environ, home, cwd):
        return None

    relay = _build_relay(environ, home, cwd)
    alone = False

    def end() -> None:
        if alone:  # the server in this process still has something to finish
            relay.upstream.finish()
        else:
            exit_now(relay.upstream.refusal.exit_code if relay.upstream.refusal else 0)

    threading.Thread(target=relay.watch, args=(os.getppid(),), daemon=True).start()
    relay.start(end)
    try:
        _serve(relay, partial(_note_accepted, environ, home, cwd))
    except hub_errors.HubUnavailable as error:
        alone = True
        print_to_stderr(str(error))
        print_to_stderr("serving this client without a hub")
        return relay
    except KeyboardInterrupt:
        exit_now(130)


def _build_relay(environ: dict[str, str], home: str, cwd: str) -> Relay:
    def find_front() -> Front | None:
        from mcp_reflect.wire.shim.front import open_front  # noqa: PLC0415 - not needed where a hub runs

        return open_front(environ, home, cwd)

    connection = handshake.new_connection_id()
    return Relay(
        home,
        handshake.build_hello(__version__, home, environ, cwd, connection),
        partial(hub_launcher.connect_or_start, within=address.start_timeout_s(environ, home, cwd)),
        find_front=find_front,
        outbox=_Outbox(environ, cwd, connection),
        within_s=address.answer_within_s(environ, home, cwd),
    )


def _serve(relay: Relay, note_accepted: Callable[[], None]) -> NoReturn:
    """Serve until the client has gone, then end this process.

    Raises HubUnavailable where this process may serve the client alone.
    """
    try:
        relay.upstream.open()
        note_accepted()
    except hub_errors.HubUnavailable as error:
        if error.alone:
            raise
        # Its first request may be under answer just now; after a crash it may come yet, and find another hub.
        crashed = isinstance(error, hub_errors.HubCrashed)
        if crashed or not relay.upstream.refuse(error, unless=lambda: relay.introduced):
            relay.upstream.fail(error)
    relay.wait_for_client()
    exit_now(relay.upstream.refusal.exit_code if relay.upstream.refusal else 0)


def _note_accepted(environ: dict[str, str], home: str, cwd: str) -> None:
    """Let a later client of these settings be answered while its hub is starting."""
    from mcp_reflect.wire.shim.front import note_accepted  # noqa: PLC0415 - after the client has its hub

    note_accepted(environ, home, cwd)
