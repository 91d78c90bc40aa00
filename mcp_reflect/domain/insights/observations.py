"""Observations: selection of runs for insights, and their texts for a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from mcp_reflect.domain.insights.importance import importance_of
from mcp_reflect.domain.models import Material, Observation, Review, Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.provenance.vouching import without_sentences
from mcp_reflect.domain.text.quotation import without_quotations
from mcp_reflect.domain.text.rendering import join_lines
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.trajectory.tools import is_tool_name
from mcp_reflect.domain.truncate import truncate_line

_TASK_CHARS = 300
_FEEDBACK_CHARS = 300
_ENDING_CHARS = 300
_LESSON_CHARS = 500
_MOST_TOOLS = 8
_MOST_READ = 200_000
_TASK_OF_LESSON_CHARS = 120
"""Of a task whose lesson stands beside it."""


def find_observations(
    runs: Iterable[tuple[Trace, Review | None]],
    now: datetime,
    threshold: float,
    lessons: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Observation, ...]:
    """Return the runs whose importance at `now` reaches the threshold, in the order given.

    `lessons` are the texts of reflections by trace id.
    """
    seen = (
        Observation(
            trace=trace,
            result="" if review is None else review.result,
            feedback=trace.feedback if review is None else _said_by_reviewer(review),
            lesson=lessons.get(trace.id, ""),
            importance=importance_of(trace, now),
        )
        for trace, review in runs
    )
    return tuple(each for each in seen if each.importance >= threshold)


def _said_by_reviewer(review: Review) -> str:
    """The feedback of a review; of tests the command, because their output is nobody's word."""
    return review.feedback.strip().partition("\n")[0] if review.source == "tests" else review.feedback


def insight_parts(material: Material) -> dict[str, str]:
    """Return the variables of the prompt for insights by name; each run and each insight is one line."""
    return {
        "focus": material.focus.strip(),
        "failed": _lines(material.observations, "fail"),
        "passed": _lines(material.observations, "pass"),
        "open": _lines(material.observations, ""),
        "known": "\n".join(f"{memory.id}: {' '.join(memory.reflection.split())}" for memory in material.known),
    }


def _lines(seen: Sequence[Observation], result: str) -> str:
    return "\n".join(f"{each.trace.id}: {observation_line(each)}" for each in seen if each.result == result)


def observation_line(seen: Observation) -> str:
    """Return a run as one line: its task and lesson, or what it did where it left no lesson, each part truncated.

    Of what it said at its end, sentences stay that its user or agent vouches for. A run of more than 200,000 characters
    that left no lesson is told by its task and review alone: reading it takes longer than a session may wait.
    """
    if seen.lesson:
        lesson = truncate_line(join_lines(without_quotations(seen.lesson)), _LESSON_CHARS)
        told = f"{truncate_line(seen.trace.task, _TASK_OF_LESSON_CHARS)} | Lesson: {lesson}"
        feedback = "" if seen.feedback.strip() in seen.lesson else truncate_line(seen.feedback, _FEEDBACK_CHARS)
        return f"{told} | Review: {feedback}" if feedback else told
    tools, ending = _vouched(seen.trace) if len(seen.trace.trajectory) <= _MOST_READ else ([], "")
    parts = {
        "": truncate_line(seen.trace.task, _TASK_CHARS),
        "Tools": ", ".join(tools[:_MOST_TOOLS]),
        "Ended with": truncate_line(ending, _ENDING_CHARS),
        "Review": truncate_line(seen.feedback, _FEEDBACK_CHARS),
    }
    return " | ".join(f"{name}: {text}" if name else text for name, text in parts.items() if text)


def _vouched(trace: Trace) -> tuple[list[str], str]:
    """The tools of a run, and of what it said at its end the sentences that its user or agent vouches for."""
    screening = Screening(ParsedRun.of(trace))
    tools = [tool for tool in filter(is_tool_name, trace.tools_used) if not screening.unvouched(tool)]
    return tools, without_sentences(trace.final_response, screening.unvouched(trace.final_response))
