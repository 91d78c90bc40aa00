"""Tells a hub that is frozen from one that is busy or starting. Standard library only: every shim may import this.

A stopped process (SIGSTOP, a debugger) shows it in its state. The event loop of a hub that listens wakes four times a
second, so that its main thread hangs where it sleeps on without waking; one that is busy runs or waits for a disk.
"""

from __future__ import annotations

import os
import sys
import time
from typing import NamedTuple

from mcp_reflect.wire.hub_errors import HubFrozen
from mcp_reflect.wire.owner_note import HUB_ROLE, read_owner

LOOK_EVERY_S = 0.25

_STOPPED_FOR_S = 0.5
_ASLEEP_FOR_S = 1.5


class _Look(NamedTuple):
    state: str
    wakes: int
    """How often the main thread was put to sleep so far; -1 where the system does not tell."""


class FrozenHubWatch:
    """Looks at the hub's process while somebody waits for it."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._pid = 0
        self._look: _Look | None = None
        self._since = 0.0

    def check(self, *, listening: bool) -> None:
        """Raise HubFrozen where the hub has been frozen for some time; to be called every `LOOK_EVERY_S`.

        A hub that is not `listening` yet may sleep while it waits for a database: it is frozen only if stopped.
        """
        owner = read_owner(self._home)
        if owner is None or owner.role != HUB_ROLE:
            return
        look = _look_at(owner.pid)
        if look is None or look.state not in "TtS" or (owner.pid, look) != (self._pid, self._look):
            self._pid, self._look, self._since = owner.pid, look, time.monotonic()
            return
        unchanged = time.monotonic() - self._since
        if look.state != "S":
            if unchanged >= _STOPPED_FOR_S:
                raise HubFrozen(self._home, owner.pid, "is stopped")
        elif listening and look.wakes >= 0 and unchanged >= _ASLEEP_FOR_S:
            raise HubFrozen(self._home, owner.pid, "hangs")


def _look_at(pid: int) -> _Look | None:
    """The state of a process; None where it has ended or the system does not tell."""
    if sys.platform == "win32":
        return None
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        return _Look(fields["State"].split()[0], int(fields["voluntary_ctxt_switches"]))
    except (KeyError, ValueError):
        return None
    except OSError:
        return None if os.path.isdir("/proc/self") else _ask_ps(pid)


def _ask_ps(pid: int) -> _Look | None:
    import subprocess  # noqa: PLC0415 - only where there is no /proc

    try:
        told = subprocess.run(  # noqa: S603 - a fixed command and a number
            ["/bin/ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, timeout=1, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _Look(told.stdout.strip()[:1] or "?", -1)
