"""Who vouches for a sentence of a lesson, which decides whether it may be promoted to a project's guide.

The user and the agent vouch for what they brought themselves: each telling word of a sentence was said by the user,
stood in the agent's calls or words before any text held it, names an argument of the agent's calls, or is the code that
an edit replaced. A sentence with a word that only a tool, a page, a file or a memory brought rests on
that text, whoever says it, and so does one that carries a sentence of such a text over. No wording decides this, but
for the common words of English, which have no author.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mcp_reflect.domain.lessons.heard import JOINT, Heard, decoded, stems_of, tokens_of
from mcp_reflect.domain.lessons.vocabulary import stem, word_weight
from mcp_reflect.domain.text.common_words import COMMON_STEMS

_LEAST_CARRIED = 4
"""Words of a sentence that another one has to repeat which carries it over."""
_MOST_PARTS = 4
"""A file with a longer name could be a sentence."""
_PART = re.compile(r"[._-]+")
_LONG_FORMAT = re.compile(r"^[-dlbcps][rwxsStT-]{9}\S?(?:\s+\S+){7}\s(?=\S+$)")
"""What `ls -l` puts before a name."""
_OWN_TEXT = 0
"""The place of what nobody else brought before."""


class Brought:
    """The words of a run by who brought them first. Places order the texts and calls of a run."""

    def __init__(self) -> None:
        self._own: list[tuple[int, str]] = []
        self._read: list[tuple[int, str]] = []
        self._first_own: dict[str, int] = {}
        self._first_read: dict[str, int] = {}
        self._listed: frozenset[str] = frozenset()

    def by_run(self, place: int, text: str) -> None:
        """Add words that the user or the agent brought at a place."""
        self._own.append((place, text))

    def by_text(self, place: int, text: str) -> None:
        """Add a text that a tool, a page, a file or a memory brought at a place."""
        self._read += [(place, text), *((place, each) for each in decoded(text))]

    def by_listing(self, text: str) -> None:
        """Add the names of files that a listing of the agent shows, but for those that could be a sentence."""
        for line in text.splitlines():
            name = _LONG_FORMAT.sub("", line).strip().removeprefix("- ")
            is_one_word = not any(each.isspace() for each in name)
            if is_one_word and all(len(_PART.split(part)) <= _MOST_PARTS for part in name.split("/")):
                self._listed |= tokens_of(name)

    def by_user(self, text: str) -> None:
        """Add words that count as the user's or the agent's wherever they stand, such as the code an edit replaced."""
        self.by_run(_OWN_TEXT, text)

    def foreign_words(self, text: str) -> frozenset[str]:
        """Return the telling words of a text that others than the user and the agent brought first."""
        self._look_up()
        return frozenset(word for word in _telling(tokens_of(text)) if self._is_foreign(word))

    def is_known(self, word: str) -> bool:
        """Return true for a word that no text chose: the run brought it, a listing shows it, or each of its parts."""
        self._look_up()
        return self._is_at_hand(word) or all(self._is_at_hand(part) for part in JOINT.split(word) if part)

    def _is_at_hand(self, word: str) -> bool:
        return word in self._listed or not self._is_foreign(word)

    def own_words(self, text: str) -> frozenset[str]:
        """Return the telling words of a text that the user or the agent brought first."""
        foreign = self.foreign_words(text)
        return frozenset(word for word in _telling(tokens_of(text)) if word in self._first_own and word not in foreign)

    def _is_foreign(self, word: str) -> bool:
        read = self._first_read.get(word)
        return read is not None and read < self._first_own.get(word, read + 1)

    def _look_up(self) -> None:
        """Note where each word stands first; texts are read when the first sentence is asked about."""
        for texts, first in ((self._own, self._first_own), (self._read, self._first_read)):
            for place, text in texts:
                for word in tokens_of(text):
                    first[word] = min(place, first.get(word, place))
            texts.clear()


def carries_over(sentence: str, heard: Iterable[Heard], known: frozenset[str]) -> bool:
    """Return true where a sentence says most of one that was read; `known` are stems of the user's words."""
    stems = stems_of(tokens_of(sentence))
    return any(
        len(each.words - known) >= _LEAST_CARRIED and each.is_carried_by(stems, known, _LEAST_CARRIED)
        for each in heard
        if not each.is_data
    )


def without_sentences(text: str, sentences: Iterable[str]) -> str:
    """Return a text of a lesson without these sentences of it; a call stays without what it put out."""
    for said in sorted(sentences, key=len, reverse=True):
        if said in text:
            text = re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", "", text)
    return "\n".join(filter(None, map(_tidy, text.splitlines())))


def _tidy(line: str) -> str:
    left = _LEFT.sub(r"\1", " ".join(line.split())).strip(" ;")
    return left if any(each.isalnum() for each in left) else ""


_LEFT = re.compile(r"( failed):(?=\s*(?:[;.]|$))")
"""What is left of a call whose output went."""


def _telling(tokens: frozenset[str]) -> Iterator[str]:
    """The words that tell who brought them: neither common, nor numbers, nor parts of one letter or two."""
    for token in tokens:
        if len(token) > 2 and not token.isdecimal() and word_weight(token) and stem(token) not in COMMON_STEMS:  # noqa: PLR2004
            yield token
