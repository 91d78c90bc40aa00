"""Finds and deletes what a restore left: its workshop where it was killed, and what it kept aside."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from mcp_reflect.application.atomic_file import PRIVATE_MODE

BEFORE_RESTORE = "before-restore.zip"
"""What the home held before it was last restored; stands in it."""

LEDGER_NAME = "ledger.db"
INDEX_NAME = "chroma"
WORKSHOP_PREFIX = "restoring."


def find_remains(home: Path) -> list[Path]:
    """Return what backups and restores left in the home when they were killed; not the folder of one that runs."""
    halves = list(home.glob(f".{BEFORE_RESTORE}.*"))
    return sorted(halves + [folder for folder in home.glob(f"{WORKSHOP_PREFIX}*") if not _is_in_use(folder)])


def clear_remains(home: Path) -> None:
    """Delete what `find_remains` finds."""
    for each in find_remains(home):
        _delete(each)


def _is_in_use(folder: Path) -> bool:
    try:
        with workshop_lock(folder):
            return False
    except (Timeout, OSError):  # an OSError: it has just gone, or cannot be deleted either
        return True


def workshop_lock(folder: Path) -> FileLock:
    """Return the lock that a restore holds on its workshop while it runs."""
    return FileLock(folder / "lock", timeout=0, mode=PRIVATE_MODE)


def drop_copies(home: Path) -> list[str]:
    """Delete earlier states of ledger and index that stand in the home; the names of these files and folders."""
    there = [each for each in [home / BEFORE_RESTORE, *find_damaged(home)] if os.path.lexists(each)]
    for each in there:
        _delete(each)
    return [each.name for each in there]


def find_damaged(home: Path) -> list[Path]:
    """Return ledgers and indexes that were put aside because they could not be read."""
    return sorted([*home.glob(f"{LEDGER_NAME}*.damaged-*"), *home.glob(f"{INDEX_NAME}.damaged-*")])


def _delete(each: Path) -> None:
    if each.is_dir() and not each.is_symlink():
        shutil.rmtree(each, ignore_errors=True)
    else:
        each.unlink(missing_ok=True)
