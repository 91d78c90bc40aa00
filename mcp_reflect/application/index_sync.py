"""Synchronisation of the vector index with the ledger, in a background thread.

The ledger commits first, and the thread then writes the changes to the index. Until then who asks for neighbours
compares the newest rows too. The position reached is stored in the ledger with the collection's generation; by it a
lost or restored index is recognised and filled again. In the background the index is opened only where there is
something to write: that takes half a second and 40 MB, and queries do not need it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_reflect.application.index_entries import ENTRY_VERSION, index_document, index_metadata
from mcp_reflect.application.ports import Ledger, Progress, VectorIndex
from mcp_reflect.application.project_worker import ProjectWorker
from mcp_reflect.domain.models import RETRIEVABLE, Memory
from mcp_reflect.errors import ReflectError

if TYPE_CHECKING:  # numpy is a tenth of a second and 12 MB, which a hub does without until a query or a run
    from mcp_reflect.domain.changes import MemoryChange

log = logging.getLogger(__name__)

_CHUNK = 2_000

_PAUSE_S = 0.5
"""Time without a write after which the background writes to the index. Opening Chroma takes half a second of the
processor, and following a review several milliseconds, which a query right after the review would feel."""


class Indexer:
    """Writes the ledger's changes to the vector index: in the background after `start`, or when `sync` is called."""

    def __init__(self, ledger: Ledger, index: VectorIndex, model: str) -> None:
        self._ledger = ledger
        self._index = index
        self._model = model
        self._positions: dict[str, int] = {}
        self._syncing = threading.Lock()
        self._worker = ProjectWorker("mcp-reflect-indexer", self._attempt, pause_s=_PAUSE_S)
        self.last_error = ""

    def position(self, project: str) -> int:
        """Return the last change that the index is known to hold; 0 before the first synchronisation."""
        return self._positions.get(project, 0)

    def start(self) -> None:
        """Start the background thread."""
        self._worker.start()

    def notify(self, project: str) -> None:
        """Schedule a synchronisation of the project."""
        self._worker.notify(project)

    def close(self, timeout: float = 10.0) -> None:
        """Finish the current synchronisation and close the index; the rest is caught up at the next start."""
        self._worker.close(timeout)
        self._index.close()

    def sync(self, project: str, progress: Progress | None = None) -> int:
        """Bring the index up to date and return how many memories were written. Raises IndexFailure."""
        with self._syncing:
            return self._sync(project, progress)

    def rebuild(self, project: str, progress: Progress | None = None) -> int:
        """Drop the project's collection and fill it from the ledger; return how many memories were written."""
        # Under one lock: a synchronisation in progress would write the rest of its rows into the new collection.
        with self._syncing:
            self._index.drop(project, self._model)
            return self._sync(project, progress)

    def _sync(self, project: str, progress: Progress | None) -> int:
        key = self._key(project)
        with self._ledger.reading() as session:
            generation, seq = session.index_positions.get(key)
        present = self._index.generation(project, self._model)
        if present != generation or not present:
            if present and not generation:
                # Whoever erased something, or restored a backup, was ended before it was the index's turn. What
                # Chroma drops stays in its files.
                self._erase(project)
            else:
                self._positions.pop(project, None)
                self._index.drop(project, self._model)
            seq = 0
        with self._ledger.reading() as session:
            changes = session.feed.changes(project, self._model, seq)
        for start in range(0, len(changes.memories), _CHUNK):
            self._write(project, changes.memories[start : start + _CHUNK])
            if progress is not None:
                progress(min(start + _CHUNK, len(changes.memories)), len(changes.memories))
        moved = [each.memory_id for each in changes.utilities]
        for start in range(0, len(moved), _CHUNK):
            self._describe(project, moved[start : start + _CHUNK])
        if changes.memories or moved:
            generation = self._index.generation(project, self._model)
            with self._ledger.writing(durable=False) as writing:
                writing.index_positions.put(key, generation, changes.seq)
        self._positions[project] = changes.seq
        return len(changes.memories)

    def erase(self, project: str) -> None:
        """Erase the project from the index's files and schedule filling every collection that this affects."""
        with self._syncing:
            self._erase(project)
        self.notify(project)

    def _erase(self, project: str) -> None:
        self._index.erase(project, self._model)
        # Other collections may have gone with it.
        others = self._positions.keys() - {project}
        self._positions.clear()
        for each in others:
            self.notify(each)

    def _can_rest(self, project: str) -> bool:
        """Return whether nothing is to be written."""
        if project in self._positions:
            return False
        with self._ledger.reading() as session:
            generation, seq = session.index_positions.get(self._key(project))
            if not generation:
                return not any(session.projects.counts(project, None).memories.values())
            if not self._index.is_unopened(project, self._model, generation):
                return False
            changes = session.feed.changes(project, self._model, seq)
            return not (changes.memories or changes.utilities)

    def _write(self, project: str, changes: Sequence[MemoryChange]) -> None:
        gone = [change.memory_id for change in changes if not change.retrievable]
        if gone:
            self._index.delete(project, self._model, gone)
        found = self._memories([change.memory_id for change in changes if change.retrievable])
        # One that was erased since has its own change, or none: the collection is filled again then.
        held = {
            i: change.vector for change in changes if (i := change.memory_id) in found and change.vector is not None
        }
        if held:
            import numpy as np  # noqa: PLC0415 - as above

            ids, vectors = list(held), np.stack(list(held.values()))
            metadatas = [index_metadata(found[i]) for i in ids]
            self._index.upsert(project, self._model, ids, vectors, metadatas, [index_document(found[i]) for i in ids])

    def _describe(self, project: str, ids: Sequence[str]) -> None:
        """Write the metadata of memories whose q_value moved."""
        found = {i: memory for i, memory in self._memories(ids).items() if memory.status in RETRIEVABLE}
        self._index.describe(project, self._model, list(found), [index_metadata(each) for each in found.values()])

    def _memories(self, ids: Sequence[str]) -> dict[str, Memory]:
        with self._ledger.reading() as session:
            return session.memories.by_ids(ids)

    def _key(self, project: str) -> str:
        return f"{project}\n{self._model}\n{ENTRY_VERSION}"

    def _attempt(self, project: str) -> bool:
        try:
            if not self._can_rest(project):
                self.sync(project)
        except ReflectError as error:
            self.last_error = str(error)
            log.warning("%s; the ledger has it all, and the index is tried again", error)
            return False
        self.last_error = ""
        return True
