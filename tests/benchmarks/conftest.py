"""Invented data in the shape of the real: three retrieval sets and runs with tool calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.quality.data import HOTPOT, SETS, TAU

SUBJECTS = {
    SETS[0]: ("disk", "Replace the failing disk of storage node"),
    SETS[1]: ("poem", "Write a poem of four lines about the colour"),
    SETS[2]: ("fare", "Change the fare class of the booking made on day"),
}


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def a_run(task: str, trial: int, *, passed: bool) -> dict[str, Any]:
    call = {"name": f"tool_{trial}", "arguments": json.dumps({"where": f"{task}-{trial}"})}
    return {
        "task_id": task,
        "passed": passed,
        "messages": [
            {"role": "user", "content": f"Please settle the matter called {task}."},
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": call}]},
            {"role": "tool", "tool_call_id": "c", "content": "done" if passed else "Error: refused"},
        ],
    }


@pytest.fixture(scope="session")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for name in SETS:
        word, text = SUBJECTS.get(name, ("road", "Find the shortest road to the town of"))
        documents = [{"t": "doc", "id": f"{word}{n}", "text": f"{text} {n} {word} {n}"} for n in range(12)]
        questions = [
            {
                "t": "query",
                "id": f"q{n}",
                "text": f"{text} {n} {word} {n}",
                "rel": {f"{word}{n}": 1},
                "exclude": [f"{word}{n + 1}"],
            }
            for n in range(4)
        ]
        lines(folder / f"{name}.jsonl", documents + questions)
    for name in (TAU, HOTPOT):
        runs = [a_run(f"{name[5:8]}{t}", trial, passed=trial % 2 == 0) for t in range(3) for trial in range(4)]
        lines(folder / f"{name}.jsonl", runs)
    return folder
