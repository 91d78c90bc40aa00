"""Runs checks and collects what they find."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

FindingStatus = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class DoctorFinding:
    """One line for people. `remedy` is the command or action that mends it, empty where nothing is to be done."""

    check: str
    status: FindingStatus
    detail: str
    remedy: str = ""


Check = Callable[[], Iterable[DoctorFinding]]


@dataclass(frozen=True)
class TimedCheck:
    """A check and the seconds it may take."""

    name: str
    check: Check
    seconds: float


def run_checks(checks: Sequence[TimedCheck]) -> list[DoctorFinding]:
    """Run the checks at the same time; what they found, in their order. Never raises, and ends in bounded time."""
    started = [(timed, *_start(timed)) for timed in checks]
    return [finding for timed, thread, found in started for finding in _result(timed, thread, found)]


def _start(timed: TimedCheck) -> tuple[threading.Thread, list[DoctorFinding]]:
    found: list[DoctorFinding] = []

    def work() -> None:
        try:
            found.extend(timed.check())
        except Exception as error:  # noqa: BLE001 - whatever is broken here is what people want to be told
            found.append(DoctorFinding(timed.name, "wrong", f"could not be checked: {type(error).__name__}: {error}"))

    # A daemon: what hangs in a system call must not keep the program from ending.
    thread = threading.Thread(target=work, name=f"check {timed.name}", daemon=True)
    thread.start()
    return thread, found


def _result(timed: TimedCheck, thread: threading.Thread, found: list[DoctorFinding]) -> list[DoctorFinding]:
    thread.join(timed.seconds)
    if thread.is_alive():
        return [DoctorFinding(timed.name, "wrong", f"no answer within {timed.seconds:.0f} seconds")]
    return found
