"""Decides by their words whether two statements contradict each other; both in the form of `sameness.Lesson`.

They agree in every word that carries meaning, and then one has another number, denies what the other says, says the
opposite (`enabled`, `disabled`), names what the other rejects ("X, not Y"), or has two things the other way round.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight

Words = tuple[str, ...]

LEAST_SHARED = 3.0
"""Weight of the words that two sentences share, below which they are too short to be about one thing."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:%|[a-z]{1,3})?$")
_NOT = "not"
_PERMITS = frozenset({"can", "may", "will", "always"})
"""Words in whose place a denial stands."""

_BINDS = frozenset(["not", "before", "after", "than", "over", "from", "to", "instead", "into", "rather"])
"""Words around which two things cannot change places."""

_PAIR = 2
_SHORTEST = 3
"""Letters of a word above which a prefix before it denies it, and is no chance."""
_PREFIXES = ("in", "un", "non", "non-", "dis", "a", "im", "ir")

_OPPOSITES = """
    after before | above below | accept reject | accepted rejected | add remove | adding removing | allow deny
    allow forbid | allowed denied | allowed forbidden | allowed prohibited | ascending descending | enable disable
    enabled disabled | first last | forwards backwards | free chargeable | grant refuse | greater less
    include exclude | included excluded | inclusive exclusive | increase decrease | kept dropped | keep drop
    keeps drops | left right | local remote | lock unlock | locked unlocked | longer shorter | lower higher
    lower upper | lowercase uppercase | mandatory optional | manual automatic | manually automatically | max min
    maximum minimum | most least | mutable immutable | newer older | newest oldest | new old | off on | open closed
    optional required | pass fail | permitted prohibited | permitted forbidden | plural singular | prefix suffix
    private public | read write | shown hidden | show hide | single double | start stop | strict lenient | true false
    up down | valid invalid | with without | yes no | earliest latest | once repeatedly | ever never | eager lazy
"""
_OPPOSITE = frozenset(
    frozenset(map(stem, pair.split())) for line in _OPPOSITES.splitlines() for pair in line.split("|") if pair.strip()
)


_EXCLUSIVE = [
    frozenset(map(stem, values.split()))
    for values in (
        "debug info warning error critical fatal",
        "monday tuesday wednesday thursday friday saturday sunday",
        "one two three four five six seven eight nine ten",
        "daily hourly weekly monthly yearly",
        "crlf lf",
        "tab space",
    )
]
"""Values of which a thing has one."""


def rules_contradict(one: Words, other: Words, named: frozenset[str]) -> bool:
    """Return true where two statements contradict each other; symmetric. `named` are values that the tasks name."""
    opposed = _is_opposed(one, other, named)
    return opposed and says_enough(set(one) & set(other))


def _is_opposed(one: Words, other: Words, named: frozenset[str]) -> bool:
    if len(one) != len(other):
        shorter, longer = sorted((one, other), key=len)
        return _NOT in longer and (_denies(shorter, longer) or _rejects(shorter, longer))
    different: list[int] = []
    for place, (a, b) in enumerate(zip(one, other, strict=True)):
        if a != b:
            different.append(place)
            if len(different) > _PAIR:
                return False
    if len(different) == 1:
        return _excludes(one[different[0]], other[different[0]], named)
    return len(different) == _PAIR and _is_turned(one, other, *different)


def _is_turned(one: Words, other: Words, first: int, second: int) -> bool:
    """Return true where two things have changed places around a word that binds them to theirs."""
    things = {one[first], one[second]}
    turned = one[first] == other[second] and one[second] == other[first]
    return turned and bool(_BINDS & set(one[first + 1 : second])) and not things & _BINDS


def shared_weight(one: Words, other: Words) -> float:
    """Return the weight of the words that two statements share."""
    return sum(word_weight(word) for word in set(one) & set(other))


def says_enough(words: set[str]) -> bool:
    """Return true where words say what a statement is about."""
    return sum(map(word_weight, words)) >= LEAST_SHARED


def _denies(shorter: Words, longer: Words) -> bool:
    """Return true where the longer is the shorter with a denial put in."""
    place = next((n for n, word in enumerate(shorter) if word != longer[n]), len(shorter))
    return longer[place] == _NOT and longer[place + 1 :] == shorter[place:]


def _rejects(shorter: Words, longer: Words) -> bool:
    """Return true where the longer says something else, and of what the shorter says that it is not so."""
    same = next((n for n, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    rejected = shorter[same:]
    if not rejected or longer[-len(rejected) :] != rejected:
        return False
    between = longer[same : -len(rejected)]
    return _NOT in between[-2:] and between[0] != _NOT


def _excludes(a: str, b: str, named: frozenset[str]) -> bool:
    """Return true where two words in the same place cannot both hold."""
    if _NUMBER.match(a) and _NUMBER.match(b):
        return not {a, b} & named
    if _NOT in {a, b}:
        return bool({a, b} & _PERMITS)
    if any(a in values and b in values for values in _EXCLUSIVE):
        return not {a, b} & named
    return frozenset((a, b)) in _OPPOSITE or _is_negated(a, b) or _is_negated(b, a)


def _is_negated(word: str, other: str) -> bool:
    """Return true where a word is the other one with a prefix that denies it, also behind a hyphen."""
    stemmed, _, last = other.rpartition("-")
    head = f"{stemmed}-" if stemmed else ""
    return len(last) > _SHORTEST and any(word == f"{head}{prefix}{last}" for prefix in _PREFIXES)
