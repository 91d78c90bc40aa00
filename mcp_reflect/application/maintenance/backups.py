"""A whole home in one file: the ledger as it is at one moment, settings and prompts; the index is but a copy.

A backup is a ZIP archive with `manifest.json` (format, version, and size and SHA-256 of every file), `ledger.db`,
`config.toml` and `prompts/`, the last two where there are any.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from pydantic import BaseModel, NonNegativeInt, ValidationError

from mcp_reflect.application.atomic_file import PRIVATE_MODE, atomic_writer
from mcp_reflect.application.maintenance.audit import audit_ledger
from mcp_reflect.application.maintenance.restore_remains import (
    BEFORE_RESTORE,
    LEDGER_NAME,
    WORKSHOP_PREFIX,
    clear_remains,
    workshop_lock,
)
from mcp_reflect.application.ports import LedgerFile, Progress
from mcp_reflect.errors import ArchiveError, LedgerError

BACKUP_FORMAT = "mcp-reflect-backup"
BACKUP_VERSION = 1

_CONFIG = "config.toml"
_PROMPTS = "prompts"
_CHUNK = 1 << 20
_MOST_FILES = 200
_LARGEST_TEXT = 1_000_000
"""Bytes of the manifest, of the settings and of each prompt."""
_PLAIN = re.compile(r"[\w.-]+")


class _File(BaseModel):
    bytes: NonNegativeInt
    sha256: str


class Manifest(BaseModel):
    """The parts of a backup, by name."""

    format: str
    version: int
    files: dict[str, _File]


def back_up(home: Path, ledger: LedgerFile, file: Path, progress: Progress | None = None) -> Manifest:
    """Write a backup, readable by its owner alone; what stood there before stays until the new one is whole.

    Others may use the home meanwhile. Raises LedgerError, ArchiveError and OSError.
    """
    with _workshop(home) as folder:
        ledger.copy_to(folder / LEDGER_NAME, progress)
        ledger.check(folder / LEDGER_NAME)
        contents = {LEDGER_NAME: folder / LEDGER_NAME} | _settings_files(home)
        manifest = Manifest(
            format=BACKUP_FORMAT, version=BACKUP_VERSION, files={n: _measured(f) for n, f in contents.items()}
        )
        with atomic_writer(file, PRIVATE_MODE) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", manifest.model_dump_json(indent=1))
            for name, source in contents.items():
                archive.write(source, name)
    return manifest


@dataclass(frozen=True)
class Offered:
    """The parts of a backup beside its ledger, with digests by name; `settings` is the text of its `config.toml`."""

    digests: Mapping[str, str]
    settings: str

    @property
    def prompts(self) -> list[str]:
        """Return the names of the prompt files, sorted."""
        return sorted(name for name in self.digests if name != _CONFIG)


def offered(file: Path) -> Offered:
    """Return the prompts and settings that a backup would bring. Raises ArchiveError and OSError."""
    with _reading(file) as archive:
        manifest = _manifest(archive)
        text = b""
        if _CONFIG in manifest.files:
            with archive.open(_CONFIG) as source:
                text = source.read(manifest.files[_CONFIG].bytes)
    digests = {name: each.sha256 for name, each in manifest.files.items() if name != LEDGER_NAME}
    return Offered(digests, text.decode("utf-8-sig", "replace"))


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
        names = _unpacked(file, folder, seen)
        try:
            ledger.check(folder / LEDGER_NAME)
            _check_content(ledger, folder / LEDGER_NAME)
        except ArchiveError as error:
            raise ArchiveError(f"{file}: {error}; nothing was changed") from error
        aside = _put_aside(home, ledger)
        ledger.replace_by(folder / LEDGER_NAME, progress)
        wanted = {name for name in names - {LEDGER_NAME} if (settings if name == _CONFIG else prompts)}
        replaced = {name for name in _settings_files(home) if (settings if name == _CONFIG else prompts)}
        for name in replaced - wanted:
            (home / name).unlink()
        for name in sorted(wanted):
            (home / name).parent.mkdir(mode=0o700, exist_ok=True)
            (folder / name).replace(home / name)
    return aside


def _put_aside(home: Path, ledger: LedgerFile) -> Path | None:
    if not (home / LEDGER_NAME).exists():
        return None
    try:
        back_up(home, ledger, home / BEFORE_RESTORE)
    except (LedgerError, ArchiveError):
        return None
    return home / BEFORE_RESTORE


@contextmanager
def _workshop(home: Path) -> Iterator[Path]:
    """A folder in the home: readable by its owner alone, and on the same disk."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The lock goes with this process, and tells whether the folder is still in use.
    with tempfile.TemporaryDirectory(prefix=WORKSHOP_PREFIX, dir=home) as folder, workshop_lock(Path(folder)):
        yield Path(folder)


def _settings_files(home: Path) -> dict[str, Path]:
    """Settings and prompts of the home, by their name in a backup."""
    found = [home / _CONFIG, *sorted((home / _PROMPTS).glob("*.md"))]
    return {each.relative_to(home).as_posix(): each for each in found if each.is_file()}


def _measured(file: Path) -> _File:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
    return _File(bytes=file.stat().st_size, sha256=digest.hexdigest())


@contextmanager
def _reading(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    # A RuntimeError is an encrypted member.
    except (zipfile.BadZipFile, KeyError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"{file}: is no whole backup of mcp-reflect ({error}); nothing was changed") from error
    except ArchiveError as error:
        raise ArchiveError(f"{file}: {error}") from error


def _unpacked(file: Path, folder: Path, seen: Offered | None) -> set[str]:
    """The names of what was unpacked, every byte of it checked."""
    with _reading(file) as archive:
        manifest = _manifest(archive)
        if seen is not None and seen.digests != {n: f.sha256 for n, f in manifest.files.items() if n != LEDGER_NAME}:
            raise ArchiveError("it was changed meanwhile; nothing was changed")
        if sum(each.bytes for each in manifest.files.values()) > shutil.disk_usage(folder).free:
            raise ArchiveError("it is larger than the room that is left on the disk; nothing was changed")
        for name, measured in manifest.files.items():
            target = folder / name
            target.parent.mkdir(mode=0o700, exist_ok=True)
            with archive.open(name) as source, target.open("xb") as out:
                _copy(source, out, measured.bytes)
            target.chmod(PRIVATE_MODE)
            _check_same(name, _measured(target), measured)
    return set(manifest.files)


def _copy(source: IO[bytes], out: IO[bytes], size: int) -> None:
    """One byte more than `size` at most: that is enough to see that it is another file."""
    left = size + 1
    while left and (chunk := source.read(min(_CHUNK, left))):
        out.write(chunk)
        left -= len(chunk)


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


def _check_same(name: str, found: _File, wanted: _File) -> None:
    if found != wanted:
        raise ArchiveError(f"{name} in it is damaged; nothing was changed")


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    if len(archive.infolist()) > _MOST_FILES:
        raise ArchiveError(f"it holds more than {_MOST_FILES} files; nothing was changed")
    with archive.open("manifest.json") as source:
        content = source.read(_LARGEST_TEXT + 1)
    try:
        found = Manifest.model_validate_json(content[:_LARGEST_TEXT])
    except ValidationError as error:
        raise ArchiveError("its manifest is damaged; nothing was changed") from error
    if (found.format, found.version) != (BACKUP_FORMAT, BACKUP_VERSION):
        raise ArchiveError(f"it is {found.format} of version {found.version}, which this mcp-reflect cannot read")
    for name in found.files:
        path = PurePosixPath(name)
        # Nothing may be unpacked anywhere else.
        known = path.parts[:-1] == (_PROMPTS,) and path.suffix == ".md" and _PLAIN.fullmatch(path.name)
        if name != path.as_posix() or (name not in {LEDGER_NAME, _CONFIG} and not known):
            raise ArchiveError(f"it holds {name!r}, which belongs to no home; nothing was changed")
        if name != LEDGER_NAME and found.files[name].bytes > _LARGEST_TEXT:
            raise ArchiveError(f"{name} in it is larger than {_LARGEST_TEXT:,} bytes; nothing was changed")
    if LEDGER_NAME not in found.files:
        raise ArchiveError("it holds no ledger; nothing was changed")
    return found
