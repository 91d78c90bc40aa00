"""Renders lessons, known fixes and the start of a session for the model, within a budget of tokens."""

from __future__ import annotations

from mcp_reflect.domain.text.recall_tags import HEADINGS
from mcp_reflect.domain.truncate import truncate_bytes, truncate_line

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

BYTES_PER_TOKEN = 4
"""Of English text; what is not ASCII counts by its bytes in UTF-8."""

_TASK = 160
_SHORTEST = 120
_OUTCOME = {True: "passed", False: "failed", None: "noted"}

_DECISIONS, _MATTERS, _ERRORS, _IN_COMMON, _LESSONS, _MET, _FAILED = HEADINGS
_OPENING = (("decisions", _DECISIONS, 3), ("lessons", _MATTERS, 3), ("errors", _ERRORS, 3), ("insights", _IN_COMMON, 3))
"""The parts of a session's start in order, each with its most lines. A decision holds whatever the task will be; a
lesson is told again with a task that is like its own, and an error where it returns."""
_OPENING_TASK = 80
_OPENING_TEXT = 240

Rendered = tuple[str, list[str]]
"""A text, empty where there is nothing to tell, and the ids of the memories in it."""


def render_lessons(memories: Sequence[Mapping[str, Any]], tokens: int) -> Rendered:
    """Render memories as query_memories gives them, best first, as many as there is room for; long ones are cut."""
    entries = [
        (
            str(memory["id"]),
            f"[{_outcome(memory)}, {_support(memory)}] {_line(memory['task'], _TASK)}",
            str(memory["reflection"]),
        )
        for memory in memories
    ]
    return _fitted(_LESSONS, entries, tokens)


def _outcome(memory: Mapping[str, Any]) -> str | None:
    return "superseded" if memory.get("status") == "superseded" else _OUTCOME.get(memory.get("success"))


def _support(memory: Mapping[str, Any]) -> str:
    """The q_value of a memory, with how many runs bear it out where there are several."""
    runs = memory.get("runs", 1)
    return f"q {memory['q_value']:.2f}" + (f", borne out by {memory['borne_out']} of {runs} runs" if runs > 1 else "")


def render_fixes(known: Sequence[Mapping[str, Any]], tokens: int) -> Rendered:
    """Render known errors as find_error_fixes gives them, that this one may be."""
    return _render_errors(_MET, known, tokens)


def render_warning(known: Sequence[Mapping[str, Any]], tokens: int) -> Rendered:
    """Render known errors to which a call led before it is made again."""
    return _render_errors(_FAILED, known, tokens)


def _render_errors(head: str, known: Sequence[Mapping[str, Any]], tokens: int) -> Rendered:
    """Errors with their fixes, each fix once, without a check that its own steps make."""
    entries = []
    told: dict[str, int] = {}
    for number, each in enumerate(known, start=1):
        checks = "; ".join(test for test in each["tests"] if f"`{test}`" not in each["fix"])
        parts = (("Fix: ", each["fix"]), ("Rule: ", each["rule"]), ("Check: ", checks))
        body = "\n".join(label + str(text) for label, text in parts if text)
        if (first := told.setdefault(body, number)) != number and body:
            body = f"Fix: the same as for {first}"
        entries.append((str(each["memory_id"]), _line(each["mistake"] or each["task"], _TASK), body))
    return _fitted(head, entries, tokens)


def render_opening(context: Mapping[str, Any], tokens: int) -> Rendered:
    """Render what matters most of the answer of project_context, in half of the room at most.

    The ids are those of memories that are told whole; a lesson or a fix is told again where it is needed.
    """
    told: list[str] = []
    ids: list[str] = []
    room = tokens // 2
    for name, head, most in _OPENING:
        entries = [_opening_entry(line) for line in context.get(name, ())[:most]]
        text, shown = _fitted(head, entries, room)
        if text:
            told.append(text)
            room -= estimate_tokens(text)
            ids += [each for each in shown if each and name != "errors"]
    return "\n\n".join(told), ids


def _opening_entry(line: Mapping[str, Any]) -> tuple[str, str, str]:
    if "memory_id" in line:  # an insight
        return str(line["memory_id"]), str(line["text"]), ""
    task = f"{_line(line['task'], _OPENING_TASK).rstrip('.: ')}: " if line.get("task") else ""
    counts = [f"{line[result]} {result}" for result in ("passed", "failed") if line[result]]
    evidence = f" ({', '.join(counts)})" if counts else ""
    whole = "" if task else str(line["memory_ids"][0])
    return whole, f"{task}{_line(line['text'], _OPENING_TEXT)}{evidence}", ""


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens, one for four bytes."""
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
            whole = truncate_bytes(whole, most)
            size = most
        lines.append(whole)
        ids.append(memory_id)
        room -= size
        if room <= 0:
            break
    return ("".join([head, *lines]), ids) if lines else ("", [])


def _line(text: Any, longest: int) -> str:
    return truncate_line(str(text), longest)
