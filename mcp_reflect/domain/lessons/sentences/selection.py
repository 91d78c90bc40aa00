"""Choosing the sentences that say the most within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_reflect.domain.lessons.sentences.evidence import Candidate
from mcp_reflect.domain.lessons.sentences.vocabulary import (
    count_special,
    discounted,
    names_something,
    term_weights,
)

_KNOWN_SHARE = 0.25
"""Of its weight that a word of the task keeps, which stands beside the lesson already, and a datum of one case."""

_LENGTH_POWER = 0.6
"""Between choosing by gain alone (0) and by gain per character (1)."""

_LEAST_TERMS = 3
"""Content words of a sentence that states no rule and names nothing; with fewer it only comments on another."""
_LEAST_SPECIAL = 4
"""Of these, words that are not among the common ones of English, where sentences compete for the room."""

_LONGEST_UNIT = 3
"""Sentences that are only chosen together, because each points back at the one before."""

_LEAST_GAIN = 3.0
"""Weight of new words, times evidence, below which a sentence says nothing that is worth its place."""


def select_sentences(
    candidates: Sequence[Candidate], task: str, budget: int, data: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Return the sentences whose new words, by evidence, cover most of the run in `budget` characters, in order.

    Greedy maximisation of a monotone submodular function under a budget (Lin and Bilmes, NAACL 2010): each step takes
    the sentence with the largest gain per character to the power of 0.6; a covered word adds nothing again. `data` are
    terms of the run's one case (`lessons/run/case_data.py`), which count less in a sentence that states no rule.
    """
    known = frozenset(term_weights(task))
    weights = [
        discounted(term_weights(each.text), known if each.is_rule else known | data, _KNOWN_SHARE)
        for each in candidates
    ]
    covered: set[str] = set()
    chosen: set[int] = set()
    room = budget
    compete = sum(len(each.text) + 1 for each in candidates) > budget
    number_of = {each.place: number for number, each in enumerate(candidates)}
    open_ = {
        number: unit
        for number, each in enumerate(candidates)
        if (unit := _unit(number, candidates, number_of))
        and all(_says_something(candidates[part], weights[part], compete=compete) for part in unit)
    }
    while open_:
        best: list[int] = []
        value = 0.0
        for unit in open_.values():
            new = [number for number in unit if number not in chosen]
            length = sum(len(candidates[number].text) + 1 for number in new)
            if length > room:
                continue
            gain = _gain(candidates, weights, new, covered)
            if gain >= _LEAST_GAIN * len(new) and gain / length**_LENGTH_POWER > value:
                best, value = new, gain / length**_LENGTH_POWER
        if not best:
            break
        for number in best:
            open_.pop(number, None)
            covered |= weights[number].keys()
            room -= len(candidates[number].text) + 1
        chosen.update(best)
    return [candidates[number] for number in sorted(chosen)]


def _says_something(sentence: Candidate, weights: Mapping[str, float], *, compete: bool) -> bool:
    """Return false for what only comments on another sentence; what hangs on a comment is not understood either.

    Where sentences `compete` for the room, one that neither rules nor names anything has to be about something special.
    """
    if sentence.is_rule or names_something(sentence.text):
        return True
    return len(weights) >= _LEAST_TERMS and (not compete or count_special(weights) >= _LEAST_SPECIAL)


def _unit(number: int, candidates: Sequence[Candidate], number_of: Mapping[int, int]) -> list[int]:
    """A sentence and those that it hangs on, in order; none where one of them is not there, or they are many."""
    unit = [number]
    while (behind := candidates[unit[0]].behind) is not None:
        if behind not in number_of or len(unit) == _LONGEST_UNIT:
            return []
        unit.insert(0, number_of[behind])
    return unit


def _gain(
    candidates: Sequence[Candidate], weights: Sequence[Mapping[str, float]], unit: Sequence[int], covered: set[str]
) -> float:
    """The weight of the words that these sentences add to those covered, each word once, by their evidence."""
    gain, known = 0.0, set(covered)
    for number in unit:
        gain += candidates[number].evidence * sum(w for term, w in weights[number].items() if term not in known)
        known |= weights[number].keys()
    return gain
