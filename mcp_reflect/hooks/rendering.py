"""Renders lessons, known fixes and the start of a session for the model, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain.truncate import truncate_line

BYTES_PER_TOKEN = 4
"""Of English text; what is not ASCII counts by its bytes in UTF-8."""

_TASK = 160
_SHORTEST = 120
_OUTCOME = {True: "passed", False: "failed", None: "noted"}

Rendered = tuple[str, list[str]]
"""A text, empty where there is nothing to tell, and the ids of the memories in it."""


def render_lessons(memories: Sequence[Mapping[str, Any]], tokens: int) -> Rendered:
    """Memories as query_memories gives them, best first, as many as there is room for; long ones are cut."""
    head = "Lessons from earlier runs here, best first. Check that they fit before you follow them."
    entries = [
        (
            str(memory["id"]),
            f"[{_OUTCOME.get(memory.get('success'))}, q {memory['q_value']:.2f}] {_line(memory['task'], _TASK)}",
            str(memory["reflection"]),
        )
        for memory in memories
    ]
    return _fitted(head, entries, tokens)


def render_fixes(known: Sequence[Mapping[str, Any]], tokens: int) -> Rendered:
    """Known errors as find_error_fixes gives them, that this one may be."""
    head = "This error was met here before."
    entries = []
    for each in known:
        parts = (("Fix: ", each["fix"]), ("Rule: ", each["rule"]), ("Check: ", "; ".join(each["tests"])))
        body = "\n".join(label + str(text) for label, text in parts if text)
        entries.append((str(each["memory_id"]), _line(each["mistake"] or each["task"], _TASK), body))
    return _fitted(head, entries, tokens)


def render_opening(context: Mapping[str, Any], tokens: int) -> Rendered:
    """Render the answer of project_context: insights first, then how the last runs ended."""
    told: list[str] = []
    text, ids = _fitted(
        "What earlier runs in this project have in common:",
        [(str(insight["memory_id"]), str(insight["text"]), "") for insight in context["insights"]],
        tokens,
    )
    if text:
        told.append(text)
    runs = [f"- {run['result']}: {_line(run['told'], _TASK)}" for run in context["recent_observations"][:3]]
    if runs and estimate_tokens("\n".join([*told, *runs])) <= tokens:
        told.append("\n".join(["The last runs:", *runs]))
    return "\n\n".join(told), ids


def estimate_tokens(text: str) -> int:
    """Estimated tokens."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def _fitted(head: str, entries: Sequence[tuple[str, str, str]], tokens: int) -> Rendered:
    """A list of (id, title, body) below a head. One entry takes half of the room at most, where others follow it."""
    room = tokens * BYTES_PER_TOKEN - len(head)
    lines: list[str] = []
    ids: list[str] = []
    for number, (memory_id, title, body) in enumerate(entries, start=1):
        whole = f"\n{number}. {title}" + "".join(f"\n   {line.strip()}" for line in body.splitlines() if line.strip())
        size = len(whole.encode("utf-8", "replace"))
        most = room if number == len(entries) else min(room, tokens * BYTES_PER_TOKEN // 2)
        if size > most:
            if most < _SHORTEST:
                break
            whole = whole.encode("utf-8", "replace")[: most - 3].decode("utf-8", "ignore") + "…"
            size = most
        lines.append(whole)
        ids.append(memory_id)
        room -= size
        if room <= 0:
            break
    return ("".join([head, *lines]), ids) if lines else ("", [])


def _line(text: Any, longest: int) -> str:
    return truncate_line(str(text), longest)
