"""A hub that is frozen is told apart from one that is busy or starting, and soon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcp_reflect.wire import handshake, hub_connection, hub_launcher
from mcp_reflect.wire.frozen_hub import LOOK_EVERY_S, FrozenHubWatch
from mcp_reflect.wire.hub_errors import HubFrozen
from tests.support.hubs import hubs_ended, posix, run_command, status
from tests.support.servers import environment
from tests.support.waiting import HANG_S

pytestmark = [posix, pytest.mark.process, pytest.mark.slow]

SOON_S = 3.0
FEW_LOOKS = 5


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def owned_by(home: Path, code: str) -> subprocess.Popen[bytes]:
    """A process that passes for the home's hub."""
    process = subprocess.Popen([sys.executable, "-c", f"import time\n{code}"])
    home.mkdir()
    (home / "owner.json").write_text(json.dumps({"pid": process.pid, "role": "a hub"}), encoding="utf-8")
    return process


def watched(home: Path, seconds: float, *, listening: bool) -> None:
    watch, began = FrozenHubWatch(str(home)), time.monotonic()
    while time.monotonic() - began < seconds:
        watch.check(listening=listening)
        time.sleep(LOOK_EVERY_S)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Every look at the hub's process, LOOK_EVERY_S apart at least."""
    seen, check = list[bool](), FrozenHubWatch.check

    def counted(watch: FrozenHubWatch, *, listening: bool) -> None:
        seen.append(listening)
        check(watch, listening=listening)

    monkeypatch.setattr(FrozenHubWatch, "check", counted)
    return seen


def test_a_main_thread_that_never_wakes_hangs_and_one_that_does_is_well(home: Path) -> None:
    with owned_by(home, "time.sleep(1000)") as hangs:
        watched(home, SOON_S, listening=False)  # while it starts it may wait for a database
        with pytest.raises(HubFrozen, match=f"process {hangs.pid}, hangs.*kill -9 {hangs.pid}"):
            watched(home, HANG_S, listening=True)
        hangs.kill()


@pytest.mark.parametrize("code", ["while True: time.sleep(0.25)", "while True: pass"])
def test_a_hub_that_waits_or_works_is_not_frozen(home: Path, code: str) -> None:
    with owned_by(home, code) as process:
        watched(home, SOON_S, listening=True)
        process.kill()


def test_whoever_waits_for_a_stopped_hub_is_told_soon_what_to_do(home: Path, looks: list[bool]) -> None:
    greeting = handshake.build_hello("1", str(home), environment(home), str(home.parent), "")
    with hubs_ended(home):
        assert run_command(home, "hub", "restart", MCP_REFLECT_HUB__IDLE_EXIT_S="60").returncode == 0
        pid = int(status(home)["pid"])
        os.kill(pid, signal.SIGSTOP)
        told = f"process {pid}, is stopped.*kill -CONT {pid}.*kill -9 {pid}"
        for wait in (hub_launcher.connect_or_start, hub_connection.try_connect):
            looks.clear()
            with pytest.raises(HubFrozen, match=told):
                wait(str(home), greeting)
            assert len(looks) <= FEW_LOOKS
        (home / "hub.sock").unlink()  # as it is while a hub starts
        with pytest.raises(HubFrozen, match=told):
            hub_launcher.connect_or_start(str(home), greeting)
        os.kill(pid, signal.SIGCONT)
