"""The process that hands in what a session did: `python -m mcp_reflect.hooks.worker`, with the event on stdin.

A hook at the end of a turn only starts it. A transcript of 50 MB takes a second to read, a configured model takes
several to reflect, and Claude Code ends a hook at the end of a session after a second and a half.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

from filelock import FileLock

from mcp_reflect import own_files
from mcp_reflect.hooks import error_log
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.session_state import SessionState
from mcp_reflect.hooks.submission import submit_turns
from mcp_reflect.hooks.transcripts.clients import TranscriptReader, load_transcript_reader
from mcp_reflect.hooks.transcripts.turn import SessionTurn
from mcp_reflect.wire import address
from mcp_reflect.wire.caller import Caller, ConnectionLost
from mcp_reflect.wire.hub_errors import HubUnavailable
from mcp_reflect.wire.outbox_process import OutboxProcess
from mcp_reflect.wire.request_meta import REVIEW_SOURCE

WORKER_TIMEOUT_S = 300.0
_CALL_S = 90.0
_QUIET_S = 0.5
_PATIENCE_S = 5.0


def submit_session(event: HookEvent) -> None:
    """Hand in what the event ends. Raises whatever goes wrong."""
    reader = load_transcript_reader(event.client)
    home = address.home_folder(os.environ, event.cwd)
    own_files.refuse_foreign(home)
    session = SessionState(home, event.client, event.session)
    os.makedirs(os.path.dirname(session.lock_path), mode=0o700, exist_ok=True)
    # Two ends may come at once: of the turn, and of the session.
    with (
        FileLock(session.lock_path, timeout=WORKER_TIMEOUT_S),
        Caller(cwd=event.cwd, client=f"hook {event.client}") as caller,
    ):
        session = SessionState(home, event.client, event.session)

        turns = wait_for_turns(event, reader, session.settled)
        submit_turns(event, turns, session, _StoringCalls(caller, event.cwd).call)


class _StoringCalls:
    """Calls the tools that store; where no hub can be had, a run goes into the outbox, and its trace_id is empty."""

    def __init__(self, caller: Caller, cwd: str) -> None:
        self._caller = caller
        self._cwd = cwd
        self._lost: Exception | None = None

    def call(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
        """Return the tool's result. Raises RemoteError, NotKept, and what means that no hub can be had for a review."""
        if self._lost is None:
            try:
                # The key of a trace and the replacing of reviews make both calls repeatable.
                return dict(self._caller.call(tool, arguments, _CALL_S, again=True, meta=meta))
            except (ConnectionLost, HubUnavailable, OSError) as error:
                self._lost = error  # later runs of the session are not to wait for as long again
        if tool != "submit_trace":
            raise self._lost
        OutboxProcess(os.environ, self._cwd).keep(arguments, source=str(meta.get(REVIEW_SOURCE, "")))
        return {"trace_id": ""}


def wait_for_turns(event: HookEvent, reader: TranscriptReader, start: int) -> list[SessionTurn]:
    """Return the turns up to the one that the event ended, once the client has written all of it.

    Claude Code calls its hooks up to 0.2 seconds before the last lines are in the file. Whole it is when it holds the
    agent's last words, or has not grown for a while. Raises OSError where there is no transcript.
    """
    until = time.monotonic() + _PATIENCE_S
    while True:
        size = _size(event.transcript)
        turns = reader.read_turns(event, start)
        ended = next((n for n, turn in enumerate(turns, start=1) if turn.key == event.turn), len(turns))
        turns = turns[:ended]
        if turns and event.final and turns[-1].final.strip() == event.final.strip():
            return turns
        time.sleep(_QUIET_S)
        if size == _size(event.transcript) or time.monotonic() > until:
            return turns


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.isfile(path) else -1


def main() -> None:
    """Submit the session of the event on stdin; errors go to the hooks' log."""
    watch = threading.Timer(WORKER_TIMEOUT_S, os._exit, (0,))
    watch.daemon = True
    watch.start()
    where = "worker"
    try:
        event = HookEvent(**json.loads(sys.stdin.buffer.read()))
        where = f"{event.client} {event.kind}"
        submit_session(event)
    except Exception as error:  # noqa: BLE001 - nobody waits for this process; what went wrong goes to the log
        error_log.log_hook_error(address.home_folder(os.environ, os.getcwd()), where, error)


if __name__ == "__main__":
    main()
