"""`verify`, `reindex` and `forget` on an open store, told event by event to whoever asked for them."""

from __future__ import annotations

from collections.abc import Callable

from mcp_reflect.bootstrap.store import Store
from mcp_reflect.errors import IndexFailure, LedgerError, error_data
from mcp_reflect.wire.maintenance import EventListener

_LOOKS = 4
"""How often `verify` looks at a project that is being written at most."""


def run_maintenance(command: str, store: Store, project: str, tell: EventListener, thing: str = "") -> None:
    """Carry out a command of MAINTENANCE_COMMANDS; an empty project means all of them. Raises ReflectError."""
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
