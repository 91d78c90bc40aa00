"""How much of what a reviewer speaks of stands in a passage that a run had read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.passages import POINTED_WORD, Passage
from mcp_reflect.domain.lessons.run.reviewer_pointers import share_beginning
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.observation import reads_as_error

CODED = re.compile(r"[_=`*]|\w[-/.]\w|\d|\b[A-Z]{2,}\b")
STATES_RULE = re.compile(
    r"\b(?:never|only|must|always|not|use|set|needs?|has to|have to|should|before|first|instead|without|no|goes|means"
    r"|required?|allowed|forbidden|at (?:least|most))\b|n't\b",
    re.IGNORECASE,
)
"""Words of a passage that says how something is to be done."""
_SHORTEST_PREFIX = 4
_LEAST_WORDS, _WORDS_OF_HEADING = 3, 6
"""Words of a passage; what announces something says more than a heading from the second on."""
_KEY_WEIGHT = 3.0
_WARNS = re.compile(
    r"\bwarn\w*|\bcaution|\bdeprecat\w+|\bdetected\b|\bplease (?:set|use|pass|specify|switch|add)\b"
    r"|\bwill be (?:removed|ignored|truncated|dropped|overwritten)",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"(?:for|while|if|elif|def|class|with|try|except|return|from \S+ import|import|public|private|static|const|let|var"
    r"|func|fn|resource|module|variable|provider)\b[^.!?`]*[({\[=:;]"
)
"""A line of a program, which seldom says how something is to be done where it was shown beside a document."""
_PROGRAM_FACTOR = 0.5
_WARNING_WEIGHT = 2.0
"""Of a passage that warns, where the reviewer speaks of a warning."""
_COMMAND = stem("command")
_QUOTED_COMMAND = re.compile(r"`[\w./-]+ [^`]+`")
_COMMAND_WEIGHT = 2.0
"""Of a passage with a command, where the reviewer says that there is one."""
_RULE_WEIGHT = 0.7
_CODE_WEIGHT = 0.5
NEAR_BEST = 0.75
"""Least part of the best passage's score that others have."""
MOST_RECALLED, MOST_RECALLED_CHARS = 3, 400
"""Passages that are told, and their characters together; the best is told whatever its length."""
TASK_WEIGHT = 0.5
"""Of words that a passage shares with the task."""


def score_of(passage: Passage, said: Mapping[str, float], asked: Mapping[str, float], nouns: Sequence[str]) -> float:
    """Return how much a passage says of a reviewer's matter, 0 or more.

    `said` and `asked` are the words of the reviewer and of the task with their weights (`spoken_weights`), `nouns`
    those for what the reviewer points to.
    """
    words = spoken_weights(passage.text)
    warns = any(noun.startswith("warn") for noun in nouns) and _WARNS.search(passage.text) is not None
    tells = any(stem(noun) == _COMMAND for noun in said) and _QUOTED_COMMAND.search(passage.text) is not None
    shared = sum(weight_in(word, said) for word in words) + _WARNING_WEIGHT * warns + _COMMAND_WEIGHT * tells
    is_new = any(not (weight_in(word, said) or weight_in(word, asked)) for word in words)
    length = len(passage.text.split())
    is_whole = length >= (_WORDS_OF_HEADING if passage.text.endswith(":") else _LEAST_WORDS)
    if not (shared and is_new and is_whole) or reads_as_error(passage.text):
        return 0.0
    shared += TASK_WEIGHT * sum(weight_in(word, asked) for word in words)
    shared += _KEY_WEIGHT * any(share_beginning(noun, passage.key.lower()) for noun in nouns if passage.key)
    told = (_RULE_WEIGHT * bool(STATES_RULE.search(passage.text))) + (_CODE_WEIGHT * bool(CODED.search(passage.text)))
    return (shared + told) * (_PROGRAM_FACTOR if _PROGRAM.match(passage.text) else 1.0)


def best_of(scored: Sequence[tuple[float, str]], least: float, near: float = NEAR_BEST) -> list[str]:
    """Return the best passages, as far as they are good enough and there is room."""
    ranked = sorted(dict.fromkeys(each for each in scored if each[0] >= least), key=lambda each: -each[0])[
        :MOST_RECALLED
    ]
    chosen: list[str] = []
    for score, text in ranked:
        room = MOST_RECALLED_CHARS - sum(map(len, chosen))
        if not chosen or (score >= near * ranked[0][0] and len(text) <= room):
            chosen.append(text)
    return chosen


def weight_in(word: str, others: Mapping[str, float]) -> float:
    """Return the weight of a word that the others hold, in this or a longer form; 0 for another."""
    if word in others:
        return others[word]
    if len(word) <= _SHORTEST_PREFIX or word[0].isdigit():
        return 0.0
    return max(
        (weight for other, weight in others.items() if len(other) > _SHORTEST_PREFIX and share_beginning(word, other)),
        default=0.0,
    )


def spoken_weights(text: str) -> dict[str, float]:
    """Return the words of a text as stems, those inside of names as well, with their weights."""
    found = POINTED_WORD.findall(text.replace("_", " "))
    weights = {stem(word): word_weight(word) for word in found}
    return {word: weight for word, weight in weights.items() if weight and len(word) > 1}
