"""Opens Chroma's clients, and removes what an embedded one leaves."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from mcp_reflect.adapters.sqlite_remedies import remedy

log = logging.getLogger(__name__)

_REMOVALS = 10
_REMOVAL_PAUSE_S = 0.1

_TRACE_EXPORTER = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"


def file_identity(file: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def remove_folder(folder: Path) -> None:
    """Delete a folder, with retries: Chroma's threads may still write for a moment after closing. Raises OSError.

    A link to one, as somebody makes who keeps the index on another disk, goes on leading to a folder, an empty one.
    """
    if folder.is_symlink():
        for each in folder.iterdir() if folder.is_dir() else ():
            remove_folder(each) if each.is_dir() and not each.is_symlink() else each.unlink()
        return
    for _ in range(_REMOVALS - 1):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_REMOVAL_PAUSE_S)
    shutil.rmtree(folder)


def _import_chroma() -> Any:
    """Import Chroma without the exporter of its traces, which brings gRPC: 12 MB, for what `_settings` switches off."""
    stand_in = ModuleType(_TRACE_EXPORTER)
    stand_in.OTLPSpanExporter = None  # type: ignore[attr-defined]
    placed = sys.modules.setdefault(_TRACE_EXPORTER, stand_in)
    try:
        import chromadb  # noqa: PLC0415 - heavy, first needed here
    finally:
        if placed is stand_in:
            del sys.modules[_TRACE_EXPORTER]
    return chromadb


def _settings() -> Any:
    from chromadb.config import Settings  # noqa: PLC0415 - heavy, first needed here

    # What is named here the environment does not change.
    return Settings(anonymized_telemetry=False, chroma_otel_granularity=None)


def open_persistent(folder: Path) -> Any:
    """Return a client of the index in a folder of this process, created for its user alone."""
    chromadb = _import_chroma()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder), settings=_settings())


def open_or_replace(folder: Path) -> Any:
    """Return a client of the index in a folder; one that Chroma cannot open is renamed and replaced by an empty one.

    Raises what Chroma raises where the folder cannot be written: its content may be intact.
    """
    try:
        return open_persistent(folder)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if remedy(error) is not None:
            raise
        put_aside(folder, error)
        return open_persistent(folder)


def put_aside(folder: Path, error: BaseException) -> None:
    """Rename the folder of an index that is damaged, as `error` says; the next client begins an empty one."""
    aside = folder.with_name(f"{folder.name}.damaged-{time.time_ns()}")
    log.warning("the index in %s is damaged (%s); put aside as %s and rebuilt", folder, error, aside)
    folder.rename(aside)
    from chromadb.api.shared_system_client import SharedSystemClient  # noqa: PLC0415 - Chroma is loaded already

    # Chroma caches its state per folder, also after a failure half-way.
    SharedSystemClient.clear_system_cache()


def open_remote(url: str, token: str, tenant: str, database: str) -> Any:
    """Return a client of a Chroma server; an empty token, tenant or database is not named to it."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - only for servers

    chromadb = _import_chroma()
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 8000)
    place = {name: value for name, value in (("tenant", tenant), ("database", database)) if value}
    # A server of one's own reads the first header, Chroma Cloud the second.
    headers = {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else None
    return chromadb.HttpClient(
        host=parts.hostname or "localhost", port=port, ssl=secure, headers=headers, settings=_settings(), **place
    )
