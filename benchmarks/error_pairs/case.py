"""Failing commands with the names that tell each from another error of the same shape: `cases.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).parent / "cases.json"
_SLOT = re.compile(r"@(\w)@")


@dataclass(frozen=True)
class Case:
    """`files` and `command` hold slots such as `@a@`; `slots` gives each a value for the error and for its look-alike.

    `again` runs the same with other options, such as a longer output; empty for none.
    """

    ecosystem: str
    name: str
    files: Mapping[str, str]
    command: str
    again: str
    slots: Mapping[str, tuple[str, str]]

    def filled(self, text: str, *, look_alike: bool) -> str:
        """Return a text of the case with the values of its slots."""
        return _SLOT.sub(lambda slot: self.slots[slot[1]][look_alike], text)


def read_cases() -> tuple[Case, ...]:
    """The cases, those of an ecosystem together."""
    return tuple(Case(**row) for row in json.loads(_FILE.read_text(encoding="utf-8")))
