"""Runs in files by people who did not know the rules: `python -m benchmarks.lessons.authored [FILE …] [--misses]`.

A file is a JSON list of runs with their `task`, `trajectory` (chat messages or text), `result` and `feedback`, the
texts of which a lesson must hold one (`decisive`), and later tasks that need it in other words (`WORDINGS`). Beside it
`NAME_foreign.json` may hold tasks about other matters. All runs of a file are in one memory. Printed are how many
lessons hold their own decisive text, how often the first memory holds it for each kind of wording, with the default
threshold and without one, for how many reworded tasks it is named among the nearest instead of shown, and how many of
the foreign tasks find something.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.quality.banks import laboratory
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, Query, Submission
from mcp_reflect.application.requests.checks import DEFAULT

AUTHORED = Path(__file__).parent / "authored_runs"
WORDINGS = ("reworded", "afar", "symptom", "component")
FOREIGN = "_foreign"

console = Console(width=120)


class Told(NamedTuple):
    """What is told of the runs of one file: `first` and `unbounded` count right first memories by kind of wording.

    `named` counts reworded tasks with no right memory among the first five, but among the nearest that are named.
    """

    runs: int
    own: int
    missed: list[str]
    first: dict[str, int]
    unbounded: dict[str, int]
    named: int
    foreign: int
    others: int


def submission_of(run: dict[str, Any]) -> Submission:
    """Return a run of a file as it is handed in: reviewed, and given no memories."""
    trajectory = run["trajectory"]
    given = {
        "task": run["task"],
        "trajectory": trajectory if isinstance(trajectory, str) else json.dumps(trajectory),
        "retrieval_id": NO_RETRIEVAL,
        "metadata": {"source": run["name"]},
        "review_result": run.get("result", "pass"),
        "feedback": run.get("feedback", ""),
    }
    return Submission.model_validate(given)


def holds(lesson: str, run: dict[str, Any]) -> bool:
    """Whether a lesson holds one of a run's decisive texts, however its blanks are set."""
    said = " ".join(lesson.split())
    return any(" ".join(text.split()) in said for text in run["decisive"])


def authored_files() -> list[Path]:
    """Return the files with runs that lie beside this module."""
    return sorted(each for each in AUTHORED.glob("*.json") if FOREIGN not in each.name)


def missed_lessons(memory: MemoryService, runs: list[dict[str, Any]]) -> list[str]:
    """Hand in runs; return the names of those whose lesson lacks each of its decisive texts."""
    lessons = [memory.submit(submission_of(run)).memory for run in runs]
    return [
        run["name"]
        for run, lesson in zip(runs, lessons, strict=True)
        if lesson is None or not holds(lesson.reflection, run)
    ]


def measure(file: Path) -> Told:
    """Return what is told of the runs of a file, all of them in one memory."""
    runs = json.loads(file.read_text(encoding="utf-8"))
    beside = file.with_name(f"{file.stem}{FOREIGN}.json")
    others = json.loads(beside.read_text(encoding="utf-8"))["foreign"] if beside.exists() else []
    with laboratory() as lab, lab.memory(file.stem) as memory:
        missed = missed_lessons(memory, runs)
        first = {kind: _right(memory, runs, kind) for kind in WORDINGS}
        unbounded = {kind: _right(memory, runs, kind, threshold=0.0) for kind in WORDINGS}
        named = sum(_is_named(memory, run) for run in runs)
        foreign = sum(bool(memory.query(Query(task=task, limit=1)).matches) for task in others)
    return Told(len(runs), len(runs) - len(missed), missed, first, unbounded, named, foreign, len(others))


def _right(memory: MemoryService, runs: list[dict[str, Any]], kind: str, threshold: float = DEFAULT) -> int:
    found = 0
    for run in runs:
        matches = (
            memory.query(Query(task=run[kind], limit=1, similarity_threshold=threshold)).matches
            if run.get(kind)
            else ()
        )
        found += any(holds(match.memory.reflection, run) for match in matches)
    return found


def _is_named(memory: MemoryService, run: dict[str, Any]) -> bool:
    answer = memory.query(Query(task=run["reworded"], limit=5), name_nearest=True)
    if any(holds(match.memory.reflection, run) for match in answer.matches):
        return False
    return any(holds(nearest.reflection, run) for nearest in answer.nearest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="default: those of authored_runs")
    parser.add_argument("--misses", action="store_true", help="name the runs whose lesson lacks its decisive text")
    given = parser.parse_args()
    files = given.files or authored_files()
    table = Table("set", "runs", "own lesson", *(f"{kind} (no threshold)" for kind in WORDINGS), "named", "foreign")
    for file in files:
        told = measure(file)
        found = [f"{told.first[kind]} ({told.unbounded[kind]})" for kind in WORDINGS]
        table.add_row(
            file.stem, str(told.runs), str(told.own), *found, str(told.named), f"{told.foreign} of {told.others}"
        )
        if given.misses:
            console.print(f"{file.stem} misses: {', '.join(told.missed)}", markup=False)
    console.print(table)


if __name__ == "__main__":
    main()
