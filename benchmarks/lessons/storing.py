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
from mcp_reflect.application.requests import Submission

Making = Callable[[str, Run], Submission]
"""Makes the submission of a run under a task."""


def measure_together(lab: Laboratory, memory: MemoryService, submissions: Sequence[Submission]) -> float:
    """Return how many runs are stored a second by one call of `submit_all`, up to the index."""
    return _a_second(lab, memory, len(submissions), lambda: list(memory.submit_all(submissions)))


def measure_singly(
    lab: Laboratory, memory: MemoryService, runs: Sequence[Run], submission: Making
) -> tuple[float, Paired]:
    """Return how many runs are stored a second by a call each, up to the index, and the cost of one more in pairs."""
    made = [submission(run.text, run) for run in runs]
    a_second = _a_second(lab, memory, len(runs), lambda: [memory.submit(each) for each in made])
    vectors = np.concatenate([lab.store.embedder.embed([run.text]) for run in runs])
    later = itertools.cycle(runs)
    fresh = (f"{number} {run.text} " for number, run in enumerate(itertools.cycle(runs)))
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        collection = raw_collection(folder, vectors)

        def ours(text: str) -> bool:
            memory.submit(submission(text, next(later)))
            return True

        def theirs(text: str) -> object:
            vector = lab.store.embedder.embed([text])[0]
            return collection.add(ids=[f"new{next(numbers)}"], embeddings=[vector], metadatas=[{"part": 1}])

        return a_second, paired(ours, theirs, fresh)


def _a_second(lab: Laboratory, memory: MemoryService, count: int, store: Callable[[], object]) -> float:
    lab.store.indexer.start()
    lab.store.embedder.embed(["the first text loads the model"])
    began = time.perf_counter()
    store()
    lab.store.indexer.sync(memory.profile.project)
    return count / (time.perf_counter() - began)
