"""Promotion of memories to every session: into the guide, and among what runs have in common.

Promoted are sentences for which the user or the agent vouches (`provenance/carried_orders.py`). A sentence that rests
on what a tool, a page, a file or an earlier memory said is not, whatever it says, before somebody has adopted the
memory or it has been borne out (`is_borne_out`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from mcp_reflect.domain.learning.repetition import PASSED
from mcp_reflect.domain.lessons.failures.triggers import command_of_trigger
from mcp_reflect.domain.models import LESSON_FIELDS, ErrorMemory, Memory, ReflectionMemory, UtilityEvent
from mcp_reflect.domain.provenance.vouching import without_sentences

LEAST_PASSES = 2
"""Least independent runs that passed with a memory by which it is borne out."""


def is_read_only(memory: Memory) -> bool:
    """Return true where a memory as a whole rests on what was read: on such words alone, or on a file of others'."""
    return memory.is_hearsay or memory.author == "import"


def may_need_reviews(memory: Memory) -> bool:
    """Return true where reviews decide what of a memory is promoted, and there are enough of them."""
    if memory.status == "adopted" or memory.passes < LEAST_PASSES:
        return False
    return bool(memory.unvouched) or is_read_only(memory)


def is_borne_out(events: Iterable[UtilityEvent], taught_by: Collection[str]) -> bool:
    """Return true where LEAST_PASSES runs passed with a memory that no source of reviews has in common.

    `events` are those of one memory. `taught_by` are the runs that taught its lesson: they only read the same text.
    """
    passes, sources = 0, set[str]()
    for event in events:
        if event.reward >= PASSED and event.trace_id not in taught_by and sources.isdisjoint(event.sources):
            passes += 1
            sources.update(event.sources)
    return passes >= LEAST_PASSES


def promotable(memory: Memory, *, borne_out: bool = False) -> Memory | None:
    """Return a memory with what may be promoted of it; None where nothing may be."""
    if borne_out or memory.status == "adopted":
        return memory
    if is_read_only(memory):
        return None
    if not memory.unvouched:
        return memory
    if not isinstance(memory, ReflectionMemory | ErrorMemory):
        return None
    names = (*LESSON_FIELDS, "reflection")
    texts = {name: getattr(memory, name) for name in names if hasattr(memory, name)}
    left: dict[str, Any] = {name: without_sentences(text, memory.unvouched) for name, text in texts.items()}
    if isinstance(memory, ErrorMemory):
        if not left["correct_action"]:
            return None
        left["key_mistake"] = left["key_mistake"] or _failed(memory)
        left["tests"] = tuple(each for each in memory.tests if each not in memory.unvouched)
    return memory.model_copy(update=left) if any(left.values()) else None


def _failed(memory: ErrorMemory) -> str:
    """The error by the command that failed with it, which the agent chose; by the one that passed in the end."""
    failed = [command for each in memory.triggers if (command := command_of_trigger(each))]
    commands = [each for each in (*failed, *memory.tests) if each not in memory.unvouched]
    return f"`{commands[0]}` failed" if commands else ""
