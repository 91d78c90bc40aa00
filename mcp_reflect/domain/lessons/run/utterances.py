"""What was said in a run, each with its place among the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.steps import steps_by_call
from mcp_reflect.domain.trajectory.kept import keep_with_trajectory
from mcp_reflect.domain.trajectory.messages import ToolCall, Utterance
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.report import ToldWords, read_report

_LABEL = re.compile(r"\A\s{0,9}(?:Thoughts?|Thinking|Reasoning|Final Answer|Answer)[ \t]{0,3}:\s", re.IGNORECASE)
"""What some agents put before their words."""


class Said(NamedTuple):
    """Something said in a run; `place` is the number of steps before it."""

    role: str
    text: str
    place: int = 0


@keep_with_trajectory
def find_said(trajectory: Trajectory) -> Sequence[Said]:
    """Return what was said, in order; plain text that is no report is the agent's as a whole."""
    return tuple(_iter_said(trajectory))


def _iter_said(trajectory: Trajectory) -> Iterator[Said]:
    place = 0
    if trajectory.messages is None:
        for entry in read_report(trajectory) or (ToldWords("assistant", trajectory.text),):
            if isinstance(entry, ToldWords):
                yield Said(entry.role, entry.text, place)
            else:
                place += 1
        return
    by_call = iter(steps_by_call(trajectory))
    for event in trajectory.events:
        if isinstance(event, ToolCall):
            place += len(next(by_call))
        elif isinstance(event, Utterance) and event.role in {"user", "assistant", "human", "model"}:
            is_user = event.role in {"user", "human"}
            yield Said("user" if is_user else "assistant", event.text if is_user else _LABEL.sub("", event.text), place)


def user_places(trajectory: Trajectory) -> list[int]:
    """Return the places of the user's turns behind the first."""
    return [said.place for said in find_said(trajectory) if said.role == "user"][1:]
