"""Reaches a server for a program's calls: the hub of its home, or one of its own. Standard library only.

Where hubs are switched off, or none can be had here, a program starts a server of its own and speaks to that over
pipes: the same lines, another transport.
"""

from __future__ import annotations

import time

from mcp_reflect.wire import address, handshake, hub_connection, hub_errors
from mcp_reflect.wire.transport import SocketTransport
from mcp_reflect.wire.version import __version__

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mcp_reflect.wire.process_transport import ProcessTransport


class NoHub(hub_errors.HubUnavailable):
    """No hub runs, and this program does not start one."""


class Connector:
    """Reaches a server for a program whose settings and project are read from `environ` and `cwd`.

    Without `starts` no hub is started: where none of this version runs, `connect` raises NoHub. `starting` is called
    before one is started.
    """

    def __init__(self, environ: Mapping[str, str], cwd: str, starts: bool, starting: Callable[[], None]) -> None:
        self.environ = environ
        self.cwd = cwd or address.current_folder()
        self._starts = starts
        self._starting = starting

    def connect(self, connection_id: str, until: float, start_until: float) -> SocketTransport | ProcessTransport:
        """Reach a hub, which sees this connection under that id, or start a server. Raises HubUnavailable.

        A hub that runs has to greet by `until`, one that starts by `start_until`; both of `time.monotonic`.
        """
        home = address.home_folder(self.environ, self.cwd)
        if not address.hub_enabled(self.environ, home, self.cwd):
            if not self._starts:
                raise NoHub("hubs are switched off")
            return self._own_server(home)
        hello = handshake.build_hello(__version__, home, self.environ, self.cwd, connection_id)
        started: list[Any] = []
        try:
            found = hub_connection.try_connect(home, hello, until)
            if found is None or found.answer.get("older"):
                if found is not None:
                    found.link.close()
                if not self._starts:
                    raise NoHub(f"no hub of {home} runs")
                from mcp_reflect.wire import hub_launcher  # noqa: PLC0415 - hooks wait for imports

                self._starting()
                within = max(until, start_until) - time.monotonic()
                found = hub_launcher.connect_or_start(home, hello, started=started.append, within=max(within, 0))
            return SocketTransport(found)
        except hub_errors.HubUnavailable as error:
            if not (error.alone and self._starts):
                raise
            return self._own_server(home)
        finally:
            for hub in started:
                run_in_background(_reap, hub)

    def _own_server(self, home: str) -> ProcessTransport:
        from mcp_reflect.wire.process_transport import ProcessTransport  # noqa: PLC0415 - hooks wait for imports

        return ProcessTransport(self.environ, self.cwd, home)


def run_in_background(function: Any, *arguments: Any) -> None:
    """Run a function in a thread that ends with the program."""
    import threading  # noqa: PLC0415 - hooks wait for imports

    try:  # noqa: SIM105 - likewise, for that of contextlib
        threading.Thread(target=function, args=arguments, daemon=True).start()
    except RuntimeError:  # an interpreter that is ending starts no more threads, and needs none
        pass


def _reap(hub: Any) -> None:
    """Read the start report of a hub that this process started, and wait for its exit."""
    try:  # noqa: SIM105 - hooks wait for the import of contextlib
        hub.stdout.read()
    except (OSError, ValueError):  # read already
        pass
    hub.stdout.close()
    hub.wait()
