"""Promotion of memories to every session: into the guide, and among what runs have in common.

Promoted are sentences for which the user or the agent vouches (`provenance/carried_orders.py`). A sentence that rests
on what a tool, a page, a file or an earlier memory said is not, whatever it says, before somebody has adopted the
memory or it has been borne out (`is_borne_out`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mcp_reflect.domain.learning.repetition import PASSED
from mcp_reflect.domain.lessons.failures.triggers import command_of_trigger
from mcp_reflect.domain.models import (
    LESSON_FIELDS,
    ErrorMemory,
    Memory,
    ReflectionDraft,
    ReflectionMemory,
    UtilityEvent,
)
from mcp_reflect.domain.provenance.vouching import without_sentences, without_steps
from mcp_reflect.domain.text.rendering import render_reflection

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
    match memory:
        case ReflectionMemory():
            return _vouched_reflection(memory)
        case ErrorMemory():
            return _vouched_error(memory)
        case _:
            return None


def _vouched_reflection(memory: ReflectionMemory) -> ReflectionMemory | None:
    fields = {name: text for name in LESSON_FIELDS if (text := getattr(memory, name))}
    left = {name: _vouched(name, text, memory.unvouched) for name, text in fields.items()}
    draft = ReflectionDraft.model_validate(left)
    text = render_reflection(draft) if fields else without_sentences(memory.reflection, memory.unvouched)
    return memory.model_copy(update=left | {"reflection": text}) if text else None


def _vouched_error(memory: ErrorMemory) -> ErrorMemory | None:
    """An error whose whole fix is vouched for, named by its command where nobody vouches for its text."""
    if not memory.correct_action or any(each in memory.correct_action for each in memory.unvouched):
        return None
    left = {name: _vouched(name, getattr(memory, name), memory.unvouched) for name in ("key_mistake", "guidance")}
    mistake = left["key_mistake"] or _failed(memory)
    tests = tuple(each for each in memory.tests if each not in memory.unvouched)
    return memory.model_copy(update=left | {"key_mistake": mistake, "tests": tests}) if mistake else None


def _vouched(name: str, text: str, unvouched: Collection[str]) -> str:
    return (without_steps if name == "correct_action" else without_sentences)(text, unvouched)


def _failed(memory: ErrorMemory) -> str:
    """The error by the command that failed with it, which the agent chose; by the one that passed in the end."""
    failed = [command for each in memory.triggers if (command := command_of_trigger(each))]
    commands = [each for each in (*failed, *memory.tests) if each not in memory.unvouched]
    return f"`{commands[0]}` failed" if commands else ""
