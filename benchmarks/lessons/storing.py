"""What it costs to store reviewed runs: in bulk, and one by one against an embedding plus a raw Chroma add."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.pairs import Paired, paired
from benchmarks.quality.banks import Laboratory
from benchmarks.quality.data import Run
from benchmarks.speed import raw_collection
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Submission

Making = Callable[[str, Run], Submission]
"""Makes the submission of a run under a task."""


class Rate(NamedTuple):
    """Runs stored a second, and the CPU time of each in milliseconds, which other load on the machine changes less."""

    a_second: float
    cpu_ms: float


def measure_together(lab: Laboratory, memory: MemoryService, submissions: Sequence[Submission]) -> Rate:
    """Return how fast runs are stored by one call of `submit_all`, up to the index but without their lessons."""
    return _rate(lab, memory, len(submissions), lambda: list(memory.submit_all(submissions)))


def measure_singly(
    lab: Laboratory, memory: MemoryService, runs: Sequence[Run], submission: Making
) -> tuple[Rate, Paired]:
    """Return how fast runs are stored by a call each, up to the index, and the cost of one more in pairs.

    The background embeds their lessons meanwhile, as in a hub.
    """
    made = [submission(run.text, run) for run in runs]
    rate = _rate(lab, memory, len(runs), lambda: [memory.submit(each) for each in made])
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

        return rate, paired(ours, theirs, fresh)


def _rate(lab: Laboratory, memory: MemoryService, count: int, store: Callable[[], object]) -> Rate:
    lab.store.start()
    lab.store.embedder.embed(["the first text loads the model"])
    began, used = time.perf_counter(), time.process_time()
    store()
    lab.store.indexer.sync(memory.profile.project)
    return Rate(count / (time.perf_counter() - began), (time.process_time() - used) / count * 1e3)
