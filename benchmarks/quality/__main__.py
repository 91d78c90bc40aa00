"""Quality of retrieval and learning on real data: `python -m benchmarks.quality [--only PART] [--set NAME]`.

Tables and goals go to stdout, and with `--out` also into that folder, together with the curves as PNG. What each table
means stands in docs/quality.md. Everything runs without a network in a temporary home; whole, it takes about an
hour on two cores.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.quality import (
    drift,
    false_retrieval,
    graded,
    growing,
    learning,
    long_tasks,
    noise,
    pictures,
    retrieval,
    reworded,
    timing,
    unfiltered,
)
from benchmarks.quality.banks import Library, laboratory, library
from benchmarks.quality.data import DATA, HOTPOT, SETS, TAU, read_runs, read_sets, require_data
from benchmarks.quality.features import RETRIEVALS
from benchmarks.quality.report import Report

PARTS = (
    "retrieval",
    "long",
    "graded",
    "learning",
    "growing",
    "unfiltered",
    "reworded",
    "noise",
    "drift",
    "false",
    "time",
)
WORLDS = {"tau": TAU, "hotpotqa": HOTPOT}


def main(arguments: Sequence[str] | None = None) -> None:
    chosen = _parser().parse_args(arguments)
    require_data(chosen.data)
    report = Report()
    if chosen.out and not pictures.available():
        report.say("matplotlib is not here (dependency group bench): tables only, no pictures")
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        banks = stack.enter_context(library(report.say, chosen.vectors))
        for part in chosen.only or PARTS:
            report.say(f"\n== {part}")
            measure(part, banks, chosen, report)
    report.summary()
    if chosen.out:
        report.save(chosen.out / "quality.txt")


def measure(part: str, banks: Library, chosen: argparse.Namespace, report: Report) -> None:
    sets = read_sets(chosen.set or SETS, chosen.data)
    drawn: list[Path] = []
    if part == "retrieval":
        retrieval.measure(banks, sets, report)
    elif part == "long":
        long_tasks.measure(banks, sets, report)
    elif part == "graded":
        graded.measure(banks.lab, read_runs(TAU, chosen.data), report)
    elif part == "time":
        with laboratory() as lab:  # a model that keeps no vectors
            timing.measure(lab, sets, report)
    elif part == "false":
        curves = false_retrieval.measure(banks, sets, report)
        if curves and chosen.out and pictures.available():
            drawn.append(pictures.draw_false_retrieval(curves, chosen.out))
    else:
        drawn += _simulate(part, banks, chosen, report)
    for path in drawn:
        report.say(f"drawn: {path}")


def _simulate(part: str, banks: Library, chosen: argparse.Namespace, report: Report) -> list[Path]:
    laps = learning.Laps(chosen.seeds, chosen.steps, chosen.retrieval)
    sources = {name: read_runs(file, chosen.data) for name, file in WORLDS.items()}
    if part == "noise":
        noise.measure_noise(learning.worlds_of(banks.lab, sources, part), laps, chosen.workers, report)
        noise.measure_poison(learning.worlds_of(banks.lab, sources, part, poisoned=True), laps, report)
        return []
    if part == "drift":
        drift.measure(learning.worlds_of(banks.lab, sources, part), laps, report)
        return []
    if part == "growing":
        growing.measure(learning.worlds_of(banks.lab, sources, part), laps, chosen.workers, report)
        return []
    if part == "unfiltered":
        unfiltered.measure(learning.worlds_of(banks.lab, sources, part), laps, chosen.workers, report)
        return []
    if part == "reworded":
        reworded.measure(learning.worlds_of(banks.lab, sources, part), laps, chosen.workers, report)
        return []
    learning.check(banks.lab, sources["tau"], report, chosen.retrieval, min(chosen.steps, learning.CHECK_STEPS))
    curves = learning.measure(learning.worlds_of(banks.lab, sources, part), laps, chosen.workers, report)
    return (
        pictures.draw_learning(curves, list(WORLDS), chosen.steps, chosen.out)
        if chosen.out and pictures.available()
        else []
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PARTS, help="a part to measure; may be given again")
    parser.add_argument("--set", action="append", choices=SETS, help="a retrieval set; may be given again")
    parser.add_argument("--seeds", type=_positive, default=8, help="seeds of the simulated agent")
    parser.add_argument("--steps", type=_positive, default=6_000, help="steps of the simulated agent")
    kinds = RETRIEVALS
    parser.add_argument(
        "--retrieval", choices=kinds, default=kinds[-1], help="what the simulated agent's memory ranks by"
    )
    parser.add_argument("--workers", type=_positive, default=os.cpu_count() or 1, help="processes that simulate")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of real data")
    parser.add_argument("--vectors", type=Path, help="folder that keeps the vectors of texts for the next run")
    parser.add_argument("--out", type=Path, help="folder for the tables as text and the curves as PNG")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


if __name__ == "__main__":
    main()
