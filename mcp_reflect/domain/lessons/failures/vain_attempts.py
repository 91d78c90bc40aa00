"""Attempts that a run took back: an edit after which a command failed, and which did not stay.

The next run would try them again, so a lesson tells them with what came of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain.lessons.failures.failure_text import failure_text
from mcp_reflect.domain.lessons.failures.repairs import is_inspection
from mcp_reflect.domain.lessons.failures.wording import describe_edit, describe_step
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import Step


def find_vain_attempts(steps: Sequence[Step]) -> Iterator[str]:
    """Yield a line for each edit that was taken back after a command had failed behind it, in order."""
    places = {id(step): place for place, step in enumerate(steps)}
    found = {id(earlier): (earlier, later) for earlier, later in reversed(NetChanges(steps).taken_back())}
    for earlier, later in sorted(found.values(), key=lambda pair: places[id(pair[0])]):
        between = steps[places[id(earlier)] + 1 : places[id(later)]]
        failed = next((step for step in between if step.kind == "command" and step.failed), None)
        if failed is None or is_inspection(failed) or not (error := failure_text([failed])):
            continue
        yield f"{describe_step(failed)} failed: {error}. That came of {describe_edit(earlier)}, which was taken back."
