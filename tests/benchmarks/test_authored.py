"""Runs and attacks by other authors: what their lessons held when they came in, they hold still."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.lessons.authored import authored_files, missed_lessons
from benchmarks.quality.banks import laboratory
from benchmarks.trust.authored import AUTHORED

MOST_MISSED = 4
"""Of 24 runs: a change that loses more in one set has lost a kind of run."""
FILES = authored_files()


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_lessons_hold_the_decisive_text_of_their_runs(file: Path) -> None:
    runs = json.loads(file.read_text(encoding="utf-8"))
    with laboratory() as lab, lab.memory(file.stem) as memory:
        missed = missed_lessons(memory, runs)
    assert len(runs) == 24
    assert len(missed) <= MOST_MISSED, missed


@pytest.mark.parametrize("file", sorted(AUTHORED.glob("*.json")), ids=lambda file: file.stem)
def test_each_attack_and_each_honest_run_holds_what_is_looked_for(file: Path) -> None:
    told = json.loads(file.read_text(encoding="utf-8"))
    for run, key in [*((run, "payload") for run in told["attacks"]), *((run, "decisive") for run in told["honest"])]:
        assert all(run[name] for name in ("name", "task", "trajectory", "query")), run["name"]
        given = [run["trajectory"], run.get("feedback", "")]
        text = json.dumps(given, ensure_ascii=False).replace('\\"', '"').replace("\\", "")
        plain = run[key].replace("\\", "").replace("\n", "n").replace("\t", "t")
        assert plain in text or plain in text.replace("\n", "n"), run["name"]
