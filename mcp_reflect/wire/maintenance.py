"""Asks whoever owns a home for `verify`, `reindex` or `forget`: its hub, or a process that owns it for as long.

Standard library only. Both answer event by event, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any

from mcp_reflect.errors import MemoryUnavailable, error_from_data, read_error_data
from mcp_reflect.wire import address, handshake, hub_connection
from mcp_reflect.wire.hub_errors import HubUnavailable
from mcp_reflect.wire.version import __version__

MaintenanceEvent = dict[str, Any]
"""One of:

- `{"doing", "done", "total"}`: progress;
- `{"line"}`: a line for the person; that of a finding has `"store"`, which one to repair: "ledger" or "index";
- `{"left"}`: the ErrorData of a step that failed, while what was asked for is done;
- `{"warning"}`: a setting of theirs that the hub does not go by;
- `{"findings"}`: how many there were, the end;
- `{"error", "exit", "error_data"}`: the end of a command that failed, see `hub.handshake.refusal_line`.
"""

EventListener = Callable[[MaintenanceEvent], None]

MAINTENANCE_COMMANDS = ("verify", "reindex", "forget")


def request_maintenance(
    command: str,
    home: str,
    project: str,
    tell: EventListener,
    *,
    thing: str = "",
    environ: Mapping[str, str] | None = None,
    cwd: str = "",
) -> None:
    """Have a command of MAINTENANCE_COMMANDS carried out, and tell its events but errors.

    An empty `project` means every one of the home; `thing` is the id to forget. Settings are those of `environ` and
    `cwd`, by default this process's own. Raises ReflectError.
    """
    environ, cwd = os.environ if environ is None else environ, cwd or address.current_folder()
    hello = {"mcp-reflect": handshake.HUB_PROTOCOL, "version": __version__, "command": command, "project": project}
    hello |= {"thing": thing, "cwd": cwd, "environ": handshake.select_settings_environ(environ, home, cwd)}
    try:
        found = hub_connection.try_connect(home, hello)
    except HubUnavailable as error:
        raise error_from_data(read_error_data(error.data)) from error
    if found is None:
        _run_process(command, project, thing, tell, environ, cwd)
        return
    for warning in found.answer.get("warnings", []):
        tell({"warning": warning})
    with closing(found.link):
        if not _pass_on(iter(found.lines.next, None), tell):
            raise MemoryUnavailable(f"the hub of {home} ended before it was done; run it again")


def _run_process(
    command: str, project: str, thing: str, tell: EventListener, environ: Mapping[str, str], cwd: str
) -> None:
    """Start a process that owns the home of its settings until the command is carried out."""
    try:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            # -P: the project's folder must not be searched for modules.
            [sys.executable, "-P", "-m", "mcp_reflect.hub.maintenance_process", command, project, thing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=dict(environ),
            cwd=cwd,
        )
    except OSError as error:
        raise MemoryUnavailable(f"no process can be started for `{command}`: {error}") from error
    with process:
        assert process.stdout is not None
        if not _pass_on(process.stdout, tell):
            raise MemoryUnavailable(f"the process of `{command}` ended before it was done; run it again")


def _pass_on(lines: Iterable[bytes], tell: EventListener) -> bool:
    """Tell the events of the lines, and return whether they reach the end. Raises the ReflectError among them."""
    for line in lines:
        event = json.loads(line)
        if "error" in event:
            raise error_from_data(read_error_data(event.get("error_data"), str(event["error"])))
        tell(event)
        if "findings" in event:
            return True
    return False
