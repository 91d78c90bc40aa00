"""The collections of the index, one per project and embedding model, and the client of Chroma that opens them."""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from mcp_reflect.adapters.chroma_index.clients import (
    file_identity,
    open_or_replace,
    open_remote,
    put_aside,
)

log = logging.getLogger(__name__)

_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 400, "max_neighbors": 32}
"""Chosen for a recall of 99% at the nearest 100 of 100,000 real embeddings."""
_DATABASE = "chroma.sqlite3"


class Collections:
    """A client of Chroma and the collections that it was asked for; opened at first use, and anew after `close`.

    Not thread-safe: the index holds a lock.
    """

    def __init__(self, folder: Path, url: str, token: str, tenant: str, database: str) -> None:
        self._folder = folder
        self._url = url
        self._access = (token, tenant, database)
        self._client: Any = None
        self._opened: tuple[int, int] | None = None
        self._found: dict[tuple[str, str], Any] = {}

    @property
    def is_open(self) -> bool:
        """Return true between the first use and `close`."""
        return self._client is not None

    def is_unopened(self, project: str, model: str, generation: str) -> bool:
        """Return whether Chroma is not open yet and its folder holds this generation; always false for a server."""
        if self._url or self._client is not None:
            return False
        # Chroma's own table, as importing Chroma is what this saves; a version with another one is simply opened.
        try:
            with closing(sqlite3.connect(f"{(self._folder / _DATABASE).as_uri()}?mode=ro", uri=True)) as database:
                of_name = "SELECT id FROM collections WHERE name = ?"
                row = database.execute(of_name, (collection_name(project, model),)).fetchone()
        except sqlite3.Error:
            return False
        return row is not None and row[0] == generation

    def find(self, project: str, model: str, *, create: bool = False) -> Any:
        """Return the collection, or None where it does not exist and `create` is false."""
        client = self._connect()
        known = self._found.get((project, model))
        if known is not None:
            return known
        name = collection_name(project, model)
        if create:
            collection = client.get_or_create_collection(
                name,
                configuration={"hnsw": _HNSW},
                metadata={"project": project, "model": model},
                embedding_function=None,
            )
        else:
            from chromadb.errors import NotFoundError  # noqa: PLC0415 - heavy, first needed here

            try:
                collection = client.get_collection(name, embedding_function=None)
            except NotFoundError:
                return None
        self._found[project, model] = collection
        return collection

    def drop(self, project: str, model: str) -> None:
        """Delete the collection, if it exists."""
        if self.find(project, model) is not None:
            del self._found[project, model]
            self._client.delete_collection(collection_name(project, model))

    def forget(self) -> None:
        """Look each collection up again when it is asked for next: it may be gone."""
        self._found.clear()

    def close(self) -> None:
        """Close Chroma; the next call opens it again."""
        self._found.clear()
        if self._client is not None:
            self._client.close()
            self._client = None

    def put_aside(self, error: BaseException) -> str:
        """Rename a folder whose content was damaged in use, and return what comes of that, for people."""
        with suppress(Exception):  # Chroma may fail at closing what it cannot read
            self.close()
        self._client = None
        try:
            put_aside(self._folder, error)
        except OSError:  # it is gone by now, or the home cannot be written
            return "restart the hub with `mcp-reflect hub restart`"
        return "it was put aside, and the next call fills another one from the ledger"

    def _connect(self) -> Any:
        if self._url:
            if self._client is None:
                self._client = open_remote(self._url, *self._access)
            return self._client
        if self._client is not None and self._opened != file_identity(self._folder / _DATABASE):
            # Chroma goes on with deleted files, which it can neither write nor give up by itself.
            log.warning("the index in %s was deleted or replaced; it is opened anew", self._folder)
            self.close()
        if self._client is None:
            self._client = open_or_replace(self._folder)
            self._opened = file_identity(self._folder / _DATABASE)
        return self._client


def collection_name(project: str, model: str) -> str:
    """Return a readable, unique name of a collection, of the characters that Chroma allows."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", project).strip("-")[:40] or "project"
    digest = hashlib.sha256(f"{project}\0{model}".encode()).hexdigest()[:16]
    return f"{slug}-{digest}"
