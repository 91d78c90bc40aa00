"""False retrieval: queries of one set against the bank of another, for all pairs of sets.

Beside it what the threshold costs on the set's own queries: R@5 without a threshold minus R@5 with it. The figures at
the default threshold are real queries with it; the curve is read from what queries without a threshold give, which
come in the order of their relevance (lambda 0, no MMR).
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.quality.banks import RELEVANCE_ALONE, FilledSet, Library
from benchmarks.quality.data import Question, RetrievalSet
from benchmarks.quality.features import JUDGED, RETRIEVALS, asked
from benchmarks.quality.metrics import recall
from benchmarks.quality.report import Report
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.profile import RetrievalMode

QUESTIONS = 200
SEED = 20261121
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(19))
MOST_FALSE = 0.05
MOST_LOST = 0.02


@dataclass(frozen=True)
class Curve:
    """The curve of one kind of retrieval: rates in [0, 1] by pair of sets (asked, bank), and losses of R@5 by set."""

    threshold: float
    rates: dict[tuple[str, str], float]
    losses: dict[str, float]
    mean_rate: dict[float, float]
    worst_loss: dict[float, float]
    mean_loss: dict[float, float]


def measure(library: Library, sets: Sequence[RetrievalSet], report: Report) -> dict[str, Curve]:
    """Print rates and losses for each kind of retrieval, and hold them against the goals."""
    if len(sets) < 2:
        report.say("false retrieval: needs two sets or more")
        return {}
    asked_of = {each.name: each.sample(QUESTIONS, 0, SEED).questions for each in sets}
    curves: dict[str, Curve] = {kind: _curve(library, sets, asked_of, kind) for kind in RETRIEVALS}
    for kind, curve in curves.items():
        _print(kind, curve, sets, report)
    return curves


def _curve(
    library: Library, sets: Sequence[RetrievalSet], asked_of: dict[str, tuple[Question, ...]], kind: RetrievalMode
) -> Curve:
    tops: dict[tuple[str, str], list[float]] = {}
    rates: dict[tuple[str, str], float] = {}
    for asking, bank in itertools.permutations(sets, 2):
        memory, pair = library.bank(bank).memory, (asking.name, bank.name)
        questions = asked_of[asking.name]
        tops[pair] = [_top(memory, question.text, kind) for question in questions]
        shown = sum(bool(memory.query(asked(question.text, kind)).matches) for question in questions)
        rates[pair] = shown / len(questions)
    lost = {each.name: _losses(library.bank(each), asked_of[each.name], kind) for each in sets}
    memory = library.bank(sets[0]).memory
    return Curve(
        threshold=memory.profile.threshold(kind),
        rates=rates,
        losses={each.name: _loss_as_set(library.bank(each), asked_of[each.name], kind) for each in sets},
        mean_rate={
            at: statistics.mean(sum(top >= at for top in of_pair) / len(of_pair) for of_pair in tops.values())
            for at in THRESHOLDS
        },
        worst_loss={at: max(of_set[at] for of_set in lost.values()) for at in THRESHOLDS},
        mean_loss={at: statistics.mean(of_set[at] for of_set in lost.values()) for at in THRESHOLDS},
    )


def _top(memory: MemoryService, text: str, kind: str) -> float:
    """The relevance of the most relevant memory; -1 where there is none above 0."""
    query = asked(text, kind, limit=1, **RELEVANCE_ALONE)
    return max((match.relevance for match in memory.query(query).matches), default=-1.0)


def _losses(bank: FilledSet, questions: Sequence[Question], kind: str) -> dict[float, float]:
    """By threshold, how much R@5 falls."""
    fallen: dict[float, list[float]] = {at: [] for at in THRESHOLDS}
    for question in questions:
        answers = bank.answers(question, kind, **RELEVANCE_ALONE)
        whole = recall([answer.document for answer in answers], question.relevant)
        for at in THRESHOLDS:
            kept = [answer.document for answer in answers if answer.relevance >= at]
            fallen[at].append(whole - recall(kept, question.relevant))
    return {at: statistics.mean(values) for at, values in fallen.items()}


def _loss_as_set(bank: FilledSet, questions: Sequence[Question], kind: str) -> float:
    """Return the loss of R@5 by the default threshold."""

    def reached(question: Question, **threshold: float) -> float:
        return recall(bank.found(question, kind, mmr_lambda=1.0, **threshold), question.relevant)

    return statistics.mean(reached(question, similarity_threshold=0.0) - reached(question) for question in questions)


def _print(kind: str, curve: Curve, sets: Sequence[RetrievalSet], report: Report) -> None:
    names = [each.name for each in sets]
    rows = [
        [
            bank,
            *("-" if asking == bank else f"{curve.rates[asking, bank]:.3f}" for asking in names),
            f"{curve.losses[bank]:.3f}",
        ]
        for bank in names
    ]
    report.table(
        f"{kind}, default threshold {curve.threshold:.2f}: how often queries of a set get anything from a bank",
        ["bank", *(f"asked: {name}" for name in names), "R@5 lost"],
        rows,
    )
    report.table(
        f"{kind}: the curve over thresholds",
        ["threshold", "false, mean of the pairs", "R@5 lost, mean", "R@5 lost, worst set"],
        [
            [f"{at:.2f}", f"{curve.mean_rate[at]:.3f}", f"{curve.mean_loss[at]:.3f}", f"{curve.worst_loss[at]:.3f}"]
            for at in THRESHOLDS
        ],
    )
    mean, lost = statistics.mean(curve.rates.values()), max(curve.losses.values())
    what = f"{kind}, false retrieval, mean of the pairs"
    report.goal(what, mean, MOST_FALSE, least=False, judged=kind == JUDGED)
    worst = max(curve.rates, key=lambda pair: curve.rates[pair])
    report.say(f"  {kind}, false retrieval, worst pair: {curve.rates[worst]:.3f} ({worst[0]} asked of {worst[1]})")
    what = f"{kind}, R@5 lost by the threshold, worst set"
    report.goal(what, lost, MOST_LOST, least=False, judged=kind == JUDGED)
