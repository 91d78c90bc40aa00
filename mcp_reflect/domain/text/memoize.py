"""Memory for functions of a text that are asked the same again and again: runs repeat their words, lines and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


def memoize_short(*, entries: int, chars: int) -> Callable[[Callable[[str], _Result]], Callable[[str], _Result]]:
    """Keep up to `entries` results of a pure function for texts of at most `chars` characters.

    Longer texts are rare, and keeping them would take memory. Results must not be changed by who gets them. What is
    known is looked up without a call in Python: the words of a run are asked about a thousand times.
    """

    def decorate(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
        return _Results(function, entries, chars).__getitem__

    return decorate


class _Results(dict[str, _Result]):
    """The results of a function by text: what is not known yet is worked out. All make room for another where full."""

    def __init__(self, function: Callable[[str], _Result], entries: int, chars: int) -> None:
        super().__init__()
        self._function = function
        self._entries = entries
        self._chars = chars

    def __missing__(self, text: str) -> _Result:
        result = self._function(text)
        if len(text) <= self._chars:
            if len(self) >= self._entries:
                self.clear()
            self[text] = result
        return result
