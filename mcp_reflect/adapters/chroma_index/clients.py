"""Opens Chroma's clients, and removes what an embedded one leaves."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

_REMOVALS = 10
_REMOVAL_PAUSE_S = 0.1


def file_identity(file: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def remove_folder(folder: Path) -> None:
    """Delete a folder, with retries: Chroma's threads may still write for a moment after closing. Raises OSError."""
    for _ in range(_REMOVALS - 1):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_REMOVAL_PAUSE_S)
    shutil.rmtree(folder)


def _settings() -> Any:
    from chromadb.config import Settings  # noqa: PLC0415 - heavy, first needed here

    return Settings(anonymized_telemetry=False)


def open_persistent(folder: Path) -> Any:
    """Return a client of the index in a folder of this process, created for its user alone."""
    import chromadb  # noqa: PLC0415 - heavy, first needed here

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder), settings=_settings())


def open_remote(url: str, token: str, tenant: str, database: str) -> Any:
    """Return a client of a Chroma server; an empty token, tenant or database is not named to it."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - only for servers

    import chromadb  # noqa: PLC0415 - heavy, first needed here

    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 8000)
    place = {name: value for name, value in (("tenant", tenant), ("database", database)) if value}
    # A server of one's own reads the first header, Chroma Cloud the second.
    headers = {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else None
    return chromadb.HttpClient(
        host=parts.hostname or "localhost", port=port, ssl=secure, headers=headers, settings=_settings(), **place
    )
