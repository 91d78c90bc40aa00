"""Reaching the hub of a home, and starting one where there is none. Standard library only: every shim imports this.

Whoever finds no hub takes the file lock `<home>/hub.starting`, looks once more, starts a hub and waits until it
answers. The lock is the operating system's and goes with its holder. It only saves needless starts: that a home
has one owner is the work of the lock that the hub itself holds.
"""

from __future__ import annotations

import json
import math
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp_reflect.wire import address, handshake
from mcp_reflect.wire.owner_note import HUB_ROLE, read_owner

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

START_LOCK = "hub.starting"
HUB_LOG = "hub.log"
ANSWER_TIMEOUT_S = 30.0
_POLL_S = 0.02
_CRASHES = 2


class HubUnavailable(Exception):
    """No hub can be had; the message is one line.

    `exit_code` is what the process should end with. `alone`: this process may serve its client without a hub. `data` is
    the hub's own error (`mcp_reflect.errors.ErrorData`), empty where no hub said anything, or an older one did.
    """

    def __init__(
        self, message: str, exit_code: int = 1, *, alone: bool = False, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_code = exit_code
        self.alone = alone
        self.data = dict(data or {})


class _Crashed(HubUnavailable):
    """A hub that was started ended without a word."""


class _OtherHubStarts(HubUnavailable):
    """A hub that was started ended because another one, of process `owner`, holds the home and may be starting."""

    def __init__(self, refusal: HubUnavailable, owner: int) -> None:
        super().__init__(str(refusal), refusal.exit_code, alone=refusal.alone, data=refusal.data)
        self.owner = owner


class HubSilent(HubUnavailable):
    """Something takes connections and does not answer."""


class HubConnection:
    """A hub that has accepted the hello: its socket, what it sends, and its answer."""

    def __init__(self, link: socket.socket, lines: handshake.LineReader, answer: Mapping[str, Any]) -> None:
        self.link = link
        self.lines = lines
        self.answer = answer


def try_connect(
    home: str, greeting: Mapping[str, Any], until: float = math.inf, *, patience_s: float = ANSWER_TIMEOUT_S
) -> HubConnection | None:
    """Connect and greet; None where no hub listens, or it left before it answered.

    Waits for the answer until `until` (of `time.monotonic`), and no longer than `patience_s` seconds. Raises HubSilent
    where there is none by then, and HubUnavailable where the hub refuses or belongs to another user.
    """
    try:
        link, token = address.connect_socket(home)
    except PermissionError as error:
        raise HubUnavailable(f"the hub of {home} cannot be reached: {error}", alone=True) from error
    except OSError:
        return None
    try:
        link.settimeout(max(min(patience_s, until - time.monotonic()), _POLL_S))
        lines = handshake.LineReader(link)
        answer = handshake.exchange_hello(link, lines, {**greeting, "token": token})
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
    another process starts one. Raises HubUnavailable.
    """
    until = time.monotonic() + within
    crashes = 0
    other: int | None = None
    while time.monotonic() < until:
        found = try_connect(home, greeting, until)
        if found is not None and not found.answer.get("older"):
            return found
        if found is not None:
            found.link.close()
        elif other is not None and _alive(other):
            time.sleep(_POLL_S)
            continue
        with _starting(home) as ours:
            if not ours:
                waiting()
                time.sleep(_POLL_S)
                continue
            try:
                return _replace_or_start(home, greeting, until, within, started)
            except _Crashed:
                crashes += 1
                if crashes == _CRASHES:
                    raise
            except _OtherHubStarts as refused:
                other = refused.owner
    raise _too_slow(home, within)


def ensure_hub_runs(home: str) -> int:
    """Start a hub where none runs, without a client's session, and return its process id. Raises HubUnavailable."""
    greeting = {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"}
    found = connect_or_start(home, greeting)
    found.link.close()
    return int(found.answer["status"]["pid"])


def wait_for_exit(pid: int, until: float) -> bool:
    """Wait for the end of a process, at most until `until` (of `time.monotonic`). Raises HubUnavailable."""
    while _alive(pid):
        if time.monotonic() > until:
            raise HubUnavailable(f"process {pid} does not exit")
        time.sleep(_POLL_S)
    return True


def _alive(pid: int) -> bool:
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
    with asked.link:
        # The hub lets go of this connection when everything else is done.
        asked.link.settimeout(max(until - time.monotonic(), 0.1))
        try:
            while asked.lines.next() is not None:
                pass
        except TimeoutError:
            raise HubUnavailable(f"the hub of {home} does not exit") from None
        except OSError:
            pass
    return True


@contextmanager
def _starting(home: str) -> Iterator[bool]:
    """The lock of whoever starts a hub; False where another process holds it."""
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        descriptor = os.open(os.path.join(home, START_LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise HubUnavailable(
            f"MCP_REFLECT_HOME = {home}: cannot be created or written ({error.strerror}); must be a writable folder", 2
        ) from error
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
            return found
        if ended:
            raise _failure(home, process)
        time.sleep(_POLL_S)
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
        log = os.open(os.path.join(home, HUB_LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
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
        return _Crashed(f"the hub of {home} ended with code {process.returncode} as it started; see {HUB_LOG} there")
    owner = read_owner(home) if refusal.data.get("code") == "home_in_use" else None
    return _OtherHubStarts(refusal, owner.pid) if owner is not None and owner.role == HUB_ROLE else refusal
