"""The process that hands in what a session did: `python -m mcp_reflect.hooks.worker`, with the event on stdin.

A hook at the end of a turn only starts it. A transcript of 50 MB takes a second to read, a configured model takes
several to reflect, and Claude Code ends a hook at the end of a session after a second and a half.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from filelock import FileLock

from mcp_reflect.hooks import log
from mcp_reflect.hooks.clients import client
from mcp_reflect.hooks.event import Event
from mcp_reflect.hooks.session import Session
from mcp_reflect.hooks.settle import settle
from mcp_reflect.hub import address
from mcp_reflect.hub.caller import Caller

LONGEST_S = 300.0
_CALL_S = 90.0


def run(job: dict[str, Any]) -> None:
    """Settle a session up to where its transcript reached when the hook was called. Raises whatever goes wrong."""
    event = Event(**job["event"])
    adapter = client(event.client)
    home = address.home_folder(os.environ, event.cwd)
    session = Session(home, event.client, event.session)
    os.makedirs(os.path.dirname(session.lock_path), mode=0o700, exist_ok=True)
    # Two ends may come at once: of the turn, and of the session.
    with FileLock(session.lock_path, timeout=LONGEST_S), Caller(cwd=event.cwd, client=f"hook {event.client}") as caller:
        session = Session(home, event.client, event.session)

        def call(tool: str, arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
            # The key of a trace and the replacing of reviews make both calls repeatable.
            return dict(caller.call(tool, arguments, _CALL_S, again=True, meta=meta))

        settle(event, adapter.turns(event, session.settled, job["end"]), session, call)


def main() -> None:
    watch = threading.Timer(LONGEST_S, os._exit, (0,))
    watch.daemon = True
    watch.start()
    where = "worker"
    try:
        job = json.loads(sys.stdin.buffer.read())
        where = f"{job['event']['client']} {job['event']['kind']}"
        run(job)
    except Exception as error:  # noqa: BLE001 - nobody waits for this process; what went wrong goes to the log
        log.note(address.home_folder(os.environ, os.getcwd()), where, error)


if __name__ == "__main__":
    main()
