"""What it costs to store reviewed runs: in bulk, and one by one against an embedding plus a raw Chroma add."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.pairs import Paired, paired
from benchmarks.quality.banks import Laboratory
from benchmarks.quality.data import Run
from benchmarks.speed import raw_collection
from mcp_reflect.application.memory_service import MemoryService

Submit = Callable[[MemoryService, str, Run], object]
"""Hands in a run under a task."""


def measure_storing(
    lab: Laboratory, memory: MemoryService, runs: Sequence[Run], submit: Submit
) -> tuple[float, Paired]:
    """Return the runs stored a second in bulk, up to the index, and then the cost of one more in pairs."""
    lab.store.indexer.start()
    lab.store.embedder.prepare()
    began = time.perf_counter()
    for run in runs:
        submit(memory, run.text, run)
    lab.store.indexer.sync(memory.profile.project)
    a_second = len(runs) / (time.perf_counter() - began)
    vectors = np.concatenate([lab.store.embedder.embed([run.text]) for run in runs])
    later = itertools.cycle(runs)
    fresh = (f"{number} {run.text} " for number, run in enumerate(itertools.cycle(runs)))
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        collection = raw_collection(folder, vectors)

        def ours(text: str) -> bool:
            submit(memory, text, next(later))
            return True

        def theirs(text: str) -> object:
            vector = lab.store.embedder.embed([text])[0]
            return collection.add(ids=[f"new{next(numbers)}"], embeddings=[vector], metadatas=[{"part": 1}])

        return a_second, paired(ours, theirs, fresh)
