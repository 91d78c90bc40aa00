"""Figures of a running hub: settings in conflict, queued reflections, memory."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

from mcp_reflect.application.ports import Ledger
from mcp_reflect.config.load import Settings
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.errors import LedgerError

log = logging.getLogger(__name__)


def find_setting_conflicts(home: Settings, client: Settings) -> list[str]:
    """Return one line for each setting in which a client wants another store than the home has."""
    pairs = {
        "embedding.model": (client.embedding.model, home.embedding.model),
        "index.url": (client.index.url or "embedded", home.index.url or "embedded"),
        "ledger.url": (client.ledger.url or "SQLite in home", home.ledger.url or "SQLite in home"),
    }
    return [
        f"{key} = {mask_secrets(wanted)} is not what the hub of {home.home} works with ({mask_secrets(held)}), which "
        "all its clients share; this one is served with that too. "
        "To change it: config.toml there, then `mcp-reflect hub restart`"
        for key, (wanted, held) in pairs.items()
        if wanted != held
    ]


def read_queue(ledger: Ledger) -> dict[str, Any]:
    """Return `queued`, the reflections of all projects that wait, None where that cannot be read, and `trouble`.

    Whoever asks for the hub's status may be about to end it because of such trouble, so nothing is raised.
    """
    try:
        with ledger.reading() as session:
            counts = [session.projects.counts(project, None) for project in session.projects.names()]
    except LedgerError as error:
        return {"queued": None, "trouble": str(error)}
    except Exception as error:
        log.exception("the queue cannot be read")
        return {"queued": None, "trouble": f"the ledger cannot be read: {type(error).__name__}; see hub.log"}
    return {"queued": sum(each.jobs.get("queued", 0) for each in counts), "trouble": ""}


def warn_of_lost_writes(ledger: Ledger) -> None:
    """Log where the ledger lacks what was acknowledged."""
    lost = ledger.lost_writes()
    if lost is not None:
        since = "" if lost.since is None else f"since {lost.since:%Y-%m-%d %H:%M:%S} "
        log.warning(
            "the ledger lacks its last acknowledged writes, %d of them, made %suntil %s UTC; see `mcp-reflect doctor`",
            *(lost.count, since, f"{lost.until:%Y-%m-%d %H:%M:%S}"),
        )


def resident_bytes() -> int:
    """Resident memory of this process; where the system does not tell it, the most there ever was."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        if sys.platform == "win32":
            return 0
        import resource  # noqa: PLC0415 - does not exist on Windows

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    import resource  # noqa: PLC0415 - does not exist on Windows

    return pages * resource.getpagesize()
