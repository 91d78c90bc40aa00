"""`mcp-reflect hub status | stop | restart`."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from mcp_reflect.cli.console import report_errors
from mcp_reflect.wire import handshake, hub_connection, hub_launcher

hub_app = typer.Typer(help="The process that serves all clients of a home.", no_args_is_help=True)
_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

_STOP_S = 60.0


def _home() -> str:
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy

    return str(load_settings().home)


def _status_of(home: str) -> dict[str, Any] | None:
    found = hub_connection.try_connect(home, {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"})
    if found is None:
        return None
    found.link.close()
    status: dict[str, Any] = found.answer["status"]
    return status


@hub_app.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False) -> None:
    """Show the hub and its clients; exit code 1 if none is running."""
    with report_errors():
        home = _home()
        found = _status_of(home)
    if as_json:
        _out.print_json(json.dumps(found))
    elif found is None:
        _out.print(f"No hub is running for {home}.", markup=False, soft_wrap=True)
    else:
        _show(found)
    if found is None:
        raise typer.Exit(1)


@hub_app.command()
def stop() -> None:
    """Let the hub finish what is under way and leave. A connected client starts another when it next asks."""
    with report_errors():
        home = _home()
        stopped = _stopped(home)
    _out.print("The hub has left." if stopped else f"No hub is running for {home}.", markup=False, soft_wrap=True)


@hub_app.command()
def restart() -> None:
    """Put a new hub in the place of the one that runs, without losing a request; start one where none runs."""
    with report_errors():
        home = _home()
        _stopped(home)
        found = hub_launcher.ensure_hub_runs(home)
    _out.print(f"The hub runs as process {found}.")


def _stopped(home: str) -> bool:
    before = _status_of(home)
    if before is None or not hub_connection.stop_hub(home, time.monotonic() + _STOP_S, "stop"):
        return False
    return hub_connection.wait_for_exit(before["pid"], time.monotonic() + _STOP_S)


def _show(found: dict[str, Any]) -> None:
    up = _duration(time.time() - found["started"])
    megabytes = found["memory_bytes"] / 1e6
    _out.print(f"process {found['pid']}, mcp-reflect {found['version']}, up {up}, {megabytes:.0f} MB")
    _out.print(f"home {found['home']}", markup=False, soft_wrap=True)
    _out.print(f"{found['queued']} reflections waiting to be written")
    table = Table("project", "user", "client", "pid", "connected", "under way", title="clients", title_justify="left")
    for client in found["clients"]:
        table.add_row(
            client["project"],
            client["user"],
            client["client"] or "-",
            str(client["pid"]),
            _duration(time.time() - client["since"]),
            str(client["under_way"]),
        )
    _out.print(table if found["clients"] else "no clients")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
