"""The search for a memory that holds the lesson of a run already, among candidates found before the transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_reflect.application.ports import ReadSession
from mcp_reflect.domain.lessons.comparison.sameness import SAME_KIND, Lesson, same_kind, say_the_same
from mcp_reflect.domain.models import IN_FORCE, ClaimMemory, ReflectionMemory, of_kind
from mcp_reflect.domain.values import Vector

_LATEST = 64
"""Memories written since the candidates were found that are looked at, the earliest of them."""


@dataclass(frozen=True)
class Candidates:
    """Memories that may hold the lesson of a run, by id, as of the ledger's change `as_of`; found before a transaction.

    `as_of` below 0: none were looked for. `late` are those written since, None where they are still to be asked for.
    `amends` is true where the lesson may amend one of them.
    """

    memory_ids: Sequence[str] = ()
    as_of: int = -1
    late: Sequence[str] | None = None
    amends: bool = False


NO_CANDIDATES = Candidates()


def find_same_lesson(
    session: ReadSession, memory: ReflectionMemory, model: str, vector: Vector, candidates: Candidates
) -> ReflectionMemory | None:
    """Return the memory in use that says the same as `memory`, whose task has this vector; None without such a one."""
    if candidates.as_of < 0:
        return None
    lesson = Lesson.of(memory.reflection)
    usable = [
        each
        for each in late_candidates(session, memory, candidates)
        if each.status in IN_FORCE and each.user == memory.user and each.source_trace_id != memory.source_trace_id
    ]
    vectors = session.vectors.of_memories([each.id for each in usable], model)
    cosines = {memory_id: float(vector @ other) for memory_id, other in vectors.items()}
    near = [
        each
        for each in usable
        if same_kind(memory.task, each.task, cosines.get(each.id, 0.0), lesson)
        and say_the_same(lesson, Lesson.of(each.reflection))
    ]
    return min(near, key=lambda each: (each.created_at, each.id), default=None)


def late_candidates(session: ReadSession, memory: ReflectionMemory, candidates: Candidates) -> list[ReflectionMemory]:
    """Return the candidates for a memory as they are now, with what was written since they were found."""
    late = candidates.late
    if late is None:
        late = written_since(session, memory.project, candidates.as_of)
    found = session.memories.by_ids([i for i in dict.fromkeys([*candidates.memory_ids, *late]) if i != memory.id])
    return of_kind(found.values(), ReflectionMemory)


def written_since(session: ReadSession, project: str, seq: int) -> list[str]:
    """Return the ids of the reflections written after a change, at most 64 of them."""
    return session.memories.changed_since(project, seq, _LATEST, kind="reflection")


def find_same_claim(
    session: ReadSession, claim: ClaimMemory, model: str, vector: Vector, candidates: Candidates
) -> ClaimMemory | None:
    """Return the claim in use of another run that says the same as `claim`, which has this vector; else None."""
    if candidates.as_of < 0:
        return None
    late = session.memories.changed_since(claim.project, candidates.as_of, _LATEST, kind="claim")
    found = session.memories.by_ids([i for i in dict.fromkeys([*candidates.memory_ids, *late]) if i != claim.id])
    usable = [
        each
        for each in of_kind(found.values(), ClaimMemory)
        if each.status in IN_FORCE and each.user == claim.user and each.source_trace_id != claim.source_trace_id
    ]
    vectors = session.vectors.of_memories([each.id for each in usable], model)
    near = [each for each in usable if each.id in vectors and same_claim(claim, each, float(vector @ vectors[each.id]))]
    return min(near, key=lambda each: (each.created_at, each.id), default=None)


def same_claim(one: ClaimMemory, other: ClaimMemory, cosine: float) -> bool:
    """Return true where two claims say the same; `cosine` is that of their texts. A claim stands without its task."""
    lesson = Lesson.of(one.reflection)
    return cosine >= SAME_KIND and not lesson.needs_task and say_the_same(lesson, Lesson.of(other.reflection))
