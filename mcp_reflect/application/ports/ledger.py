"""The ledger: the store from which everything else is derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from mcp_reflect.application.ports.embedding import Progress
from mcp_reflect.application.ports.records import LostWrites
from mcp_reflect.application.ports.session import ReadSession, RecordSession, WriteSession
from mcp_reflect.domain.models import Memory, Retrieval
from mcp_reflect.errors import LedgerError

Order = Callable[[Mapping[str, Memory]], Sequence[str]]
"""Returns the ids of memories, which it is given by these, in the order in which they are shown."""


class OutOfDate(Exception):
    """Somebody has written to the ledger after the change that was named."""


class Unwritable(LedgerError):
    """The place of the ledger takes no writes, as on a full disk. It may still be read."""


class ReadableLedger(Protocol):
    """The store of record as who only reads sees it. Thread-safe; a session belongs to the thread that opened it."""

    def reading(self) -> AbstractContextManager[RecordSession]:
        """Open a session of records: it sees what was committed when it began to read, and keeps no writer waiting."""
        ...

    def lost_writes(self) -> LostWrites | None:
        """Return what was acknowledged and is missing from the ledger, as found lately; None where nothing is."""
        ...

    def close(self) -> None:
        """Close the connections to the database."""
        ...


class Ledger(ReadableLedger, Protocol):
    """The store of record."""

    def reading(self) -> AbstractContextManager[ReadSession]:
        """Open a read session: it sees what was committed when it began to read, and keeps no writer waiting."""
        ...

    def writing(self, *, durable: bool = True) -> AbstractContextManager[WriteSession]:
        """Open a write session: one transaction, committed at the end of the block, rolled back by an exception.

        What is not `durable` survives a crash of the process, perhaps not of the power: for bookkeeping that nobody
        was promised.
        """
        ...

    def record_retrieval(
        self, retrieval: Retrieval, as_of: int | None = None, order: Order | None = None
    ) -> dict[str, Memory]:
        """Store what is shown, set last_used_at of its memories, and return them by id. Not durable; see `writing`.

        `order` returns the ids in the order in which they are shown, once the memories are known.

        Raises OutOfDate, and stores nothing, where `as_of` is not the latest change; Unwritable where nothing can be
        written.
        """
        ...

    @property
    def known_seq(self) -> int:
        """The latest change of which this object knows, without asking: others may have written since."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the ledger's files. Raises LedgerError where others hold on to it."""
        ...


class LedgerFile(Protocol):
    """A ledger that is one file, as a whole."""

    def copy_to(self, target: Path, progress: Progress | None = None) -> None:
        """Write what is committed now into a new file, while others go on writing. Raises LedgerError."""
        ...

    def check(self, file: Path) -> None:
        """Raise ArchiveError where a file is no whole ledger that this version can read."""
        ...

    def examined(self, file: Path) -> AbstractContextManager[Ledger]:
        """Open a copy that was checked, to look at its content; its tables are migrated. Raises LedgerError."""
        ...

    def replace_by(self, file: Path, progress: Progress | None = None) -> None:
        """Put a copy in the ledger's place, all of it or nothing; `file` is used up. Raises LedgerError."""
        ...
