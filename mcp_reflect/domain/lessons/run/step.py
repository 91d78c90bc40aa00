"""A step of a run: a command, an edit or another tool call, with its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Step:
    """One call of a run.

    `subject` is the command line of a command, the path of an edit, the arguments of another call as compact text.
    `file` is the name of the edited file for a reader, `change` holds pairs of what an edit replaced and by what.
    `failed` is None where nothing tells. `output` is what it printed, of a long one the beginning and the end. `whole`
    is the compound command that it is a part of. `writes` is true for an edit that writes the whole file.
    """

    kind: Literal["command", "edit", "call"]
    tool: str
    subject: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    change: tuple[tuple[str, str], ...] = ()
    failed: bool | None = None
    errors: tuple[str, ...] = ()
    output: str = ""
    file: str = ""
    whole: str = ""
    writes: bool = False
