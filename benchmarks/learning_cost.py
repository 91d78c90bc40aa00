"""The price of learning at query time: queries of a memory with many reviews against the same memory without any.

Both hold the same memories. Right before each query a run is submitted and reviewed in its memory, so that the query
meets what a review leaves to be done, but in one the review credits no memory. Both learn in the background, as in a
hub. Which one is asked first is drawn anew for each text, and the other one waits until nothing is left to learn: in a
fixed order the learning of the one would slow the queries of the other.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import numpy as np
from rich.table import Table

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import Settings
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.q_update import updated_q
from mcp_reflect.domain.models import Review, UtilityEvent
from mcp_reflect.domain.values import Vector

REVIEWS = (400, 4_000)
SIZES = (1_000, 100_000)
ROUNDS = 100
WARMING = 10
FOLLOWED = 3
"""Memories that each stored review is about: the nearest ones to its task."""

Fill = Callable[[Store, MemoryService, list[str], Vector, np.random.Generator], None]


def measure_learning(
    settings_in: Callable[[str], Settings],
    fill: Fill,
    tasks: list[str],
    vectors: Vector,
    fresh: Iterator[str],
    table: Table,
) -> None:
    """Add a row for each number of reviews: median times, the median ratio, and that of the 95th percentiles.

    In the last row neither has stored reviews: it shows the price of the step that the review just before costs.
    """
    for count in (*REVIEWS, 0):
        with ExitStack() as opened:
            memories = []
            for reviews in (count, 0):
                folder = opened.enter_context(tempfile.TemporaryDirectory())
                settings = settings_in(folder)
                store = opened.enter_context(open_store(settings))
                memory = opened.enter_context(build_memory(settings, store))
                fill(store, memory, tasks, vectors, np.random.default_rng(count))
                _review(store, memory, vectors, tasks, reviews)
                store.start()
                memories.append((store, memory))
            chance = np.random.default_rng(count)
            rounds = [_times(memories, next(fresh), chance) for _ in range(ROUNDS + WARMING)]
            taken = np.array(rounds)[WARMING:] * 1e3
        ours, plain = np.median(taken, axis=0)
        late = np.quantile(taken, 0.95, axis=0)
        ratio = f"{np.median(taken[:, 0] / taken[:, 1]):.2f}"
        what = f"query of {len(vectors):,}, after {count:,} reviews against none, of 1 in 20: {late[0] / late[1]:.2f}"
        table.add_row(what, f"{ours:.2f}", f"{plain:.2f}", ratio, "–", "≤ 1.20")


def _times(memories: list[tuple[Store, MemoryService]], text: str, chance: np.random.Generator) -> list[float]:
    """Return the seconds that a query took in the memory whose reviews credit what was retrieved, and in the other."""
    found = [0.0, 0.0]
    for place in chance.permutation(2).tolist():
        store, memory = memories[place]
        earlier = f"{text}, earlier"
        retrieved = memory.query(Query(task=earlier, limit=5))
        run_of = "none" if place else retrieved.retrieval_id
        memory.submit(Submission(task=earlier, final_response="done", retrieval_id=run_of, review_result="pass"))
        began = time.perf_counter()
        memory.query(Query(task=text, limit=5))
        found[place] = time.perf_counter() - began
        while store.tables.learn(memory.profile.project):
            pass
    return found


def _review(store: Store, memory: MemoryService, vectors: Vector, tasks: list[str], count: int) -> None:
    """Store what reviews of further runs on the tasks earned the memories nearest to them."""
    chance, project = np.random.default_rng(count), memory.profile.project
    with store.ledger.reading() as session:
        found = session.memories.by_ids(session.memories.changed_since(project, 0, len(tasks), kind="reflection"))
    held = list(found.values())
    place_of = {task: place for place, task in enumerate(tasks)}
    own = vectors[[place_of[each.task] for each in held]]
    q_values = [each.q_value for each in held]
    now = datetime.now(UTC)
    with store.ledger.writing() as session:
        for _ in range(count):
            asked = int(chance.integers(len(held)))
            trace_id, passed = held[asked].source_trace_id, chance.random() < 0.5
            review = Review(
                id=new_id("rev"),
                trace_id=trace_id,
                seq=session.feed.next_seq(),
                result="pass" if passed else "fail",
                alpha=REFERENCE_ALPHA,
                created_at=now,
            )
            session.reviews.put(review)
            for position, near in enumerate(np.argsort(-(own @ own[asked]))[:FOLLOWED].tolist()):
                before = q_values[near]
                q_values[near] = updated_q(before, float(passed), REFERENCE_ALPHA)
                session.events.append(
                    UtilityEvent(
                        memory_id=held[near].id,
                        review_id=review.id,
                        trace_id=trace_id,
                        seq=review.seq,
                        position=position,
                        reward=float(passed),
                        alpha=REFERENCE_ALPHA,
                        q_before=before,
                        q_after=q_values[near],
                    )
                )
