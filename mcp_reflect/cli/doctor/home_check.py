"""The home: whose it is, what stands in it, the room it has, and the runs that wait in it."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mcp_reflect.cli.doctor.report import DoctorFinding, FindingStatus
from mcp_reflect.own_files import foreign_owner

_LITTLE = 500_000_000
_TOO_LITTLE = 50_000_000
"""Free bytes below which SQLite and Chroma may not get through one compaction."""

_OTHER_HOME = "export MCP_REFLECT_HOME=<a folder that you may write>"


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
    elif foreign_owner(folder) is not None:
        told = f"{folder} belongs to another user; nothing in it is read"
        yield DoctorFinding("home", "wrong", told, f"{_OTHER_HOME}, or sudo chown -R $(id -u) {quoted}")
        return
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
        if name in _MAY_BE_LINKS and stat.S_ISLNK(there.st_mode):
            with suppress(OSError):  # one that leads nowhere is none of a file
                there = place.stat()
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


_MAY_BE_LINKS = {"config.toml", "chroma"}
"""What people keep elsewhere; everything else of a home is written by mcp-reflect, and never through a link."""

_KINDS = {
    "config.toml": stat.S_IFREG,
    "ledger.db": stat.S_IFREG,
    "ledger.db-mark": stat.S_IFREG,
    "owner.lock": stat.S_IFREG,
    "owner.json": stat.S_IFREG,
    "hub.sock": stat.S_IFSOCK,
    "hub.address": stat.S_IFREG,
    "hub.accepted": stat.S_IFREG,
    "hub.starting": stat.S_IFREG,
    "hub.log": stat.S_IFREG,
    "hub.log.1": stat.S_IFREG,
    "hooks.log": stat.S_IFREG,
    "ledger.db-wal": stat.S_IFREG,
    "ledger.db-shm": stat.S_IFREG,
    "learned.jsonl": stat.S_IFREG,
    "before-restore.zip": stat.S_IFREG,
    "outbox": stat.S_IFDIR,
    "sessions": stat.S_IFDIR,
    "chroma": stat.S_IFDIR,
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
