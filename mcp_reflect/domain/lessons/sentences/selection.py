"""Choosing the sentences that say the most within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.candidates import USER, Candidate
from mcp_reflect.domain.lessons.sentences.vocabulary import (
    PLAIN_WEIGHT,
    discounted,
    known_share,
    names_something,
    term_weights,
)

_KNOWN_SHARE = 0.25
"""Of its weight that a word of the task keeps, which stands beside the lesson already, and a datum of one case."""

_LENGTH_POWER = 0.6
"""Between choosing by gain alone (0) and by gain per character (1)."""

_REPEATED = 0.8
"""Share of the weight of its words from which a sentence says again what others say."""
_REPEATED_IN_TALK = 0.75
"""The same where nothing was done but talk: what it settles is said again and again."""
_SUMMED_UP = 0.6
"""The same share in what ends a talk, where nothing beside it is a number or a name: it says it in other words."""
_RULES_OUT = re.compile(r"\b(?:never|not|no|none|except|only|unless|without|cannot|apart)\b|n't\b")
_LONGEST_UNIT = 3
"""Sentences that are only chosen together, because each points back at the one before."""

_LEAST_WEIGHT = 1.5
"""Weight of words, times evidence, below which a sentence says nothing, nor what hangs on it."""
_LEAST_RULE = 2.0
"""The same of what a user rules by name: a short rule is one, too."""
_LEAST_GAIN = 5.0
"""The same of new words, where sentences compete for the room: who says much says much that nobody needs again.

It is less where the best of them gains less than twice as much: a talk in short facts is told by them.
"""


def select_sentences(
    candidates: Sequence[Candidate],
    task: str,
    budget: int,
    data: frozenset[str] = frozenset(),
    *,
    of_lesson: bool = False,
    least_evidence: float = 0.0,
) -> list[Candidate]:
    """Return the sentences whose new words, by evidence, cover most of the run in `budget` characters, in order.

    Greedy maximisation of a monotone submodular function under a budget (Lin and Bilmes, NAACL 2010): each step takes
    the sentence with the largest gain per character to the power of 0.6; a covered word adds nothing again. `data` are
    terms of the run's one case (`lessons/run/case_data.py`), which count less in a sentence that states no rule. With
    `of_lesson` the candidates are lines of a lesson, which were chosen from a run before. Sentences with less than
    `least_evidence` are never chosen, but compete for the room.
    """
    known = frozenset(term_weights(task))
    weights = [
        discounted(term_weights(each.text), known if each.is_rule else known | data, _KNOWN_SHARE)
        for each in candidates
    ]
    number_of = {each.place: number for number, each in enumerate(candidates)}
    units = {
        number: unit
        for number, each in enumerate(candidates)
        if (unit := _unit(number, candidates, number_of))
        and all(
            candidates[part].evidence >= least_evidence and _says_something(candidates[part], weights[part])
            for part in unit
        )
    }
    least = _LEAST_WEIGHT
    if not of_lesson and sum(len(each.text) + 1 for each in candidates) > budget:
        most = max((_gain(candidates, weights, unit, set()) / len(unit) for unit in units.values()), default=0.0)
        least = min(_LEAST_GAIN, most / 2)
    return [candidates[number] for number in sorted(_chosen(candidates, weights, units, budget, least))]


def without_repetitions(told: Sequence[Candidate], beside: str, *, acted: bool) -> list[Candidate]:
    """Return sentences without those nearly all words of which stand in the others, or in a text `beside` them.

    The one with the least evidence goes first, none on which another hangs, and nothing that a user said of what was
    done (`acted`), where it stands in others' words. Of a talk so do those that the last turn told of it sums up.
    """
    kept = list(told)
    ended = 0 if acted else max((each.turn for each in told), default=0)
    for each in sorted(told, key=lambda each: each.evidence):
        if (acted and each.role == USER) or any(other.behind == each.place for other in kept):
            continue
        others = [other.text for other in kept if other is not each] + [beside]
        end = [other.text for other in kept if other is not each and other.turn == ended]
        repeats = known_share(each.text, _terms(others)) >= (_REPEATED if acted else _REPEATED_IN_TALK)
        if repeats or (each.turn < ended and _is_summed_up(each.text, end)):
            kept.remove(each)
    return kept


def _is_summed_up(text: str, end: Sequence[str]) -> bool:
    """Return true for a sentence with most of its words in what ends a talk, and no number or name beside them."""
    summed_up = _terms(end)
    new = [weight for term, weight in term_weights(text).items() if term not in summed_up]
    is_covered = known_share(text, summed_up) >= _SUMMED_UP and max(new, default=0.0) <= PLAIN_WEIGHT
    return is_covered and not _rules_out_more(text, end)


def _rules_out_more(text: str, known: Sequence[str]) -> bool:
    """Return true for a sentence that rules something out in a word by which the known ones rule out nothing."""
    return not set(_RULES_OUT.findall(text.lower())) <= set(_RULES_OUT.findall(" ".join(known).lower()))


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(term_weights(text).keys() for text in texts))


def _chosen(
    candidates: Sequence[Candidate],
    weights: Sequence[Mapping[str, float]],
    units: Mapping[int, Sequence[int]],
    room: int,
    least: float,
) -> set[int]:
    """Choose units one by one while one fits into `room` characters and gains `least` for each of its sentences."""
    open_ = dict(units)
    covered: set[str] = set()
    chosen: set[int] = set()
    while open_:
        best: list[int] = []
        value = 0.0
        for unit in open_.values():
            new = [number for number in unit if number not in chosen]
            length = sum(len(candidates[number].text) + 1 for number in new)
            if length > room:
                continue
            gain = _gain(candidates, weights, new, covered)
            if (
                gain >= sum(min(least, _LEAST_RULE) if _is_told(candidates[each]) else least for each in new)
                and gain / length**_LENGTH_POWER > value
            ):
                best, value = new, gain / length**_LENGTH_POWER
        if not best:
            break
        for number in best:
            open_.pop(number, None)
            covered |= weights[number].keys()
            room -= len(candidates[number].text) + 1
        chosen.update(best)
    return chosen


def _is_told(sentence: Candidate) -> bool:
    return sentence.role == USER and sentence.is_rule and names_something(sentence.text)


def _says_something(sentence: Candidate, weights: Mapping[str, float]) -> bool:
    """Return false for a question and for what only comments: what hangs on one is not understood either."""
    return not sentence.text.endswith("?") and sentence.evidence * sum(weights.values()) >= _LEAST_WEIGHT


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
