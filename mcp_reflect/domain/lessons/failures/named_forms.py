"""Repairs by another form of a command than the first that worked: the one that the agent's closing words name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain.lessons.failures.repairs import Repair, is_retry
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.step import Step


def as_named(repair: Repair, steps: Sequence[Step], closing: str) -> Repair:
    """Return a repair with the last form of its command that the closing words name, if they do not name its own.

    What worked first is a try then: it did by accident, or not as it was wanted.
    """
    place = next((number for number, step in enumerate(steps) if step is repair.worked), None)
    if place is None or repair.same_command or repair.worked.kind != "command":
        return repair
    closing = " ".join(closing.split())
    own = parts_of(repair.worked.subject)
    if any(part in closing for part in own if part not in parts_of(repair.failed.subject)):
        return repair
    forms = [
        step
        for step in steps[place + 1 :]
        if step.failed is False
        and is_retry(repair.failed, step)
        and any(part in closing for part in parts_of(step.subject) if part not in own)
    ]
    return replace(repair, worked=forms[-1], tries=(*repair.tries, place)) if forms else repair
