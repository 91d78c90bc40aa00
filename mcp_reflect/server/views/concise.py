"""Concise views for a model: ids, tasks, lessons, q_values and outcomes, within a budget of tokens.

Programs (`wants_details`) are shown the whole of it, by `views`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcp_reflect.domain.lessons.sentences.shortening import shorten_lesson
from mcp_reflect.domain.limits import CHARS_PER_TOKEN
from mcp_reflect.domain.models import Match, Memory
from mcp_reflect.domain.ranking.thresholds import FURTHER_RELEVANCE
from mcp_reflect.domain.text.inert import inert
from mcp_reflect.domain.text.rendering import in_sections
from mcp_reflect.domain.truncate import truncate_line, truncate_middle
from mcp_reflect.server.views.errors import known_fixes_view
from mcp_reflect.server.views.insights import context_view
from mcp_reflect.server.views.memories import warning_view
from mcp_reflect.server.views.traces import outcome_view

if TYPE_CHECKING:  # commands that only show something import no use case
    from mcp_reflect.application.insights import ProjectContext
    from mcp_reflect.application.known_errors import KnownFixes
    from mcp_reflect.application.memory_service import RetrievedMemories
    from mcp_reflect.application.review.review_outcome import ReviewOutcome

TOKENS_OF_ANSWER = 750
"""Most tokens of an answer with up to ten memories; a longer list has a tenth of it for each of them."""

_MEMORIES_IN_BUDGET = 10
_LONGEST_TASK, _SHORT_TASK = 160, 60
"""Characters of a task, where everything has room and where not."""
_NEAREST_TASK, _NEAREST_LESSON, _FURTHER_LESSON = 120, 350, 160
"""Of a memory that may fit: enough of its lesson to see whether it does, as people word one problem in many ways.

Of 36 right ones that were named 29 said what was needed within 350 characters, 20 within 160; 29 stood first.
"""
_LEAST_LESSON = 60
"""Characters that every lesson has, however far down the list it stands."""
_STEEPNESS = 1.5
"""A lesson's share of the room falls with its rank to this power: the first of ten has half of it, the third a tenth.

A decision helps where it is told whole, and the right one is nearly always among the first three: among ten memories
these say .69 of the words of a developers' decision so, and .46 with a power of 0.5 (`python -m benchmarks.lessons`).
"""
_FRAME = 60
"""Characters of an answer around its memories."""
_DIGITS = 3
_DIGITS_OF_UPDATE = 6

_LONGEST_DRAFT = 600
"""Characters of a drafted lesson that are shown to the agent that made the run."""

_EVIDENCE_CHARS = 400
"""Of the text of a known error: whoever asks has the text of their own."""
_TRACED = ("evidence", "q_value", "reviews", "passes")
"""How a line about the project came to be; the memory that it names tells it."""

_OF_PROJECT = ("lessons", "errors", "decisions", "insights")

_NOTEWORTHY = {"kind": "reflection", "status": "active"}
"""Fields that are shown where they hold something else."""


def concise_memories(retrieved: RetrievedMemories) -> dict[str, Any]:
    """Return the memories that a query found, best first, within TOKENS_OF_ANSWER.

    Where that is too little for whole lessons, they share it by rank, and what one does not need goes to the others.
    """
    memories = [match.memory for match in retrieved.matches]
    lessons = [inert(memory.reflection) for memory in memories]
    sizes = [_size(lesson) for lesson in lessons]
    total = CHARS_PER_TOKEN * TOKENS_OF_ANSWER * max(len(memories), _MEMORIES_IN_BUDGET) // _MEMORIES_IN_BUDGET
    disagreements = retrieved.disagreements
    remarks = {match.memory.id: _remarks(match, disagreements) for match in retrieved.matches}
    views, room = _framed(memories, remarks, total - _FRAME, _LONGEST_TASK)
    if room < sum(sizes):
        views, room = _framed(memories, remarks, total - _FRAME, _SHORT_TASK)
    for view, lesson, share in zip(views, lessons, share_room(sizes, room), strict=True):
        view["reflection"] = _fitted(lesson, share)
    view = {"retrieval_id": retrieved.retrieval_id, "memories": views, **warning_view(retrieved)}
    return view | _nearest_view(retrieved.nearest)


def _nearest_view(nearest: Sequence[Memory]) -> dict[str, Any]:
    """The nearest memories where none surely fits: the model judges better than a threshold whether one does."""
    if not nearest:
        return {}
    views = [
        {
            "id": each.id,
            "task": truncate_line(inert(each.task), _NEAREST_TASK),
            "reflection": _fitted(inert(each.reflection), _FURTHER_LESSON if number else _NEAREST_LESSON),
        }
        for number, each in enumerate(nearest)
    ]
    return {
        "nearest": views,
        "next_step": "Nothing fits for sure. If one of these is about your problem, query again with "
        f"similarity_threshold={FURTHER_RELEVANCE} to see its whole lesson; else go on without.",
    }


def _framed(
    memories: Sequence[Memory], remarks: Mapping[str, dict[str, Any]], total: int, longest_task: int
) -> tuple[list[dict[str, Any]], int]:
    """Memories with their remarks and without their lessons, and the room that they leave for these."""
    views = [_without_lesson(memory, longest_task) | remarks[memory.id] for memory in memories]
    return views, total - sum(_size(view) for view in views)


def _remarks(match: Match, disagreements: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What else is to be known of a memory in this answer."""
    disagreeing = list(disagreements.get(match.memory.id, ()))
    return ({"disagrees_with": disagreeing} if disagreeing else {}) | ({"untried": True} if match.untried else {})


def _without_lesson(memory: Memory, longest_task: int) -> dict[str, Any]:
    """The fields of a memory with an empty lesson; one without an outcome has no `success`."""
    view: dict[str, Any] = {
        "id": memory.id,
        "task": truncate_line(inert(memory.task), longest_task),
        "reflection": "",
        "q_value": round(memory.q_value, _DIGITS),
    }
    if memory.success is not None:
        view["success"] = memory.success
    return view | {name: given for name, usual in _NOTEWORTHY.items() if (given := getattr(memory, name)) != usual}


def share_room(sizes: Sequence[int], room: int) -> list[int]:
    """Return how many characters each lesson gets of `room`: its size, or a share that falls with the rank.

    Each gets at least _LEAST_LESSON, or its size where that is less, even where the room does not suffice.
    """
    least = [min(size, _LEAST_LESSON) for size in sizes]
    shares = list(least)
    room -= sum(least)
    open_ = [number for number, size in enumerate(sizes) if size > least[number]]
    while open_ and room > 0:
        whole = sum(_weight(number) for number in open_)
        parts = {number: int(room * _weight(number) / whole) for number in open_}
        filled = [number for number in open_ if sizes[number] - shares[number] <= parts[number]]
        if not filled:
            for number, part in parts.items():
                shares[number] += part
            break
        for number in filled:
            room -= sizes[number] - shares[number]
            shares[number] = sizes[number]
            open_.remove(number)
    return shares


def _weight(number: int) -> float:
    return float((number + 1) ** -_STEEPNESS)


def _fitted(lesson: str, room: int) -> str:
    """A lesson whose JSON has at most `room` characters."""
    limit = room
    while _size(short := shorten_lesson(lesson, limit)) > room and limit > 0:
        limit -= max(_size(short) - room, 1)
    return short


def _size(value: object) -> int:
    """The number of characters of a value as JSON; of a text, without its quotes."""
    length = len(json.dumps(value, ensure_ascii=False))
    return length - 2 if isinstance(value, str) else length + 2


def prompt_view(augmented: str, retrieved: RetrievedMemories) -> dict[str, Any]:
    """Return an augmented task. The memories stand in it: beside it are only their ids, in its order."""
    memories = [memory for _, members in in_sections([m.memory for m in retrieved.matches]) for memory in members]
    return {
        "augmented_task": augmented,
        "retrieval_id": retrieved.retrieval_id,
        "memories": [{"id": memory.id} for memory in memories],
        **warning_view(retrieved),
    }


def prompt_text(view: dict[str, Any]) -> str:
    """Return the text of a `prompt_view`: the augmented task, then the ids of its memories as it numbers them."""
    ids = ", ".join(memory["id"] for memory in view["memories"]) or "none"
    warning = f"\nwarning: {view['warning']}" if "warning" in view else ""
    return f"{view['augmented_task']}\n\nretrieval_id: {view['retrieval_id']}\nmemories: {ids}{warning}"


def concise_outcome(outcome: ReviewOutcome) -> dict[str, Any]:
    """Return the outcome of a submit or a review, with a next step only where one is left.

    Of the memory it holds the id, and the lesson where no agent or model wrote it: the agent that made the run knows
    best whether it says what matters.
    """
    view = outcome_view(outcome)
    view["memory"] = None if outcome.memory is None else _written(outcome.memory)
    view["q_updates"] = [
        {name: round(value, _DIGITS_OF_UPDATE) if isinstance(value, float) else value for name, value in update.items()}
        for update in view["q_updates"]
    ]
    return {name: value for name, value in view.items() if value or name not in {"last_error", "next_step"}}


def _written(memory: Memory) -> dict[str, Any]:
    if memory.author != "extractive":
        return {"id": memory.id}
    return {"id": memory.id, "reflection": shorten_lesson(inert(memory.reflection), _LONGEST_DRAFT)}


def concise_fixes(known: KnownFixes) -> dict[str, Any]:
    """Return the known errors that match, each with what there is of its fix."""
    view = known_fixes_view(known)
    view["fixes"] = [_concise_fix(fix) for fix in view["fixes"]]
    return _filled(view, "fixes")


def _concise_fix(fix: dict[str, Any]) -> dict[str, Any]:
    evidence = fix["evidence"] if fix["evidence"].strip() != fix["mistake"].strip() else ""
    status = fix["status"] if fix["status"] != _NOTEWORTHY["status"] else ""
    q_value, match = (round(fix[name], _DIGITS) for name in ("q_value", "match"))
    shown = {**fix, "evidence": truncate_middle(evidence, _EVIDENCE_CHARS), "status": status}
    return _filled({**shown, "q_value": q_value, "match": match}, "fix")


def concise_context(context: ProjectContext) -> dict[str, Any]:
    """Return the facts to know at the start of a session; of a run whose lesson is among them only its task."""
    view = context_view(context)
    told = {run for name in _OF_PROJECT for line in view.get(name, ()) for run in line["evidence"]}
    lines = {name: [_concise_line(line) for line in view[name]] for name in _OF_PROJECT if name in view}
    for seen, run in zip(context.observations, view["recent_observations"], strict=True):
        del run["importance"]
        if run["trace_id"] in told:
            run["told"] = truncate_line(seen.trace.task, _LONGEST_TASK)
    return _filled({**view, **lines}, "recent_observations")


def _concise_line(line: dict[str, Any]) -> dict[str, Any]:
    return _filled({name: value for name, value in line.items() if name not in _TRACED}, "text")


def _filled(view: dict[str, Any], always: str) -> dict[str, Any]:
    return {name: value for name, value in view.items() if value or name == always}
