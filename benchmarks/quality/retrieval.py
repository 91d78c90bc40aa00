"""Retrieval quality: every set through the real write path and the real query, compared with plain methods.

`semantic` and `hybrid` rank by relevance alone (lambda 0), without MMR and without a threshold. `as installed` has
every default, so that a memory shared by several documents of the same words counts as one that helped.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.quality.banks import RELEVANCE_ALONE, FilledSet, Laboratory, Library
from benchmarks.quality.baselines import BM25, order, plain_methods, words
from benchmarks.quality.data import Question, RetrievalSet
from benchmarks.quality.features import RETRIEVALS
from benchmarks.quality.metrics import DEPTH, Scores, scores, standard_errors
from benchmarks.quality.report import Report

PLAIN = ("BM25", "BM25 as written", "MiniLM", "RRF", "blend 0.3", "blend 0.5")
WRITTEN = PLAIN[1]
"""BM25 over every word as it is written."""
INSTALLED = "as installed"
TITLES = {"recall": "R@5", "mrr": "MRR@10", "ndcg": "nDCG@10"}
GOALS = ("recall", "ndcg")
MEAN_GAIN = 3.0
"""In percent of the best plain method, on average over the sets."""


class Measured(NamedTuple):
    """The means over the questions of a set, and their standard errors."""

    mean: Scores
    error: Scores


def measure_bank(lab: Laboratory, bank: FilledSet) -> dict[str, Measured]:
    """The scores of every method on one set."""
    documents = bank.contents.documents
    ids, by_words = np.array(list(documents)), BM25(list(documents.values()))
    as_written = BM25(list(documents.values()), words)
    answers: dict[str, list[tuple[Sequence[str], frozenset[str]]]] = {}

    def answered(method: str, question: Question, ranked: Sequence[str]) -> None:
        answers.setdefault(method, []).append((ranked[:DEPTH], question.relevant))

    for question in bank.contents.questions:
        cosines = (bank.vectors @ lab.store.embedder.embed([question.text])[0]).astype(np.float64)
        # What is excluded would win, and squeeze all others together where scores are stretched.
        kept = np.array([document not in question.excluded for document in documents])
        plain = plain_methods(by_words.scores(question.text)[kept], cosines[kept])
        for method, values in (plain | {WRITTEN: as_written.scores(question.text)[kept]}).items():
            answered(method, question, ids[kept][order(values)[:DEPTH]].tolist())
        for kind in RETRIEVALS:
            answered(kind, question, bank.found(question, kind, **RELEVANCE_ALONE))
        answered(INSTALLED, question, bank.found(question))
    return {method: Measured(scores(each), standard_errors(each)) for method, each in answers.items()}


def measure(library: Library, sets: Sequence[RetrievalSet], report: Report) -> dict[str, dict[str, Measured]]:
    """Print what every method reaches on every set, and hold it against the goals."""
    results = {each.name: measure_bank(library.lab, library.bank(each)) for each in sets}
    methods = [*PLAIN, *RETRIEVALS, INSTALLED]
    for measured, title in TITLES.items():
        rows = [[name, *(_cell(reached[method], measured) for method in methods)] for name, reached in results.items()]
        report.table(f"{title}, by relevance alone", ["set", *methods], rows)
    for method in (*RETRIEVALS, INSTALLED):
        _goals(results, method, report)
    return results


def _cell(reached: Measured, measured: str) -> str:
    """A mean over the questions with its standard error."""
    return f"{getattr(reached.mean, measured):.3f} ±{getattr(reached.error, measured):.3f}"


def gains(results: dict[str, dict[str, Measured]], method: str, measured: str) -> dict[str, float]:
    """By set, by how many percent a method is above the best of the plain ones (`measured`: a field of Scores)."""
    return {
        name: 100.0
        * (getattr(each[method].mean, measured) / max(getattr(each[plain].mean, measured) for plain in PLAIN) - 1.0)
        for name, each in results.items()
    }


def _goals(results: dict[str, dict[str, Measured]], method: str, report: Report) -> None:
    report.say(f"{method} against the best of {', '.join(PLAIN)}, in percent:")
    for measured in GOALS:
        above = gains(results, method, measured)
        what = f"{method}, {TITLES[measured]}"
        for name, gain in above.items():
            report.goal(f"{what}, {name}", gain, 0.0, least=True, digits=1, judged=method == INSTALLED)
        mean = statistics.mean(above.values())
        report.goal(f"{what}, mean of the sets", mean, MEAN_GAIN, least=True, digits=1, judged=method == INSTALLED)
