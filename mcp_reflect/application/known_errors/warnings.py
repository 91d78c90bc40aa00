"""Known errors to which a call led before, told before it is made again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from mcp_reflect.application.known_errors.recurrences import (
    commands_that_worked,
    error_of,
    is_led_by,
    is_mended_by_form,
)
from mcp_reflect.application.requests import PlannedCall
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.output_options import without_selection
from mcp_reflect.domain.lessons.failures.triggers import is_same_trigger, trigger_of, wider_triggers
from mcp_reflect.domain.lessons.failures.ways_out import is_way_out
from mcp_reflect.domain.lessons.run.compound_commands import separated_steps
from mcp_reflect.domain.lessons.run.steps import step_of
from mcp_reflect.domain.models import ErrorMemory
from mcp_reflect.domain.redaction.redact import redact, redact_json

LEAST_FAILING = 0.5
"""Least share of the runs of a call that failed with an error, for a warning of it.

A test command fails with another error each time, and what an edit repaired works from then on: neither is news.
"""


def planned_triggers(planned: PlannedCall) -> list[str]:
    """Return the triggers that a planned call is, its secrets redacted as in a stored run; none for other tools.

    A compound command is one, and so is its first part that does more than read: later parts may need what that one
    does. What runs some of the tests only is all of them, too. Paths below the agent's folder count from there: runs of
    other clones have other folders.
    """
    step = step_of(planned.tool, redact_json(planned.arguments))
    acting = next((part for part in separated_steps([step]) if not is_inspection(part)), step)
    whole = replace(acting, subject=without_selection(acting.subject))
    folder = redact(planned.folder.rstrip("/"))
    found = [trigger_of(each) for each in (step, acting, whole)]
    return list(dict.fromkeys(_from_folder(trigger, folder) for trigger in found if trigger))


def _from_folder(trigger: str, folder: str) -> str:
    """A trigger with paths from a folder, which is `.` itself."""
    if not folder:
        return trigger
    return re.sub(rf"(?<!\S){re.escape(folder)}(?!\S)", ".", trigger.replace(f"{folder}/", ""))


def wider_calls(triggers: Sequence[str]) -> list[str]:
    """Return the triggers of the calls of which those with these triggers do a part."""
    return [wider for trigger in triggers for wider in wider_triggers(trigger) if wider not in triggers]


def errors_to_expect(
    triggers: Sequence[str], wider: Sequence[str], known: Iterable[ErrorMemory]
) -> Sequence[ErrorMemory]:
    """Return the errors to warn of before a call, out of those that share a key with its triggers, or wider ones.

    To what a wider call led a part of it leads, too, where another form of the call is all that mends it.
    First come those that the call itself led to, not a try on the way to their fix, then the newest. The way that
    repaired an error is not warned of, nor a call that has mostly worked since.
    """
    led = [
        memory
        for memory in known
        if is_led_by(memory, triggers) or (is_led_by(memory, wider) and is_mended_by_form(memory))
    ]
    runs = {run for memory in led for run in (*_failed_in(memory), *memory.passed_in)}
    expected = [
        memory
        for memory in led
        if any(memory.instructions)
        and len(_failed_in(memory)) >= LEAST_FAILING * len(runs)
        and not any(
            is_way_out(trigger, memory.triggers, commands_that_worked(memory), error_of(memory)) for trigger in triggers
        )
    ]

    def rank(memory: ErrorMemory) -> tuple[bool, int, datetime, str]:
        itself = any(is_same_trigger(memory.triggers[0], trigger) for trigger in triggers)
        return itself, memory.recurrences, memory.created_at, memory.id

    return sorted(expected, key=rank, reverse=True)


def _is_way_out_of(memory: ErrorMemory, trigger: str) -> bool:
    return is_way_out(trigger, memory.triggers, commands_that_worked(memory), error_of(memory))


def _failed_in(memory: ErrorMemory) -> set[str]:
    return {memory.source_trace_id, *memory.seen_in}
