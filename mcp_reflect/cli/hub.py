"""`mcp-reflect hub status | stop | restart`."""

from __future__ import annotations

import time
from typing import Any

import typer

from mcp_reflect.cli.common_options import JsonOption, PlainGroup, register
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.layout import head
from mcp_reflect.cli.memory_access import say_hub_starts
from mcp_reflect.wire import handshake, hub_connection, hub_launcher

hub_app = typer.Typer(help="The process that serves all clients of a home.", no_args_is_help=True, cls=PlainGroup)

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


def status(as_json: JsonOption = False) -> None:
    """Show the hub and its clients; exit code 1 if none is running."""
    with report_errors():
        home = _home()
        found = _status_of(home)
    if as_json:
        show_json(found)
    elif found is None:
        out.print(f"No hub is running for {home}.", markup=False, soft_wrap=True)
    else:
        _show(found)
    if found is None:
        raise typer.Exit(1)


def stop(as_json: JsonOption = False) -> None:
    """Let the hub finish what is under way and leave. A connected client starts another when it next asks."""
    with report_errors():
        home = _home()
        stopped = _stopped(home)
    if as_json:
        show_json({"stopped": stopped})
        return
    out.print("The hub has left." if stopped else f"No hub is running for {home}.", markup=False, soft_wrap=True)


def restart(as_json: JsonOption = False) -> None:
    """Put a new hub in the place of the one that runs, without losing a request; start one where none runs."""
    with report_errors():
        home = _home()
        _stopped(home)
        found = hub_launcher.ensure_hub_runs(home, say_hub_starts)
    if as_json:
        show_json({"pid": found})
    else:
        out.print(f"The hub runs as process {found}.")


def _stopped(home: str) -> bool:
    before = _status_of(home)
    if before is None or not hub_connection.stop_hub(home, time.monotonic() + _STOP_S, "stop"):
        return False
    return hub_connection.wait_for_exit(before["pid"], time.monotonic() + _STOP_S)


def _show(found: dict[str, Any]) -> None:
    up = _duration(time.time() - found["started"])
    megabytes = found["memory_bytes"] / 1e6
    out.print(f"process {found['pid']}, mcp-reflect {found['version']}, up {up}, {megabytes:.0f} MB")
    out.print(f"home {found['home']}", markup=False, soft_wrap=True)
    if found.get("trouble"):
        out.print(found["trouble"], style="red", markup=False, soft_wrap=True)
    else:
        out.print(f"{found['queued']} reflections waiting to be written")
    for client in found["clients"]:
        since = f"connected for {_duration(time.time() - client['since'])}"
        under_way = f"{format_count(client['under_way'], 'request')} under way" if client["under_way"] else ""
        who = (client["client"] or "a client", f"process {client['pid']}", f"user {client['user']}")
        out.print(head(client["project"], *who, since, under_way), soft_wrap=True)
    if not found["clients"]:
        out.print("no clients")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


register(hub_app, "status", status, "hub status", of_project=False)
register(hub_app, "stop", stop, of_project=False)
register(hub_app, "restart", restart, of_project=False)
