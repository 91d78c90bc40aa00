"""Net changes of a run: edits put together with later ones of the same lines, without those that were taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain.lessons.steps import Step


class NetChanges:
    """What the edits of a run came to in the end, for one run's steps."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._net = {id(step): step for step in steps if step.kind == "edit"}
        self._into: dict[int, set[int]] = {}
        edits = [step for step in steps if step.kind == "edit" and not step.failed]
        for place, step in enumerate(edits):
            self._follow(step, edits[place + 1 :])

    def of(self, edits: Sequence[Step]) -> list[Step]:
        """Return these edits as they ended: each with what later ones made of it, none that came to nothing."""
        merged = {later for step in edits for later in self._into.get(id(step), ())}
        found = (self._net.get(id(step), step) for step in edits if id(step) not in merged)
        return [step for step in found if not step.change or any(old != new for old, new in step.change)]

    def _follow(self, step: Step, later: Sequence[Step]) -> None:
        """Put an edit of one place together with those that later changed the same place again."""
        if len(step.change) != 1 or not step.change[0][0]:
            return
        old, new = step.change[0]
        for other in later:
            if other.subject != step.subject or len(other.change) != 1:
                continue
            before, after = other.change[0]
            if not before or not new.strip():
                break  # the file was written anew, or nothing is left to be found again
            if before in new:
                new = new.replace(before, after, 1)
            elif new in before:
                old, new = before.replace(new, old, 1), after
            else:
                continue
            self._into.setdefault(id(step), set()).add(id(other))
        self._net[id(step)] = replace(step, change=((old, new),))
