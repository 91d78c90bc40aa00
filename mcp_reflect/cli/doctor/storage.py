"""The ledger of a home, the mirror of errors, and the index."""

from __future__ import annotations

import os
import shlex
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.cli.doctor.report import DoctorFinding
from mcp_reflect.cli.formats import format_count
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.config.settings import Settings
from mcp_reflect.errors import ConfigurationError, LedgerError
from mcp_reflect.own_files import is_plain_or_missing, read_plain

if TYPE_CHECKING:
    from mcp_reflect.adapters.sql_ledger.examination import Examination
    from mcp_reflect.application.ports import LostWrites

EXAMINATION_S = 20.0
_HEARTBEAT_S = 5.0
_SQLITE_HEADER = b"SQLite format 3\0"


def check_ledger(folder: Path, settings: Settings | None) -> Iterator[DoctorFinding]:
    """Check the ledger and its figures of the index; without usable `settings` (None), the home's own file."""
    from mcp_reflect.adapters.sql_ledger.examination import examine, ledger_file  # noqa: PLC0415 - heavy
    from mcp_reflect.adapters.sql_ledger.read_only import refuse_missing  # noqa: PLC0415 - heavy

    url = (settings.ledger.url if settings else "") or f"sqlite:///{folder / 'ledger.db'}"
    try:
        file = ledger_file(url)
        if file is not None and not file.exists():
            refuse_missing(file)
            yield DoctorFinding("ledger", "ok", f"{file} does not exist yet")
            return
        if file is not None and not is_plain_or_missing(file):
            yield DoctorFinding(
                "ledger", "wrong", f"{file} is no plain file", f"mv {shlex.quote(str(file))} <elsewhere>"
            )
            return
        found = examine(url, EXAMINATION_S)
    except (LedgerError, ConfigurationError) as error:
        remedy = "correct ledger.url" if isinstance(error, ConfigurationError) else "mcp-reflect restore <a backup>"
        if _is_inaccessible(error):
            remedy = f"make {folder} readable and writable for you"
        yield DoctorFinding("ledger", "wrong", f"{mask_secrets(url)}: {mask_secrets(str(error))}", remedy)
        return
    if file is not None and (locked := _unwritable(file)):
        quoted = " ".join(shlex.quote(str(each)) for each in locked)
        yield DoctorFinding("ledger", "wrong", f"{locked[0]} cannot be written by you", f"chmod 600 {quoted}")
        return
    where = f"{file or mask_secrets(url)}"
    state = _state_of_ledger(found, where, file)
    yield state
    if state.status == "wrong":
        return
    if found.lost is not None:
        yield DoctorFinding("ledger", "warning", _lost(found.lost), _HAND_IN_AGAIN)
    yield _index(folder, settings, found.behind, indexed=found.indexed)
    if found.withheld:
        runs = format_count(len(found.withheld), "run")
        detail = f"sentences that nobody vouches for were kept from the lessons of {runs}"
        yield DoctorFinding("lessons", "warning", detail, f"look at them: mcp-reflect show {found.withheld[0]}")


def _unwritable(file: Path) -> list[Path]:
    """Return those of a ledger and its journal that are there and cannot be written."""
    files = [file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm")]
    return [each for each in files if each.exists() and not os.access(each, os.R_OK | os.W_OK)]


def _state_of_ledger(found: Examination, where: str, file: Path | None) -> DoctorFinding:
    """Say whether a ledger can be read, and how much it holds."""
    from mcp_reflect.adapters.sql_ledger.schema_version import SCHEMA_VERSION  # noqa: PLC0415 - with the ledger

    if found.schema > SCHEMA_VERSION:
        newer = f"{where} was written by a newer mcp-reflect (schema {found.schema}, known here: {SCHEMA_VERSION})"
        return DoctorFinding("ledger", "wrong", newer, "update mcp-reflect")
    if found.problems:
        damage = f"{where} is damaged: {found.problems[0]}"
        return DoctorFinding("ledger", "wrong", damage, "mcp-reflect restore <a backup>")
    size = f", {file.stat().st_size / 1e6:.1f} MB" if file else ""
    counts = f"{format_count(found.traces, 'trace')}, {format_count(found.memories, 'memory', 'memories')}"
    detail = f"{where}{size}, schema {found.schema}, {counts}"
    if not found.thorough:
        detail += f"; too large to be read for damage in {EXAMINATION_S:.0f} seconds"
    return DoctorFinding("ledger", "ok" if found.thorough else "warning", detail)


def _lost(lost: LostWrites) -> str:
    """Say which writes are missing, in local time."""
    until = lost.until.astimezone().isoformat(" ", "seconds")
    since = "" if lost.since is None else f"since {lost.since.astimezone().isoformat(' ', 'seconds')} "
    writes = "the last acknowledged write" if lost.count == 1 else f"the last {lost.count:,} acknowledged writes"
    return f"{writes}, made {since}until {until}, are missing: its journal was cut off, or it is an older file"


_HAND_IN_AGAIN = "hand in the runs of that time again, with the trace_key they had; or mcp-reflect restore <a backup>"


def check_mirror(folder: Path, settings: Settings | None) -> Iterator[DoctorFinding]:
    """Yield how many errors of the repository's file wait for consent; nothing where there is no such file."""
    from mcp_reflect.adapters.sql_ledger.examination import is_mirror_known, ledger_file  # noqa: PLC0415 - heavy
    from mcp_reflect.application.known_errors.mirror import mirror_key  # noqa: PLC0415 - heavy
    from mcp_reflect.application.known_errors.mirror_file import (  # noqa: PLC0415 - heavy
        LeftAloneError,
        beginning_of,
        content_of,
        waiting_errors_in,
    )

    if settings is None or not settings.errors.mirror:
        return
    file, url = Path(settings.errors.mirror), settings.ledger.url or f"sqlite:///{folder / 'ledger.db'}"
    try:
        stored = ledger_file(url)
        user = settings.user if settings.memory.scope == "user" else None
        known = (stored is None or stored.exists()) and is_mirror_known(url, mirror_key(settings.project, user, file))
        text, is_cut = (content_of(file), False) if known else beginning_of(file)
    except (LeftAloneError, LedgerError, ConfigurationError) as error:
        yield DoctorFinding("mirror", "wrong", str(error))
        return
    waiting = 0 if known else len(waiting_errors_in(text))
    if waiting or is_cut:
        number = f"{'more than ' if is_cut else ''}{waiting}"
        detail = f"{file} came with the repository; its errors ({number}) wait for your consent"
        yield DoctorFinding("mirror", "warning", detail, "read them, then run: mcp-reflect mirror accept")
    else:
        yield DoctorFinding("mirror", "ok", f"{file}")


def _is_inaccessible(error: BaseException) -> bool:
    """Return whether SQLite could not open or write its file, by the code of its own error below the one given."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, sqlite3.Error):
            # The low byte is the primary code; the rest says more of the reason. Errors of the module itself have none.
            return getattr(cause, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
        cause = cause.__cause__
    return False


def _index(folder: Path, settings: Settings | None, behind: dict[str, int], *, indexed: bool) -> DoctorFinding:
    """Without opening it: only its owner may, and that may be a hub."""
    if settings is not None and settings.index.url:
        return _heartbeat(settings.index.url)
    if indexed and not (folder / "chroma").is_dir():
        return DoctorFinding(
            "index", "warning", f"{folder / 'chroma'} is missing; queries fill it again", "mcp-reflect reindex --all"
        )
    if not os.access(folder / "chroma", os.R_OK | os.W_OK | os.X_OK) and (folder / "chroma").exists():
        quoted = shlex.quote(str(folder / "chroma"))
        return DoctorFinding(
            "index", "wrong", f"{folder / 'chroma'} cannot be written by you", f"chmod -R u+rwX {quoted}"
        )
    if _is_no_database(folder / "chroma" / "chroma.sqlite3"):
        detail = f"{folder / 'chroma'} is damaged; it is put aside and filled again when it is opened next"
        return DoctorFinding("index", "warning", detail, "mcp-reflect hub restart")
    if behind:
        told = ", ".join(f"{name} by {format_count(n, 'memory', 'memories')}" for name, n in sorted(behind.items()))
        return DoctorFinding("index", "ok", f"behind the ledger: {told}; the next query catches up")
    return DoctorFinding("index", "ok", "up to the ledger" if indexed else "nothing to index yet")


def _is_no_database(file: Path) -> bool:
    """Return whether a file has content, and not that of SQLite. Its first bytes say so without opening it as one."""
    try:
        return read_plain(file, len(_SQLITE_HEADER)) not in {b"", _SQLITE_HEADER}
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _heartbeat(url: str) -> DoctorFinding:
    shown = mask_secrets(url)
    try:
        # Only http(s) passes the settings.
        with closing(urllib.request.urlopen(f"{url}/api/v2/heartbeat", timeout=_HEARTBEAT_S)):  # noqa: S310
            return DoctorFinding("index", "ok", f"the Chroma server at {shown} answers")
    except (OSError, urllib.error.URLError, ValueError) as error:
        reason = mask_secrets(str(getattr(error, "reason", error)))
        remedy = "start the Chroma server, or correct index.url"
        return DoctorFinding("index", "wrong", f"the Chroma server at {shown} does not answer ({reason})", remedy)
