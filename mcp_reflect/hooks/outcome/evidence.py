"""Finds evidence of how a turn ended: its last test run, or the user's next prompt."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from mcp_reflect.domain.truncate import truncate_middle
from mcp_reflect.domain.verdicts.wording import find_verdict, may_object
from mcp_reflect.hooks.outcome.testing import detect_test_run, judge_test_output, may_change_files
from mcp_reflect.hooks.transcripts.steps import TurnStep, find_turn_steps
from mcp_reflect.hooks.transcripts.turn import SessionTurn, TurnResult

_RULER = re.compile(r"^[=\-_*~]{4,}\n", re.MULTILINE)
MAX_EVIDENCE_CHARS = 4_000
"""Characters of evidence that are kept."""


class Evidence(NamedTuple):
    """A verdict, what it was taken from, and the words that show it."""

    result: TurnResult
    source: Literal["tests", "user"]
    words: str


def find_evidence(turn: SessionTurn) -> Evidence | None:
    """Return the user's plain word, else a check of the result, else the last tests after the last edit.

    None where there is none of them, or where tests passed and the user may object to the result.
    """
    if said := find_verdict(turn.followed_up, turn.final):
        return Evidence(said, "user", f"The user said next: {turn.followed_up.strip()[:MAX_EVIDENCE_CHARS]}")
    if turn.checked is not None:
        return Evidence(turn.checked.result, "tests", turn.checked.words[:MAX_EVIDENCE_CHARS])
    tests = find_test_evidence(find_turn_steps(turn.messages))
    return None if tests and tests.result == "pass" and may_object(turn.followed_up) else tests


def find_test_evidence(done: list[TurnStep]) -> Evidence | None:
    """Return the result of the last test command; None where files were changed after it."""
    last: Evidence | None = None
    for step in done:
        run = detect_test_run(step.command) if step.command else None
        if run is not None:
            result = judge_test_output(run, step.output, step.exit_code) if step.done else None
            last = Evidence(result, "tests", _shown(step)) if result else None
        elif not step.command or may_change_files(step.command):
            last = None
    return last


def find_test_results(done: list[TurnStep]) -> list[TurnResult]:
    """Return the results of the test commands that tell one, in order."""
    runs = ((step, detect_test_run(step.command)) for step in done if step.command and step.done)
    results = (judge_test_output(run, step.output, step.exit_code) for step, run in runs if run is not None)
    return [result for result in results if result is not None]


def _shown(step: TurnStep) -> str:
    command = step.command.strip()[: MAX_EVIDENCE_CHARS // 4]
    output = _RULER.sub("", step.output).strip()
    # The first failure, and the summary.
    return f"$ {command}\n{truncate_middle(output, MAX_EVIDENCE_CHARS - len(command))}"
