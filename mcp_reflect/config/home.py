"""The folder that holds everything, and the lock that gives it one owner at a time."""

from __future__ import annotations

import errno
import json
import os
import shlex
import time
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mcp_reflect.errors import ConfigurationError, HomeInUse
from mcp_reflect.own_files import PlacedPath, foreign_owner, read_own

if TYPE_CHECKING:
    from filelock import FileLock

_GRACE_S = 1.0
"""How long a lock may outlive the process that was killed with it."""

_LEAVING_S = 30.0
"""How long an owner that said it is leaving is waited for."""

_POLL_S = 0.05


_OWN = ("ledger.db*", "owner.*", "hub.*", "config.toml", "chroma/*", "prompts/*", "sessions/*", "outbox/*")


def is_own(folder: Path, file: Path) -> bool:
    """Return whether a path means one of the files that a home lives by."""
    whole, within = file.resolve(), folder.resolve()
    return whole.is_relative_to(within) and any(whole.relative_to(within).match(name) for name in _OWN)


def refuse_foreign_home(folder: Path) -> None:
    """Raise ConfigurationError for a folder of another user, who could read and replace what is put there."""
    owner = foreign_owner(folder)
    if owner is not None:
        raise ConfigurationError(
            f"MCP_REFLECT_HOME = {folder}: belongs to another user (uid {owner}); must be a folder of your own. "
            f"To take it over: sudo chown -R $(id -u) {shlex.quote(str(folder))}"
        )


class Home:
    """Created readable by its owner alone. As a context manager it is locked; raises HomeInUse.

    The lock is the operating system's: it goes with the process, however that ends. The note beside it only
    says who to look for: `role` is what the owner is called there.
    """

    def __init__(self, folder: Path, role: str = "") -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            refuse_foreign_home(folder)
            if os.name == "posix" and folder.stat().st_mode & 0o077:  # it was there before, and is open to others
                folder.chmod(0o700)
        except OSError as error:
            raise ConfigurationError(
                f"MCP_REFLECT_HOME = {folder}: cannot be created or written ({error.strerror}); "
                "must be a writable folder"
            ) from error
        self.folder = folder
        self._role = role
        self._place = PlacedPath(folder)
        self._note = folder / "owner.json"

    @cached_property
    def _lock(self) -> FileLock:
        from filelock import FileLock  # noqa: PLC0415 - who only reads takes no lock

        return FileLock(self.folder / "owner.lock", timeout=0, mode=0o600)

    @property
    def ledger_path(self) -> Path:
        """Return the path of the SQLite ledger."""
        return self.folder / "ledger.db"

    @property
    def ledger_url(self) -> str:
        """Return the SQLAlchemy URL of the SQLite ledger."""
        return f"sqlite:///{self.ledger_path}"

    @property
    def index_folder(self) -> Path:
        """Return the folder of the Chroma index."""
        return self.folder / "chroma"

    @property
    def models_folder(self) -> Path:
        """Embedding models that were downloaded because the user named them."""
        return self.folder / "models"

    @property
    def prompts_folder(self) -> Path:
        """Templates of the user's that take the place of the package's."""
        return self.folder / "prompts"

    def __enter__(self) -> Self:
        try:
            self._acquire()
        except OSError as error:
            raise ConfigurationError(
                f"MCP_REFLECT_HOME = {self.folder}: cannot be locked ({error.strerror}); must be a writable folder"
            ) from error
        try:
            self._write_note(leaving=False)
        except OSError as error:
            self._lock.release()
            if error.errno == errno.ENOSPC:
                wanted = "make room on the disk"
            elif os.access(self.folder, os.W_OK | os.X_OK):
                wanted = "must be a plain file in a writable folder"
            else:
                wanted = f"the folder must be writable: chmod 700 {shlex.quote(str(self.folder))}"
            raise ConfigurationError(f"{self._note}: cannot be written ({error.strerror}); {wanted}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._place.is_kept():  # in the place of a home that was deleted or moved another one may be in use
            self._note.unlink(missing_ok=True)
        self._lock.release()

    def leave(self) -> None:
        """Let those who want the home wait for it: its owner is about to end."""
        self._write_note(leaving=True)

    def _acquire(self) -> None:
        from filelock import Timeout  # noqa: PLC0415 - as above

        began = time.monotonic()
        while True:
            try:
                self._lock.acquire()
            except Timeout:
                patience = _LEAVING_S if self._owner().get("leaving") else _GRACE_S
                if time.monotonic() - began > patience:
                    raise HomeInUse(str(self.folder), self._owner_told()) from None
                time.sleep(_POLL_S)
            else:
                return

    def _write_note(self, *, leaving: bool) -> None:
        # A rename takes the place of a link instead of writing to what it points to.
        fresh = self._note.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"pid": os.getpid(), "role": self._role, "leaving": leaving}, file)
            fresh.replace(self._note)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise

    def _owner(self) -> dict[str, Any]:
        try:
            note = json.loads(read_own(self._note))
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def _owner_told(self) -> str:
        note = self._owner()
        if "pid" not in note:
            return "another process"
        return f"process {note['pid']}" + (f", {note['role']}" if note.get("role") else "")
