"""Files and folders of the user's own, in whose place something else may stand: a link, a pipe, another user's file.

Standard library only: every shim and hook imports this.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Container

_IS_POSIX = os.name == "posix"
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""A pipe without a writer is opened, and refused by what it is, in place of waiting for one."""


def foreign_owner(path: str | os.PathLike[str]) -> int | None:
    """Return the user id of somebody else whom a path belongs to; None where it is ours, or nothing can be seen."""
    try:
        owner = os.stat(path).st_uid
    except OSError:
        return None
    return owner if _IS_POSIX and owner != os.geteuid() else None


def refuse_foreign(folder: str | os.PathLike[str]) -> None:
    """Raise PermissionError for a folder of another user, who could read and replace what is put there."""
    if foreign_owner(folder) is not None:
        raise PermissionError(errno.EPERM, "belongs to another user", os.fspath(folder))


def open_own(path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
    """Return a descriptor of a plain file of the user's; raise OSError for anything else, a link included."""
    descriptor = os.open(path, flags | _AT_ONCE | getattr(os, "O_NOFOLLOW", 0), mode)
    try:
        _refuse_other(path, os.fstat(descriptor), (os.geteuid(),) if _IS_POSIX else None)
    except BaseException:  # an interrupt must not leave it open either; raised on
        os.close(descriptor)
        raise
    return descriptor


def read_own(path: str | os.PathLike[str], at_most: int = -1) -> bytes:
    """Return the content of a plain file of the user's, as `read_plain` does. Raises OSError as `open_own` does."""
    with os.fdopen(open_own(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), "rb") as file:
        return file.read(at_most)


def read_plain(path: str | os.PathLike[str], at_most: int = -1, owners: Container[int] | None = None) -> bytes:
    """Return the content of a plain file or a link to one, its first `at_most` bytes where that is given.

    Raises OSError for anything else, and for a file of nobody in `owners`.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | _AT_ONCE | getattr(os, "O_BINARY", 0)), "rb") as file:
        _refuse_other(path, os.fstat(file.fileno()), owners)
        return file.read(at_most)


def _refuse_other(path: str | os.PathLike[str], found: os.stat_result, owners: Container[int] | None) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not (stat.S_ISREG(found.st_mode) or _is_null(found)):
        raise OSError(errno.EINVAL, "is no plain file", os.fspath(path))
    if owners is not None and not (found.st_uid in owners or _is_null(found)):
        raise PermissionError(errno.EPERM, "belongs to another user", os.fspath(path))


def _is_null(found: os.stat_result) -> bool:
    """Return whether it is the null device, the usual name of an empty file."""
    return stat.S_ISCHR(found.st_mode) and os.path.samestat(found, os.stat(os.devnull))


def is_plain_or_missing(path: str | os.PathLike[str]) -> bool:
    """Return whether a path means a plain file, by a link too, or nothing; reading a pipe would wait for ever."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


class PlacedPath:
    """What stands at a path: now, or where nothing does, at the first look that finds something."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._found: os.stat_result | None = None
        self.is_kept()

    def is_kept(self) -> bool:
        """Return false where it was deleted, moved or replaced; true where nobody may look or nothing was found."""
        try:
            now = os.stat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return self._found is None
        except OSError:
            return True
        self._found = self._found or now
        return os.path.samestat(self._found, now)
