"""Reaching the hub of a home, which is started where there is none. Standard library only: every shim imports this.

Whoever finds no hub takes the file lock `<home>/hub.starting`, looks once more, starts a hub and waits until it
answers. The lock is the operating system's and goes with its holder. It only saves needless starts: that a home
has one owner is the work of the lock that the hub itself holds.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp_reflect import own_files
from mcp_reflect.wire import address, handshake
from mcp_reflect.wire.hub_connection import POLL_S, HubConnection, process_exists, stop_hub, try_connect
from mcp_reflect.wire.hub_errors import HubCrashed, HubUnavailable
from mcp_reflect.wire.owner_note import HUB_ROLE, read_owner

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

START_LOCK = "hub.starting"
HUB_LOG = "hub.log"
_CRASHES = 2
_LOOK_EVERY_S = 0.5


class _OtherHubStarts(HubUnavailable):
    """A hub that was started ended because another one, of process `owner`, holds the home and may be starting."""

    def __init__(self, refusal: HubUnavailable, owner: int) -> None:
        super().__init__(str(refusal), refusal.exit_code, alone=refusal.alone, data=refusal.data)
        self.owner = owner


def connect_or_start(
    home: str,
    greeting: Mapping[str, Any],
    *,
    started: Callable[[Any], None] = lambda _: None,
    waiting: Callable[[], None] = lambda: None,
    within: float = address.DEFAULT_START_TIMEOUT_S,
) -> HubConnection:
    """Return a session with the home's hub, which is started if need be; replace an older hub by one of this version.

    Waits `within` seconds at most, also for a hub that somebody else is starting. `started` is called with the process
    of each hub that this call starts, which goes on starting where the time is too short; `waiting` is called while
    another process starts one. Raises HubUnavailable, and HubFrozen within seconds for a hub whose process does nothing
    any more.
    """
    until = time.monotonic() + within
    crashes = 0
    other: int | None = None
    check = _starting_hub_check(home)
    while time.monotonic() < until:
        check()
        found = try_connect(home, greeting, until)
        if found is not None and not found.answer.get("older"):
            return found
        if found is not None:
            found.link.close()
        elif other is not None and process_exists(other):
            time.sleep(POLL_S)
            continue
        with _starting(home) as ours:
            if not ours:
                waiting()
                time.sleep(POLL_S)
                continue
            try:
                return _replace_or_start(home, greeting, until, within, started)
            except HubCrashed:
                crashes += 1
                if crashes == _CRASHES:
                    raise
            except _OtherHubStarts as refused:
                other = refused.owner
    raise _too_slow(home, within)


def _starting_hub_check(home: str) -> Callable[[], None]:
    """A function, to be called while waiting, that raises HubFrozen for a hub that was stopped before it listens."""
    watch: Any = None
    looked = time.monotonic()

    def check() -> None:
        nonlocal watch, looked
        if time.monotonic() - looked < _LOOK_EVERY_S:
            return
        from mcp_reflect.wire.frozen_hub import FrozenHubWatch  # noqa: PLC0415 - most hubs are there or start sooner

        watch = watch or FrozenHubWatch(home)
        watch.check(listening=False)
        looked = time.monotonic()

    return check


def ensure_hub_runs(home: str, started: Callable[[Any], None] = lambda _: None) -> int:
    """Start a hub where none runs, without a client's session, and return its process id. Raises HubUnavailable.

    `started` is called with the process of a hub that this call starts.
    """
    greeting = {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"}
    found = connect_or_start(home, greeting, started=started)
    found.link.close()
    return int(found.answer["status"]["pid"])


@contextmanager
def _starting(home: str) -> Iterator[bool]:
    """The lock of whoever starts a hub; False where another process holds it."""
    lock = os.path.join(home, START_LOCK)
    try:
        own_files.refuse_foreign(home)
        os.makedirs(home, mode=0o700, exist_ok=True)
        descriptor = own_files.open_own(lock, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if os.path.lexists(lock) and not os.path.isfile(lock):
            told = f"{lock}: cannot be used ({error.strerror}); must be a plain file, and is made where there is none"
        else:
            told = f"MCP_REFLECT_HOME = {home}: cannot be created or written ({error.strerror}); "
            told += "must be a writable folder of your own"
        raise HubUnavailable(told, 2) from error
    try:
        yield _locked(descriptor)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def open_log(path: str | os.PathLike[str]) -> int:
    """Return a descriptor that appends to the hub's log; a link in its place is removed, never written through.

    Raises OSError in a home of another user, where nothing is created, and for a pipe or folder in its place.
    """
    own_files.refuse_foreign(os.path.dirname(path))
    if os.path.islink(path):
        os.unlink(path)
    return own_files.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def _too_slow(home: str, within: float) -> HubUnavailable:
    return HubUnavailable(
        f"the hub of {home} did not start within {within:g} seconds. Try again in a moment; `mcp-reflect doctor` and "
        f"{HUB_LOG} there say what holds it up, MCP_REFLECT_HUB__START_TIMEOUT_S sets how long to wait"
    )


def _replace_or_start(
    home: str, greeting: Mapping[str, Any], until: float, within: float, started: Callable[[Any], None]
) -> HubConnection:
    # Somebody may have been quicker between the attempt and the lock.
    found = try_connect(home, greeting, until)
    if found is not None and not found.answer.get("older"):
        return found
    if found is not None:
        found.link.close()
        stop_hub(home, until)
    return _start(home, greeting, until, within, started)


def _start(
    home: str, greeting: Mapping[str, Any], until: float, within: float, started: Callable[[Any], None]
) -> HubConnection:
    process = spawn_hub(home, greeting)
    started(process)
    while time.monotonic() < until:
        # Looked at before the attempt: a hub that has ended by now cannot answer it.
        ended = process.poll() is not None
        found = try_connect(home, greeting, until)
        if found is not None:
            if ended:  # another process's hub answers, and nobody reads what this one said
                process.stdout.close()
            return found
        if ended:
            raise _failure(home, process)
        time.sleep(POLL_S)
    raise _too_slow(home, within)


def detached_process_options() -> dict[str, Any]:
    """Return the options by which a subprocess.Popen outlives this process, its group and its terminal."""
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - only who starts a process needs it

        return {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def spawn_hub(home: str, greeting: Mapping[str, Any]) -> Any:
    """Start a hub that outlives this process and its terminal; gives back its subprocess.Popen.

    Its settings are those of who greets it, which in a program are not always those of the process.
    """
    import subprocess  # noqa: PLC0415 - only who starts a hub needs it

    options = detached_process_options()
    if "environ" in greeting:
        kept = {name: value for name, value in os.environ.items() if not handshake.is_setting(name)}
        options["env"] = {**kept, **greeting["environ"]}
    if os.path.isdir(cwd := str(greeting.get("cwd", ""))):
        options["cwd"] = cwd
    log = None
    try:
        log = open_log(os.path.join(home, HUB_LOG))
        # -P: the client's folder, which is the working directory, must not be searched for modules.
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-m", "mcp_reflect.hub", home],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            **options,
        )
    except OSError as error:
        raise HubUnavailable(f"no hub can be started for {home}: {error}", alone=True) from error
    finally:
        if log is not None:
            os.close(log)


def _failure(home: str, process: Any) -> HubUnavailable:
    """Return the error that the hub wrote to its stdout as one line of JSON, or a general one after a crash."""
    with process.stdout as said:
        text = said.read()
    try:
        report = json.loads(text)
        refusal = HubUnavailable(
            str(report["error"]), int(report["exit"]), alone=bool(report["alone"]), data=report.get("error_data")
        )
    except (ValueError, KeyError, TypeError):
        return HubCrashed(f"the hub of {home} ended with code {process.returncode} as it started; see {HUB_LOG} there")
    owner = read_owner(home) if refusal.data.get("code") == "home_in_use" else None
    return _OtherHubStarts(refusal, owner.pid) if owner is not None and owner.role == HUB_ROLE else refusal
