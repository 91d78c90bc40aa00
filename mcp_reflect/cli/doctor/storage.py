"""The home, the ledger in it, and the index beside that."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.cli.console import format_count
from mcp_reflect.cli.doctor.report import DoctorFinding, FindingStatus
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.config.settings import Settings
from mcp_reflect.errors import ConfigurationError, LedgerError

if TYPE_CHECKING:
    from mcp_reflect.adapters.sql_ledger.examination import Examination
    from mcp_reflect.application.ports import LostWrites

_LITTLE = 500_000_000
_TOO_LITTLE = 50_000_000
"""Free bytes below which SQLite and Chroma may not get through one compaction."""

EXAMINATION_S = 20.0
_HEARTBEAT_S = 5.0


def check_home(folder: Path) -> Iterator[DoctorFinding]:
    """Check whose the home is, who may read it, and how much room there is."""
    quoted = shlex.quote(str(folder))
    try:
        found = folder.stat()
    except FileNotFoundError:
        above = next(parent for parent in folder.parents if parent.exists())
        if os.access(above, os.W_OK | os.X_OK):
            yield DoctorFinding("home", "ok", f"{folder} does not exist yet; the first start makes it")
        else:
            yield DoctorFinding("home", "wrong", f"{folder} does not exist and cannot be made in {above}", _OTHER_HOME)
        return
    except OSError as error:
        yield DoctorFinding("home", "wrong", f"{folder} cannot be looked at ({error.strerror})", _OTHER_HOME)
        return
    if not stat.S_ISDIR(found.st_mode):
        yield DoctorFinding("home", "wrong", f"{folder} is no folder", _OTHER_HOME)
    elif os.name == "posix" and found.st_uid != os.getuid():
        yield DoctorFinding("home", "wrong", f"{folder} belongs to another user", f"sudo chown -R $(id -u) {quoted}")
    elif hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
        told = f"{folder} is on a file system that is mounted read-only"
        yield DoctorFinding("home", "wrong", told, f"mount it writable, or {_OTHER_HOME}")
    elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield DoctorFinding("home", "wrong", f"{folder} cannot be written", f"chmod 700 {quoted}")
    elif os.name == "posix" and found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        yield DoctorFinding("home", "warning", f"{folder} is open to others (mode {mode:o})", f"chmod 700 {quoted}")
    else:
        yield DoctorFinding("home", "ok", f"{folder}")
    yield from _misplaced(folder)
    yield from _left_behind(folder)
    free = shutil.disk_usage(folder).free
    if free < _LITTLE:
        status: FindingStatus = "wrong" if free < _TOO_LITTLE else "warning"
        yield DoctorFinding("disk", status, f"{free / 1e6:.0f} MB free at {folder}", "make room, or move the home")
    else:
        yield DoctorFinding("disk", "ok", f"{free / 1e9:.1f} GB free")


def _misplaced(folder: Path) -> Iterator[DoctorFinding]:
    """Yield what stands in the place of the home's own files and is something else, such as a link or a folder."""
    for name, kind in _KINDS.items():
        place = folder / name
        try:
            there = place.lstat()
        except OSError:
            continue  # not there, or the home itself cannot be entered, which is told
        if os.name == "posix" and there.st_uid != os.geteuid():
            told = f"{place} belongs to another user"
            yield DoctorFinding("home", "wrong", told, f"sudo chown -R $(id -u) {shlex.quote(str(folder))}")
        if stat.S_IFMT(there.st_mode) != kind:
            wanted = {stat.S_IFSOCK: "socket", stat.S_IFDIR: "folder"}.get(kind, "plain file")
            told = f"{place} is no {wanted}; nothing of mcp-reflect makes such a thing"
            yield DoctorFinding("home", "wrong", told, f"mv {shlex.quote(str(place))} <elsewhere>")


def _left_behind(folder: Path) -> Iterator[DoctorFinding]:
    """Yield copies of earlier states that take up room, and hold what may have been forgotten elsewhere."""
    from mcp_reflect.application.maintenance.restore_remains import find_damaged, find_remains  # noqa: PLC0415 - heavy

    if remains := find_remains(folder):
        told = f"a backup or restore was killed and left {', '.join(each.name for each in remains)}"
        yield DoctorFinding("home", "warning", told, "mcp-reflect hub restart, which deletes it")
    if damaged := find_damaged(folder):
        told = f"put aside as damaged: {', '.join(each.name for each in damaged)}"
        remedy = f"delete it once nothing is missing: rm -r {' '.join(shlex.quote(str(each)) for each in damaged)}"
        yield DoctorFinding("home", "warning", told, remedy)


_KINDS = {
    "ledger.db": stat.S_IFREG,
    "ledger.db-mark": stat.S_IFREG,
    "owner.lock": stat.S_IFREG,
    "owner.json": stat.S_IFREG,
    "hub.sock": stat.S_IFSOCK,
    "hub.address": stat.S_IFREG,
    "hub.starting": stat.S_IFREG,
    "hub.log": stat.S_IFREG,
    "outbox": stat.S_IFDIR,
}


def check_outbox(folder: Path) -> Iterator[DoctorFinding]:
    """Look for runs that wait for a hub, and for those that one refused."""
    from mcp_reflect.application.outbox import OUTBOX_FOLDER, refused_files, waiting_files  # noqa: PLC0415 - heavy

    waiting, refused = len(waiting_files(folder)), len(refused_files(folder))
    if waiting:
        told = f"{waiting} {'run waits' if waiting == 1 else 'runs wait'} for a hub, which takes them in as it starts"
        yield DoctorFinding("outbox", "warning", told, "mcp-reflect hub restart")
    if refused:
        told = f"{refused} {'run' if refused == 1 else 'runs'} could not be taken in; hub.log says why"
        yield DoctorFinding("outbox", "warning", told, f"look at {folder / OUTBOX_FOLDER}, and delete them there")
    if not waiting and not refused:
        yield DoctorFinding("outbox", "ok", "no run waits")


_OTHER_HOME = "export MCP_REFLECT_HOME=<a folder that you may write>"


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
        found = examine(url, EXAMINATION_S)
    except (LedgerError, ConfigurationError) as error:
        remedy = "correct ledger.url" if isinstance(error, ConfigurationError) else "mcp-reflect restore <a backup>"
        if _is_inaccessible(error):
            remedy = f"make {folder} readable and writable for you"
        yield DoctorFinding("ledger", "wrong", f"{mask_secrets(url)}: {mask_secrets(str(error))}", remedy)
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
    from mcp_reflect.application.confined_file import read_confined  # noqa: PLC0415 - with the rest
    from mcp_reflect.application.known_errors.mirror import mirror_key  # noqa: PLC0415 - heavy
    from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine, read_lines  # noqa: PLC0415 - heavy

    if settings is None or not settings.errors.mirror:
        return
    file, url = Path(settings.errors.mirror), settings.ledger.url or f"sqlite:///{folder / 'ledger.db'}"
    try:
        found = read_confined(file)
        content = "" if found is None else found.content.decode("utf-8-sig")
        stored = ledger_file(url)
        user = settings.user if settings.memory.scope == "user" else None
        known = (stored is None or stored.exists()) and is_mirror_known(url, mirror_key(settings.project, user, file))
    except (OSError, UnicodeDecodeError, LedgerError, ConfigurationError) as error:
        yield DoctorFinding("mirror", "wrong", f"{file} cannot be read: {getattr(error, 'strerror', None) or error}")
        return
    waiting = 0 if known else sum(isinstance(line, ErrorLine) for _, line in read_lines(content))
    if waiting:
        detail = f"{file} came with the repository; its errors ({waiting}) wait for your consent"
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
    if behind:
        told = ", ".join(f"{name} by {format_count(n, 'memory', 'memories')}" for name, n in sorted(behind.items()))
        return DoctorFinding("index", "ok", f"behind the ledger: {told}; the next query catches up")
    return DoctorFinding("index", "ok", "up to the ledger" if indexed else "nothing to index yet")


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
