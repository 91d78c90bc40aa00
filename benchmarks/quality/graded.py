"""Effect of outcomes on ranking, on real runs whose memories are graded by their outcomes.

On tau airline: memories are trials 1 to 3 of each task, queries the first user message of trial 0. A memory of the same
task that passed has grade 2, one that failed 1, of another task 0; only tasks with a passed memory count.

A run never credits the memory that it left. So each memory is followed once more: a second run is handed in that names
it as what it was given, with the same outcome, reviewed with alpha 0.4, which takes q_value from 0.5 to 0.7 or 0.3. The
memory that this second run leaves is archived, so that the bank holds the trials alone. Trials that leave no memory
have no grade.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence

from benchmarks.quality.banks import DOCUMENT, Laboratory, documents_of
from benchmarks.quality.data import Run, by_task
from benchmarks.quality.features import RETRIEVALS, asked
from benchmarks.quality.metrics import DEPTH, ndcg
from benchmarks.quality.report import Report
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Submission
from mcp_reflect.domain.models import Result

LAMBDAS = (0.0, 0.1, 0.3, 0.5)
ALPHA = 0.4
PASSED, FAILED = 2.0, 1.0


def measure(lab: Laboratory, runs: Sequence[Run], report: Report) -> dict[str, dict[float, float]]:
    """Print nDCG@10 by kind of retrieval and lambda; give it back."""
    tasks = by_task(runs)
    with lab.memory("graded") as memory:
        kept = {members[0]: [i for i in members[1:] if remember(memory, runs[i], str(i))] for members in tasks.values()}
        kept = {first: trials for first, trials in kept.items() if any(runs[i].passed for i in trials)}
        reached: dict[str, dict[float, float]] = {
            kind: {lambda_: _mean(memory, runs, kept, kind, lambda_) for lambda_ in LAMBDAS} for kind in RETRIEVALS
        }
    report.table(
        f"nDCG@10 graded by outcome, tau airline, {len(kept)} tasks, q_value 0.7 or 0.3 by a memory's own outcome",
        ["retrieval", *(f"λ = {lambda_:g}" for lambda_ in LAMBDAS)],
        [[kind, *(f"{value:.3f}" for value in of_kind.values())] for kind, of_kind in reached.items()],
    )
    return reached


def remember(memory: MemoryService, run: Run, name: str) -> bool:
    """Store a run, and let another one with the same outcome follow its memory; return False where it leaves none."""
    result: Result = "pass" if run.passed else "fail"
    first = memory.submit(
        Submission(
            task=run.text,
            trajectory=json.dumps(run.messages),
            metadata={DOCUMENT: name},
            review_result=result,
        )
    )
    if first.memory is None:
        return False
    named = (first.memory.id,)
    # Without a trajectory there is nothing to learn, so that this run leaves no memory of its own.
    memory.submit(
        Submission(
            task=run.text,
            retrieved_memory_ids=named,
            review_result=result,
            alpha=ALPHA,
            helpful_memory_ids=named if run.passed else (),
            harmful_memory_ids=() if run.passed else named,
        )
    )
    return True


def _mean(
    memory: MemoryService, runs: Sequence[Run], kept: Mapping[int, Sequence[int]], kind: str, lambda_: float
) -> float:
    reached = []
    for position, trials in kept.items():
        query = asked(runs[position].text, kind, limit=DEPTH, lambda_=lambda_, mmr_lambda=1.0, similarity_threshold=0.0)
        grades = {str(trial): PASSED if runs[trial].passed else FAILED for trial in trials}
        reached.append(ndcg(documents_of(memory.query(query).matches), grades))
    return statistics.mean(reached)
