"""`mcp-reflect hook CLIENT [EVENT]`: one call of a hook. Standard library only; it may take a fifth of a second.

It fails open: whatever goes wrong, the exit code is 0, nothing but an answer in JSON is printed, and the home's
`hooks.log` has a line about it.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from mcp_reflect import own_files
from mcp_reflect.hooks import options
from mcp_reflect.hooks.event import first_text
from mcp_reflect.hooks.events import load_client_adapter
from mcp_reflect.hooks.recall import recall_text
from mcp_reflect.hooks.session_state import SessionState, remove_old_sessions
from mcp_reflect.wire import address, light_json
from mcp_reflect.wire.caller import Caller, NoHub

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mcp_reflect.hooks.event import HookEvent
    from mcp_reflect.hooks.events import ClientAdapter

HOOK_TIMEOUTS_S = {"start": 10.0, "prompt": 10.0, "before": 1.0, "tool": 5.0, "stop": 3.0, "end": 1.2}
"""Seconds a hook may take in all; the first one may have to start the hub."""
_RESERVE_S = 0.7
"""Seconds of a stop hook's time that are left for its start, and for reading the transcript."""
_LONGEST_INPUT = 64_000_000


def run_hook(words: Sequence[str]) -> None:
    """Serve one call; does not return."""
    # What hangs (a stdin that nobody closes, a hub that is stuck) ends here. Nothing that is lost was promised.
    _end_within(max(HOOK_TIMEOUTS_S.values()))
    environ = dict(os.environ)
    where = "hook"
    try:
        name = words[0] if words else ""
        payload = light_json.loads(sys.stdin.buffer.read(_LONGEST_INPUT).decode("utf-8", "replace"))
        adapter = load_client_adapter(name)
        if isinstance(payload, dict):
            given = words[1] if len(words) > 1 else first_text(payload, "hook_event_name")
            event = adapter.parse_event(given, payload)
            if event is not None:
                where = f"{event.client} {event.kind}"
                _end_within(HOOK_TIMEOUTS_S[event.kind])
                _serve(adapter, given, event, environ)
    except NoHub:
        pass  # nobody waits for a hub before a command: the next hook that may wait starts one
    except BaseException as error:  # noqa: BLE001 - fails open: a hook must never stand in the way of the session
        from mcp_reflect.hooks import error_log  # noqa: PLC0415 - of no use where nothing goes wrong

        error_log.log_hook_error(address.home_folder(environ, _here()), where, error)
    finally:
        os._exit(0)


def _end_within(seconds: float) -> None:
    """End this process after that time at the latest."""

    def end() -> None:
        time.sleep(seconds)
        os._exit(0)

    # Not a threading.Timer: its import takes a third of the interpreter's own start.
    _thread.start_new_thread(end, ())


def _serve(adapter: ClientAdapter, name: str, event: HookEvent, environ: dict[str, str]) -> None:
    cwd = event.cwd if os.path.isdir(event.cwd) else _here()
    home = address.home_folder(environ, cwd)
    own_files.refuse_foreign(home)  # before anything in it is read, removed or written
    chosen = options.read_options(environ, home, cwd)
    if event.kind in {"stop", "end"}:
        if chosen.submit and event.session:
            _hand_over(event.replace(cwd=cwd), environ, home)
            _ask_for_lesson(adapter, event, chosen, environ, home)
        return
    if (event.kind == "tool" and not event.error) or (event.kind == "before" and not event.tool):
        return
    if not event.session or adapter.format_answer(name, "") is None:
        return
    if event.kind == "start":
        remove_old_sessions(home)
    with Caller(environ, cwd, f"hook {event.client}", starts=event.kind != "before") as caller:
        text = recall_text(
            event,
            SessionState(home, event.client, event.session),
            chosen,
            lambda tool, arguments, meta=None: caller.call(
                tool, arguments, HOOK_TIMEOUTS_S[event.kind], again=True, meta=meta
            ),
        )
        if text:
            _print(adapter.format_answer(name, text))


def _ask_for_lesson(
    adapter: ClientAdapter, event: HookEvent, chosen: options.HookOptions, environ: dict[str, str], home: str
) -> None:
    from mcp_reflect.hooks import lesson_request  # noqa: PLC0415 - no other event reads a transcript

    if adapter.format_request("") is None or not lesson_request.is_wanted(event, chosen, environ):
        return
    session = SessionState(home, event.client, event.session)
    patience = HOOK_TIMEOUTS_S["stop"] - _RESERVE_S
    if text := lesson_request.lesson_request(event, session, patience):
        _print(adapter.format_request(text))


def _print(answer: dict[str, Any] | None) -> None:
    line = light_json.dumps(answer).encode() + b"\n"
    while line:
        line = line[os.write(1, line) :]


def _hand_over(event: HookEvent, environ: dict[str, str], home: str) -> None:
    """Start the worker, detached: this process, and its group, may be ended at any moment."""
    import subprocess  # noqa: PLC0415 - no other event starts a process

    from mcp_reflect.wire.hub_launcher import detached_process_options  # noqa: PLC0415

    os.makedirs(home, mode=0o700, exist_ok=True)
    worker = subprocess.Popen(
        # -P: the project's folder must not be searched for modules.
        [sys.executable, "-P", "-m", "mcp_reflect.hooks.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environ,
        cwd=event.cwd,
        **detached_process_options(),
    )
    assert worker.stdin is not None
    with worker.stdin as pipe:
        pipe.write(light_json.dumps(vars(event)).encode())


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under the process
        return os.path.expanduser("~")
