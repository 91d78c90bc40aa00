"""A whole home in one file: the ledger as it is at one moment, settings and prompts; the index is but a copy.

A backup is a ZIP archive with `manifest.json` (format, version, and size and SHA-256 of every file), `ledger.db`,
`config.toml` and `prompts/`, the last two where there are any.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_reflect.application.atomic_file import PRIVATE_MODE, atomic_writer
from mcp_reflect.application.maintenance.audit import audit_ledger
from mcp_reflect.application.maintenance.backup_file import (
    BACKUP_FORMAT,
    BACKUP_VERSION,
    CONFIG_NAME,
    PROMPTS_NAME,
    Manifest,
    Offered,
    measure,
    unpack,
)
from mcp_reflect.application.maintenance.restore_remains import (
    BEFORE_RESTORE,
    LEDGER_NAME,
    WORKSHOP_PREFIX,
    clear_remains,
    workshop_lock,
)
from mcp_reflect.application.ports import LedgerFile, Progress
from mcp_reflect.errors import ArchiveError, LedgerError


def back_up(home: Path, ledger: LedgerFile, file: Path, progress: Progress | None = None) -> Manifest:
    """Write a backup, readable by its owner alone; what stood there before stays until the new one is whole.

    Others may use the home meanwhile. Raises LedgerError, ArchiveError and OSError.
    """
    with _workshop(home) as folder:
        ledger.copy_to(folder / LEDGER_NAME, progress)
        ledger.check(folder / LEDGER_NAME)
        contents = {LEDGER_NAME: folder / LEDGER_NAME} | _settings_files(home)
        manifest = Manifest(
            format=BACKUP_FORMAT, version=BACKUP_VERSION, files={n: measure(f) for n, f in contents.items()}
        )
        with atomic_writer(file, PRIVATE_MODE) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", manifest.model_dump_json(indent=1))
            for name, source in contents.items():
                archive.write(source, name)
    return manifest


def restore(
    home: Path,
    ledger: LedgerFile,
    file: Path,
    progress: Progress | None = None,
    *,
    prompts: bool = False,
    settings: bool = False,
    seen: Offered | None = None,
) -> Path | None:
    """Put a backup in the place of what the home holds; the caller owns the home.

    Prompts and settings stay as they are in the home unless they are asked for: a prompt speaks to the model, a setting
    says where texts are sent. `seen` is what the person was shown of them; the file must still hold the same.

    What was there is first written to BEFORE_RESTORE, whose path is returned; None where there was no ledger, or none
    that can be read (it is then renamed and stays). The ledger is replaced in one transaction, then prompts and
    settings file by file: where that is interrupted, restoring again finishes it. Raises ArchiveError for a file that
    is no whole backup; then nothing was changed. Raises LedgerError and OSError.
    """
    clear_remains(home)
    with _workshop(home) as folder:
        names = unpack(file, folder, seen)
        try:
            ledger.check(folder / LEDGER_NAME)
            _check_content(ledger, folder / LEDGER_NAME)
        except ArchiveError as error:
            raise ArchiveError(f"{file}: {error}; nothing was changed") from error
        aside = _put_aside(home, ledger)
        ledger.replace_by(folder / LEDGER_NAME, progress)
        wanted = {name for name in names - {LEDGER_NAME} if (settings if name == CONFIG_NAME else prompts)}
        replaced = {name for name in _settings_files(home) if (settings if name == CONFIG_NAME else prompts)}
        for name in replaced - wanted:
            (home / name).unlink()
        for name in sorted(wanted):
            (home / name).parent.mkdir(mode=0o700, exist_ok=True)
            (folder / name).replace(home / name)
    return aside


def _put_aside(home: Path, ledger: LedgerFile) -> Path | None:
    if not (home / LEDGER_NAME).exists():
        return None
    place = home / BEFORE_RESTORE
    if place.is_symlink() or (place.exists() and not place.is_file() and not place.is_dir()):
        place.unlink()  # nothing of ours; it would be written through, or waited for
    try:
        back_up(home, ledger, place)
    except (LedgerError, ArchiveError):
        return None
    return place


@contextmanager
def _workshop(home: Path) -> Iterator[Path]:
    """A folder in the home: readable by its owner alone, and on the same disk."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The lock goes with this process, and tells whether the folder is still in use.
    with tempfile.TemporaryDirectory(prefix=WORKSHOP_PREFIX, dir=home) as folder, workshop_lock(Path(folder)):
        yield Path(folder)


def _settings_files(home: Path) -> dict[str, Path]:
    """Settings and prompts of the home, by their name in a backup."""
    found = [home / CONFIG_NAME, *sorted((home / PROMPTS_NAME).glob("*.md"))]
    return {each.relative_to(home).as_posix(): each for each in found if each.is_file()}


def _check_content(ledger: LedgerFile, file: Path) -> None:
    """The q_values, counts and origins of a ledger must follow from its own reviews. Raises ArchiveError."""
    try:
        with ledger.examined(file) as examined, examined.reading() as session:
            for project in session.projects.names():
                rows = session.projects.audit_rows(project)
                for memory in rows[0]:
                    type(memory).model_validate(memory.model_dump())  # reading does not check what writing has checked
                wrong = audit_ledger(rows)
                if wrong:
                    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
                    raise ArchiveError(f"its ledger does not agree with itself: {wrong[0]}{more}")
    except (LedgerError, ValueError, TypeError, KeyError) as error:
        raise ArchiveError(f"its ledger cannot be read ({' '.join(str(error).split())[:200]})") from error
