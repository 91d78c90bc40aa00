"""Choose the similarity threshold of an embedding model: `python -m benchmarks.threshold [--model NAME]`.

Five retrieval sets, each about another subject. For every threshold it prints

- `loss`: how much R@5 (hits in the first 5 over min(5, relevant)) falls against no threshold, per set and at worst;
- `relevant`: the share of relevant documents that clear the threshold, at worst;
- `false`: how often a query of one set gets anything from the bank of another set, at the median pair of sets and
  at worst, and `shown`: how many memories it then gets, at most 5.

Rule: the highest threshold that loses at most 0.02 R@5 in every set. A memory that is missed cannot help and nobody
notices; one shown needlessly costs some tokens and is ranked low once it has failed to help.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.application.ports import Embedder
from mcp_reflect.domain.values import Floats

SETS = ("gitbugs_hadoop", "reflexion_prog", "tau_airline_runs", "webarena_family", "reflexion_hotpotqa")
SEED = 20261121
SHOWN = 5
MAX_LOSS = 0.02

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RetrievalSet:
    """Sampled queries and documents as vectors; `relevant[q, d]`, and `barred[q, d]` for a query's own duplicate."""

    name: str
    queries: npt.NDArray[np.float32]
    documents: npt.NDArray[np.float32]
    relevant: Flags
    barred: Flags


def read_set(path: Path, embedder: Embedder, queries: int, documents: int) -> RetrievalSet:
    """A sample of one file: `queries` queries, what is relevant to them, filled up to `documents` with others."""
    rng = random.Random(SEED)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = [row for row in rows if row["t"] == "query" and row["rel"]]
    rng.shuffle(chosen)
    chosen = chosen[:queries]
    wanted = {doc for query in chosen for doc in query["rel"]}
    pool = [row for row in rows if row["t"] == "doc"]
    rng.shuffle(pool)
    pool = sorted(pool, key=lambda row: row["id"] not in wanted)[:documents]
    ids = [row["id"] for row in pool]
    return RetrievalSet(
        path.stem,
        embedder.embed([query["text"] for query in chosen]),
        embedder.embed([row["text"] for row in pool]),
        np.array([[doc in query["rel"] for doc in ids] for query in chosen]),
        np.array([[doc in query.get("exclude", ()) for doc in ids] for query in chosen]),
    )


def recall(found: RetrievalSet, threshold: float) -> float:
    """Mean R@5 over the queries that have a relevant document in the sample."""
    similarities = np.where(found.barred, -1.0, found.queries @ found.documents.T)
    scores = []
    for row, relevant in zip(similarities, found.relevant & ~found.barred, strict=True):
        if relevant.any():
            first = np.argsort(-row, kind="stable")[:SHOWN]
            hits = relevant[first] & (row[first] >= threshold)
            scores.append(hits.sum() / min(SHOWN, relevant.sum()))
    return float(np.mean(scores))


def kept(found: RetrievalSet, threshold: float) -> float:
    """The share of relevant pairs at or above the threshold."""
    return float(((found.queries @ found.documents.T)[found.relevant & ~found.barred] >= threshold).mean())


def false_retrieval(sets: list[RetrievalSet], threshold: float) -> tuple[Floats, float]:
    """Per pair of different sets, how often a query gets anything; and over all, how many memories it then gets."""
    rates, shown = [], []
    for asked in sets:
        for bank in sets:
            if asked is not bank:
                above = (asked.queries @ bank.documents.T >= threshold).sum(axis=1)
                rates.append((above > 0).mean())
                shown.extend(np.minimum(above[above > 0], SHOWN))
    return np.array(rates), float(np.mean(shown)) if shown else 0.0


def report(sets: list[RetrievalSet], thresholds: list[float]) -> float:
    """Print the table; gives back the threshold that the rule picks."""
    free = [recall(each, -1.0) for each in sets]
    print("| threshold | " + " | ".join(f"loss {each.name}" for each in sets) + " | relevant | false | worst | shown |")
    print("|---" * (len(sets) + 5) + "|")
    best = thresholds[0]
    for threshold in thresholds:
        losses = [before - recall(each, threshold) for each, before in zip(sets, free, strict=True)]
        rates, shown = false_retrieval(sets, threshold)
        relevant = min(kept(each, threshold) for each in sets)
        numbers = [*losses, relevant, float(np.median(rates)), float(rates.max())]
        print(f"| {threshold:.2f} | " + " | ".join(f"{number:.3f}" for number in numbers) + f" | {shown:.1f} |")
        if max(losses) <= MAX_LOSS:
            best = threshold
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="bundled", help="as the setting embedding.model, without openai:")
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("MCP_REFLECT_TEST_DATA", default)))
    parser.add_argument("--queries", type=int, default=100, help="queries per set")
    parser.add_argument("--documents", type=int, default=600, help="documents per set")
    parser.add_argument("--low", type=float, default=0.0)
    parser.add_argument("--high", type=float, default=0.6)
    parser.add_argument("--step", type=float, default=0.05)
    chosen = parser.parse_args()
    embedder = FastembedEmbedder(chosen.model)
    sets = [read_set(chosen.data / f"{name}.jsonl", embedder, chosen.queries, chosen.documents) for name in SETS]
    steps = round((chosen.high - chosen.low) / chosen.step)
    best = report(sets, [round(chosen.low + step * chosen.step, 4) for step in range(steps + 1)])
    print(f"\n{embedder.identity}: {best:.2f}, the highest with at most {MAX_LOSS} R@{SHOWN} lost in every set")


if __name__ == "__main__":
    main()
