"""Which lessons changed earlier ones, and that of two on one subject the later stands first.

A lesson changes another one in everyday words (`everyday_amendment.py`), or by what was done (`changed_ways.py`): both
are shown as two that disagree. Where both are about equally relevant, neither has done better and they state other
values (`other_values.py`), the later one only goes first: what was settled last is in force.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain.lessons.comparison.changed_ways import changes_way
from mcp_reflect.domain.lessons.comparison.everyday_amendment import changes_rule_of
from mcp_reflect.domain.lessons.comparison.other_values import state_other_values
from mcp_reflect.domain.models import Match, Memory, ReflectionMemory

EQUALLY_RELEVANT = 0.2
"""Difference in relevance up to which the wording of a query may as well be that of either task."""


def find_changes(memories: Sequence[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Yield each two reflections in force of one user of which the later changes the earlier: later, earlier."""
    found = [each for each in memories if isinstance(each, ReflectionMemory) and each.status != "superseded"]
    for later in found:
        for earlier in found:
            if earlier.user == later.user and earlier.created_at < later.created_at and _changes(later, earlier):
                yield later, earlier


def _changes(later: ReflectionMemory, earlier: ReflectionMemory) -> bool:
    if changes_rule_of(later.reflection, earlier.reflection, earlier.task):
        return True
    return changes_way(later.reflection, earlier.reflection, (later.task, earlier.task))


def with_later_first(matches: Sequence[Match]) -> list[Match]:
    """Return the matches of a query, each that changes or may have replaced an earlier lesson directly before it."""
    ordered = list(matches)
    for later, earlier in [*find_changes([match.memory for match in matches]), *_replacements(matches)]:
        places = {match.memory.id: place for place, match in enumerate(ordered)}
        if places[earlier.id] < places[later.id]:
            ordered.insert(places[earlier.id], ordered.pop(places[later.id]))
    return ordered


def _replacements(matches: Sequence[Match]) -> Iterator[tuple[Memory, Memory]]:
    """Yield each two reflections of one user of which the later may have replaced the earlier: later, earlier."""
    for place, behind in enumerate(matches):
        for before in matches[:place]:
            later, earlier = behind.memory, before.memory
            if not (isinstance(later, ReflectionMemory) and isinstance(earlier, ReflectionMemory)):
                continue
            is_later = earlier.user == later.user and earlier.created_at < later.created_at
            is_equal = behind.relevance >= before.relevance - EQUALLY_RELEVANT and earlier.q_value <= later.q_value
            if is_later and is_equal and state_other_values(_said(later), _said(earlier)):
                yield later, earlier


def _said(memory: ReflectionMemory) -> tuple[str, str]:
    return memory.task, memory.reflection
