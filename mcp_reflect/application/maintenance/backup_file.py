"""The file of a backup: a ZIP archive with a manifest, nothing of which is believed before it is checked."""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from pydantic import BaseModel, NonNegativeInt, ValidationError

from mcp_reflect.application.atomic_file import PRIVATE_MODE
from mcp_reflect.application.maintenance.restore_remains import LEDGER_NAME
from mcp_reflect.errors import ArchiveError

BACKUP_FORMAT = "mcp-reflect-backup"
BACKUP_VERSION = 1

CONFIG_NAME = "config.toml"
PROMPTS_NAME = "prompts"
_CHUNK = 1 << 20
_MOST_FILES = 200
_LARGEST_TEXT = 1_000_000
"""Bytes of the manifest, of the settings and of each prompt."""
_PLAIN = re.compile(r"[\w.-]+")


class ArchivedFile(BaseModel):
    """The size of a file, and its SHA-256 in hexadecimal."""

    bytes: NonNegativeInt
    sha256: str


class Manifest(BaseModel):
    """The parts of a backup, by name."""

    format: str
    version: int
    files: dict[str, ArchivedFile]


@dataclass(frozen=True)
class Offered:
    """The parts of a backup beside its ledger, with digests by name; `settings` is the text of its `config.toml`."""

    digests: Mapping[str, str]
    settings: str

    @property
    def prompts(self) -> list[str]:
        """Return the names of the prompt files, sorted."""
        return sorted(name for name in self.digests if name != CONFIG_NAME)


def offered(file: Path) -> Offered:
    """Return the prompts and settings that a backup would bring. Raises ArchiveError and OSError."""
    with _open_archive(file) as archive:
        manifest = _manifest(archive)
        text = b""
        if CONFIG_NAME in manifest.files:
            with archive.open(CONFIG_NAME) as source:
                text = source.read(manifest.files[CONFIG_NAME].bytes)
    digests = {name: each.sha256 for name, each in manifest.files.items() if name != LEDGER_NAME}
    return Offered(digests, text.decode("utf-8-sig", "replace"))


def measure(file: Path) -> ArchivedFile:
    """Return the size and digest of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
    return ArchivedFile(bytes=file.stat().st_size, sha256=digest.hexdigest())


@contextmanager
def _open_archive(file: Path) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP archive; what is wrong with it, or with its content, is raised as ArchiveError."""
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    # A RuntimeError is an encrypted member.
    except (zipfile.BadZipFile, KeyError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"{file}: is no whole backup of mcp-reflect ({error}); nothing was changed") from error
    except ArchiveError as error:
        raise ArchiveError(f"{file}: {error}") from error


def unpack(file: Path, folder: Path, seen: Offered | None) -> set[str]:
    """Unpack a backup into `folder`, every byte of it checked, and return the names of the files.

    `seen` is what a person was shown of it; a file that has changed since is refused. Raises ArchiveError and OSError.
    """
    with _open_archive(file) as archive:
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
            _check_same(name, measure(target), measured)
    return set(manifest.files)


def _copy(source: IO[bytes], out: IO[bytes], size: int) -> None:
    """One byte more than `size` at most: that is enough to see that it is another file."""
    left = size + 1
    while left and (chunk := source.read(min(_CHUNK, left))):
        out.write(chunk)
        left -= len(chunk)


def _check_same(name: str, found: ArchivedFile, wanted: ArchivedFile) -> None:
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
        known = path.parts[:-1] == (PROMPTS_NAME,) and path.suffix == ".md" and _PLAIN.fullmatch(path.name)
        if name != path.as_posix() or (name not in {LEDGER_NAME, CONFIG_NAME} and not known):
            raise ArchiveError(f"it holds {name!r}, which belongs to no home; nothing was changed")
        if name != LEDGER_NAME and found.files[name].bytes > _LARGEST_TEXT:
            raise ArchiveError(f"{name} in it is larger than {_LARGEST_TEXT:,} bytes; nothing was changed")
    if LEDGER_NAME not in found.files:
        raise ArchiveError("it holds no ledger; nothing was changed")
    return found
