"""A reflection without a model: what the run itself says, cut to what a reader can use.

Nothing is concluded here. The review's feedback, the errors and the tool calls are quoted in short, under names that
say what they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from mcp_reflect.domain.models import Author, ReflectionDraft
from mcp_reflect.domain.reflection.model_answers import MAX_TOOL_CHARS, MAX_TOOLS
from mcp_reflect.domain.trajectory.error_lines import errors_in_result
from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult, Utterance
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate, truncate_line

_TASK_CHARS = 200
_SHORT_SENTENCE = 30
"""A first sentence below this is a greeting more often than a task; the next one is taken along."""
_FEEDBACK_CHARS = 1_000
_REFERENCE_CHARS = 500
_ENDING_CHARS = 300
_ERRORS = 4
_ERROR_CHARS = 200
_STEPS = 12
_ARGUMENTS = 8


class ExtractiveReflector:
    """A Reflector that needs nothing but the run; equal runs, equal drafts."""

    @property
    def author(self) -> Author:
        return "extractive"

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """A draft whose summary is never empty. Raises nothing for a trace as it is stored."""
        trajectory = run.trajectory
        passed = run.review.result == "pass"
        return ReflectionDraft(
            summary=_summary(run, len(trajectory.calls)),
            key_mistake="" if passed else _mistake(run),
            correct_action=_what_worked(trajectory) if passed else _reference(run),
            guidance=" ".join(_hints(run, trajectory, passed=passed)),
            applicable_tools=tuple(name for name in trajectory.tools_used if len(name) <= MAX_TOOL_CHARS)[:MAX_TOOLS],
        )


def _summary(run: ReviewedRun, calls: int) -> str:
    verdict = "Passed" if run.review.result == "pass" else "Failed"
    effort = f" after {calls} tool call{'s' if calls > 1 else ''}" if calls else ""
    task = _lead(run.trace.task)
    return f"{verdict}{effort}: {task}" if task else f"{verdict}{effort}."


def _lead(task: str) -> str:
    """The first sentence of a task that says something, on one line."""
    words = truncate_line(task, 4 * _TASK_CHARS)
    lead = ""
    for sentence in re.split(r"(?<=[.!?])\s", words):
        lead = f"{lead} {sentence}".strip()
        if len(lead) >= _SHORT_SENTENCE:
            break
    return truncate(lead, _TASK_CHARS)


def _mistake(run: ReviewedRun) -> str:
    """What the reviewer said, else what the run ended in; nothing where neither is known."""
    feedback = run.review.feedback.strip()
    if feedback:
        return truncate(feedback, _FEEDBACK_CHARS)
    if run.errors:
        return (
            f"The review gave no reason; the last error of the run was: {truncate_line(run.errors[-1], _ERROR_CHARS)}"
        )
    return ""


def _reference(run: ReviewedRun) -> str:
    reference = run.trace.reference_context.strip()
    return f"Reference given for this task: {truncate(reference, _REFERENCE_CHARS)}" if reference else ""


def _what_worked(trajectory: Trajectory) -> str:
    failed = _failed_calls(trajectory)
    steps = _steps([call for number, call in enumerate(trajectory.calls) if number not in failed])
    return f"Tool calls that worked, in order: {steps}" if steps else ""


def _hints(run: ReviewedRun, trajectory: Trajectory, *, passed: bool) -> Iterator[str]:
    """Sentences on what to know before a similar task, as far as the run tells."""
    feedback = run.review.feedback.strip()
    if passed and feedback:
        yield f"The review said: {_closed(truncate(feedback, _FEEDBACK_CHARS))}"
    named_already = () if passed or feedback else run.errors[-1:]
    errors = [error for error in run.errors if error not in named_already]
    if errors:
        heading = "Errors overcome on the way" if passed else "Errors met on the way" if feedback else "Earlier errors"
        yield f"{heading}: {_closed('; '.join(truncate_line(error, _ERROR_CHARS) for error in errors[-_ERRORS:]))}"
    if trajectory.calls and not passed:
        yield f"Tool calls of the failed run, in order: {_steps(trajectory.calls)}."
    ending = run.trace.final_response.strip() or ("" if trajectory.calls else _last_words(trajectory))
    if ending and not (passed and trajectory.calls):
        yield f"The run ended with: {_closed(truncate_line(ending, _ENDING_CHARS))}"


def _steps(calls: Sequence[ToolCall]) -> str:
    """Calls as `name(argument, …)`, equal neighbours once; of many the first and the last."""
    steps = []
    for pattern, same in groupby(map(_pattern, calls)):
        times = sum(1 for _ in same)
        steps.append(f"{pattern} ×{times}" if times > 1 else pattern)
    if len(steps) > _STEPS:
        half = _STEPS // 2
        steps = [*steps[:half], f"… {len(steps) - _STEPS} more …", *steps[-half:]]
    return " → ".join(steps)


def _pattern(call: ToolCall) -> str:
    """The tool with the names of its arguments: their values belong to this run only."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    names = list(arguments) if isinstance(arguments, dict) else ["…"] if call.arguments.strip() else []
    if len(names) > _ARGUMENTS:
        names = [*names[:_ARGUMENTS], "…"]
    return f"{truncate(call.name, MAX_TOOL_CHARS)}({', '.join(truncate(name, MAX_TOOL_CHARS) for name in names)})"


def _failed_calls(trajectory: Trajectory) -> set[int]:
    """Positions of the calls whose result reports an error. A result belongs to the call it names, else to the last."""
    failed: set[int] = set()
    positions: dict[str, int] = {}
    count = 0
    for event in trajectory.events:
        if isinstance(event, ToolCall):
            positions[event.id] = count
            count += 1
        elif isinstance(event, ToolResult) and any(errors_in_result(event.text, failed=event.failed)):
            failed.add(positions.get(event.call_id, count - 1))
    return failed


def _last_words(trajectory: Trajectory) -> str:
    """How a run without calls ended: what the agent said last, or the last line of a log."""
    for event in reversed(trajectory.events):
        if isinstance(event, Utterance) and event.role == "assistant":
            return event.text
    text = trajectory.render(8 * _ENDING_CHARS).rstrip()
    return text[text.rfind("\n") + 1 :]


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else sentence + "."
