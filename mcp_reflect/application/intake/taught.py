"""Lessons that the runs of one transaction have taught so far: no search before it can have found them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcp_reflect.application.ports import ReadSession
from mcp_reflect.application.review.prepared_review import PreparedReview
from mcp_reflect.application.review.same_lessons import Candidates, written_since
from mcp_reflect.domain.lessons.comparison.sameness import SAME_KIND
from mcp_reflect.domain.models import Memory
from mcp_reflect.domain.values import Vector


class Taught:
    """The memories of the runs of a transaction; `found` are the candidates of all of them, searched before it."""

    def __init__(self, session: ReadSession, project: str, found: Iterable[Candidates]) -> None:
        searched = [candidates.as_of for candidates in found if candidates.as_of >= 0]
        self._late = written_since(session, project, min(searched)) if searched else []
        self._memories: list[tuple[str, Vector]] = []

    def beside(self, prepared: PreparedReview) -> PreparedReview:
        """Return a review with what may hold its lesson, or be amended by it, among what was taught meanwhile."""
        candidates, embedded = prepared.candidates, prepared.embedded
        if candidates.as_of < 0 or embedded is None:
            return prepared
        vector = embedded.vectors[prepared.run.trace.task]
        near = [i for i, other in self._memories if candidates.amends or float(vector @ other) >= SAME_KIND]
        return replace(prepared, candidates=replace(candidates, late=tuple(dict.fromkeys([*self._late, *near]))))

    def add(self, prepared: PreparedReview, memory: Memory | None) -> None:
        """Note what a stored run taught, or joined."""
        if memory is not None and prepared.embedded is not None:
            self._memories.append((memory.id, prepared.embedded.vectors[prepared.run.trace.task]))
