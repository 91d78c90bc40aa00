"""The sentence that heads a lesson: what sums the run up best, or what its user ruled."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain.lessons.sentences.candidates import USER, Candidate
from mcp_reflect.domain.lessons.sentences.self_contained import points_back
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.lessons.sentences.wording import says_it_failed, wording_factor

_HEADLINE_WEIGHT = 8.0
"""Weight of the words of a sentence from which it sums a run up by itself."""
_LATER = 0.5
"""How much more the last sentence of a run sums it up than the first: what is settled stands behind what led to it."""
RULING_CHARS = 300
"""Characters of what a user rules at the head of a lesson."""


def choose_headline(
    told: Sequence[Candidate], guidance: Sequence[str], *, one_case: bool, acted: bool
) -> tuple[str, list[str]]:
    """Return the sentence with the most evidence, empty where none sums the run up, and the guidance without it.

    Of a single case only a rule sums up. Where the run `acted`, what worked goes first, and before it only what the
    user ruled.
    """
    leant_on = {each.behind for each in told[2:]}  # taken to the front it would leave them without what they need
    fit = [
        each
        for each in told
        if (each.is_rule or not (one_case or acted))
        and (not acted or (each.role == USER and not says_it_failed(each.text)))
        and each.behind is None
        and not points_back(each.text)
        and each.place not in leant_on
    ]
    if len(told) < 2 or not fit:  # noqa: PLR2004 - a single sentence is the guidance
        return "", list(guidance)
    ended = 0 if acted else max(each.turn for each in told)  # what was done speaks for itself
    first = max(
        [each for each in fit if each.is_rule] or fit,
        key=lambda each: _worth_as_headline(each) * (1 + (_LATER * each.turn / ended if ended else 0.0)),
    )
    ruled = _with_neighbours(first, told, behind=acted) if first.role == USER else [first]
    texts = [each.text for each in ruled]
    return " ".join(texts), [text for text in guidance if text not in texts]


def _with_neighbours(first: Candidate, told: Sequence[Candidate], *, behind: bool) -> list[Candidate]:
    """A sentence of the user with the told ones right before it, and `behind` it: what is ruled out, and what instead.

    "Restore it" is understood beside what was said of it.
    """
    turn = {each.place: each for each in told if (each.turn, each.role) == (first.turn, USER)}
    ruled = [first]
    while (each := turn.get(ruled[0].place - 1)) and _have_room(each, *ruled):
        ruled.insert(0, each)
    while behind and (each := turn.get(ruled[-1].place + 1)) and _have_room(*ruled, each):
        ruled.append(each)
    return ruled


def _have_room(*sentences: Candidate) -> bool:
    return sum(len(each.text) for each in sentences) <= RULING_CHARS


def _worth_as_headline(sentence: Candidate) -> float:
    """Evidence, as far as the sentence says something by itself: its words weigh enough and it does not point back."""
    full = min(sum(term_weights(sentence.text).values()) / _HEADLINE_WEIGHT, 1.0)
    return sentence.evidence * full * min(wording_factor(sentence.text), 1.0)
