"""The help of `mcp-reflect hook`. A hook itself never gets here: `__main__` runs it without the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from mcp_reflect.hooks import command


def hook_command(
    client: Annotated[str, typer.Argument(help="claude-code, codex, cursor or gemini.")],
    event: Annotated[str, typer.Argument(help="The client's name of the event; else as stdin names it.")] = "",
) -> None:
    """Answer a hook of a coding agent: its JSON on stdin, what to tell the model on stdout. Always exits with 0."""
    command.run_hook([client, event] if event else [client])
