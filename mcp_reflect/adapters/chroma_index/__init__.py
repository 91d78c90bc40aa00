"""Vector index in Chroma: one collection per project and embedding model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.adapters.chroma_index.clients import remove_folder
from mcp_reflect.adapters.chroma_index.collections import Collections
from mcp_reflect.adapters.chroma_index.unused_space import UnusedSpace
from mcp_reflect.adapters.sqlite_remedies import is_damage, remedy
from mcp_reflect.errors import IndexFailure

if TYPE_CHECKING:  # numpy is a tenth of a second and 12 MB, which a hub does without until a query or a run
    from mcp_reflect.domain.values import Vector

_BATCH = 1_000

_SERVER_BATCH = 300
"""Entries per call to a server: the quota of Chroma Cloud for one write, and for the results of one read."""


class ChromaIndex:
    """Implements ports.VectorIndex, in a folder of its own or on a Chroma server.

    Chroma is imported and opened at first use. A folder that Chroma cannot open is renamed and replaced by an empty
    one: the index holds only copies of the ledger's vectors. All methods raise IndexFailure. Thread-safe.
    """

    def __init__(self, folder: Path, url: str = "", *, token: str = "", tenant: str = "", database: str = "") -> None:
        """Prepare an index in `folder`, or on the server at `url`, whose defaults empty names stand for."""
        self._folder = folder
        self._url = url
        self._most = _SERVER_BATCH if url else _BATCH
        self._collections = Collections(folder, url, token, tenant, database)
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
            collection = self._collections.find(project, model, create=True)
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
            collection = self._collections.find(project, model)
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
            collection = self._collections.find(project, model)
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
            collection = self._collections.find(project, model)
            if collection is None:
                return
            for part in self._parts(len(ids)):
                collection.delete(ids=list(ids[part]))

    def nearest(self, project: str, model: str, vector: Vector, limit: int) -> list[str]:
        """Return the ids of at most `limit` nearest vectors, nearest first; none without a collection.

        A server is asked for 300 at most.
        """
        with self._failing("querying"):
            collection = self._collections.find(project, model)
            if collection is None:
                return []
            found = collection.query(query_embeddings=[vector], n_results=min(limit, self._most), include=[])
            return list(found["ids"][0])

    def contents(self, project: str, model: str) -> dict[str, Vector]:
        """Return all vectors of the collection by id, in float32; empty without a collection."""
        with self._failing("reading"):
            collection = self._collections.find(project, model)
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
            collection = self._collections.find(project, model)
            return "" if collection is None else str(collection.id)

    def is_unopened(self, project: str, model: str, generation: str) -> bool:
        """Return whether Chroma is not open yet and its folder holds this generation; always false for a server."""
        return self._collections.is_unopened(project, model, generation)

    def drop(self, project: str, model: str) -> None:
        """Delete the collection, if it exists."""
        with self._failing("dropping"):
            self._collections.drop(project, model)

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
            self._collections.close()

    def _parts(self, count: int) -> Iterator[slice]:
        """The pieces in which so many entries are written or read."""
        return (slice(start, start + self._most) for start in range(0, count, self._most))

    @contextmanager
    def _failing(self, doing: str) -> Iterator[None]:
        """Hold the lock during a call and raise IndexFailure for any error of Chroma; `doing` names the action."""
        with self._lock:
            try:
                yield
                if self._collections.is_open and not self._url:
                    self._unused.zero()
            except IndexFailure:
                raise
            except BaseException as error:
                # Chroma's Rust core reports its panics as a BaseException of its own.
                if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                    raise
                # A collection may be gone: the next call looks it up again, and a missing one is filled again.
                self._collections.forget()
                helps = self._collections.put_aside(error) if is_damage(error) and not self._url else remedy(error)
                told = f"{doing} the Chroma index failed: {type(error).__name__}: {error}"
                raise IndexFailure(f"{told} ({helps})" if helps else told) from error
