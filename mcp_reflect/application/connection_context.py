"""The ledger, embedder, profile and clock with which every use case of a connection works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcp_reflect.application.ports import Clock, Embedder, Ledger
from mcp_reflect.application.profile import Profile


@dataclass(frozen=True)
class ConnectionContext:
    """The ledger and the embedder of the home, and the profile of the connection.

    `on_saved` is called with the project whose memories or reviews changed, after the transaction.
    """

    ledger: Ledger
    embedder: Embedder
    profile: Profile
    clock: Clock
    on_saved: Callable[[str], None]
