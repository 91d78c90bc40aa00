"""`verify`, `reindex` and `forget`: done by whoever owns the home, told event by event to whoever asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from mcp_reflect import __version__
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import Settings
from mcp_reflect.errors import (
    IndexFailure,
    LedgerError,
    MemoryUnavailable,
    error_data,
    error_from_data,
    read_error_data,
)
from mcp_reflect.hub.outbox_intake import empty_outbox
from mcp_reflect.wire import handshake, hub_connection, hub_errors

MaintenanceEvent = dict[str, Any]
"""One of:

- `{"doing", "done", "total"}`: progress;
- `{"line"}`: a line for the person; that of a finding has `"store"`, which one to repair: "ledger" or "index";
- `{"left"}`: the ErrorData of a step that failed, while what was asked for is done;
- `{"warning"}`: a setting of theirs that the hub does not go by;
- `{"findings"}`: how many there were, the end;
- `{"error", "exit", "error_data"}`: the end of a command that failed, see `hub.handshake.refusal`.
"""

EventListener = Callable[[MaintenanceEvent], None]

MAINTENANCE_COMMANDS = ("verify", "reindex", "forget")

_LOOKS = 4
"""How often `verify` looks at a project that is being written at most."""


def request_maintenance(
    command: str, settings: Settings, tell: EventListener, *, everything: bool = False, thing: str = ""
) -> None:
    """Have a command of COMMANDS done by the home's hub, or in this process where there is none.

    `everything` means every project of the home, otherwise it is that of the settings. `thing` is the id to forget.
    Raises ReflectError.
    """
    project = "" if everything else settings.project
    hello = {"mcp-reflect": handshake.HUB_PROTOCOL, "version": __version__, "command": command, "project": project}
    folder = str(Path.cwd())
    environ = handshake.select_settings_environ(os.environ, str(settings.home), folder)
    hello |= {"thing": thing, "cwd": folder, "environ": environ}
    try:
        found = hub_connection.try_connect(str(settings.home), hello)
    except hub_errors.HubUnavailable as error:
        raise error_from_data(read_error_data(error.data)) from error
    if found is None:
        with open_store(settings, f"mcp-reflect {command}") as store:
            if command == "forget":
                empty_outbox(settings, store)
            run_maintenance(command, store, project, tell, thing)
        return
    for warning in found.answer.get("warnings", []):
        tell({"warning": warning})
    with closing(found.link):
        while (line := found.lines.next()) is not None:
            event = json.loads(line)
            if "error" in event:
                raise error_from_data(read_error_data(event.get("error_data"), str(event["error"])))
            tell(event)
            if "findings" in event:
                return
    raise MemoryUnavailable(f"the hub of {settings.home} ended before it was done; run it again")


def run_maintenance(command: str, store: Store, project: str, tell: EventListener, thing: str = "") -> None:
    """Carry out a command of COMMANDS on a store; an empty project means all of them. Raises ReflectError."""
    findings = 0
    if command == "forget":
        _forget(store, project, thing, tell)
    else:
        for name in [project] if project else _projects(store):
            findings += _verify(store, name, tell) if command == "verify" else _reindex(store, name, tell)
    tell({"findings": findings})


def _projects(store: Store) -> list[str]:
    with store.ledger.reading() as session:
        return session.projects.names()


def _latest_change(store: Store) -> int:
    with store.ledger.reading() as session:
        return session.feed.latest_seq()


def _verify(store: Store, project: str, tell: EventListener) -> int:
    from mcp_reflect.application.maintenance.audit import AuditFinding, audit_project  # noqa: PLC0415 - no session needs it

    found: list[AuditFinding] = []
    for attempt in range(_LOOKS):
        before = _latest_change(store)
        store.indexer.sync(project, _progress(f"catching up {project}", tell))
        seen = audit_project(store.ledger, store.index, store.embedder, project)
        # What somebody wrote between two of its looks is no damage: that is there each time.
        found = [finding for finding in seen if not attempt or finding in found]
        if not found or _latest_change(store) == before:
            break
    for finding in found:
        tell({"line": f"{project}: {finding.text}", "store": finding.store})
    return len(found)


def _reindex(store: Store, project: str, tell: EventListener) -> int:
    from mcp_reflect.application.maintenance.audit import reindex  # noqa: PLC0415 - no session needs it

    report = _progress(f"reindexing {project}", tell)
    embedded, written = reindex(store.ledger, store.indexer, store.embedder, project, report)
    tell({"line": f"{project}: {embedded} embedded, {written} written to the index"})
    return 0


def _forget(store: Store, project: str, thing: str, tell: EventListener) -> None:
    from mcp_reflect.application.maintenance.erase import erase_record, require_record  # noqa: PLC0415 - as above
    from mcp_reflect.application.maintenance.restore_remains import clear_remains, drop_copies  # noqa: PLC0415 - no session needs it

    require_record(store.ledger, project, thing)
    # First of all: who is killed behind the next step cannot ask again, as the id is unknown then.
    clear_remains(store.home.folder)
    for name in drop_copies(store.home.folder):
        tell({"line": f"deleted {name}, a copy of an earlier state"})
    erase_record(store.ledger, project, thing)
    store.tables.reload(project)
    tell({"doing": "cleaning the index", "done": 0, "total": None})
    try:
        store.indexer.erase(project)
    except IndexFailure as error:
        tell({"left": error_data(error)})
    tell({"doing": "cleaning the ledger", "done": 0, "total": None})
    try:
        store.ledger.scrub()
    except LedgerError as error:
        tell({"left": error_data(error)})


def _progress(doing: str, tell: EventListener) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        tell({"doing": doing, "done": done, "total": total})

    return report
