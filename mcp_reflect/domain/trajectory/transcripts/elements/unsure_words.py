"""Words between the results of calls, which an output before them may have printed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def are_framed(outputs: Sequence[Sequence[str]]) -> bool:
    """Return true for outputs whose lines are all set in, or behind a bar: none of them can look like a mark."""
    below = [line for lines in outputs for line in lines[1:] if line.strip()]
    return bool(below) and all(line[0] in " \t|" for line in below)


def unsure_words(roles: Sequence[str]) -> frozenset[int]:
    """The parts of an agent which an output before them may have printed, where marks tell calls.

    It is sure of the last ones before a call, and at the end, unless calls follow results without a word.
    """
    calls_at_once = any(before == "result" and role == "call" for before, role in pairwise(roles))
    found: list[int] = []
    is_last, is_end = True, True
    for number in range(len(roles) - 1, -1, -1):
        if roles[number] == "call":
            is_last, is_end = True, False
        elif roles[number] == "agent":
            if not is_last or (calls_at_once and not is_end):
                found.append(number)
            is_last = False
    return frozenset() if is_end else frozenset(found)
