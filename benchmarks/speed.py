"""Speed as ratios within one run: `python -m benchmarks.speed [--sizes 1000,10000,100000] [--only queries]`.

- `query_memories` in process (MemoryService.query) against one embedding plus one raw Chroma query of the same
  text, at 1,000, 10,000 and 100,000 memories, semantic and hybrid, with lambda 0.5 and 1.0, with and without a filter.
  The goal beside a semantic query is that for what Chroma does too, to rank by meaning. A hybrid one compares the words
  of every memory as well: its goal is 1.5 times a semantic one, which it is timed against in turn.
- a query after many reviews against one of the same memories without any (`benchmarks/learning_cost.py`).
- submit plus review without a model, of a line of log and of real runs, against one embedding plus one raw Chroma add.

Run it with OPENBLAS_NUM_THREADS=1, as a hub ranks. The pairs are timed in turn, A B A B, on one text, and the median
ratio of the pairs is printed beside the goal; beside it that of the pairs in which ours found something, as a query
that finds nothing near enough ends sooner.
Tasks are the questions of the five retrieval sets in turn, whole. Those in the banks are mixtures of the beginnings of
two of their documents, words and vectors alike: 100,000 texts would take the model an hour. Above 20,000 memories it
tells how many of the true best are found.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.learning_cost import SIZES, measure_learning
from benchmarks.mixtures import SEED, mixtures, texts
from benchmarks.pairs import paired
from benchmarks.quality.data import TAU, read_runs, read_sets, require_data
from benchmarks.quality.features import HYBRID, RETRIEVALS, SEMANTIC
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission, Verdict
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import Settings, load_settings
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import ReflectionMemory, Review, Trace
from mcp_reflect.domain.ranking.candidate_generation import EXACT_SCAN_LIMIT, two_stage_top_k
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Vector

PARTS = ("writes", "learning", "queries")
BEGINNING = 300
ROUNDS = 120
DEPTHS = (10, 50)
"""Results whose recall is printed: those of a query by default, and the pool that diversity chooses them from."""

console = Console()


class ReportedTable(Table):
    """A table whose rows are printed as they come, too: what a run of an hour measured is not lost with its end."""

    def add_row(self, *cells: Any, **style: Any) -> None:
        super().add_row(*cells, **style)
        console.print("  ".join(map(str, cells)), soft_wrap=True)


def fill(store: Store, memory: MemoryService, tasks: list[str], vectors: Vector, chance: np.random.Generator) -> None:
    """Store memories straight in the ledger, with q_values as after some learning, and let the index catch up."""
    profile, now = memory.profile, time.time()
    for start in range(0, len(vectors), 2_000):
        with store.ledger.writing() as session:
            for number in range(start, min(start + 2_000, len(vectors))):
                trace = Trace(
                    id=new_id("trace"),
                    project=profile.project,
                    user=profile.user,
                    task=tasks[number],
                    created_at=datetime.fromtimestamp(now - number, UTC),
                )
                _store(session, trace, number % 20, vectors[number], store.embedder.identity, chance)
    store.indexer.sync(profile.project)


def _store(session: Any, trace: Trace, part: int, vector: Vector, model: str, chance: np.random.Generator) -> None:
    session.traces.add(trace)
    session.reviews.put(
        Review(
            id=new_id("rev"),
            trace_id=trace.id,
            seq=session.feed.next_seq(),
            result="pass",
            alpha=0.3,
            created_at=trace.created_at,
        )
    )
    q = float(np.clip(chance.normal(0.5, 0.15), 0, 1)) if chance.random() < 0.5 else 0.5
    stored = ReflectionMemory(
        id=new_id("mem"),
        project=trace.project,
        user=trace.user,
        task=trace.task,
        reflection="Check the fare rules before the seat map, then book.",
        metadata={"part": part, "half": part % 2},
        success=True,
        author="agent",
        source_trace_id=trace.id,
        initial_q=q,
        q_value=q,
        created_at=trace.created_at,
    )
    session.memories.put(stored, model, vector)


def raw_collection(folder: str, vectors: Vector) -> Any:
    """A plain Chroma collection with its defaults, holding the same vectors and filter field."""
    import chromadb  # noqa: PLC0415 - heavy
    from chromadb.config import Settings as ChromaSettings  # noqa: PLC0415 - heavy

    client = chromadb.PersistentClient(folder, settings=ChromaSettings(anonymized_telemetry=False))
    collection = client.create_collection("raw", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None)
    for start in range(0, len(vectors), 5_000):
        part = range(start, min(start + 5_000, len(vectors)))
        collection.add(
            ids=[str(n) for n in part],
            embeddings=vectors[part.start : part.stop],
            metadatas=[{"part": n % 20} for n in part],
        )
    return collection


def settings_in(folder: str) -> Settings:
    return load_settings({"MCP_REFLECT_HOME": folder, "MCP_REFLECT_PROJECT": "benchmark"}, Path(folder))


def measure_queries(size: int, every: list[str], base: Vector, fresh: Iterator[str], table: Table) -> None:
    chance = np.random.default_rng(SEED)
    tasks, vectors = mixtures(every, base, size, chance)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as raw_folder:
        settings = settings_in(folder)
        with open_store(settings) as store, build_memory(settings, store) as memory:
            console.print(f"storing {size:,} memories, and as many raw entries")
            fill(store, memory, tasks, vectors, chance)
            collection = raw_collection(raw_folder, vectors)
            ways = itertools.product(RETRIEVALS, (0.5, 1.0), ({}, {"part": 3}))
            for retrieval, lambda_, wanted in ways:
                asked = partial(Query, lambda_=lambda_, metadata_filter=wanted)

                def ours(text: str, asked: Callable[..., Query] = asked, retrieval: str = retrieval) -> bool:
                    return bool(memory.query(asked(task=text, retrieval=retrieval)).matches)

                def theirs(text: str, wanted: dict[str, int] = wanted) -> object:
                    vector = store.embedder.embed([text])[0]
                    return collection.query(query_embeddings=[vector], n_results=10, where=wanted or None)

                what = f"query, {size:,}, {retrieval}, λ {lambda_}{', filter' if wanted else ''}"
                goal = "≤ 1.30" if retrieval == SEMANTIC else "–"
                table.add_row(*paired(ours, theirs, fresh, ROUNDS).row(what, goal))
                if retrieval != SEMANTIC:
                    by_meaning = partial(ours, retrieval=SEMANTIC)
                    times = paired(ours, by_meaning, fresh, ROUNDS)
                    table.add_row(*times.row(f"{what}, against semantic", "≤ 1.50"))
            if size > EXACT_SCAN_LIMIT:
                report_recall(store, memory, fresh)


def report_recall(store: Store, memory: MemoryService, fresh: Iterator[str]) -> None:
    """Print how many of the best of large banks are found, against comparing every row."""
    with store.tables.as_they_are(memory.profile.project) as tables:
        table = tables.table
    asked = list(itertools.islice(fresh, 200))
    vectors = store.embedder.embed(asked)
    ways = itertools.product(RETRIEVALS, (0.0, 0.5, 1.0), ({}, {"half": 1}))
    for retrieval, lambda_, wanted in ways:
        rows = table.rows_matching(wanted, None)
        threshold, optimism = memory.profile.threshold(retrieval), memory.profile.optimism_for(retrieval)
        found, best = dict.fromkeys(DEPTHS, 0), dict.fromkeys(DEPTHS, 0)
        for text, vector in zip(asked, vectors, strict=True):
            words = terms(text) if retrieval == HYBRID else None
            query = RankingQuery(vector, lambda_, threshold, terms=words, optimism=optimism, by_lead=True)
            exact = top_k(table, query, max(DEPTHS), rows).rows
            quick = two_stage_top_k(table, query, max(DEPTHS), rows).rows
            for depth in DEPTHS:
                found[depth] += len(np.intersect1d(exact[:depth], quick[:depth]))
                best[depth] += len(exact[:depth])
        shares = ", ".join(f"{found[depth] / best[depth]:.4f} of the best {depth}" for depth in DEPTHS)
        kept = f", of {len(rows):,} that a filter leaves" if rows is not None else ""
        console.print(
            f"  found at {len(table):,}, {retrieval}, λ {lambda_}{kept}: {shares} (goal ≥ 0.99)", soft_wrap=True
        )


def measure_writes(base: Vector, fresh: Iterator[str], table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as raw_folder:
        settings = settings_in(folder)
        with open_store(settings) as store, build_memory(settings, store) as memory:
            store.indexer.start()
            collection = raw_collection(raw_folder, base[:1_000])
            numbers = itertools.count()

            def ours(text: str) -> bool:
                trace = memory.submit(Submission(task=text, trajectory="$ pytest\n1 failed"))
                return bool(memory.reviews.review(trace.trace_id, Verdict(result="fail", feedback="one test fails")))

            def ours_with_five(text: str) -> bool:
                memory.query(Query(task=text, limit=5, similarity_threshold=0.0))
                return ours(text)

            def theirs(text: str) -> object:
                vector = store.embedder.embed([text])[0]
                return collection.add(ids=[f"new{next(numbers)}"], embeddings=[vector], metadatas=[{"part": 1}])

            recorded = itertools.cycle(read_runs(TAU))

            def of_a_real_run(text: str) -> bool:
                run = next(recorded)
                trace = memory.submit(Submission(task=text, trajectory=json.dumps(run.messages)))
                return bool(memory.reviews.review(trace.trace_id, Verdict(result="pass" if run.passed else "fail")))

            for name, run in (
                ("submit+review", ours),
                ("submit+review of a real run", of_a_real_run),
                ("query of 5, submit+review", ours_with_five),
            ):
                table.add_row(*paired(run, theirs, fresh).row(name, "–" if run is ours_with_five else "≤ 2.00"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed as ratios within one run.")
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of memories, with commas between")
    parser.add_argument("--only", choices=PARTS, help="one part: at 100,000 memories `learning` takes hours")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    parts = (given.only,) if given.only else PARTS
    require_data()
    sets = read_sets()
    every = [text[:BEGINNING] for text in texts([each.documents.values() for each in sets])]
    questions = texts([[question.text for question in each.questions] for each in sets])
    with tempfile.TemporaryDirectory() as folder, open_store(settings_in(folder)) as store:
        base = store.embedder.embed(every)
    # Texts are numbered, so that no cache of vectors helps either side.
    fresh = (f"{text} {number}" for number, text in enumerate(itertools.cycle(questions)))
    columns = ("what", "ours, ms", "raw, ms", "ratio", "where answered", "goal")
    table = ReportedTable(
        *columns, title="pairs in turn: median times, median ratio, of all and of those that found something"
    )
    if "writes" in parts:
        measure_writes(base, fresh, table)
    for size in SIZES:
        if size in sizes and "learning" in parts:
            measure_learning(settings_in, fill, *mixtures(every, base, size, np.random.default_rng(SEED)), fresh, table)
    for size in sizes if "queries" in parts else ():
        measure_queries(size, every, base, fresh, table)
    console.print(table)


if __name__ == "__main__":
    main()
