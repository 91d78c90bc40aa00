"""Ratio of the times of hybrid and semantic queries, taken in turn on one bank with texts that are not cached.

The memories are made of real texts, half of one and half of another, with a vector between those of the two: embedding
ten thousand texts would take minutes and measure the model.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from benchmarks.pairs import paired
from benchmarks.quality.banks import Laboratory
from benchmarks.quality.data import RetrievalSet
from benchmarks.quality.features import HYBRID, SEMANTIC, asked
from benchmarks.quality.report import Report
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import ReflectionMemory, Review, Trace
from mcp_reflect.domain.vectors import unit_vector

SIZES = (1_000, 10_000)
MOST = 1.5
BASE = 500
SEED = 20261121


def measure(lab: Laboratory, sets: Sequence[RetrievalSet], report: Report) -> dict[int, float]:
    """Print the medians and the median ratio of the pairs at each size; give back the ratios."""
    texts = [text for each in sets for text in each.documents.values()]
    np.random.default_rng(SEED).shuffle(texts)
    fresh = (f"{text} ({number})" for number, text in enumerate(itertools.cycle(texts[BASE:])))
    ratios: dict[int, float] = {}
    rows = []
    for size in SIZES:
        with lab.memory(f"timing-{size}") as memory:
            store_mixtures(lab, memory, texts[:BASE], size)
            times = paired(_query(memory, HYBRID), _query(memory, SEMANTIC), fresh)
        ratios[size] = times.ratio
        rows.append([f"{size:,}", f"{times.ours * 1e3:.2f}", f"{times.theirs * 1e3:.2f}", f"{times.ratio:.2f}"])
    report.table("Query time, medians in ms", ["memories", HYBRID, SEMANTIC, "ratio"], rows)
    for size, ratio in ratios.items():
        report.goal(f"query time at {size:,} memories, hybrid over semantic", ratio, MOST, least=False, digits=2)
    return ratios


def _query(memory: MemoryService, kind: str) -> Callable[[str], bool]:
    return lambda text: bool(memory.query(asked(text, kind)).matches)


def store_mixtures(lab: Laboratory, memory: MemoryService, texts: Sequence[str], count: int) -> None:
    """Put `count` memories straight into the ledger, each from two of `texts`, and let the index catch up."""
    chance, start = np.random.default_rng(SEED), datetime.now(UTC)
    profile, store = memory.profile, lab.store
    vectors = store.embedder.embed(texts)
    for first in range(0, count, 1_000):
        with store.ledger.writing() as session:
            for number in range(first, min(first + 1_000, count)):
                one, other = chance.integers(len(texts), size=2)
                task = _halves(texts[one], texts[other])
                created = start - timedelta(seconds=number)
                trace = Trace(
                    id=new_id("trace"), project=profile.project, user=profile.user, task=task, created_at=created
                )
                session.traces.add(trace)
                review = Review(
                    id=new_id("rev"),
                    trace_id=trace.id,
                    seq=session.feed.next_seq(),
                    result="pass",
                    alpha=0.3,
                    created_at=created,
                )
                session.reviews.put(review)
                stored = ReflectionMemory(
                    id=new_id("mem"),
                    project=profile.project,
                    user=profile.user,
                    task=task,
                    reflection="Look at the flags before the first run.",
                    success=True,
                    author="agent",
                    source_trace_id=trace.id,
                    initial_q=0.5,
                    q_value=0.5,
                    created_at=created,
                )
                session.memories.put(stored, store.embedder.identity, unit_vector(vectors[one] + vectors[other]))
    store.indexer.sync(profile.project)


def _halves(one: str, other: str) -> str:
    first, second = one.split(), other.split()
    return " ".join([*first[: len(first) // 2 + 1], *second[len(second) // 2 :]])
