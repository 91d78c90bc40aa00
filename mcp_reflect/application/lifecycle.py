"""Changes of a memory's status: adopt, deprecate, archive, restore, prune. Every change is logged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from mcp_reflect.application.ports import Clock, Ledger, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.learning.pruning import Prunable, find_prunable
from mcp_reflect.domain.models import RETRIEVABLE, Action, LogEntry, Memory, Status
from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.errors import InvalidArgument, UnknownId

PURGE_ACTION = "purge"
"""The log action of a memory whose text was erased."""

SUPERSEDE_ACTION = "supersede"
"""The log action of a memory that a later one amends."""

_NOT_SAID_AGAIN = "replace"
"""The log action of a memory that a later review of its run did not bring."""

_WHILE_REWRITTEN: dict[str, Status] = {"adopt": "adopted", SUPERSEDE_ACTION: "superseded"}
"""The statuses with which a memory may be rewritten, besides `active`, by the action that gives them."""

_TARGETS: dict[Action, Status] = {"adopt": "adopted", "deprecate": "deprecated", "archive": "archived"}


@dataclass(frozen=True)
class StatusChange:
    """A memory after a change, with its earlier status."""

    memory: Memory
    before: Status


def change_status(
    ledger: Ledger, profile: Profile, clock: Clock, memory_id: str, action: Action, reason: str = ""
) -> StatusChange:
    """Change a memory's status and log the change; a memory that has the status already is left unchanged.

    `restore` reverts the last change that was not reverted yet. Raises UnknownId, and InvalidArgument where there is
    nothing to restore, the memory is being rewritten, or it was purged.
    """
    with ledger.writing() as session:
        memory = session.memories.by_ids([memory_id]).get(memory_id)
        if memory is None or not profile.sees(memory):
            raise UnknownId("memory_id", [memory_id])
        if any(entry.action == PURGE_ACTION for entry in session.memories.log_of(memory_id)):
            raise InvalidArgument("memory_id", f"{memory_id} was purged: its words are gone", "a memory that has some")
        if memory.status == "pending":
            raise InvalidArgument("memory_id", f"{memory_id} is being rewritten", "a memory that is not; try again")
        target = _restored(session, memory) if action == "restore" else _TARGETS[action]
        if target != memory.status:
            session.memories.set_status(memory_id, target)
            session.memories.add_log(_entry(memory, action, redact(reason), clock))
        return StatusChange(memory.model_copy(update={"status": target}), memory.status)


def _restored(session: ReadSession, memory: Memory) -> Status:
    before = status_before(session.memories.log_of(memory.id))
    if before is None:
        raise InvalidArgument(
            "action",
            f"{memory.id} is {memory.status}, and no change of its status is left to undo",
            '"adopt", "deprecate" or "archive"',
        )
    return before


def status_before(log: Iterable[LogEntry]) -> Status | None:
    """Return the status before the last change that was not reverted yet; None without such a change."""
    changes: list[Status] = []
    for entry in log:
        if entry.action != "restore":
            # `pending` is no status that an action sets: it hides another one while the text is written.
            changes.append("active" if entry.status_before == "pending" else entry.status_before)
        elif changes:
            changes.pop()
    return changes[-1] if changes else None


def status_while_rewritten(session: ReadSession, memory: Memory) -> Status:
    """Return the status of a memory after its text is written; `pending` hides the status before."""
    if memory.status != "pending":
        return memory.status
    status: Status = "active"
    earlier: list[Status] = []
    for entry in session.memories.log_of(memory.id):
        if entry.action == "restore":
            status = earlier.pop() if earlier else "active"
        else:
            earlier.append(status)
            status = _WHILE_REWRITTEN.get(entry.action, "active")
    return status


def retire(session: WriteSession, memory: Memory, now: datetime) -> None:
    """Archive what a later review of its run did not bring; runs that were given it still count."""
    if memory.status != "pending" and memory.status not in RETRIEVABLE:
        return
    reason = "a later review of its run did not bring it"
    before = status_while_rewritten(session, memory)
    release(session, memory.id)
    session.memories.set_status(memory.id, "archived")
    session.memories.add_log(
        LogEntry(memory_id=memory.id, action=_NOT_SAID_AGAIN, reason=reason, status_before=before, at=now)
    )


def release(session: WriteSession, successor_id: str) -> None:
    """Undo every superseding by a memory, with its entries in the logs, as if the memory had never amended any.

    What is superseded still gets back the status that it had before.
    """
    for memory in session.memories.superseded_by(successor_id):
        log = session.memories.log_of(memory.id)
        before: Status = "active"
        for entry in log:
            before = entry.status_before if entry.action == SUPERSEDE_ACTION else before
        session.memories.remove_log(memory.id, SUPERSEDE_ACTION)
        session.memories.reinstate(memory.id, before if memory.status == "superseded" else memory.status)


def said_again(session: WriteSession, memory: Memory, now: datetime) -> Status:
    """Return the status of a memory that was there before: its own, or the one from before it was not brought."""
    if not was_not_said_again(session, memory):
        return status_while_rewritten(session, memory)
    status = status_before(session.memories.log_of(memory.id))
    assert status is not None
    reason = "a later review of its run brought it again"
    session.memories.add_log(
        LogEntry(memory_id=memory.id, action="restore", reason=reason, status_before=memory.status, at=now)
    )
    return status


def was_not_said_again(session: ReadSession, memory: Memory) -> bool:
    """Return true for a memory that is in the archive because a later review of its run did not bring it."""
    log = session.memories.log_of(memory.id) if memory.status == "archived" else []
    return bool(log) and log[-1].action == _NOT_SAID_AGAIN


def find_memories_to_prune(ledger: Ledger, profile: Profile, clock: Clock) -> list[Prunable]:
    """Return the memories that `prune_memories` would archive, worst first."""
    with ledger.reading() as session:
        return _find_memories_to_prune(session, profile, clock)


def prune_memories(ledger: Ledger, profile: Profile, clock: Clock) -> list[Prunable]:
    """Archive memories that reviews have shown to be useless, log the reasons, and return them. Restorable."""
    with ledger.writing() as session:
        found = _find_memories_to_prune(session, profile, clock)
        for each in found:
            session.memories.set_status(each.memory.id, "archived")
            session.memories.add_log(_entry(each.memory, "prune", each.reason, clock))
    return found


def _find_memories_to_prune(session: ReadSession, profile: Profile, clock: Clock) -> list[Prunable]:
    in_use: set[Status] = {"active"}
    found = session.memories.find(profile.project, user=profile.visible_user, statuses=in_use)
    return find_prunable(found, clock())


def _entry(memory: Memory, action: str, reason: str, clock: Clock) -> LogEntry:
    return LogEntry(memory_id=memory.id, action=action, reason=reason, status_before=memory.status, at=clock())
