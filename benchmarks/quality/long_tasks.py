"""Loss of retrieval quality where a pasted log precedes the question, or one system prompt precedes every task.

Samples of each set, so that it takes minutes. The log is in front of the question only and about other subjects: its
messages are pieces of another set. The prompt is in front of documents and questions alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.quality.banks import RELEVANCE_ALONE, FilledSet, Library
from benchmarks.quality.data import Question, RetrievalSet
from benchmarks.quality.features import RETRIEVALS
from benchmarks.quality.log_lines import after_log, after_prompt
from benchmarks.quality.metrics import DEPTH, Scores, scores
from benchmarks.quality.report import Report

QUESTIONS = 100
DOCUMENTS = 400
SEED = 20261121


def measure(library: Library, sets: Sequence[RetrievalSet], report: Report) -> dict[str, dict[str, Scores]]:
    """Print the scores of each kind of task, and how much of the plain ones' is left on average."""
    results: dict[str, dict[str, Scores]] = {}
    for number, each in enumerate(sets):
        others = list(sets[(number + 1) % len(sets)].documents.values())
        sample = replace(each.sample(QUESTIONS, DOCUMENTS, SEED), name=f"{each.name}-sample")
        prompted = _prompted(sample)
        plain, behind = library.bank(sample), library.bank(prompted)
        for kind in RETRIEVALS:
            results[f"{each.name}, {kind}"] = {
                "plain": _scores(plain, sample.questions, kind),
                "behind a log": _scores(plain, _logged(sample, others), kind),
                "behind a prompt": _scores(behind, prompted.questions, kind),
            }
    variants = list(next(iter(results.values())))
    report.table(
        f"Long tasks: R@5 / MRR@10 / nDCG@10 on samples of {QUESTIONS} questions and {DOCUMENTS} documents",
        ["set", *variants],
        [[name, *(str(reached[variant]) for variant in variants)] for name, reached in results.items()],
    )
    for kind in RETRIEVALS:
        of_kind = [reached for name, reached in results.items() if name.endswith(kind)]
        for variant in variants[1:]:
            left = sum(reached[variant].ndcg / reached["plain"].ndcg for reached in of_kind) / len(of_kind)
            report.say(f"  {kind}, {variant}: {left:.0%} of the plain nDCG@10 is left, mean of the sets")
    return results


def _scores(bank: FilledSet, questions: Sequence[Question], kind: str) -> Scores:
    return scores(
        (
            bank.found(question, kind, **RELEVANCE_ALONE)[:DEPTH],
            question.relevant,
        )
        for question in questions
    )


def _logged(sample: RetrievalSet, others: Sequence[str]) -> list[Question]:
    chance = random.Random(SEED)
    return _changed(sample.questions, lambda text: after_log(text, others, chance))


def _prompted(sample: RetrievalSet) -> RetrievalSet:
    chance = random.Random(SEED)
    documents = {doc: after_prompt(text, chance) for doc, text in sample.documents.items()}
    questions = _changed(sample.questions, lambda text: after_prompt(text, chance))
    return replace(sample, name=f"{sample.name}-prompted", documents=documents, questions=tuple(questions))


def _changed(questions: Sequence[Question], change: Callable[[str], str]) -> list[Question]:
    return [replace(question, text=change(question.text)) for question in questions]
