"""What a turn itself says of how it ended: its last tests, and what the user said next."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from mcp_reflect.hooks.event import Turn
from mcp_reflect.hooks.steps import Step, steps
from mcp_reflect.hooks.testing import Result, result_of, run_of_tests, writes
from mcp_reflect.hooks.verdicts import verdict_in

_RULER = re.compile(r"^[=\-_*~]{4,}\n", re.MULTILINE)
LONGEST = 4_000
"""Characters of evidence that are kept."""


class Evidence(NamedTuple):
    """A verdict, what it was taken from, and the words that show it."""

    result: Result
    source: Literal["tests", "user"]
    words: str


def evidence(turn: Turn) -> Evidence | None:
    """The user's plain word counts, else the last tests after the last edit; None where there is neither."""
    if said := verdict_in(turn.followed_up):
        return Evidence(said, "user", f"The user said next: {turn.followed_up.strip()[:LONGEST]}")
    return tested(steps(turn.messages))


def tested(done: list[Step]) -> Evidence | None:
    """What the last test command says, where nothing was changed after it."""
    last: Evidence | None = None
    for step in done:
        run = run_of_tests(step.command) if step.command else None
        if run is not None:
            result = result_of(run, step.output, step.exit_code) if step.done else None
            last = Evidence(result, "tests", _shown(step)) if result else None
        elif not step.command or writes(step.command):
            last = None
    return last


def _shown(step: Step) -> str:
    command = step.command.strip()[: LONGEST // 4]
    output = _RULER.sub("", step.output).strip()
    room = LONGEST - len(command)
    if len(output) > room:
        # The first failure, and the summary.
        output = f"{output[: room // 2]}\n[…]\n{output[-room // 2 :]}"
    return f"$ {command}\n{output}"
