"""Memory for functions of a text that are asked the same again and again: runs repeat their words, lines and errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_Result = TypeVar("_Result")


def memoize_short(*, entries: int, chars: int) -> Callable[[Callable[[str], _Result]], Callable[[str], _Result]]:
    """Keep the last `entries` results of a pure function for texts of at most `chars` characters.

    Longer texts are rare, and keeping them would take memory. Results must not be changed by who gets them.
    """

    def decorate(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
        kept = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def answer(text: str) -> _Result:
            return kept(text) if len(text) <= chars else function(text)

        return answer

    return decorate
