"""Use cases of the project guide: all of it, and the part that a session begins with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mcp_reflect.application.ports import Ledger, ReadSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.guide.composition import ProjectGuide, compose_guide
from mcp_reflect.domain.guide.markdown import render_guide
from mcp_reflect.domain.guide.promotion import is_borne_out, may_need_reviews
from mcp_reflect.domain.models import IN_FORCE, Memory, UtilityEvent

_LOOKED_AT = 50
"""Memories of an order that are read for the start of a session, which waits for it."""


@dataclass(frozen=True)
class WrittenGuide:
    """A guide with the numbers of reviewed runs that passed and failed."""

    project: str
    passed: int
    failed: int
    guide: ProjectGuide

    @property
    def markdown(self) -> str:
        """The guide as a Markdown document."""
        return render_guide(self.guide, self.project, self.passed, self.failed)


def write_guide(ledger: Ledger, profile: Profile) -> WrittenGuide:
    """Return the guide of a profile's project, from every memory in use that it sees."""
    with ledger.reading() as session:
        memories = session.memories.find(profile.project, user=profile.visible_user, statuses=IN_FORCE)
        counts = session.projects.counts(profile.project, profile.visible_user)
        guide = compose_guide(memories, borne_out=find_borne_out(session, memories))
    return WrittenGuide(profile.project, counts.passes, counts.fails, guide)


def opening_guide(session: ReadSession, profile: Profile, most: int) -> ProjectGuide:
    """Return the lines that matter most, at most `most` of a section, from the best and the newest memories in use."""
    found: dict[str, Memory] = {}
    for order in ("q_value", "age"):
        best = session.memories.best(
            profile.project,
            profile.visible_user,
            None,
            tuple(sorted(IN_FORCE)),
            order=order,
            limit=_LOOKED_AT,
        )
        found |= {memory.id: memory for memory in best}
    return compose_guide(found.values(), most, find_borne_out(session, found.values()))


def find_borne_out(session: ReadSession, memories: Iterable[Memory]) -> frozenset[str]:
    """Return the ids of memories with words that were only read of which independent runs have borne these out."""
    judged = {memory.id: memory for memory in memories if may_need_reviews(memory)}
    events: dict[str, list[UtilityEvent]] = {}
    for event in session.events.of_memories(judged) if judged else ():
        events.setdefault(event.memory_id, []).append(event)
    return frozenset(
        memory_id for memory_id, found in events.items() if is_borne_out(found, _taught_by(session, judged[memory_id]))
    )


def _taught_by(session: ReadSession, memory: Memory) -> frozenset[str]:
    witnesses = session.witnesses.of_memory(memory.id)
    return frozenset((*memory.source_trace_ids, *(witness.trace_id for witness in witnesses)))
