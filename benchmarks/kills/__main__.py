"""Kills operations of a home at random moments and checks what is left.

`python -m benchmarks.kills [--kills 15] [--only forget,learn] [--seed 1]`; POSIX only. Each kill has a process and a
copy of a home to itself. Afterwards another process opens the home, lets the index catch up, and checks: everything
that was acknowledged is there, nothing else than the states before and after, `verify` finds nothing, no process of
the operation is left, and no file that the home does not know. Exit code 1 where something was found.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from benchmarks.kills.filled_home import Place, copy_of, fill, settings_of
from benchmarks.kills.operations import OPERATIONS, Operation, Say
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.hub.maintenance import run_maintenance

KNOWN = {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db-mark", "chroma", "owner.lock", "owner.json"}
KNOWN |= {"learned.jsonl", "before-restore.zip", "models", "sessions"}
LONGEST_S = 120.0
ENDLESS_S = 2.0


class Child:
    """A process of its own group that runs a function and tells lines."""

    def __init__(self, work: Callable[[Say], None]) -> None:
        self._lines, theirs = os.pipe()
        self._told = b""
        self.pid = os.fork()
        if self.pid:
            os.close(theirs)
            return
        code = 1
        try:
            os.setpgid(0, 0)
            os.close(self._lines)
            quiet = os.open(os.devnull, os.O_RDWR)
            os.dup2(quiet, 1)
            work(lambda line: void(os.write(theirs, line.encode() + b"\n")))
            code = 0
        except BaseException:  # noqa: BLE001 - told to whoever started it
            traceback.print_exc()
        finally:
            os._exit(code)

    def wait_for(self, seconds: float, line: str = "") -> bool:
        """Read what it tells for that long, or until it told `line` or ended; return whether it ended or did."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if line and line in self.told():
                return True
            if select.select([self._lines], [], [], left)[0]:
                read = os.read(self._lines, 1 << 16)
                if not read:
                    return True
                self._told += read
        return False

    def told(self) -> list[str]:
        """Return the whole lines that were read."""
        return self._told.decode().split("\n")[:-1]

    def end(self) -> int:
        """Kill it, read the rest, and return its exit status."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.wait_for(1.0)
        os.close(self._lines)
        return status

    def others(self) -> bool:
        """Return whether processes that it started are left after a moment."""
        until = time.monotonic() + 5.0
        while time.monotonic() < until:
            try:
                os.killpg(self.pid, 0)
            except ProcessLookupError:
                return False
            time.sleep(0.05)
        return True


def filled(place: Place, say: Say) -> None:
    """Fill a home and say so."""
    fill(place)
    say("done")


def void(_: object) -> None:
    """Give nothing back."""


def usual_seconds(operation: Operation, place: Place) -> float:
    """Run an operation to its end and return the seconds that it took from its first word on."""
    child = Child(lambda say: operation.run(place, say))
    try:
        if not child.wait_for(LONGEST_S, "begun"):
            raise TimeoutError(f"{operation.name} did not begin")
        began = time.monotonic()
        if not operation.endless and not child.wait_for(LONGEST_S, "done"):
            raise TimeoutError(f"{operation.name} did not end")
        return ENDLESS_S if operation.endless else time.monotonic() - began
    finally:
        child.end()


def strangers(home: Path) -> list[str]:
    """Return the names in a home that no part of it expects."""
    return sorted(each.name for each in home.iterdir() if each.name not in KNOWN)


def look(operation: Operation, place: Place, said: list[str], say: Say) -> None:
    """Open the home as the next owner does, and say what is wrong as lines of JSON."""
    settings = settings_of(place.home)
    with open_store(settings) as store:
        run_maintenance("verify", store, "", lambda event: say(json.dumps(event)) if "line" in event else None)
        lost = store.ledger.lost_writes()
        if lost is not None:
            say(json.dumps({"line": f"{lost.count} writes are said to be lost"}))
    for problem in operation.check(place, said):
        say(json.dumps({"line": problem}))
    say("looked")


def kill_once(operation: Operation, place: Place, after: float) -> tuple[list[str], list[str], bool]:
    """Return what is wrong, the strange files right after the kill, and whether the operation had ended before."""
    child = Child(lambda say: operation.run(place, say))
    child.wait_for(LONGEST_S, "begun")
    child.wait_for(after)
    child.end()
    said = [line for line in child.told() if line != "begun"]
    wrong = ["processes are left"] if child.others() else []
    left = strangers(place.home)
    looking = Child(lambda say: look(operation, place, said, say))
    looking.wait_for(LONGEST_S, "looked")
    looking.end()
    told = looking.told()
    wrong += [json.loads(line)["line"] for line in told if line != "looked"]
    if "looked" not in told:
        wrong.append("the home could not be looked at")
    wrong += [f"{name} stays in the home" for name in strangers(place.home)]
    return wrong, left, "done" in said


def main() -> int:
    """Kill, check, print a line for each operation; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    failed = False
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        seed = Place(Path(folder) / "seed")
        seed.home.mkdir(parents=True)
        filling = Child(lambda say: filled(seed, say))
        if not filling.wait_for(LONGEST_S, "done"):
            raise TimeoutError("the home was not filled")
        filling.end()
        for operation in OPERATIONS:
            if options.only and operation.name not in options.only.split(","):
                continue
            usual = usual_seconds(operation, copy_of(seed, Path(folder) / f"{operation.name}-usual"))
            found: Counter[str] = Counter()
            leftovers: Counter[str] = Counter()
            ended = 0
            for number in range(options.kills):
                place = copy_of(seed, Path(folder) / f"{operation.name}-{number}")
                wrong, left, done = kill_once(operation, place, chance.uniform(0, usual))
                found.update(wrong)
                leftovers.update(name.split(".")[0] for name in left)
                ended += done
            failed |= bool(found)
            print(
                f"{operation.name}: {options.kills} kills within {usual:.2f} s, {ended} after its end; "
                f"left behind until the home was opened: {dict(leftovers) or 'nothing'}; "
                f"wrong: {dict(found) or 'nothing'}",
                flush=True,
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
