"""The words of a sentence that carry meaning, each with the weight that it has in a lesson."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.common_words import COMMON_STEMS
from mcp_reflect.domain.text.memoize import memoize_short

_COMMON = """
    a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing down during each few for from further get gets getting go goes going had
    has have having he her here hers him his how i if in into is it its itself just let like ll make makes me might
    more most much my need needs no nor not now of off ok okay on once one only or other our ours out over own
    please re really s same she should so some sure such t than thank thanks that the their theirs them then there
    these they this those through to too under until up us use used uses using ve very want wants was way we well
    were what when where which while who whom why will with would yes you your yours
"""
_STOP_WORDS = frozenset(_COMMON.split())

_UNSPACED = r"\u3400-\u9fff\u30a0-\u30ff"
"""Han characters and katakana, in which words are written without blanks; hiragana is grammar for the most part."""
_LETTER = rf"[^\W{_UNSPACED}\u3040-\u309f]"
_WORD = re.compile(
    rf"(?P<character>[{_UNSPACED}])|(?!\d){_LETTER}+(?:[-.'’/]{_LETTER}+)*|\d[\d,]*(?:\.\d+)*%?{_LETTER}*|[<>=!]=|[<>]"
)
_NAME = re.compile(r"[`_\d]|[a-z][A-Z]|\w/\w|\w\(\)|\w{2}\.[a-z]{2}|(?<![\w-])--[a-z]")
_COMMIT = re.compile(r"`?(?<![\w-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])`?")
"""The id of a commit, which stands for one moment of a project."""
_DIGIT = re.compile(r"\d")
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:d|ll|m|re|s|ve))$")
_CODE = re.compile(r"[_/.=<>]|[a-z][A-Z]|\d")
_SUFFIX = re.compile(r"(?:'s|ies|ied|ing|edly|ed|es|ly|s)$")
_SHORTEST_STEM = 3

PLAIN_WEIGHT = 1.0
_CHARACTER = 0.5
"""A character of a script without blanks: two of them make a word."""
_CODED = 1.6
"""Identifiers, paths, operators, codes and numbers: what a reader cannot guess."""
_NAMED = 1.3
"""Capitals inside a sentence and quoted words."""


@memoize_short(entries=16_384, chars=40)
def stem(word: str) -> str:
    """Return the word without its commonest endings, in lower case; numbers and identifiers stay whole."""
    lowered = word.lower()
    if _CODE.search(word):
        return lowered.strip("'")
    shorter = _SUFFIX.sub("", lowered)
    return shorter if len(shorter) >= _SHORTEST_STEM else lowered


@memoize_short(entries=16_384, chars=40)
def word_weight(word: str) -> float:
    """Return the weight of a word by itself: 0 for a stop word, more for identifiers, paths and numbers."""
    if word in _STOP_WORDS:
        return 0.0
    return _CODED if _CODE.search(word) else PLAIN_WEIGHT


@memoize_short(entries=512, chars=600)  # a sentence is compared with others several times while it is chosen
def term_weights(sentence: str) -> Mapping[str, float]:
    """Return the content words of a sentence as stems, each with its weight above 0."""
    weights: dict[str, float] = {}
    sentence = without_commits(sentence)
    for match in _WORD.finditer(sentence):
        word = match.group()
        if _CONTRACTION.sub("", word.lower()) in _STOP_WORDS:
            continue
        weight = PLAIN_WEIGHT
        if match.lastgroup:
            weight = _CHARACTER
        elif _CODE.search(word):
            weight = _CODED
        elif match.start() and (word[0].isupper() or sentence[match.start() - 1] in "'\"`"):
            weight = _NAMED
        key = stem(word)
        weights[key] = max(weight, weights.get(key, 0.0))
    return weights


def known_share(text: str, known: Collection[str]) -> float:
    """Return the share of the weight of a text's words that are `known` terms, in [0, 1]; 1 for a text without any."""
    weights = term_weights(text)
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in known) / total if total else 1.0


def names_something(sentence: str) -> bool:
    """Return true where a sentence holds a number, a path, an identifier or a quotation of code."""
    return _NAME.search(without_commits(sentence)) is not None


def without_commits(sentence: str) -> str:
    """Return a sentence without the ids of commits, which no later run has to do with."""
    return _COMMIT.sub("", sentence) if _DIGIT.search(sentence) else sentence


def count_special(terms: Iterable[str]) -> int:
    """Return how many of the terms of `term_weights` are not among the common words of English."""
    return sum(term not in COMMON_STEMS for term in terms)


def count_words(text: str) -> float:
    """Return the number of words of a text; a character of a script without blanks counts as half a word."""
    return sum(_CHARACTER if match.lastgroup else 1.0 for match in _WORD.finditer(text))


def discounted(weights: Mapping[str, float], known: frozenset[str], share: float) -> dict[str, float]:
    """Return the weights, those of `known` terms multiplied by `share` in [0, 1]."""
    return {term: weight * share if term in known else weight for term, weight in weights.items()}
