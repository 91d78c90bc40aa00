"""The note of who owns a home, `<home>/owner.json`, which `config.home` writes. Standard library only."""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from mcp_reflect.own_files import read_own

HUB_ROLE = "a hub"


class Owner(NamedTuple):
    """The process that owns a home, and its role there: `HUB_ROLE`, or that of a server without a hub."""

    pid: int
    role: str


def read_owner(home: str) -> Owner | None:
    """Return the owner that is noted in the home; None where none is, or the note cannot be read.

    A process that was killed leaves its note behind.
    """
    try:
        note = json.loads(read_own(os.path.join(home, "owner.json")))
        return Owner(int(note["pid"]), str(note["role"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
