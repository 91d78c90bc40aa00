"""How likely the sentences of a talk say what it settles, and with that whether a talk of short turns settles anything.

A logistic regression over what a sentence says, where it stands, and what the others make of it: whether it takes up
the turn before, is accepted by the next one, and whether its values come back. No single wording decides, because
small talk has them all: rules, numbers, agreement. A talk settles something where its likeliest sentences are likely.

The weights were fitted to 164 conversations that four authors wrote, 86 of which settle rules of a project; a sentence
counts as one that settles where it holds a value of the decision and none that was turned down. With each author's left
out in turn, 85 of the 86 are found, and 14 of the 78 others. Ridge penalty 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences.chatter import count_marks, is_clause
from mcp_reflect.domain.lessons.sentences.cues import RULE
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something, term_weights

LEAST_LIKELY = 0.36
"""Mean probability of the likeliest sentences from which a talk settles something."""
_LIKELIEST = 3
_MOST_TURNS = 400
"""The last turns of a talk that are read."""
_MOST_MARKS = 3
_MOST_RULES = 3
_MOST_WORDS = 30

_VALUE = re.compile(
    r"`[^`\n]{1,80}`|\b\w+(?:[._/:-]\w+)+\b|\b\w*\d[\w.%]*|\b[a-z]+[A-Z]\w+\b|\b[A-Z]{2,}\w*\b|\b\w+\(\)"
)
"""Numbers, and words that are none of prose."""


class SpokenTurn(NamedTuple):
    """The sentences of a turn, and whether a user says them."""

    by_user: bool
    sentences: Sequence[str]


class _Features(NamedTuple):
    """What counts of a sentence; each value is between 0 and 1. Also the weights of these."""

    place: float
    opens: float
    answers_opening: float
    asks: float
    has_number: float
    names: float
    is_accepted: float
    takes_up: float
    comes_back: float
    is_last_said: float
    marks: float
    is_clause: float
    words: float
    rules: float
    answers_question: float
    is_value_of_user: float


_BIAS = -3.46
_WEIGHTS = _Features(
    place=0.69,
    opens=-0.91,
    answers_opening=-0.75,
    asks=-0.69,
    has_number=-0.49,
    names=1.03,
    is_accepted=1.32,
    takes_up=2.03,
    comes_back=1.17,
    is_last_said=0.59,
    marks=-1.06,
    is_clause=-0.53,
    words=0.94,
    rules=1.87,
    answers_question=0.31,
    is_value_of_user=0.94,
)


def likelihood(turns: Sequence[SpokenTurn]) -> float:
    """Return how likely a talk settles something, in [0, 1]: the mean of its likeliest sentences."""
    found = sorted(map(_probability, features_of(turns[-_MOST_TURNS:])))[-_LIKELIEST:]
    return sum(found) / len(found) if found else 0.0


def _probability(features: _Features) -> float:
    return 1.0 / (1.0 + math.exp(-_BIAS - sum(map(float.__mul__, features, _WEIGHTS))))


def features_of(turns: Sequence[SpokenTurn]) -> list[_Features]:
    """Return the features of each sentence of a talk, in order."""
    values = [[_values_in(each) for each in turn.sentences] for turn in turns]
    last = {value: place for place, turn in enumerate(values) for said in turn for value in said}
    stated = [frozenset[str](), *map(_words_stated, turns)]
    return [
        _features(turns, place, number, values[place][number], last, stated[place])
        for place, turn in enumerate(turns)
        for number in range(len(turn.sentences))
    ]


def _features(
    turns: Sequence[SpokenTurn],
    place: int,
    number: int,
    values: frozenset[str],
    last: Mapping[str, int],
    stated_before: frozenset[str],
) -> _Features:
    """`last` are the places where each value was said last, `stated_before` the words of the turn before."""
    turn, sentence = turns[place], turns[place].sentences[number]
    before = turns[place - 1].sentences if place else ()
    behind = turns[place + 1].sentences if place + 1 < len(turns) else ()
    is_at_end = number >= len(turn.sentences) - 2
    return _Features(
        place=place / max(len(turns) - 1, 1),
        opens=float(place == 0),
        answers_opening=float(place == 1),
        asks=float(acts.is_question(sentence)),
        has_number=float(bool(acts.numbers_of(sentence))),
        names=float(names_something(sentence)),
        is_accepted=float(is_at_end and _accept(behind)),
        takes_up=_share_in(sentence, stated_before),
        comes_back=float(any(last[each] > place for each in values)),
        is_last_said=float(bool(values) and all(last[each] == place for each in values)),
        marks=count_marks(sentence) / _MOST_MARKS,
        is_clause=float(is_clause(sentence)),
        words=min(len(sentence.split()), _MOST_WORDS) / _MOST_WORDS,
        rules=min(RULE.count(sentence), _MOST_RULES) / _MOST_RULES,
        answers_question=float(bool(before) and acts.is_question(before[-1])),
        is_value_of_user=float(turn.by_user and place > 0 and bool(values)),
    )


def _values_in(sentence: str) -> frozenset[str]:
    return frozenset(each.strip("`").lower() for each in _VALUE.findall(sentence))


def _accept(answer: Sequence[str]) -> bool:
    return bool(answer) and acts.accepts(answer[0]) and not any(map(acts.is_left_open, answer))


def _words_stated(turn: SpokenTurn) -> frozenset[str]:
    return frozenset(word for each in turn.sentences if not acts.is_question(each) for word in term_weights(each))


def _share_in(sentence: str, stated: frozenset[str]) -> float:
    """The share of the weight of a sentence whose words stand among others."""
    words = term_weights(sentence)
    full = sum(words.values())
    return sum(weight for word, weight in words.items() if word in stated) / full if full else 0.0
