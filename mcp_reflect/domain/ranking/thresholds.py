"""The threshold of hybrid queries, which follows from that of the model. Plain numbers: a connection has it at once."""

from __future__ import annotations

CHANCE_OVERLAP = 0.09
"""Overlap that unrelated texts reach by chance. Measured: with the threshold that follows, queries about other matters
come back empty in nine of ten cases, and fewer than two in a hundred of the relevant memories are lost
(docs/quality.md)."""

NEAREST_RELEVANCE, FURTHER_RELEVANCE = 0.2, 0.14
"""The least relevance of the first memory that is named where none is relevant enough to be shown, and of those beside.

Of 411 such queries the right one was named in 224 with 0.2 for all, and 45% of those about other matters were named
something (docs/quality.md). Where one is named at all, the right one is often the next.
"""


def hybrid_threshold(threshold: float) -> float:
    """Return the least relevance of a hybrid query for a model whose least cosine is `threshold`.

    It admits that cosine together with shared words beyond CHANCE_OVERLAP, as unrelated texts share some words too: it
    is `relevance.noisy_or` of the two.
    """
    return 1.0 - (1.0 - min(max(threshold, 0.0), 1.0)) * (1.0 - CHANCE_OVERLAP) ** 4
