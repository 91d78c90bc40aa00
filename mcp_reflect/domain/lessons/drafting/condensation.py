"""A long run in few words, for a prompt: what a lesson is drawn from, in place of the middle of its log cut out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from mcp_reflect.domain.lessons.drafting.extraction import MOST_STEPS
from mcp_reflect.domain.lessons.drafting.turns import said_turns
from mcp_reflect.domain.lessons.failures.failure_text import failure_text, short_error
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repairs import Repair, find_repairs
from mcp_reflect.domain.lessons.failures.wording import describe_repair, describe_step, is_telling
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.sentences.evidence import find_candidates
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.trajectory.parsing import Trajectory

_SAID_SHARE = 0.4
"""Of the budget, for sentences; the end of the log gets what the parts before it leave over."""
_STEPS_SHARE = 0.4
_LEAST_END = 200
"""Characters below which the end of a log is not worth its heading."""


def condense_run(trajectory: Trajectory, task: str, final_response: str, budget: int) -> str:
    """Return a run as text of at most `budget` characters: whole where it fits, otherwise condensed.

    Condensed, it is told by headed sections: failed steps with what worked instead, failures without a repair, what
    was said (by evidence, as for a lesson), commands and calls that worked, and the end of the log. A run without a
    step or a sentence is cut in its middle.
    """
    whole = trajectory.render(sys.maxsize)
    if len(whole) <= budget:
        return whole
    steps = find_steps(trajectory)[-MOST_STEPS:]
    turns = said_turns(trajectory, final_response) if trajectory.messages is not None or not steps else []
    said = [each.text for each in select_sentences(list(find_candidates(turns)), task, int(budget * _SAID_SHARE))]
    parts = list(_within(_told_steps(steps), int(budget * _STEPS_SHARE)))
    if said:
        parts += ["Said:", *said]
    if not parts:
        return trajectory.render(budget)
    text = "\n".join(parts)[:budget]
    room = budget - len(text) - len("\nThe end of the log:\n")
    if room < _LEAST_END:
        return text
    return f"{text}\nThe end of the log:\n{_end(whole, room)}"


def _end(text: str, room: int) -> str:
    """Return the last `room` characters of a text, from the beginning of a line where one begins early enough."""
    end = text[-room:]
    first, newline, rest = end.partition("\n")
    return rest if newline and len(first) < room // 2 else end


def _told_steps(steps: Sequence[Step]) -> Iterator[tuple[str, list[str]]]:
    repairs = list(find_repairs(steps))
    yield "Worked, after a failure:", [describe_repair(repair) for repair in reversed(repairs)]
    yield "Failed:", list(_open_failures(steps, repairs))
    mended = {id(repair.worked) for repair in repairs}
    worked = (
        step for step in reversed(steps) if step.failed is not True and is_telling(step) and id(step) not in mended
    )
    yield "Worked at once:", list(dict.fromkeys(describe_step(step) for step in worked))


def _open_failures(steps: Sequence[Step], repairs: Sequence[Repair]) -> Iterator[str]:
    mended = {repair.failed.subject for repair in repairs}
    for step in reversed(steps):
        if step.failed and step.subject not in mended and not is_inspection(step):
            error = failure_text([step])
            yield f"{describe_step(step)}: {short_error(error)}" if error else describe_step(step)


def _within(sections: Iterator[tuple[str, list[str]]], room: int) -> Iterator[str]:
    """Yield headings and lines, the latest steps first, while there is room for them."""
    for heading, lines in sections:
        shown = []
        for line in lines:
            if len(line) + 1 > room - len(heading) - 1:
                break
            shown.append(line)
            room -= len(line) + 1
        if shown:
            room -= len(heading) + 1
            yield heading
            yield from shown
