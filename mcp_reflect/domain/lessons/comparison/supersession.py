"""Decides by the words of both whether a lesson amends an earlier one.

Three things must come together: the later lesson says that something settled changes (a cue), both are about the same
subject, and what the later one says it replaces stands in the earlier one. A clear cue ("amended", "superseding the
old cap") needs half of the words of what is replaced, or a closer subject. A cue that other sentences have too ("no
longer", "instead of", "we now") needs all of them. Numbers that are replaced must always be there. Where these do not
hold nothing is decided: two lessons with other values on one subject may both be right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.comparison.everyday_amendment import is_limited
from mcp_reflect.domain.lessons.comparison.sameness import FRAME_STEMS
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight

_SAME_SUBJECT = 0.22
_CLOSE_SUBJECT = 0.4
"""Least share of the weight of the shorter text's words that the other has too. Conversations on one library share up
to 0.2 with each other, those that amend one another 0.25 and more."""

_NAMED = 0.5
"""Share of the words of what is replaced that the earlier lesson has at least, after a clear cue."""

_CLEAR = re.compile(
    r"\bamend(?:s|ed|ing|ments?)?\b|\bsupersed(?:es?|ed|ing)\b|\brevis(?:es|ed|ing)\s+(?:the|our|that|this|what)\b"
    r"|\b(?:replac|overrul|overrid|revers|revok)(?:es|ing|ed)\s+(?:the|our|that|what)\s+"
    r"(?:old|earlier|previous|original|former|prior|current|we)\b"
    r"|\bupdates?\s+to\s+(?:the|our)\s+[\w\s-]{0,40}\b(?:we|was|were)\s+(?:had\s+)?(?:settled|agreed|decided)\b"
    r"|\b(?:new|updated|changed)\s+(?:rule|policy|decision|convention)\b",
    re.IGNORECASE,
)
_USED = r"(?<!\bbe )(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bget )\bused to\b"
"""It "used to" be so; not what "cannot be used to" do something."""
_VAGUE = re.compile(  # one boundary before them all: only where a word begins are they tried
    r"\b(?:no longer\b|we now\b|instead of\b|in favou?r of\b|from now on\b|going forward\b|any ?more\b"
    rf"|(?:switch|chang|mov|migrat)(?:e|es|ed|ing)\s+(?:over\s+)?from\b|{_USED}|as of (?:today|now)\b)",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    r"\b(?:supersed(?:es?|ed|ing)|replac(?:es|ed|ing)|overrul(?:es|ed|ing)|revers(?:es|ed|ing)|revok(?:es|ed|ing)"
    rf"|no longer|instead of|{_USED}|old|earlier|previous|original|former|prior"
    r"|(?:switch|chang|mov|migrat)(?:e|es|ed|ing)\s+(?:over\s+)?from)\b\s*([^,;:.()\n—]{1,80})",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\s(?:to|because|since|as|so|when|while|but|and now|with)\s|\s-{1,2}\s", re.IGNORECASE)
_MOST_WORDS = 8
_FEW = 2

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S+", re.IGNORECASE)
"""Says nothing: "?status_filter=superseded" amends no decision."""
_QUESTION = re.compile(r"[^.!?\n]*\?(?=\s|\Z)")
"""Asks for a value, which the answer behind it may turn down."""
_WORD = re.compile(r"[^\W_]+")
_GENERIC_WORDS = """
agreement approach behaviour behavior choice convention current decision default earlier former last limit month more
new old one original plan policy previous prior rule setting thing value version way week
"""
_GENERIC = frozenset(map(stem, _GENERIC_WORDS.split()))
_STATE_WORDS = "break broken crash error fail failing fails happen hang occur raise reproduce show throw"
_STATES = frozenset(map(stem, _STATE_WORDS.split()))
"""What a sentence with "no longer" reports of a defect that was mended: no decision was amended."""


@dataclass(frozen=True)
class Statement:
    """The task and the lesson of a memory."""

    task: str
    lesson: str

    @cached_property
    def text(self) -> str:
        """Return the task and the lesson, one below the other."""
        return f"{self.task}\n{self.lesson}"

    @cached_property
    def said(self) -> str:
        """Return the text without addresses."""
        return _ADDRESS.sub(" ", self.text)

    @cached_property
    def words(self) -> dict[str, float]:
        """The stems of its words that carry meaning, with their weights; those of the frame of lessons say nothing."""
        stated = f"{self.task}\n{_QUESTION.sub(' ', self.lesson)}"
        found = {word for word in map(stem, _WORD.findall(stated)) if word not in FRAME_STEMS}
        return {word: weight for word in found if (weight := word_weight(word))}

    @cached_property
    def is_clear(self) -> bool:
        """Return true where the text says in clear words that something is amended."""
        return bool(_CLEAR.search(self.said))

    @cached_property
    def vague(self) -> list[str]:
        """The sentences that say in words which other sentences have, too, that something changes."""
        lines = self.lesson.splitlines()
        return [each for line in lines for each in split_sentences(line) if _VAGUE.search(each)]

    @property
    def may_amend(self) -> bool:
        """Return true where it says that something changes."""
        return self.is_clear or bool(_VAGUE.search(self.said))

    @cached_property
    def replaced(self) -> list[frozenset[str]]:
        """The words of each thing that it says is replaced."""
        return [words for words in _replaced(self.said) if words]

    def names_other_numbers(self, earlier: Statement) -> bool:
        """Return true where it says that a number is replaced which the earlier statement does not have."""
        return any(word.isdigit() and word not in earlier.words for words in self.replaced for word in words)


def amendment(later: Statement, earlier: Statement) -> float:
    """Return how surely the later statement amends the earlier one, in [0, 1]; 0 where there is no evidence."""
    if not later.may_amend:
        return 0.0
    subject = _shared(later, earlier)
    named = max((_named(words, earlier) for words in later.replaced), default=0.0)
    if later.is_clear:
        least = _SAME_SUBJECT if named >= _NAMED else _CLOSE_SUBJECT
        return (named + subject) / 2 if subject >= least and not later.names_other_numbers(earlier) else 0.0
    if all(map(is_limited, later.vague)):
        return 0.0
    whole = any(_named(words, earlier) == 1.0 and _is_telling(words) for words in later.replaced)
    return subject / 2 if whole and subject >= _CLOSE_SUBJECT else 0.0


def _replaced(text: str) -> Iterator[frozenset[str]]:
    for match in _REPLACED.finditer(text):
        words = [stem(word) for word in _WORD.findall(_UNTIL.split(match[1])[0])[:_MOST_WORDS]]
        yield frozenset(word for word in words if word not in _GENERIC and word_weight(word))


def _named(words: frozenset[str], earlier: Statement) -> float:
    numbers = {word for word in words if word.isdigit()}
    if not numbers <= earlier.words.keys():
        return 0.0
    return len(words & earlier.words.keys()) / len(words)


def _is_telling(words: frozenset[str]) -> bool:
    return not words & _STATES and (len(words) >= _FEW or any(word.isdigit() for word in words))


def _shared(one: Statement, other: Statement) -> float:
    common = sum(min(weight, other.words[word]) for word, weight in one.words.items() if word in other.words)
    return common / max(min(sum(one.words.values()), sum(other.words.values())), 1.0)
