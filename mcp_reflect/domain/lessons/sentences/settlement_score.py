"""How likely a talk settles something, by what its speakers make of each other's words.

A logistic regression over the whole of a talk: whether the user's values come back, whether the agent takes down what
was said and reports it as recorded, for whom the user speaks, and whether the matter is left open. No single wording
decides, because small talk has them all: rules, numbers, agreement. Every feature is a share, or a count that is full
with one or two, so that a talk of three turns is judged as one of thirty.

The weights were fitted to 264 conversations that five authors wrote, 164 of which settle something; ridge penalty 0.7.
With each author's left out in turn, 157 of the 164 are found, and 27 of the 100 others. Turns that explain at length
have most of the features, so `SettledTalk.settles` asks for more there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences import settlement_cues as cues
from mcp_reflect.domain.lessons.sentences.chatter import count_marks, without_interjection
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.text.memoize import memoize_short

LEAST_LIKELY = 0.39
"""Probability from which a talk settles something."""
_MOST_TURNS = 400
"""The last turns of a talk that are read."""
_AT_END = 2
"""Turns at the end in which what was settled is recorded, or left open."""
_MOST_MARKS = 3
_FULL = 2
"""Count from which more of it says no more."""
_FULLY_RESTATED = 4.0
"""Weight of words of a turn from which its answer restates it."""
_OFFERED_WITHIN = 3
"""Sentences at the end of a turn one of which proposes what is accepted."""
_LAST_WORDS = 5
"""Sentences of users, and turns, at the end of a talk in which they take everything back."""

_VALUE = re.compile(
    r"`[^`\n]{1,80}`|\b\w+(?:[._/:=-]\w+)+\b|\b\w*\d[\w.%]*|\b[a-z]+[A-Z]\w+\b|\b[A-Z]{2,}\w*\b|\b\w+\(\)"
)
"""Numbers, and words that are none of prose."""


class SpokenTurn(NamedTuple):
    """The sentences of a turn, and whether a user says them."""

    by_user: bool
    sentences: Sequence[str]


class _Features(NamedTuple):
    """What counts of a talk; each value is between 0 and 1. Also the weights of these."""

    values_taken_up: float
    """Whether a turn beside one of a user has a value of theirs: they chose it, or the agent took it over."""
    restates_value: float
    """Whether an agent's answer states a value of the user's turn, and asks nothing back."""
    restated_at_end: float
    """How much of what a user states last the answer to it has: the weight of four words is full."""
    accepts_value: float
    """Whether a user accepts a proposal with a value in it."""
    rules: float
    """Whether a user rules by wording, which the agent takes down; what is said last of all needs nobody who does."""
    takes_down: float
    """Turns of an agent that take down what a user stated."""
    recorded_at_end: float
    """Whether an agent's last words report what was done or what a file says."""
    says_it_is_done: float
    """Whether an agent's answer says of something that it was done, or where it stands."""
    names_place: float
    """Whether an agent speaks of files and documents of the project, and not of the world."""
    speaks_for_all: float
    """Whether a user says how "we" have it."""
    asks: float
    """Share of a user's turns that end in a question: who asks all along wants to know something."""
    left_open: float
    idle: float
    laughs: float
    """Share of the turns in which somebody laughs."""
    marks: float
    """How much speakers say of themselves."""


_BIAS = -1.36
_WEIGHTS = _Features(
    values_taken_up=0.79,
    restates_value=1.08,
    restated_at_end=1.61,
    accepts_value=1.62,
    rules=0.93,
    takes_down=0.68,
    recorded_at_end=1.72,
    says_it_is_done=1.33,
    names_place=1.97,
    speaks_for_all=0.41,
    asks=-1.23,
    left_open=-1.50,
    idle=-2.03,
    laughs=-1.16,
    marks=-1.27,
)


def likelihood(turns: Sequence[SpokenTurn]) -> float:
    """Return how likely a talk settles something, in [0, 1]; 0 for one in which everything is taken back at its end."""
    if _is_taken_back(turns):
        return 0.0
    return 1.0 / (1.0 + math.exp(-_BIAS - sum(map(float.__mul__, features_of(turns), _WEIGHTS))))


@memoize_short(entries=512, chars=400)  # sentences are compared with those of their neighbours, again and again
def values_in(sentence: str) -> frozenset[str]:
    """Return the numbers in a sentence, and its words that are none of prose, in small letters."""
    return frozenset(found.strip("`").lower() for found in _VALUE.findall(sentence))


def features_of(turns: Sequence[SpokenTurn]) -> _Features:
    """Return the features of a talk, whose first turn is its task. Turns are compared with their neighbours only."""
    turns = turns[-_MOST_TURNS:]
    numbers = range(1, len(turns))
    users = [number for number in numbers if turns[number].by_user]
    agents = [number for number in numbers if not turns[number].by_user]
    theirs = [sentence for number in users for sentence in turns[number].sentences]
    ours = [sentence for number in agents for sentence in turns[number].sentences if not acts.is_question(sentence)]
    stated = [sentence for sentence in theirs if not acts.is_question(sentence)]
    at_end = [sentence for number in users[-_AT_END:] for sentence in turns[number].sentences]
    answers = [number for number in agents if number > 1 and turns[number - 1].by_user]
    return _Features(
        values_taken_up=_takes_up_values(turns, users),
        restates_value=_any(_restates_value(turns, number) for number in answers),
        restated_at_end=max((_restated(turns, n) for n in answers if n >= len(turns) - _AT_END), default=0.0),
        accepts_value=_any(_accepts_value(turns, number) for number in users),
        rules=_any(_rules(turns, number) for number in users),
        takes_down=min(sum(_takes_down(turns, number) for number in users) / _FULL, 1.0),
        recorded_at_end=_any(
            cues.records(each)
            for number in answers
            if number >= len(turns) - _AT_END
            for each in turns[number].sentences
        ),
        says_it_is_done=_any(cues.says_it_is_done(each) for number in answers for each in turns[number].sentences[:2]),
        names_place=_any(map(cues.names_place, ours)),
        speaks_for_all=_any(map(cues.speaks_for_all, stated)),
        asks=_share(_asks(turns[number]) for number in users),
        left_open=_any(acts.is_left_open(each) and not cues.stays(each) for each in at_end),
        idle=_any(map(cues.is_idle, [*(turns[0].sentences if turns else ()), *at_end])),
        laughs=_share(any(map(cues.laughs, turn.sentences)) for turn in turns),
        marks=(_share(map(_marks, theirs)) + _share(map(_marks, ours))) / 2,
    )


def _is_taken_back(turns: Sequence[SpokenTurn]) -> bool:
    """Return true where a user takes back at the end what was to be done, and does not say by what they stay."""
    last = [each for turn in turns[-_LAST_WORDS:] if turn.by_user for each in turn.sentences[-_LAST_WORDS:]]
    return any(map(acts.withdraws, last[-_LAST_WORDS:])) and not any(map(cues.stays, last[-_LAST_WORDS:]))


def _any(found: Iterable[bool]) -> float:
    return float(any(found))


def _share(found: Iterable[float]) -> float:
    values = list(found)
    return sum(values) / len(values) if values else 0.0


def _marks(sentence: str) -> float:
    return count_marks(sentence) / _MOST_MARKS


def _asks(turn: SpokenTurn) -> bool:
    return bool(turn.sentences) and acts.is_question(turn.sentences[-1])


def _takes_up_values(turns: Sequence[SpokenTurn], users: Sequence[int]) -> float:
    """Return 1 where a turn beside one of a user has a value of it; the first turn is the task."""
    values = [_values_in(turn) for turn in turns]
    return _any(
        not values[number].isdisjoint(values[beside])
        for number in users
        for beside in (number - 1, number + 1)
        if 0 < beside < len(turns)
    )


def _restates_value(turns: Sequence[SpokenTurn], number: int) -> bool:
    stated = {value for each in _stated(turns[number - 1]) for value in values_in(each)}
    return not _asks(turns[number]) and any(not stated.isdisjoint(values_in(each)) for each in _stated(turns[number]))


def _restated(turns: Sequence[SpokenTurn], number: int) -> float:
    weights = {word: weight for each in _stated(turns[number - 1]) for word, weight in term_weights(each).items()}
    answered = {word for each in _stated(turns[number]) for word in term_weights(each)}
    return min(sum(weight for word, weight in weights.items() if word in answered) / _FULLY_RESTATED, 1.0)


def _stated(turn: SpokenTurn) -> list[str]:
    return [each for each in turn.sentences if not acts.is_question(each)]


def _accepts_value(turns: Sequence[SpokenTurn], number: int) -> bool:
    said = turns[number].sentences
    if number < 2 or not said or any(map(acts.is_left_open, said)) or not acts.accepts(said[0]):  # noqa: PLR2004
        return False
    offered = turns[number - 1].sentences[-_OFFERED_WITHIN:]
    return any(acts.offers(each) and _VALUE.search(each) for each in offered)


def _rules(turns: Sequence[SpokenTurn], number: int) -> bool:
    is_last = number + 1 >= len(turns)
    if not is_last and not _takes_down(turns, number):
        return False
    stated = [
        text
        for text in map(without_interjection, turns[number].sentences)
        if not acts.is_question(text) and not acts.is_left_open(text) and not count_marks(text)
    ]
    answers = is_last and _asks(turns[number - 1]) and not turns[number - 1].by_user
    return any(acts.is_norm(each) or (answers and _VALUE.search(each)) for each in stated)


def _values_in(turn: SpokenTurn) -> frozenset[str]:
    return frozenset(value for each in turn.sentences for value in values_in(each))


def _takes_down(turns: Sequence[SpokenTurn], number: int) -> bool:
    """Return true where an agent's turn behind one of a user begins to take down what they stated in it."""
    if number + 1 >= len(turns) or turns[number + 1].by_user or all(map(acts.is_question, turns[number].sentences)):
        return False
    return bool(behind := turns[number + 1].sentences) and cues.takes_down(behind[0])
