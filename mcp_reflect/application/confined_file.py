"""Reads and replaces files in a folder that others may have filled, such as a cloned repository.

No part of the path is followed where it is a link: folders are opened one by one without following
(openat(2) with O_NOFOLLOW), and everything is done by their descriptors, so that a link that is put in between
the check and the use is not followed either. A file with a second name (hard link), a device, a pipe or a socket is
refused. A new file takes the place of the old one by a rename inside the opened folder.

Where the system has no such calls (Windows), the real path is compared with the path before each use.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from mcp_reflect.domain.ids import new_id

LARGEST = 64_000_000
"""Bytes of the largest file that is read."""

_BY_DESCRIPTOR = {os.open, os.stat, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = (
    getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
    # A folder that may be entered but not listed can be passed through.
    | (getattr(os, "O_PATH", 0) or getattr(os, "O_SEARCH", 0))
)  # fmt: skip


class Stamp(NamedTuple):
    """Changes whenever the file does."""

    modified_ns: int
    size: int
    inode: int


class Confined(NamedTuple):
    """A file as it was read."""

    content: bytes
    stamp: Stamp


def read_confined(file: Path, largest: int = LARGEST, *, at_most: int | None = None) -> Confined | None:
    """Return the content of a regular file at an absolute path without links; None where there is none.

    With `at_most` only so many bytes of its beginning are read.

    Raises OSError with a readable `strerror` for links, for anything but a regular file with one name, and for a file
    of more than `largest` bytes.
    """
    with suppress(FileNotFoundError), _opened_parent(file, create=False) as folder:
        flags = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        _look(file, folder)
        with os.fdopen(
            os.open(_name(file, folder), flags | getattr(os, "O_CLOEXEC", 0), dir_fd=folder), "rb"
        ) as opened:
            found = os.fstat(opened.fileno())
            _refuse_irregular(found)
            if found.st_size > largest:
                raise OSError(errno.EFBIG, f"is larger than {largest:,} bytes")
            wanted = largest if at_most is None else min(at_most, largest)
            return Confined(opened.read(wanted), _stamp_of(found))
    return None


def stamp_confined(file: Path) -> Stamp | None:
    """Return the time of a file's last change; None where there is none. Raises OSError as `read_confined` does."""
    with suppress(FileNotFoundError), _opened_parent(file, create=False) as folder:
        found = _look(file, folder)
        return None if found is None else _stamp_of(found)
    return None


def replace_confined(
    file: Path, content: bytes, *, mode: int = 0o666, before: Stamp | None = None, always: bool = True
) -> bool:
    """Put the content there in one step, on the disk; folders that are missing are made.

    A file that is there keeps its mode, a new one gets `mode` as far as the umask allows. Unless `always`, the file
    must still be as `before` (None: absent); False where it is not, and nothing was changed. Raises OSError as
    `read_confined` does.
    """
    with _opened_parent(file, create=True) as folder:
        found = _look(file, folder)
        if not always and (None if found is None else _stamp_of(found)) != before:
            return False
        whole = file.with_name(f".{file.name}.{new_id('new')}")
        try:
            _write_new(whole, folder, content, mode, None if found is None else found)
            if not always and (None if (now := _look(file, folder)) is None else _stamp_of(now)) != before:
                return False
            os.replace(_name(whole, folder), _name(file, folder), src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(_name(whole, folder), dir_fd=folder)
    return True


def _write_new(file: Path, folder: int | None, content: bytes, mode: int, like: os.stat_result | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(_name(file, folder), flags, mode, dir_fd=folder), "wb") as out:
        if like is not None and hasattr(os, "fchmod"):
            os.fchmod(out.fileno(), like.st_mode & 0o777)
        out.write(content)
        out.flush()
        os.fsync(out.fileno())


def _name(file: Path, folder: int | None) -> str:
    return str(file) if folder is None else file.name


def _look(file: Path, folder: int | None) -> os.stat_result | None:
    """Return the entry of the name itself, never what it points to; None where there is nothing."""
    try:
        found = os.stat(_name(file, folder), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _refuse_irregular(found)
    return found


def _refuse_irregular(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "it is a symbolic link, which could lead out of the repository")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if found.st_nlink > 1:
        raise OSError(errno.EMLINK, "it has a second name (a hard link), which could lie outside of the repository")


def _stamp_of(found: os.stat_result) -> Stamp:
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


@contextmanager
def _opened_parent(file: Path, *, create: bool) -> Iterator[int | None]:
    """A descriptor of the folder that the file is in; None where the system works by paths only."""
    if not file.is_absolute() or ".." in file.parts:
        raise OSError(errno.EINVAL, "its path is not absolute")
    if not _BY_DESCRIPTOR:
        _check_parent(file, create=create)
        yield None
        return
    folder = os.open(file.anchor, _FOLDER)
    try:
        for part in file.parts[1:-1]:
            inner = _open_folder(part, folder, create=create)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _open_folder(name: str, folder: int, *, create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
        return _open_folder(name, folder, create=False)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR, getattr(errno, "EMLINK", None)}:
            problem = f"{name} in its path is a symbolic link or no folder, and could lead out of the repository"
            raise OSError(error.errno, problem) from error
        raise


def _check_parent(file: Path, *, create: bool) -> None:
    existing = next(folder for folder in file.parents if folder.exists() or folder.is_symlink())
    if os.path.normcase(os.path.realpath(existing)) != os.path.normcase(existing):
        raise OSError(errno.ELOOP, "a link in its path could lead out of the repository")
    if create:
        file.parent.mkdir(parents=True, exist_ok=True)
    elif existing != file.parent:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
