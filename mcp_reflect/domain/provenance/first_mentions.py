"""Who mentioned each word of a run first: the user and the agent, or a text that the agent read.

A word that such a text brought is foreign, whoever says it afterwards. No wording decides this, but for the common
words of English and well-known names, which have no author.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.observed import is_short_name
from mcp_reflect.domain.provenance.tokens import JOINT, tells_author, tokens_of
from mcp_reflect.domain.provenance.well_known import is_well_known

_LONG_FORMAT = re.compile(r"^[-dlbcps][rwxsStT-]{9}\S?(?:\s+\S+){7}\s(?=\S+$)")
"""What `ls -l` puts before a name."""
_SENTENCE = re.compile(r"(?:.* )?[^\W\d_]{2,} [^\W\d_]{2,}[.!?]\s*")
"""The end of a sentence: listings have none."""
_OWN_TEXT = 0
"""The place of what nobody else brought before."""


class FirstMentions:
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

    def by_text(self, place: int, *texts: str) -> None:
        """Add texts that a tool, a page, a file or a memory brought at a place."""
        self._read += [(place, text) for text in texts]

    def by_listing(self, text: str) -> None:
        """Add the names of files that a listing of the agent shows, but for those that could be a sentence.

        What holds sentences beside the names is no listing, whatever printed it.
        """
        lines = text.splitlines()
        if any(map(_SENTENCE.fullmatch, lines)):
            return
        for line in lines:
            name = _LONG_FORMAT.sub("", line).strip().removeprefix("- ")
            if is_short_name(name):
                self._listed |= tokens_of(name)

    def by_user(self, text: str) -> None:
        """Add words that count as the user's or the agent's wherever they stand, such as the code an edit replaced."""
        self.by_run(_OWN_TEXT, text)

    def foreign_words(self, text: str) -> frozenset[str]:
        """Return the telling words of a text that others than the user and the agent brought first."""
        self._look_up()
        return frozenset(word for word in filter(tells_author, tokens_of(text)) if self._is_foreign(word))

    def brought_first(self, address: str) -> bool:
        """Return true for an address that the user or the agent brought before any text had it, or its host."""
        self._look_up()
        plain = address.rpartition("://")[2]
        forms = (address, plain, plain.partition("/")[0], plain.rpartition("@")[2])
        return address in self._first_own and not any(map(self._is_foreign, forms))

    def is_known(self, word: str) -> bool:
        """Return true for a word that no text chose: the run brought it, a listing shows it, or each of its parts."""
        self._look_up()
        return self._is_at_hand(word) or all(self._is_at_hand(part) for part in JOINT.split(word) if part)

    def _is_at_hand(self, word: str) -> bool:
        return word in self._listed or not self._is_foreign(word)

    def own_words(self, text: str) -> frozenset[str]:
        """Return the telling words of a text that the user or the agent brought first."""
        foreign = self.foreign_words(text)
        telling = frozenset(filter(tells_author, tokens_of(text)))
        return (telling & self._first_own.keys()) - foreign

    def _is_foreign(self, word: str) -> bool:
        read = self._first_read.get(word)
        return read is not None and read < self._first_own.get(word, read + 1) and not is_well_known(word)

    def _look_up(self) -> None:
        """Note where each word stands first; texts are read when the first sentence is asked about."""
        for texts, first in ((self._own, self._first_own), (self._read, self._first_read)):
            for place, text in texts:
                for word in tokens_of(text):
                    if first.setdefault(word, place) > place:
                        first[word] = place
            texts.clear()
