"""Decides whether two lessons on one subject state other values: the later one may have replaced the earlier.

Their tasks and lessons share a good part of their words, and each names a value that the other lacks. That is no proof,
so it only orders two lessons that a query finds about equally relevant, and says nothing of either. Of agents that
serve cases the values are those of the case, and nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights

SAME_SUBJECT_SHARE = 0.3
"""Share of the weight of the words of the one that says less which both have. Of 0.2, 0.3 and 0.4 the least at which
the right lesson of 500 other queries stayed first (docs/quality.md)."""

_VALUE = re.compile(
    r"`[^`\n]{1,80}`|\b\w+(?:[._/:=-]\w+)+\b|\b\w*\d[\w.%]*|\b[a-z]+[A-Z]\w+\b|\b[A-Z]{2,}\w*\b"
    r"|(?<=[a-z,;] )[A-Z][a-z]{2,}\b"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty)\b"
)
"""Numbers, names, and words that are none of prose."""
_CASE_CALL = re.compile(r"`[\w.:-]+\(\w+=")


class _Told(NamedTuple):
    words: Mapping[str, float]
    weight: float
    values: frozenset[str]


@lru_cache(maxsize=512)
def _told(task: str, lesson: str) -> _Told | None:
    """The words of a task and its lesson, and the values of the lesson; None for the lesson of a case."""
    if _CASE_CALL.search(lesson):
        return None
    values = frozenset(found.strip("`").lower() for found in _VALUE.findall(lesson))
    words = term_weights(f"{task}\n{lesson}")
    return _Told(words, sum(words.values()), values)


def state_other_values(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return true where two lessons, each with the task it was learned on, state other values of one subject."""
    ours, theirs = _told(*one), _told(*other)
    if ours is None or theirs is None or not (ours.values - theirs.values and theirs.values - ours.values):
        return False
    least = min(ours.weight, theirs.weight)
    shared = sum(weight for word, weight in ours.words.items() if word in theirs.words)
    return least > 0 and shared >= SAME_SUBJECT_SHARE * least
