"""What a check finds, and how checks are run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class Finding:
    """One line for people. `remedy` is the command or action that mends it, empty where nothing is to be done."""

    check: str
    status: Status
    detail: str
    remedy: str = ""


Check = Callable[[], Iterable[Finding]]


@dataclass(frozen=True)
class Timed:
    """A check and the seconds it may take."""

    name: str
    check: Check
    seconds: float


def run(checks: Sequence[Timed]) -> list[Finding]:
    """Run the checks at the same time; what they found, in their order. Never raises, and ends in bounded time."""
    started = [(timed, *_start(timed)) for timed in checks]
    return [finding for timed, thread, found in started for finding in _result(timed, thread, found)]


def _start(timed: Timed) -> tuple[threading.Thread, list[Finding]]:
    found: list[Finding] = []

    def work() -> None:
        try:
            found.extend(timed.check())
        except Exception as error:  # noqa: BLE001 - whatever is broken here is what people want to be told
            found.append(Finding(timed.name, "wrong", f"could not be checked: {type(error).__name__}: {error}"))

    # A daemon: what hangs in a system call must not keep the program from ending.
    thread = threading.Thread(target=work, name=f"check {timed.name}", daemon=True)
    thread.start()
    return thread, found


def _result(timed: Timed, thread: threading.Thread, found: list[Finding]) -> list[Finding]:
    thread.join(timed.seconds)
    if thread.is_alive():
        return [Finding(timed.name, "wrong", f"no answer within {timed.seconds:.0f} seconds")]
    return found
