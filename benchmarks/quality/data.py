"""The real sets and runs as values. Where they come from is told beside them, in the folder of real data."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("MCP_REFLECT_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
"""The folder of real data, which is not part of the repository."""

SETS = ("gitbugs_hadoop", "reflexion_prog", "tau_airline_runs", "webarena_family", "reflexion_hotpotqa")
TAU = "traj_tau_airline_gpt4o"
HOTPOT = "traj_reflexion_hotpotqa"


@dataclass(frozen=True)
class Question:
    """A query with the ids of the documents that answer it; the excluded ones do not count as answers or as errors."""

    text: str
    relevant: frozenset[str]
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RetrievalSet:
    """Documents by id, in the order of the file, and questions to them."""

    name: str
    documents: dict[str, str]
    questions: tuple[Question, ...]

    def sample(self, questions: int, documents: int, seed: int) -> RetrievalSet:
        """At most so many questions, with all that is relevant to them, filled up with other documents."""
        chance = random.Random(seed)
        asked = chance.sample(self.questions, min(questions, len(self.questions)))
        needed = {doc for question in asked for doc in (*question.relevant, *question.excluded)}
        others = [doc for doc in self.documents if doc not in needed]
        needed.update(chance.sample(others, max(0, min(len(others), documents - len(needed)))))
        kept = {doc: text for doc, text in self.documents.items() if doc in needed}
        return replace(self, documents=kept, questions=tuple(asked))


@dataclass(frozen=True)
class Run:
    """A real run of an agent. Runs of one `task` had the same goal; `text` is what the user said first."""

    task: str
    text: str
    passed: bool
    messages: tuple[dict[str, Any], ...]


def require_data(folder: Path = DATA) -> None:
    """End the program in one line where the real data is absent."""
    if not folder.is_dir():
        raise SystemExit(f"the folder of real data is not here: {folder}; MCP_REFLECT_TEST_DATA names another")


def read_set(path: Path) -> RetrievalSet:
    documents: dict[str, str] = {}
    questions: list[Question] = []
    for row in _rows(path):
        if row["t"] == "doc":
            documents[row["id"]] = row["text"]
        else:
            questions.append(Question(row["text"], frozenset(row["rel"]), frozenset(row.get("exclude") or ())))
    return RetrievalSet(path.stem, documents, tuple(questions))


def read_sets(names: Sequence[str] = SETS, folder: Path = DATA) -> list[RetrievalSet]:
    return [read_set(folder / f"{name}.jsonl") for name in names]


def read_runs(name: str, folder: Path = DATA) -> list[Run]:
    """In the order of the file; of each task the first trial comes first."""
    return [
        Run(
            row["task_id"],
            next(message["content"] for message in row["messages"] if message["role"] == "user"),
            row["passed"],
            tuple(row["messages"]),
        )
        for row in _rows(folder / f"{name}.jsonl")
    ]


def by_task(runs: Sequence[Run]) -> dict[str, list[int]]:
    """Positions of the runs of each task, both in order of appearance."""
    found: dict[str, list[int]] = {}
    for position, run in enumerate(runs):
        found.setdefault(run.task, []).append(position)
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
