"""Connecting to the hub of a home, and waiting for its end. Standard library only: every shim imports this."""

from __future__ import annotations

import os
import sys
import time

from mcp_reflect.wire import address, handshake
from mcp_reflect.wire.hub_errors import HubSilent, HubUnavailable

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    import _socket
    from collections.abc import Mapping
    from typing import Any

ANSWER_TIMEOUT_S = 30.0
POLL_S = 0.02
_FIRST_LOOK_S = 0.5


class HubConnection:
    """A hub that has accepted the hello: its socket, what it sends, and its answer."""

    def __init__(self, link: _socket.socket, lines: handshake.LineReader, answer: Mapping[str, Any]) -> None:
        self.link = link
        self.lines = lines
        self.answer = answer


def try_connect(
    home: str, greeting: Mapping[str, Any], until: float = float("inf"), *, patience_s: float = ANSWER_TIMEOUT_S
) -> HubConnection | None:
    """Connect and greet; None where no hub listens, or it left before it answered.

    Waits for the answer until `until` (of `time.monotonic`), and no longer than `patience_s` seconds. Raises HubSilent
    where there is none by then, its subclass HubFrozen sooner where the hub's process does nothing any more,
    and HubUnavailable where the hub refuses or belongs to another user.
    """
    try:
        link, token = address.connect_socket(home)
    except PermissionError as error:
        raise HubUnavailable(f"the hub of {home} cannot be reached: {error}", alone=True) from error
    except OSError:
        return None
    try:
        lines = handshake.LineReader(link)
        until = min(until, time.monotonic() + patience_s)
        answer = _greet(home, link, lines, {**greeting, "token": token}, until)
        link.settimeout(None)
    except TimeoutError:
        link.close()
        raise HubSilent(f"the hub of {home} does not answer; `mcp-reflect doctor` says how to end it") from None
    except ValueError:
        link.close()
        raise HubUnavailable(f"what listens at {home} is no hub of mcp-reflect") from None
    except BaseException:  # whatever it was, nobody else can close the link; raised on
        link.close()
        raise
    if answer is None:
        link.close()
        return None
    if "error" in answer:
        link.close()
        raise HubUnavailable(str(answer["error"]), int(answer.get("exit", 1)), data=answer.get("error_data"))
    return HubConnection(link, lines, answer)


def _greet(
    home: str, link: _socket.socket, lines: handshake.LineReader, greeting: Mapping[str, Any], until: float
) -> dict[str, Any] | None:
    """Exchange the hello; None where the hub left instead. Raises TimeoutError, and HubFrozen, told within seconds."""
    link.settimeout(max(min(_FIRST_LOOK_S, until - time.monotonic()), POLL_S))
    try:
        return handshake.exchange_hello(link, lines, greeting)
    except TimeoutError:
        if time.monotonic() >= until:
            raise
    from mcp_reflect.wire.frozen_hub import LOOK_EVERY_S, FrozenHubWatch  # noqa: PLC0415 - a hub answers sooner

    watch = FrozenHubWatch(home)
    while True:
        watch.check(listening=True)
        link.settimeout(max(min(LOOK_EVERY_S, until - time.monotonic()), POLL_S))
        try:
            return handshake.receive_answer(lines)
        except TimeoutError:
            if time.monotonic() >= until:
                raise


def wait_for_exit(pid: int, until: float) -> bool:
    """Wait for the end of a process, at most until `until` (of `time.monotonic`). Raises HubUnavailable."""
    while process_exists(pid):
        if time.monotonic() > until:
            raise HubUnavailable(f"process {pid} does not exit")
        time.sleep(POLL_S)
    return True


def process_exists(pid: int) -> bool:
    if sys.platform == "win32":
        return False  # Signal 0 would end it there; that nobody answers any more must do.
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # no /proc on this system
        return True


def stop_hub(home: str, until: float, command: str = "retire") -> bool:
    """Ask the hub to finish and leave, and wait for its end at most until then; False where there is none."""
    asked = try_connect(home, {"mcp-reflect": handshake.HUB_PROTOCOL, "command": command})
    if asked is None:
        return False
    try:
        # The hub lets go of this connection when everything else is done.
        asked.link.settimeout(max(until - time.monotonic(), 0.1))
        try:
            while asked.lines.next() is not None:
                pass
        except TimeoutError:
            raise HubUnavailable(f"the hub of {home} does not exit") from None
        except OSError:
            pass
    finally:
        asked.link.close()
    return True
