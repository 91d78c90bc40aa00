"""Opens a home's ledger for one command: without the index, and without a use case until the command asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_reflect.application.ports import Clock, Embedder, Ledger
from mcp_reflect.application.profile import Profile
from mcp_reflect.bootstrap.parts import build_embedder, build_ledger, build_mirror, build_profile
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
    """Raises ConfigurationError or LedgerError."""
    home = Home(settings.home)
    ledger = build_ledger(settings, home)
    try:
        embedder = build_embedder(settings, home)
        try:
            yield ledger_access_of(ledger, embedder, settings, clock)
        finally:
            embedder.close()
    finally:
        ledger.close()


def ledger_access_of(ledger: Ledger, embedder: Embedder, settings: Settings, clock: Clock = utc_now) -> LedgerAccess:
    """Return access, for one command, to a ledger that is open already."""
    return LedgerAccess(settings, ledger, embedder, build_profile(settings, embedder, new_id("con")), clock)
