"""Finding or starting hubs for one client, one after the other. Standard library only: every shim imports this."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

from mcp_reflect.wire.handshake import LineReader
from mcp_reflect.wire.hub_connection import HubConnection
from mcp_reflect.wire.hub_errors import HubUnavailable
from mcp_reflect.wire.shim.stdio import print_to_stderr


class HubFinder:
    """Finds or starts a hub of `home` whenever one is needed; `greeting` is the client's hello.

    `reach` does it: it is called with both, with `started` to call for the process of a hub that it started, and with
    `waiting` to call where another process starts one. `starting`: a hub was not running and has to be waited for.
    `serves_itself`: a server in this process stands for it.
    """

    def __init__(self, home: str, greeting: Mapping[str, Any], reach: Callable[..., HubConnection]) -> None:
        self.starting = False
        self.serves_itself = False
        self._reach = reach
        self._home = home
        self._greeting = greeting
        self._foreseeable = threading.Event()
        self._children: list[Any] = []
        self._told: set[str] = set()
        self._told_project = False

    def find(self) -> HubConnection:
        """Return a connection to a hub; its warnings go to stderr, each once. Raises HubUnavailable."""
        found = self._reach(self._home, self._greeting, started=self._note_started, waiting=self._note_starting)
        told = [] if self._told_project else _project_line(found.answer)
        self._told_project = True
        for warning in [*told, *found.answer.get("warnings", [])]:
            if warning not in self._told:
                self._told.add(warning)
                print_to_stderr(warning)
        return found

    def use_own_server(self, link: socket.socket) -> None:
        """Give the next search a server in this process in place of a hub; later searches raise HubUnavailable.

        `link` is this end of the connection to it.
        """
        self.serves_itself = True
        found = [HubConnection(link, LineReader(link), {"ok": True})]

        def reach(*_: object, **__: object) -> HubConnection:
            if not found:
                raise HubUnavailable("the memory has ended; restart this client")
            return found.pop()

        self._reach = reach

    def note_outcome(self) -> None:
        """Note that a search is over, whether or not it found a hub."""
        self._foreseeable.set()

    def wait_until_foreseeable(self, timeout_s: float) -> None:
        """Wait until it is known whether a hub is running or has to start, at most that many seconds."""
        self._foreseeable.wait(timeout_s)

    def reap_children(self) -> None:
        """Collect the exit codes of ended hubs that this process started, which would stay zombies otherwise."""
        for child in self._children:
            child.poll()

    def _note_started(self, process: Any) -> None:
        self._children.append(process)
        self._note_starting()

    def _note_starting(self) -> None:
        """A hub is starting, which takes its time; until here, something could have stopped the start at once."""
        self.starting = True
        self._foreseeable.set()


def _project_line(answer: Mapping[str, Any]) -> list[str]:
    """Return what a client's log says of the project; nothing where an older hub does not tell it."""
    project, origin = answer.get("project"), answer.get("project_from")
    return [f"project {project}" + (f" ({origin})" if origin else "")] if project else []
