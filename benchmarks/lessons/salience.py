"""Fit and check the weights of `lessons/salience/likelihood.py`: `python -m benchmarks.lessons.salience [FOLDER …]`.

Each folder holds the runs of one author, as JSON files of one run (`benchmarks/lessons/record.py`) or as `held.json`, a
list of runs with `task`, `trajectory`, `final_response`, `review` ("pass" or "fail") and `decisive`, what the next run
needs, verbatim. Without a folder the sessions recorded in this repository are read.

Printed for each folder is in how many runs a passage with what the next run needs is the likeliest of its run, and
among the three likeliest: by the weights in the code, and by weights fitted to the other folders. Runs in which no
passage holds it are left out. At the end stand the weights fitted to all folders.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from benchmarks.lessons.__main__ import HELD_OUT, RECORDED
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.salience.likelihood import Features, likelihoods, passage_features
from mcp_reflect.domain.lessons.salience.run_passages import PassageKind, find_passages
from mcp_reflect.domain.trajectory.parsing import parse

Array = npt.NDArray[np.float64]
KINDS: tuple[str, ...] = get_args(PassageKind)
RIDGE = 3.0
STEPS, RATE, DECAY = 200, 0.05, (0.9, 0.99)
"""Of the ascent (Adam: Kingma and Ba, ICLR 2015), on features scaled to unit deviation."""
FIRST = 3


class MarkedRun(NamedTuple):
    """A run: a row of features for each passage, which of them hold what is needed, and the likelihoods of now."""

    features: Array
    needed: Array
    likely: Array


def read_runs(folder: Path) -> Iterator[MarkedRun]:
    """Yield the runs of a folder a passage of which holds what the next run needs."""
    file = folder / "held.json"
    rows: list[dict[str, Any]] = (
        json.loads(file.read_text(encoding="utf-8"))
        if file.is_file()
        else [json.loads(each.read_text(encoding="utf-8")) for each in sorted(folder.glob("*.json"))]
    )
    for row in rows:
        trajectory = parse(row.get("trajectory") or row.get("log") or row["messages"])
        steps, closing = find_steps(trajectory), str(row.get("final_response", ""))
        found = find_passages(trajectory, steps, closing, passed=row.get("review", "pass") == "pass")
        decisive = [row["decisive"]] if isinstance(row["decisive"], str) else row["decisive"]
        wanted = [" ".join(each.split()) for each in decisive]
        needed = np.array([float(any(each in passage.text for each in wanted)) for passage in found])
        if needed.any():
            values = zip(found, passage_features(found, steps, closing), strict=True)
            features = np.array([[*(float(each.kind == kind) for kind in KINDS), *told] for each, told in values])
            yield MarkedRun(features, needed, np.array(likelihoods(found, steps, closing)))


def fit(runs: Sequence[MarkedRun]) -> Array:
    """Return the weights of a conditional logit with a ridge penalty, for features as they are."""
    features = np.vstack([run.features for run in runs])
    scale = features.std(axis=0) + 1e-9
    features = features / scale
    needed = np.concatenate([run.needed for run in runs])
    starts = np.cumsum([0, *(len(run.needed) for run in runs[:-1])])
    of_run = np.repeat(np.arange(len(runs)), [len(run.needed) for run in runs])
    weights = mean = square = np.zeros(features.shape[1])
    for step in range(1, STEPS + 1):
        utilities = features @ weights
        odds = np.exp(utilities - np.maximum.reduceat(utilities, starts)[of_run])
        expected = odds / np.add.reduceat(odds, starts)[of_run]
        told = odds * needed
        told /= np.add.reduceat(told, starts)[of_run]
        ascent = (features.T @ (told - expected) - RIDGE * weights) / len(runs)
        mean = DECAY[0] * mean + (1 - DECAY[0]) * ascent
        square = DECAY[1] * square + (1 - DECAY[1]) * ascent**2
        unbiased = mean / (1 - DECAY[0] ** step), np.sqrt(square / (1 - DECAY[1] ** step))
        weights = weights + RATE * unbiased[0] / (unbiased[1] + 1e-8)
    fitted: Array = weights / scale
    return fitted


def rank_of(run: MarkedRun, likely: Array) -> int:
    """Return the rank of the likeliest passage that holds what is needed, from 1."""
    return int((likely > likely[run.needed > 0].max()).sum()) + 1


def main() -> None:
    """Print the ranks in each folder, and the weights fitted to all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    own = [RECORDED, *(HELD_OUT / name for name in ("recorded", "later_recorded", "fresh_recorded"))]
    sets = {folder: list(read_runs(folder)) for folder in parser.parse_args().folders or own}
    print(f"| folder | runs | likeliest | first {FIRST} | likeliest, fitted to the others | first {FIRST} |")
    print("|---" * 6 + "|")
    for folder, runs in sets.items():
        weights = fit([run for other, found in sets.items() if other != folder for run in found])
        now, fitted = (
            np.array([rank_of(run, likely) for run, likely in zip(runs, told, strict=True)])
            for told in ([run.likely for run in runs], [run.features @ weights for run in runs])
        )
        shares = [f"{(ranks <= most).mean():.2f}" for ranks in (now, fitted) for most in (1, FIRST)]
        print(f"| {folder.name} | {len(runs)} | {' | '.join(shares)} |")
    weights = fit([run for found in sets.values() for run in found])
    for name, weight in zip((*KINDS, *Features._fields), weights, strict=True):
        print(f"{name:15} {weight:+.2f}")


if __name__ == "__main__":
    main()
