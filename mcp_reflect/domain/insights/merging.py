"""Merging of new insights into the existing ones: repeated ones gain importance, contradictory ones are marked.

Two insights say the same where the cosine of their texts reaches `merge_threshold`, they are not opposed
(`text/polarity.py`) and name no different numbers. The earlier one then keeps its text and gets the evidence of both.
Its importance rises to `1 - (1 - a) * (1 - b)`: both are independent grounds to find it important. An insight without
new evidence adds no ground and raises importance at most to its own, so that merging the same insight twice changes
nothing. Insights that reach the threshold and are opposed name each other in `contradicts`, and both stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcp_reflect.domain.text.polarity import opposed, same_numbers

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector

_SHARE = 0.62
"""Position of the merge threshold between the model's retrieval threshold and 1. With the bundled model, eight pairs
of insights put differently had cosines of 0.64 to 0.94 (seven of them from 0.74), seven pairs about the same matter
with another message 0.27 to 0.69, and five contradictions from 0.90; its merge threshold is 0.715."""


def merge_threshold(default_threshold: float) -> float:
    """Return the least cosine of insights that may be merged, for a model with that retrieval threshold."""
    return default_threshold + _SHARE * (1.0 - default_threshold)


@dataclass(frozen=True)
class EmbeddedInsight:
    """An insight with its vector, as merging takes it.

    `key` is a memory id, or anything unique for one that is new. `importance` is in [0, 1].
    `vector` is of unit length; `evidence` holds trace ids and `contradicts` keys.
    """

    key: str
    text: str
    vector: Vector
    importance: float
    evidence: tuple[str, ...]
    contradicts: tuple[str, ...] = ()


def merge(
    existing: Sequence[EmbeddedInsight], new: Iterable[EmbeddedInsight], threshold: float
) -> list[EmbeddedInsight]:
    """Return the existing insights after the merge, in their order, then those that were added.

    The order of `new` does not matter. Merging the same ones again changes nothing; no importance falls, and no
    evidence is lost.
    """
    merged = list(existing)
    for candidate in sorted(new, key=lambda i: (i.text, i.evidence, i.importance, i.key)):
        alike = [place for place, known in enumerate(merged) if says_the_same(known, candidate, threshold)]
        if not alike:
            merged.append(replace(candidate, evidence=tuple(dict.fromkeys(candidate.evidence))))
            continue
        if any(_holds(merged[place], candidate) for place in alike):
            continue
        nearest = max(alike, key=lambda place: (_cosine(merged[place], candidate), -place))
        merged[nearest] = _joined(merged[nearest], candidate)
    return _marked(merged, threshold)


def says_the_same(one: EmbeddedInsight, other: EmbeddedInsight, threshold: float) -> bool:
    """Return true where the two may become one."""
    if one.text == other.text:
        return True
    near = _cosine(one, other) >= threshold
    return near and not opposed(one.text, other.text) and same_numbers(one.text, other.text)


def contradicts(one: EmbeddedInsight, other: EmbeddedInsight, threshold: float) -> bool:
    """Return true where the two are about the same thing and say opposite things."""
    return one.text != other.text and _cosine(one, other) >= threshold and opposed(one.text, other.text)


def find_beyond_capacity(ranks: Mapping[str, tuple[bool, float, int]], capacity: int) -> list[str]:
    """Return the keys of the insights beyond the capacity, from `key → (adopted, importance, age rank)`.

    Those that a person adopted come first, then the more important, then the younger (a lower age rank).
    """
    ranked = sorted(ranks, key=lambda key: (not ranks[key][0], -ranks[key][1], ranks[key][2], key))
    return ranked[capacity:]


def _holds(known: EmbeddedInsight, candidate: EmbeddedInsight) -> bool:
    return set(candidate.evidence) <= set(known.evidence) and candidate.importance <= known.importance


def _joined(known: EmbeddedInsight, candidate: EmbeddedInsight) -> EmbeddedInsight:
    if set(candidate.evidence) <= set(known.evidence):
        risen = max(known.importance, candidate.importance)
    else:
        risen = 1.0 - (1.0 - known.importance) * (1.0 - candidate.importance)
    evidence = tuple(dict.fromkeys((*known.evidence, *candidate.evidence)))
    # The product may round down by a bit: importance never falls.
    return replace(known, evidence=evidence, importance=min(max(risen, known.importance, candidate.importance), 1.0))


def _marked(insights: Sequence[EmbeddedInsight], threshold: float) -> list[EmbeddedInsight]:
    return [
        replace(
            one,
            contradicts=tuple(
                dict.fromkeys((*one.contradicts, *(o.key for o in insights if contradicts(one, o, threshold))))
            ),
        )
        for one in insights
    ]


def _cosine(one: EmbeddedInsight, other: EmbeddedInsight) -> float:
    # Summed in float64 in one order, so that it is symmetric to the last bit.
    return float((one.vector.astype("float64") * other.vector.astype("float64")).sum())
