"""Atomic writing of files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mcp_reflect.domain.ids import new_id

PRIVATE_MODE = 0o600
"""Mode of a file that only its owner may read."""

_MOST_LINKS = 40


def write_atomically(file: Path, text: str) -> None:
    """Replace the content of a file by a text in UTF-8, atomically. Raises OSError."""
    with atomic_writer(file) as out:
        out.write(text.encode())


@contextmanager
def atomic_writer(file: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a temporary file that replaces `file` once all of it is on the disk; an error leaves `file` unchanged.

    An existing file keeps its mode unless `mode` is PRIVATE_MODE; a new one gets `mode`, restricted by the umask of the
    process. A device or a pipe is written to directly, as replacing it would make it a regular file. Raises OSError,
    also for a link, device or pipe of another user's, who could read or choose what is written; what stdout leads to,
    as under sudo, is the caller's choice.
    """
    if file.exists() and not file.is_file():
        _refuse_others(file, file.lstat(), *(() if _is_stdout(file) else (file.stat(),)))
        with file.open("wb") as out:
            yield out
        return
    target = _linked(file)
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = target.stat().st_mode & 0o777 if mode != PRIVATE_MODE and target.exists() else None
    whole = target.with_name(f".{target.name}.{new_id('new')}")
    try:
        with os.fdopen(os.open(whole, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode), "w+b") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if kept is not None:
            whole.chmod(kept)
        whole.replace(target)
    except BaseException:  # also an interrupt must not leave half a file beside the real one; raised on
        whole.unlink(missing_ok=True)
        raise


def _linked(file: Path) -> Path:
    """Return what a path leads to by links of the user's or root's: a link stays a link. Raises OSError."""
    for _ in range(_MOST_LINKS):
        if not file.is_symlink():
            return file
        _refuse_others(file, file.lstat())
        file = file.parent / file.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(file))


def _is_stdout(file: Path) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(1))
    except OSError:
        return False


def _refuse_others(file: Path, *found: os.stat_result) -> None:
    if os.name == "posix" and any(each.st_uid not in {os.geteuid(), 0} for each in found):
        raise PermissionError(errno.EPERM, "belongs to another user", str(file))
