"""The other projects of a home, named where the one that was asked for holds nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.cli.console import out
from mcp_reflect.cli.formats import format_count

_NAMED = 5


def say_other_projects(others: Sequence[Mapping[str, Any]]) -> None:
    """Print which projects have runs, the last used first; nothing where there is none."""
    if others:
        shown = others[:_NAMED]
        named = ", ".join(f"{each['project']} ({format_count(each['traces'], 'run')})" for each in shown)
        out.print(f"Projects with runs: {named}. Name one with --project.", markup=False, soft_wrap=True)
