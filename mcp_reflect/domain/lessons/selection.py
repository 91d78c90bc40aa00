"""Choosing the sentences that say the most within a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mcp_reflect.domain.lessons.evidence import Candidate
from mcp_reflect.domain.lessons.vocabulary import discounted, term_weights

_KNOWN_SHARE = 0.25
"""Of its weight that a word of the task keeps, which stands beside the lesson already, and a datum of one case."""

_LENGTH_POWER = 0.6
"""Between choosing by gain alone (0) and by gain per character (1)."""

_LEAST_TERMS = 3
"""Content words of a sentence that states no rule and names nothing; with fewer it only comments on another."""
_NAMES = re.compile(r"[`_\d]|[a-z][A-Z]|\w/\w")

_LEAST_GAIN = 3.0
"""Weight of new words, times evidence, below which a sentence says nothing that is worth its place."""


def select_sentences(
    candidates: Sequence[Candidate], task: str, budget: int, data: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Return the sentences whose new words, by evidence, cover most of the run in `budget` characters, in order.

    Greedy maximisation of a monotone submodular function under a budget (Lin and Bilmes, NAACL 2010): each step takes
    the sentence with the largest gain per character to the power of 0.6; a covered word adds nothing again. `data` are
    terms of the run's one case (`case_data.py`), which count less in a sentence that states no rule.
    """
    known = frozenset(term_weights(task))
    weights = [
        discounted(term_weights(each.text), known if each.is_rule else known | data, _KNOWN_SHARE)
        for each in candidates
    ]
    covered: set[str] = set()
    chosen: list[int] = []
    room = budget
    open_ = {
        number
        for number, each in enumerate(candidates)
        if each.is_rule or len(weights[number]) >= _LEAST_TERMS or _NAMES.search(each.text)
    }
    while open_:
        best, value = -1, 0.0
        for number in sorted(open_):
            length = len(candidates[number].text) + 1
            if length > room:
                continue
            gain = candidates[number].evidence * sum(w for t, w in weights[number].items() if t not in covered)
            if gain >= _LEAST_GAIN and gain / length**_LENGTH_POWER > value:
                best, value = number, gain / length**_LENGTH_POWER
        if best < 0:
            break
        open_.remove(best)
        chosen.append(best)
        covered |= weights[best].keys()
        room -= len(candidates[best].text) + 1
    return [candidates[number] for number in sorted(chosen)]
