"""A run in one line, as the start of a session shows those that left no lesson."""

from __future__ import annotations

from mcp_reflect.domain.insights.observations import observation_line
from mcp_reflect.domain.models import Observation
from tests.support.values import make_trace


def line_of(trajectory: str) -> str:
    trace = make_trace(task="Tidy the logs", trajectory=trajectory, final_response="I removed nine old logs.")
    return observation_line(Observation(trace=trace, result="", feedback="", lesson="", importance=1.0))


def test_a_run_is_told_by_its_end() -> None:
    assert line_of("$ rm old.log") == "Tidy the logs | Ended with: I removed nine old logs."


def test_a_run_that_takes_long_to_read_is_told_by_its_task() -> None:
    assert line_of("$ cat old.log\n" + "a line of a log\n" * 20_000) == "Tidy the logs"
