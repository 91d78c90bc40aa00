"""Refuses a run whose task is only what the user said of an earlier run, and says where those words belong.

Models hand in "that works, thanks" as a task. Stored, it would be a run of which nothing can be learned, while the run
that it is about stays without its verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Submission
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.domain.truncate import truncate_line
from mcp_reflect.domain.verdicts.wording import find_lone_verdict
from mcp_reflect.errors import InvalidArgument

_MOST_CONNECTIONS = 1_000
_RECENT = timedelta(hours=1)
"""How old a run of another connection may be: some clients open one for each call."""
_TASK_CHARS = 80
_UNKNOWN = "?"
"""Words of the agent in an answer to which blame in a few words may be a description: over another connection, the
first words of a session."""


class EarlierRun(NamedTuple):
    trace_id: str
    task: str


class SpokenVerdicts:
    """Knows the latest run of each connection; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._latest: dict[str, EarlierRun] = {}

    def noting(
        self, connection: str, submission: Submission, write: Callable[[], ReviewOutcome]
    ) -> Callable[[], ReviewOutcome]:
        """Return `write` so that its run is known as the latest one of the connection."""

        def written() -> ReviewOutcome:
            outcome = write()
            self._latest.pop(connection, None)
            self._latest[connection] = EarlierRun(outcome.trace_id, submission.task)
            while len(self._latest) > _MOST_CONNECTIONS:
                del self._latest[next(iter(self._latest))]
            return outcome

        return written

    def refuse(self, memory: MemoryService, submission: Submission) -> None:
        """Raise InvalidArgument for a task that is only a verdict, where there is a run that it can be about.

        That is the latest one of the connection; of one that has handed in none, the latest one of its user in the
        project.
        """
        said = find_lone_verdict(submission.task)
        if said is None:
            return
        run = self._latest.get(memory.profile.connection)
        if run is None and find_lone_verdict(submission.task, _UNKNOWN) == said:
            latest = memory.latest_run(_RECENT)
            run = None if latest is None else EarlierRun(latest.id, latest.task)
        if run is not None and run.task != submission.task:
            raise _refusal(submission.task, said, run)


def _refusal(task: str, said: str, run: EarlierRun) -> InvalidArgument:
    words, about = truncate_line(task, _TASK_CHARS), truncate_line(run.task, _TASK_CHARS)
    problem = f"{words!r} is what the user says of a run, not a task; the latest run is {run.trace_id}, {about!r}"
    allowed = "a task in the words in which it was given"
    if said:
        allowed += (
            f". The verdict belongs into review_trace(trace_id={run.trace_id!r}, result={said!r}, feedback={words!r})"
        )
    if said == "fail":
        allowed += "; hand in what was done since under the task that it was done for"
    return InvalidArgument("task", problem, allowed, [run.trace_id])
