"""What a user leaves out of a proposal: "fine except the sampling", "without feature/", "no SQLite".

The sentence that proposed it stands in the turn before, and is not settled with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights

_LEAVES_OUT = (
    r"except(?: for)?|apart from|but not|but no|other than|without|minus|ohne|außer|sauf|sans|salvo|excepto|sin"
)
_EXCEPTED = re.compile(
    rf"\b(?:{_LEAVES_OUT})\s+(?:(?:the|a|an|any|die|der|das|den|le|la|les|el|los|las)\s+)?(\w+)", re.IGNORECASE
)
_WITHOUT_NAME = re.compile(rf"\b(?:{_LEAVES_OUT}|instead of|no|not|kein\w{{0,2}}|nicht|pas de)\s+(\S+)", re.IGNORECASE)
_NAME = re.compile(r"\w[_/.:=-]|[_/.-]\w|[a-z][A-Z]|[A-Z]{2}")
"""What a name has and a word of prose has not. Numbers go by their units (`dialogue_acts.amendments_in`)."""
_AROUND = "`'\"()[],;:!?."
_SHORTEST_NAME = 3
_ROOT = 5
"""Letters that two forms of one word share: "sample", "sampling"."""


class Excepted(NamedTuple):
    """Roots of words, and names in small letters, that a turn leaves out of what was proposed before."""

    roots: frozenset[str]
    names: frozenset[str]

    def hold(self, sentence: str) -> bool:
        """Return true where a sentence proposes what is left out."""
        if not (self.roots or self.names):
            return False
        told = sentence.lower()
        return any(name in told for name in self.names) or any(
            word[:_ROOT] in self.roots for word in term_weights(told)
        )


def excepted_in(turn: Sequence[str]) -> Excepted:
    """Return what a user leaves out in a turn: names anywhere, other words where they accept the rest first."""
    stated = [each for each in turn if not acts.is_question(each)]
    names = (found.strip(_AROUND) for each in stated for found in _WITHOUT_NAME.findall(each))
    accepted = stated[:1] if stated and acts.accepts(stated[0]) else []
    left_out = (word for each in accepted for found in _EXCEPTED.findall(each) for word in term_weights(found))
    return Excepted(
        frozenset(word[:_ROOT] for word in left_out),
        frozenset(name.lower() for name in names if len(name) >= _SHORTEST_NAME and _NAME.search(name)),
    )
