"""Checkpoints of SQLite's journal in the background: what was acknowledged soon stands in the ledger's own file.

A journal (WAL) that is cut off after a crash loses the end of what is in it alone. A checkpoint begins once nothing
was committed for a moment, during a long burst now and then. It copies without keeping anybody waiting, and then
empties the journal in a moment in which nobody reads or writes: a cut in a journal that was copied but not emptied
would bring back older pages over newer ones. A journal that was damaged in use is not copied.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from mcp_reflect.adapters.sql_ledger.durability.journal import discard_index, is_damaged

log = logging.getLogger(__name__)

QUIET_S = 0.1
"""Seconds without a commit after which a checkpoint begins."""

AT_LATEST_S = 1.0
"""Seconds after which it begins during a burst, too."""

_LONGEST_PAUSE_S = 5.0
"""Between two attempts while somebody keeps reading an older state."""


class Checkpointer:
    """Runs checkpoints through an engine of an SQLite file; `turn` is held by whoever writes in this process.

    Its thread lives only while something waits for a checkpoint. `is_stopped` is true from the moment on in which the
    journal was found damaged.
    """

    def __init__(self, engine: Engine, turn: threading.Lock, file: Path | None) -> None:
        self.is_stopped = False
        self._engine = engine
        self._file = file
        self._turn = turn
        self._state = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._committed = 0.0

    def notify(self) -> None:
        """Schedule a checkpoint of what was just committed."""
        with self._state:
            self._committed = time.monotonic()
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="mcp-reflect-checkpoints", daemon=True)
                self._thread.start()

    def stop_if_damaged(self) -> bool:
        """Return whether the journal is damaged; then nothing of it is copied any more, and SQLite reads it anew."""
        if not self.is_stopped and self._file is not None and is_damaged(self._file):
            self.is_stopped = True
            discard_index(self._file)
            log.error("the journal of %s was cut off or overwritten in use", self._file)
        return self.is_stopped

    def close(self) -> None:
        """Finish a checkpoint that is under way, and make the one that is due."""
        with self._state:
            self._stopping.set()
            thread = self._thread
        if thread is not None:
            thread.join()
            self._attempt()
        self.stop_if_damaged()  # SQLite copies the journal, too, when its last connection is closed

    def _run(self) -> None:
        began, pause = time.monotonic(), QUIET_S
        while not self._stopping.wait(pause):
            with self._state:
                committed = self._committed
            now = time.monotonic()
            if now - committed < QUIET_S and now - began < AT_LATEST_S:
                pause = QUIET_S - (now - committed)
                continue
            is_done = self._attempt()
            with self._state:
                if is_done and self._committed == committed:
                    self._thread = None
                    return
            began, pause = time.monotonic(), QUIET_S if is_done else min(2 * pause, _LONGEST_PAUSE_S)

    def _attempt(self) -> bool:
        """Return whether the journal is empty now, or nothing to be copied."""
        if self.stop_if_damaged():
            return True
        try:
            with self._engine.connect() as connection:
                (timeout,) = connection.exec_driver_sql("PRAGMA busy_timeout").one()
                connection.exec_driver_sql("PRAGMA busy_timeout = 0")
                try:
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
                    if not self._turn.acquire(blocking=False):
                        return False
                    try:
                        return not connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
                    finally:
                        self._turn.release()
                finally:
                    connection.exec_driver_sql(f"PRAGMA busy_timeout = {timeout}")
        except SQLAlchemyError as error:  # the journal still holds it all, and the next commit tells its client
            log.debug("no checkpoint: %s", error)
            return False
