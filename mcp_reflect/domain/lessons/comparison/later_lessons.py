"""Which lessons changed earlier ones, in everyday words or by what was done, and their order where both are found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain.lessons.comparison.changed_ways import changes_way
from mcp_reflect.domain.lessons.comparison.everyday_amendment import changes_rule_of
from mcp_reflect.domain.models import Match, Memory, ReflectionMemory


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
    """Return the matches of a query, each that changes an earlier lesson moved up to stand directly before it."""
    ordered = list(matches)
    for later, earlier in find_changes([match.memory for match in matches]):
        places = {match.memory.id: place for place, match in enumerate(ordered)}
        if places[earlier.id] < places[later.id]:
            ordered.insert(places[earlier.id], ordered.pop(places[later.id]))
    return ordered
