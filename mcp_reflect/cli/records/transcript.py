"""A run as a transcript: who said what, which tools were called with what, and what they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from mcp_reflect.cli.console import out
from mcp_reflect.cli.layout import flat, lines_of, show_text

if TYPE_CHECKING:
    from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult, Utterance

_SHOWN_LINES = 12
"""Of each message on a terminal, unless the whole run is wanted."""

_STYLES = {"user": "bold", "system": "dim", "developer": "dim"}


def show_transcript(trajectory: str, *, whole: bool) -> None:
    """Print a stored trajectory message by message; on a terminal long ones are cut unless `whole`."""
    from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult  # noqa: PLC0415 - only here
    from mcp_reflect.domain.trajectory.parsing import parse  # noqa: PLC0415 - only here

    most = _SHOWN_LINES if out.is_terminal and not whole else None
    run = parse(trajectory)
    if run.messages is None:
        show_text(lines_of(run.text), most_lines=most)
        return
    names = {call.id: call.name for call in run.calls if call.id}
    for event in run.events:
        if isinstance(event, ToolCall):
            _show_call(event, most)
        elif isinstance(event, ToolResult):
            _show_result(event, names.get(event.call_id, event.name), most)
        else:
            _show_utterance(event, most)


def _show_utterance(said: Utterance, most: int | None) -> None:
    out.print(flat(said.role or "text", _STYLES.get(said.role, "")), soft_wrap=True)
    show_text(lines_of(said.text), most_lines=most)


def _show_call(call: ToolCall, most: int | None) -> None:
    from mcp_reflect.domain.trajectory.tools import arguments_of, command_of  # noqa: PLC0415 - only here

    arguments = arguments_of(call.arguments)
    command = command_of(arguments)
    given = "; ".join(f"{name}={value}" for name, value in arguments.items()) or call.arguments
    out.print(Text("→ ", "cyan") + flat(call.name, "cyan"), soft_wrap=True)
    show_text(lines_of(f"$ {command}" if command else given), most_lines=most)


def _show_result(result: ToolResult, name: str, most: int | None) -> None:
    failed = bool(result.failed or any(result.errors))
    style = "red" if failed else "dim"
    out.print(Text("← ", style) + flat(f"{name} failed" if failed else name, style), soft_wrap=True)
    show_text(lines_of(result.text or "(nothing)", style), most_lines=most)
