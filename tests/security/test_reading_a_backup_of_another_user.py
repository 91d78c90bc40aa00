"""Another user wants to read what a backup or export holds, or to have it written over a file of its owner's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.file import SqliteFile
from mcp_reflect.application.atomic_file import PRIVATE_MODE, atomic_writer, write_atomically
from mcp_reflect.application.maintenance.backups import back_up, restore
from tests.support.hubs import posix
from tests.support.waiting import HANG_S

pytestmark = posix

SECRET = "precious"
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files to another user")
ATTACKER = 65534


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "victim"
    file.write_text(SECRET)
    return file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    SqlLedger(f"sqlite:///{home / 'ledger.db'}").close()
    return home


@as_root
@pytest.mark.parametrize("mode", [PRIVATE_MODE, 0o666])
def test_nothing_is_written_through_a_link_of_another_user(tmp_path: Path, victim: Path, mode: int) -> None:
    links = [tmp_path / "backup.zip", tmp_path / "chain.zip"]
    links[0].symlink_to(victim)
    links[1].symlink_to(links[0].name)
    os.chown(links[0], ATTACKER, ATTACKER, follow_symlinks=False)
    for link in links:
        with pytest.raises(PermissionError, match="belongs to another user"), atomic_writer(link, mode) as out:
            out.write(b"backup")
    assert victim.read_text() == SECRET
    os.chown(links[0], os.geteuid(), 0, follow_symlinks=False)
    for link in links:
        with atomic_writer(link, mode) as out:
            out.write(b"backup")
        assert link.is_symlink()
    assert victim.read_text() == "backup"


@as_root
def test_nothing_is_written_into_a_pipe_of_another_user(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.chown(tmp_path / "pipe", ATTACKER, ATTACKER)
    with pytest.raises(PermissionError):
        write_atomically(tmp_path / "pipe", "text")


@as_root
def test_what_stdout_leads_to_is_written_to_whoever_it_belongs_to(tmp_path: Path) -> None:
    """As under sudo, where the pipe belongs to the user who called it."""
    reading, writing = os.pipe()
    os.fchown(writing, ATTACKER, ATTACKER)
    code = "from pathlib import Path; from mcp_reflect.application.atomic_file import write_atomically as write\n"
    code += "write(Path('/dev/stdout'), 'text')"
    subprocess.run([sys.executable, "-c", code], stdout=writing, check=True, timeout=HANG_S)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        assert told.read() == b"text"


def test_a_backup_is_its_owners_alone_whatever_stood_there_before(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "backup.zip"
    file.touch()
    file.chmod(0o666)
    before = file.stat().st_ino
    back_up(home, SqliteFile(home / "ledger.db"), file)
    assert stat.S_IMODE(file.stat().st_mode) == PRIVATE_MODE
    assert file.stat().st_ino != before
    guide = tmp_path / "guide.md"
    guide.touch()
    guide.chmod(0o640)
    write_atomically(guide, "text")
    assert stat.S_IMODE(guide.stat().st_mode) == 0o640


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_a_restore_puts_aside_is_not_written_through_a_link(
    tmp_path: Path, home: Path, victim: Path, kind: str
) -> None:
    ledger = SqliteFile(home / "ledger.db")
    back_up(home, ledger, tmp_path / "backup.zip")
    aside = home / "before-restore.zip"
    if kind == "link":
        aside.symlink_to(victim)
    else:
        os.mkfifo(aside)
    assert restore(home, ledger, tmp_path / "backup.zip") == aside
    assert zipfile.is_zipfile(aside)
    assert stat.S_ISREG(aside.lstat().st_mode)
    assert victim.read_text() == SECRET
