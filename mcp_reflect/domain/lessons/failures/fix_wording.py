"""Wording of a fix: the changes that made a command pass, a line each, and what the agent said of them in the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mcp_reflect.domain.text.quotation import read_quotation, without_sources

INSTEAD_OF = " instead of "
INSTEAD = f"`{INSTEAD_OF}`"
_RUN = re.compile(rf"Run `(.+?)(?:{INSTEAD}.+)?`$")
_CLOSING = "The agent said in the end: "


def fix_text(changes: Sequence[str], said: Sequence[str]) -> str:
    """Return a fix as one text; what the agent concluded from a text that it read is a quotation with that source."""
    quoted = [each for each in said if read_quotation(each)]
    own = " ".join(each for each in said if each not in quoted)
    closing = [f'{_CLOSING}"{own}"'] if own else []
    return "\n".join([*changes, *quoted, *closing])


def is_part_of_fix(line: str, changes: Sequence[str], said: Sequence[str]) -> bool:
    """Return true for a line of a fix that tells one of these changes, or what was said, as far as that may be told."""
    if line.startswith(_CLOSING):
        return any(sentence in line for sentence in said)
    return line in said or any(each.startswith(line) for change in changes for each in change.splitlines())


def command_of_change(change: str) -> str:
    """Return the command that a change runs, as `find_fixed_errors` words it; empty for an edit."""
    found = _RUN.match(change)
    return found[1] if found else ""


def commands_of_fix(fix: str) -> list[str]:
    """Return the commands that a fix has run before the one that failed, as `find_fixed_errors` words it."""
    lines = without_sources(fix).splitlines()
    return [command for line in lines if INSTEAD not in line and (command := command_of_change(line))]
