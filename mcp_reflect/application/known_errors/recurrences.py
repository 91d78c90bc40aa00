"""Known errors that came back in runs: what each run added to them, and how it is taken away with the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mcp_reflect.application.known_errors.records import with_derived_fields
from mcp_reflect.domain.lessons.failures.fix_wording import forms_of_fix, is_part_of_fix
from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError, find_fixed_errors
from mcp_reflect.domain.lessons.failures.repaired_failures import last_steps
from mcp_reflect.domain.lessons.failures.triggers import (
    MOST_TRIGGERS,
    is_about_the_same,
    is_same_mistake,
    is_same_trigger,
    trigger_of_command,
)
from mcp_reflect.domain.models import ErrorMemory, Trace
from mcp_reflect.domain.text.quotation import without_sources
from mcp_reflect.domain.trajectory.run import ParsedRun

MOST_RUNS = 100
"""Most runs that are noted of an error that came back, the latest ones."""


def with_run(known: ErrorMemory, fixed: FixedError, trace_id: str) -> ErrorMemory:
    """Return a known error after it came back in a run, with the run's fix where it had none."""
    brought = () if known.correct_action else tuple(each for each in fixed.changes if each in fixed.unvouched)
    return _with_fix(
        known.model_copy(
            update={
                "unvouched": (*known.unvouched, *brought),
                "recurrences": known.recurrences + 1,
                "seen_in": (*known.seen_in, trace_id)[-MOST_RUNS:],
                "triggers": tuple(dict.fromkeys((*known.triggers, *fixed.triggers)))[-MOST_TRIGGERS:],
                "edits": known.edits if known.correct_action else fixed.edits,
            }
        ),
        known.correct_action or fixed.fix,
    )


def without_runs(
    memory: ErrorMemory, traces: Sequence[Trace], read_trace: Callable[[str], Trace | None]
) -> ErrorMemory:
    """Return an error as it is without runs in which it came back, or in which a call that had led to it worked.

    A fix is taken away with the run that brought it, where the error's own trace does not hold it; likewise a trigger
    that no other run holds.
    """
    gone = {trace.id for trace in traces}
    left = tuple(i for i in memory.seen_in if i not in gone)
    source, fix = read_trace(memory.source_trace_id), memory.correct_action
    own = source is not None and (source.draft.correct_action == fix or _brings(source, fix))
    brought = not own and any(_brings(trace, fix) for trace in traces)
    others = [source, *map(read_trace, left)]
    lost = {t for trace in traces for t in _triggers_of(trace)} - {t for each in others for t in _triggers_of(each)}
    fewer = memory.model_copy(
        update={
            "seen_in": left,
            "recurrences": max(memory.recurrences - len(memory.seen_in) + len(left), 0),
            "triggers": tuple(trigger for trigger in memory.triggers if trigger not in lost),
            "passed_in": tuple(i for i in memory.passed_in if i not in gone),
            "edits": () if brought else memory.edits,
        }
    )
    return _with_fix(fewer, "" if brought else fix)


def _with_fix(memory: ErrorMemory, fix: str) -> ErrorMemory:
    return with_derived_fields(memory.model_copy(update={"correct_action": fix}))


def _brings(trace: Trace, fix: str) -> bool:
    """Return true for a run that a fix is from, of which steps may have been withheld."""
    told = without_sources(fix).splitlines()
    return any(all(is_part_of_fix(line, each.changes, each.said) for line in told) for each in _fixed_in(trace))


def _triggers_of(trace: Trace | None) -> set[str]:
    return set() if trace is None else {trigger for fixed in _fixed_in(trace) for trigger in fixed.triggers}


def _fixed_in(trace: Trace) -> list[FixedError]:
    return find_fixed_errors(last_steps(ParsedRun.of(trace).trajectory, trace.final_response))


def is_led_by(memory: ErrorMemory, triggers: Iterable[str]) -> bool:
    """Return whether one of these calls led to an error before, or is one that did with further options."""
    error = error_of(memory)
    return any(
        is_same_trigger(known, trigger) or is_same_mistake(known, trigger, error, commands_that_worked(memory))
        for trigger in triggers
        for known in memory.triggers
    )


def is_mended_by_form(memory: ErrorMemory) -> bool:
    """Return whether the call that led to an error works in another form, whatever it is about: nothing else mends it.

    With other options, a variable or another environment it does for one file what it does for all.
    """
    forms = [trigger_of_command(form) for form in forms_of_fix(memory.correct_action)]
    return bool(forms) and not memory.edits and all(is_about_the_same(memory.triggers, form) for form in forms)


def error_of(memory: ErrorMemory) -> str:
    """Return what an error said."""
    return "\n".join((memory.key_mistake, *memory.evidence))


def commands_that_worked(memory: ErrorMemory) -> list[str]:
    """Return the commands that passed in the end, as far as the error tells them."""
    return list(dict.fromkeys((*memory.tests, *forms_of_fix(memory.correct_action))))
