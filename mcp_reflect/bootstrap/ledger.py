"""Opens a home's ledger for one command: without the index, and without a use case until the command asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.application.ports import Clock, Embedder, Ledger, ReadableLedger
from mcp_reflect.application.profile import Profile
from mcp_reflect.bootstrap.parts import (
    build_embedder,
    build_mirror,
    build_profile,
    open_ledger_beside_owner,
    open_ledger_for_reading,
)
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings
from mcp_reflect.domain.ids import new_id

if TYPE_CHECKING:
    from mcp_reflect.application.known_errors.mirror import Mirror


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class LedgerAccess:
    """The ledger, without the index, for a command that works beside the owner of a home.

    Several processes may write the ledger, but only one may open the index; the owner follows the ledger.
    """

    settings: Settings
    ledger: Ledger
    embedder: Embedder
    profile: Profile
    clock: Clock

    @cached_property
    def mirror(self) -> Mirror:
        """Return the mirror of the errors; it imports what known errors need, which a reading command seldom does."""
        return build_mirror(self.settings, self.ledger, self.embedder, self.profile, self.clock)

    def count_waiting_errors(self) -> int:
        """Return the number of errors in the repository's file that wait for consent."""
        return len(self.mirror.waiting()) if self.settings.errors.mirror else 0


@contextmanager
def open_ledger_access(settings: Settings, clock: Clock = utc_now) -> Iterator[LedgerAccess]:
    """Open the ledger of the settings beside whoever owns the home. Raises ConfigurationError or LedgerError."""
    home = Home(settings.home)
    ledger = open_ledger_beside_owner(settings, home)
    try:
        embedder = build_embedder(settings, home)
        try:
            yield ledger_access_of(ledger, embedder, settings, clock)
        finally:
            embedder.close()
    finally:
        ledger.close()


@dataclass(frozen=True)
class ReadAccess:
    """The ledger for a command that only reads: opening it writes nothing."""

    settings: Settings
    ledger: ReadableLedger
    embedder: Embedder
    profile: Profile

    def count_waiting_errors(self) -> int:
        """Return the number of errors in the repository's file that wait for consent."""
        mirror = self.settings.errors.mirror
        if not mirror or not Path(mirror).is_file():
            return 0
        if not self.settings.ledger.url and not Home(self.settings.home).ledger_path.exists():
            from mcp_reflect.application.known_errors.mirror_file import errors_at_beginning  # noqa: PLC0415 - seldom

            return len(errors_at_beginning(Path(mirror)))  # looking creates no ledger, and without one nobody consented
        # Looking at the file takes in what somebody changed in it.
        with open_ledger_access(self.settings) as access:
            return access.count_waiting_errors()


@contextmanager
def open_read_access(settings: Settings) -> Iterator[ReadAccess]:
    """Open the ledger of the settings for reading. Raises ConfigurationError or LedgerError."""
    home = Home(settings.home)
    embedder = build_embedder(settings, home)
    with closing(embedder), closing(open_ledger_for_reading(settings, home)) as ledger:
        yield ReadAccess(settings, ledger, embedder, build_profile(settings, embedder, new_id("con")))


def ledger_access_of(ledger: Ledger, embedder: Embedder, settings: Settings, clock: Clock = utc_now) -> LedgerAccess:
    """Return access, for one command, to a ledger that is open already."""
    return LedgerAccess(settings, ledger, embedder, build_profile(settings, embedder, new_id("con")), clock)
