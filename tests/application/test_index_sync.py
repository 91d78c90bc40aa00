"""The indexer: what it does at the same time, and what it finds gone."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcp_reflect.application import index_sync as module
from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.requests import Submission
from tests.support.composition import small_memory
from tests.support.fakes import MemoryIndex
from tests.support.ledgers import read
from tests.support.waiting import HANG_S


class SlowIndex(MemoryIndex):
    """Waits in the middle of the first filling until somebody has begun to throw everything away."""

    def __init__(self) -> None:
        super().__init__()
        self.writing, self.dropping = threading.Event(), threading.Event()

    def upsert(self, *args: Any, **kwargs: Any) -> None:
        super().upsert(*args, **kwargs)
        if not self.writing.is_set():
            self.writing.set()
            self.dropping.wait(0.5)

    def drop(self, project: str, model: str) -> None:
        if self.writing.is_set():
            self.dropping.set()
        super().drop(project, model)


class UnopenedIndex(MemoryIndex):
    """Holds what another process wrote, and counts how often it is opened."""

    def __init__(self, generation: str) -> None:
        super().__init__()
        self.kept, self.opened = generation, 0

    def is_unopened(self, project: str, model: str, generation: str) -> bool:
        del project, model
        return not self.opened and generation == self.kept

    def generation(self, project: str, model: str) -> str:
        self.opened += 1
        return super().generation(project, model)


def test_the_background_opens_the_index_only_where_there_is_something_to_do(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        index = UnopenedIndex("")
        indexer = Indexer(parts.ledger, index, parts.embedder.identity)
        assert indexer._attempt("alpha")  # a project without a memory
        assert index.opened == 0
        parts.memory.submit(Submission(task="task", review_result="pass", feedback="It needed the flag."))
        assert indexer._attempt("alpha")
        assert index.opened > 0
        (written,) = index.contents("alpha", parts.embedder.identity)

        kept = UnopenedIndex(index.generation("alpha", parts.embedder.identity))
        later = Indexer(parts.ledger, kept, parts.embedder.identity)
        assert later._attempt("alpha")
        assert kept.opened == 0
        parts.memory.submit(Submission(task="other", review_result="pass", feedback="It needed the flag, too."))
        assert later._attempt("alpha")
        assert kept.contents("alpha", parts.embedder.identity).keys() > {written}


class ErasedIndex(MemoryIndex):
    """Counts how often all files of the index were deleted."""

    erased = 0

    def erase(self, project: str, model: str) -> None:
        self.erased += 1
        super().erase(project, model)


def test_a_forgetting_that_was_killed_before_the_index_s_turn_is_finished_by_the_next_owner(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        runs = [
            parts.memory.submit(Submission(task=f"task {n}", review_result="pass", feedback="It needed the flag."))
            for n in range(2)
        ]
        index = ErasedIndex()
        Indexer(parts.ledger, index, parts.embedder.identity).sync("alpha")
        assert index.erased == 0  # a new collection, in which nothing was ever forgotten
        erase_record(parts.ledger, "alpha", runs[0].trace_id)
        Indexer(parts.ledger, index, parts.embedder.identity).sync("alpha")
        assert index.erased == 1  # a collection that is dropped stays in Chroma's files
        kept = runs[1].memory
        assert kept is not None
        assert index.contents("alpha", parts.embedder.identity).keys() == {kept.id}


def test_a_rebuild_during_a_synchronisation_leaves_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 2)
    with small_memory(tmp_path) as parts:
        for number in range(10):
            parts.memory.submit(Submission(task=f"task {number}", review_result="pass", feedback="It needed the flag."))
        index = SlowIndex()
        indexer = Indexer(parts.ledger, index, parts.embedder.identity)
        first = threading.Thread(target=indexer.sync, args=("alpha",))
        first.start()
        assert index.writing.wait(HANG_S)
        rebuilt = indexer.rebuild("alpha")
        first.join()
        assert rebuilt == 10
        held, wanted = (
            index.contents("alpha", parts.embedder.identity),
            read(parts.ledger, lambda s: s.vectors.of_project("alpha", "hash-embedder")),
        )
        assert held.keys() == wanted.keys()
        assert all(np.array_equal(held[i], wanted[i]) for i in held)
