"""Vector index in Chroma: one collection per project and embedding model."""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_reflect.adapters.chroma_index.clients import (
    file_identity,
    open_or_replace,
    open_remote,
    put_aside,
    remove_folder,
)
from mcp_reflect.adapters.chroma_index.unused_space import UnusedSpace
from mcp_reflect.adapters.sqlite_remedies import is_damage, remedy
from mcp_reflect.errors import IndexFailure

if TYPE_CHECKING:  # numpy is a tenth of a second and 12 MB, which a hub does without until a query or a run
    from mcp_reflect.domain.values import Vector

log = logging.getLogger(__name__)

_BATCH = 1_000

_SERVER_BATCH = 300
"""Entries per call to a server: the quota of Chroma Cloud for one write, and for the results of one read."""

_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 400, "max_neighbors": 32}
"""Chosen for a recall of 99% at the nearest 100 of 100,000 real embeddings."""

_DATABASE = "chroma.sqlite3"


class ChromaIndex:
    """Implements ports.VectorIndex, in a folder of its own or on a Chroma server.

    Chroma is imported and opened at first use. A folder that Chroma cannot open is renamed and replaced by an empty
    one: the index holds only copies of the ledger's vectors. All methods raise IndexFailure. Thread-safe.
    """

    def __init__(self, folder: Path, url: str = "", *, token: str = "", tenant: str = "", database: str = "") -> None:
        """Prepare an index in `folder`, or on the server at `url`, whose defaults empty names stand for."""
        self._folder = folder
        self._url = url
        self._access = (token, tenant, database)
        self._most = _SERVER_BATCH if url else _BATCH
        self._client: Any = None
        self._opened: tuple[int, int] | None = None
        self._collections: dict[tuple[str, str], Any] = {}
        self._unused = UnusedSpace(folder)
        self._lock = threading.RLock()

    def upsert(
        self,
        project: str,
        model: str,
        ids: Sequence[str],
        vectors: Vector,
        metadatas: Sequence[Mapping[str, object]],
        documents: Sequence[str] = (),
    ) -> None:
        """Write vectors, shape (len(ids), dimension), with metadata and texts; creates the collection if needed."""
        with self._failing("writing"):
            collection = self._open(project, model, create=True)
            for part in self._parts(len(ids)):
                collection.upsert(
                    ids=list(ids[part]),
                    embeddings=vectors[part],
                    metadatas=[dict(m) for m in metadatas[part]],
                    documents=list(documents[part]) or None,
                )

    def describe(self, project: str, model: str, ids: Sequence[str], metadatas: Sequence[Mapping[str, object]]) -> None:
        """Replace the metadata of these ids, as far as the collection holds them."""
        with self._failing("writing"):
            collection = self._open(project, model)
            if collection is None:
                return
            for part in self._parts(len(ids)):
                held = collection.get(ids=list(ids[part]), include=["metadatas"])
                before = dict(zip(held["ids"], held["metadatas"], strict=True))
                changed = {i: dict(m) for i, m in zip(ids[part], metadatas[part], strict=True) if i in before}
                # Chroma merges metadata: a key that is gone has to be named to go.
                gone = {i: dict.fromkeys(before[i].keys() - each.keys()) for i, each in changed.items()}
                if changed:
                    collection.update(ids=list(changed), metadatas=[gone[i] | each for i, each in changed.items()])

    def descriptions(self, project: str, model: str) -> dict[str, tuple[str, Mapping[str, object]]]:
        """Return the text and metadata of every id of the collection; empty without a collection."""
        with self._failing("reading"):
            collection = self._open(project, model)
            found: dict[str, tuple[str, Mapping[str, object]]] = {}
            for page in [] if collection is None else self._parts(collection.count()):
                part = collection.get(
                    limit=page.stop - page.start, offset=page.start, include=["documents", "metadatas"]
                )
                columns = zip(part["ids"], part["documents"], part["metadatas"], strict=True)
                found |= {memory_id: (text or "", told or {}) for memory_id, text, told in columns}
            return found

    def delete(self, project: str, model: str, ids: Sequence[str]) -> None:
        """Delete these ids from the collection, if it exists."""
        with self._failing("deleting"):
            collection = self._open(project, model)
            if collection is None:
                return
            for part in self._parts(len(ids)):
                collection.delete(ids=list(ids[part]))

    def nearest(self, project: str, model: str, vector: Vector, limit: int) -> list[str]:
        """Return the ids of at most `limit` nearest vectors, nearest first; none without a collection.

        A server is asked for 300 at most.
        """
        with self._failing("querying"):
            collection = self._open(project, model)
            if collection is None:
                return []
            found = collection.query(query_embeddings=[vector], n_results=min(limit, self._most), include=[])
            return list(found["ids"][0])

    def contents(self, project: str, model: str) -> dict[str, Vector]:
        """Return all vectors of the collection by id, in float32; empty without a collection."""
        with self._failing("reading"):
            collection = self._open(project, model)
            if collection is None:
                return {}
            import numpy as np  # noqa: PLC0415 - as above

            held: dict[str, Vector] = {}
            for page in self._parts(collection.count()):
                part = collection.get(limit=page.stop - page.start, offset=page.start, include=["embeddings"])
                held |= zip(part["ids"], np.asarray(part["embeddings"], dtype=np.float32), strict=True)
            return held

    def generation(self, project: str, model: str) -> str:
        """Return the id that Chroma gave the collection; empty where there is none."""
        with self._failing("opening"):
            collection = self._open(project, model)
            return "" if collection is None else str(collection.id)

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

    def drop(self, project: str, model: str) -> None:
        """Delete the collection, if it exists."""
        with self._failing("dropping"):
            if self._open(project, model) is not None:
                del self._collections[project, model]
                self._client.delete_collection(collection_name(project, model))

    def erase(self, project: str, model: str) -> None:
        """Delete the whole index folder and the damaged ones put aside; on a server, only the collection."""
        if self._url:
            self.drop(project, model)
            return
        with self._failing("erasing"):
            # Chroma only marks entries as deleted, in files that all collections share; everything in them is a copy.
            self.close()
            for folder in [self._folder, *self._folder.parent.glob(f"{self._folder.name}.damaged-*")]:
                remove_folder(folder)

    def close(self) -> None:
        """Close Chroma; the next call opens it again."""
        with self._lock:
            self._collections.clear()
            if self._client is not None:
                self._client.close()
                self._client = None

    def _parts(self, count: int) -> Iterator[slice]:
        """The pieces in which so many entries are written or read."""
        return (slice(start, start + self._most) for start in range(0, count, self._most))

    @contextmanager
    def _failing(self, doing: str) -> Iterator[None]:
        """Hold the lock during a call and raise IndexFailure for any error of Chroma; `doing` names the action."""
        with self._lock:
            try:
                yield
                if self._client is not None and not self._url:
                    self._unused.zero()
            except IndexFailure:
                raise
            except BaseException as error:
                # Chroma's Rust core reports its panics as a BaseException of its own.
                if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                    raise
                # A collection may be gone: the next call looks it up again, and a missing one is filled again.
                self._collections.clear()
                helps = self._put_aside(error) if is_damage(error) and not self._url else remedy(error)
                told = f"{doing} the Chroma index failed: {type(error).__name__}: {error}"
                raise IndexFailure(f"{told} ({helps})" if helps else told) from error

    def _put_aside(self, error: BaseException) -> str:
        """Rename a folder whose content was damaged in use, and return what comes of that, for people."""
        with suppress(Exception):  # Chroma may fail at closing what it cannot read
            self.close()
        self._client = None
        try:
            put_aside(self._folder, error)
        except OSError:  # it is gone by now, or the home cannot be written
            return "restart the hub with `mcp-reflect hub restart`"
        return "it was put aside, and the next call fills another one from the ledger"

    def _open(self, project: str, model: str, *, create: bool = False) -> Any:
        """Return the collection, or None where it does not exist and `create` is false."""
        client = self._connect()
        known = self._collections.get((project, model))
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
        self._collections[project, model] = collection
        return collection

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
