"""Lessons that contradict each other, and look-alikes: `contradictions.json`, written by hand, and real runs.

In the set every second pair was kept aside while the rules were written. Among the lessons of real runs no two
contradict each other, so that each pair found is a false alarm.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mcp_reflect.domain.lessons.comparison.disagreement import find_disagreements, stated_rules
from mcp_reflect.domain.models import Memory

_PAIRS = Path(__file__).with_name("contradictions.json")


class Recognised(NamedTuple):
    """Counts of labelled pairs: contradictions in all and recognised, look-alikes in all and taken for some."""

    contradictions: int
    found: int
    look_alikes: int
    false: int


def recognise(*, kept_aside: bool) -> Recognised:
    """Return how the labelled pairs are told apart: those that were kept aside, or all."""
    rows = json.loads(_PAIRS.read_text(encoding="utf-8"))
    said: dict[bool, list[bool]] = {True: [], False: []}
    for row in rows[1::2] if kept_aside else rows:
        one, other = (
            stated_rules(task, lesson, quoted=False) for task, lesson in zip(row["tasks"], row["lessons"], strict=True)
        )
        said[row["contradict"]].append(one.contradict(other))
    return Recognised(len(said[True]), sum(said[True]), len(said[False]), sum(said[False]))


def false_alarms(memories: Iterable[Memory]) -> int:
    """Return how many pairs of memories are said to disagree."""
    return sum(1 for _ in find_disagreements(list(memories)))
