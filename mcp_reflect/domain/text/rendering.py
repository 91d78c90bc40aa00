"""Memories as text: a reflection, and the task with the memories that may help it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models import Memory, ReflectionDraft
from mcp_reflect.domain.text.inert import inert
from mcp_reflect.domain.text.quotation import read_quotation
from mcp_reflect.domain.text.recalled import LABELS, strip_recalled
from mcp_reflect.domain.trajectory.parsing import Trajectory, parse

__all__ = ["in_sections", "join_lines", "map_text", "render_augmented", "render_reflection", "strip_recalled"]

_MISTAKE, _CORRECT, _GUIDANCE, _TOOLS, _WORKED, _QUOTED = LABELS
_INDENT = "  "
_SECTIONS: tuple[tuple[str, bool | None], ...] = (("Successful", True), ("Failed", False), ("Other", None))
_MARKER_IN_TASK = re.compile(r"(?:Relevant memories:|(?:(?<=\n\n)|(?<=\n\r\n))Reflection:)(?=\r?(?:\n|\Z))")


def render_reflection(draft: ReflectionDraft) -> str:
    """Return a reflection as text: the summary, then one labelled entry per field; its free prose without fields.

    The summary's quotations stand behind the fields, but for those of what worked: they explain the others' words.
    Tools that the other fields name are not listed again. Never an empty line, and further lines of a field are
    indented by two spaces. So the end of a reflection shows wherever it is pasted, which is what lets `strip_recalled`
    cut it out again without taking words that follow.
    """
    summary, quoted = _parted(draft.summary)
    fields = (
        ("", summary),
        (_MISTAKE, draft.key_mistake),
        (_CORRECT if draft.key_mistake.strip() else _WORKED, draft.correct_action),
        (_GUIDANCE, draft.guidance),
    )
    structured = bool(quoted) or any(value.strip() for _, value in fields)
    told = fields if structured else (("", draft.text),)
    texts = [draft.summary, *(text for _, text in told)]
    unnamed = [name for name in draft.applicable_tools if not any(_names(text, name) for text in texts)]
    lines = [line for label, value in told for line in _entry(label, _lines(value))]
    lines += _entry(_QUOTED if lines else "", quoted)
    return "\n".join([*lines, *_entry(_TOOLS, _lines(", ".join(unnamed)))])


def _entry(label: str, lines: Sequence[str]) -> list[str]:
    """The lines of a field with its label before the first."""
    return [(_INDENT if number else label) + line for number, line in enumerate(lines)]


def _parted(summary: str) -> tuple[str, list[str]]:
    """A summary without its quotations but those of what worked, and those that it goes without."""
    found = [(line, read_quotation(line)) for line in _lines(summary)]
    kept = [line for line, quotation in found if quotation is None or quotation.has_worked]
    return "\n".join(kept), [line for line, quotation in found if quotation is not None and not quotation.has_worked]


def _names(text: str, tool: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", text) is not None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def join_lines(text: str) -> str:
    """Return the lines of a lesson in one line, apart by semicolons."""
    return "; ".join(line.rstrip(".") for line in _lines(text))


def render_augmented(
    task: str,
    memories: Sequence[Memory],
    disagreements: Mapping[str, Collection[str]] = MappingProxyType({}),
    untried: Collection[str] = (),
) -> str:
    """Return the task with the memories below by outcome, best first in each section; the task alone without any.

    `disagreements` are the memories that contradict others of them, with the ids of those; `untried` are the ids of
    those that are shown to be tried.

    The memories' own texts stand in it as `inert` leaves them, which is as stored where they are harmless. A line of a
    past task that ends in one of the block's markers gets a trailing space: it would make the block's end ambiguous.
    """
    if not memories:
        return task
    parts = [task, "Relevant memories:"]
    by_section = list(in_sections(memories))
    in_order = chain.from_iterable(members for _, members in by_section)
    numbers = {memory.id: place for place, memory in enumerate(in_order, start=1)}
    number = 0
    for title, members in by_section:
        parts.append(f"{title} memories:")
        for memory in members:
            number += 1
            contradicted = sorted(numbers[i] for i in disagreements.get(memory.id, ()) if i in numbers)
            past_task = _MARKER_IN_TASK.sub(r"\g<0> ", inert(memory.task))
            parts.append(f"--- Memory {number} ---\nPast task:\n{past_task}")
            support = _support(memory, contradicted, is_untried=memory.id in untried)
            parts.append(f"Reflection:\n{_self_delimiting(inert(memory.reflection))}{support}")
    return "\n\n".join(parts)


def in_sections(memories: Sequence[Memory]) -> Iterator[tuple[str, list[Memory]]]:
    """Yield the sections of an augmented task that have members, each as its title and its members in their order."""
    for title, success in _SECTIONS:
        members = [memory for memory in memories if memory.success is success]
        if members:
            yield title, members


def _support(memory: Memory, contradicted: Sequence[int], *, is_untried: bool) -> str:
    """Further lines of a reflection: whether a later lesson amends it, what it contradicts, how far it is borne out.

    `contradicted` are the numbers of the memories that it contradicts.
    """
    lines = ["Superseded: a later lesson amends it."] if memory.status == "superseded" else []
    if contradicted:
        lines.append(f"Disagrees with memory {', '.join(map(str, contradicted))}: check which of them holds.")
    if memory.runs > 1:
        lines.append(f"Borne out by {memory.borne_out} of {memory.runs} runs.")
    if is_untried:
        lines.append("Not tried yet: it is shown to find out whether it helps.")
    return "".join(f"\n{_INDENT}{line}" for line in lines)


def _self_delimiting(reflection: str) -> str:
    """A reflection in the form of `render_reflection`, whoever wrote it; one in that form stays as it is."""
    first, *rest = [line for line in reflection.splitlines() if line.strip()] or ["(empty)"]
    return "\n".join([first, *(line if line.startswith((_INDENT, *LABELS)) else _INDENT + line for line in rest)])


def map_text(trajectory: Trajectory, change: Callable[[str], str]) -> Trajectory:
    """Return the trajectory with every string changed: each text, name and key of its messages, or its plain text.

    Raises UnreadableTrajectory where the changed plain text would read as broken JSON.
    """
    if trajectory.messages is None:
        text = change(trajectory.text)
        return trajectory if text == trajectory.text else parse(text)
    return Trajectory.of([_mapped(message, change) for message in trajectory.messages])


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): _mapped(item, change) for key, item in value.items()}
    return value
