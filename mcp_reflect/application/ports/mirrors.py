"""Digests of what was last written into the files that mirror errors for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class MirrorQueries(Protocol):
    """Reads the state of mirror files."""

    def digests(self, key: str) -> dict[str, str]:
        """Return the digests of the lines last written into the file `key`, by memory id; empty at first."""
        ...

    def is_known(self, key: str) -> bool:
        """Return true once digests were stored for the file, also where these were none."""
        ...


class MirrorRepository(MirrorQueries, Protocol):
    """Reads and writes the state of mirror files."""

    def put(self, key: str, digests: Mapping[str, str]) -> None:
        """Store the digests of a file in place of those it had."""
        ...
