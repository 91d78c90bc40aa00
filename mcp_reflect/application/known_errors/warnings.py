"""Known errors to which a call led before, told before it is made again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcp_reflect.application.known_errors.from_runs import is_led_by
from mcp_reflect.application.requests import PlannedCall
from mcp_reflect.domain.lessons.steps import step_of
from mcp_reflect.domain.lessons.triggers import is_way_out, trigger_of
from mcp_reflect.domain.models import ErrorMemory
from mcp_reflect.domain.redaction.redact import redact, redact_json

LEAST_FAILING = 0.5
"""Least share of the runs of a call that failed with an error, for a warning of it.

A test command fails with another error each time, and what an edit repaired works from then on: neither is news.
"""


def planned_trigger(planned: PlannedCall) -> str:
    """Return the trigger that a planned call is, its secrets redacted as in a stored run; empty for other tools.

    Paths below the agent's folder count from there: runs of other clones have other folders.
    """
    trigger = trigger_of(step_of(planned.tool, redact_json(planned.arguments)))
    folder = redact(planned.folder.rstrip("/"))
    return trigger.replace(f"{folder}/", "") if folder else trigger


def errors_to_expect(trigger: str, known: Iterable[ErrorMemory]) -> Sequence[ErrorMemory]:
    """Return the errors to warn of before a call, out of those whose triggers share its key; the newest first.

    The way that repaired an error is not warned of, nor a call that has mostly worked since.
    """
    led = [memory for memory in known if is_led_by(memory, [trigger])]
    runs = {run for memory in led for run in (*_failed_in(memory), *memory.passed_in)}
    expected = [
        memory
        for memory in led
        if any(memory.instructions)
        and len(_failed_in(memory)) >= LEAST_FAILING * len(runs)
        and not is_way_out(trigger, memory.triggers, memory.tests)
    ]
    return sorted(expected, key=lambda memory: (memory.recurrences, memory.created_at, memory.id), reverse=True)


def _failed_in(memory: ErrorMemory) -> set[str]:
    return {memory.source_trace_id, *memory.seen_in}
