"""A text of a lesson without the sentences that nobody vouches for, as the guide shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LEFT = re.compile(r"( failed):(?=\s*(?:[;.]|$))")
"""What is left of a call whose output went."""


def without_sentences(text: str, sentences: Iterable[str]) -> str:
    """Return a text of a lesson without these sentences of it; a call stays without what it put out."""
    for said in sorted(sentences, key=len, reverse=True):
        if said in text:
            text = re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", "", text)
    return "\n".join(filter(None, map(_tidy, text.splitlines())))


def _tidy(line: str) -> str:
    left = _LEFT.sub(r"\1", " ".join(line.split())).strip(" ;")
    return left if any(each.isalnum() for each in left) else ""
