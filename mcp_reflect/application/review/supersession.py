"""A lesson that amends an earlier one takes its place: which one it amends, and the link between the two.

The earlier memory gets the status `superseded`, with an entry in its log that `manage_memory` can revert. It keeps its
q_value and is shown behind its successor only. Without the run that amended it, it is in force again.
"""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.lifecycle import SUPERSEDE_ACTION
from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.application.review.same_lessons import Candidates, late_candidates
from mcp_reflect.domain.lessons.comparison.supersession import Statement, amendment
from mcp_reflect.domain.models import IN_FORCE, LogEntry, ReflectionMemory


def supersede(session: WriteSession, memory: ReflectionMemory, candidates: Candidates, now: datetime) -> None:
    """Supersede the one memory of `candidates` that a memory which was just written amends, where it amends one."""
    earlier = find_amended(session, memory, candidates)
    if earlier is None:
        return
    session.memories.supersede(earlier.id, memory.id)
    reason = "a later lesson amends it"
    session.memories.add_log(
        LogEntry(memory_id=earlier.id, action=SUPERSEDE_ACTION, reason=reason, status_before=earlier.status, at=now)
    )


def find_amended(session: ReadSession, memory: ReflectionMemory, candidates: Candidates) -> ReflectionMemory | None:
    """Return the earlier memory in force, of the same user, that `memory` amends most surely; None without any."""
    later = Statement(memory.task, memory.reflection)
    if candidates.as_of < 0 or not later.may_amend:
        return None
    found: list[tuple[float, datetime, str, ReflectionMemory]] = []
    for each in late_candidates(session, memory, candidates):
        if each.status in IN_FORCE and each.user == memory.user and each.created_at < memory.created_at:
            sure = amendment(later, Statement(each.task, each.reflection))
            if sure > 0.0:
                found.append((sure, each.created_at, each.id, each))
    return max(found)[-1] if found else None
