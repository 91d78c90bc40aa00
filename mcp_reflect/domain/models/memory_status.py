"""The statuses of memories: which are in force, and which can be retrieved."""

from __future__ import annotations

from typing import Literal

Status = Literal["active", "adopted", "pending", "superseded", "deprecated", "archived"]
Action = Literal["adopt", "deprecate", "archive", "restore"]


IN_FORCE: frozenset[Status] = frozenset({"active", "adopted"})

RETRIEVABLE: frozenset[Status] = IN_FORCE | {"superseded"}
"""A memory in another status is kept, credited and exported, but never retrieved. `pending`: being rewritten.
`superseded`: a later one amends it, behind which it is shown."""


def successor_in_force(status: Status, superseded_by: str) -> str:
    """Return the memory behind which another is shown; empty for one that is not superseded (any more)."""
    return superseded_by if status == "superseded" else ""
