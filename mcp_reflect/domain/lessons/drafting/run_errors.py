"""Errors that a run ended in or could not get around, as lines of its lesson."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.failure_text import ERROR_CHARS, decisive_error, failure_text, short_error
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.failures.wording import describe_step, says_more
from mcp_reflect.domain.lessons.run.call_text import describe_call_form
from mcp_reflect.domain.lessons.run.case_data import serves_one_case, without_given
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

_REFUSALS = 2
_NUMBER = re.compile(r"\d+")
_NEXT_CALL = re.compile(r"\]\s*(?:,|;|and|then)?\s*[A-Z]\w+\[")
"""In the argument of a call: the end of that call as text, and the beginning of the next."""
_UNREACHED = re.compile(
    r"(?:\w+:?\s+){0,6}?(?:\(?(?:404|403|410|429|50\d)\)?|timed out)(?:\W+(?:[A-Za-z]+|\d+ ?m?s)){0,4}\W*",
    re.IGNORECASE,
)
"""What says of a page that it is not there, or did not answer."""
VAIN = "The run ended without an answer, in a search that found nothing: "
MANY_IN_ONE = "The run ended without an answer, as several calls written into one found nothing: "


def last_error(run: ReviewedRun, steps: Sequence[Step], *, served: bool = False) -> str:
    """Return the error that the run ended in, with the call that failed; empty where its last step worked.

    Where the run `served` a customer, the call is told without their data.
    """
    acted = [step for step in steps if not is_inspection(step)]
    if acted and acted[-1].failed and (error := failure_text([acted[-1]])):
        told = error if acted[-1].kind == "command" else truncate_line(error, ERROR_CHARS)
        told = without_given(told, acted[-1]) if served else told
        call = (describe_call_form if served else describe_step)(acted[-1])
        is_all = short_error(error) == error.rstrip(".")  # no list of what there is instead
        if is_lookup(acted[-1]) and is_all and not says_more(error, call):
            return f"{MANY_IN_ONE if _holds_calls(acted[-1], steps) else VAIN}{call}"
        return f"{call} failed: {told}"
    if not steps and run.errors and (error := decisive_error(run.errors[-1:])):
        return short_error(error)
    return ""


def _holds_calls(step: Step, steps: Sequence[Step]) -> bool:
    """Return true where an argument of a call holds further calls of the run's tools, as text, which nobody made."""
    given = " ".join(map(str, step.arguments.values()))
    return bool(_NEXT_CALL.search(given)) or any(
        f"{tool}{sign}" in given for tool in {each.tool for each in steps} for sign in "[("
    )


def find_refusals(steps: Sequence[Step], repairs: Sequence[Repair], mistake: str, *, passed: bool) -> Iterator[str]:
    """Yield the last calls that failed and were not repeated in a form that worked, with the reason of the tool.

    One that the mistake tells already is not told again, nor are pages that a run which `passed` could not open.
    """
    mended = {repair.failed.tool for repair in repairs}
    one_case = serves_one_case(steps)
    refused: dict[tuple[str, str], str] = {}  # by the form of the call and of its error: of a kind the last is told
    for step in steps:
        if step.kind == "call" and step.failed and step.tool not in mended and (found := failure_text([step])):
            told, error = describe_step(step), short_error(found)
            if one_case and not is_lookup(step):
                told, error = describe_call_form(step), without_given(error, step)
            if passed and is_lookup(step) and _UNREACHED.fullmatch(error):
                continue  # the answer came from elsewhere
            nothing = is_lookup(step) and not says_more(found, told)
            is_told = told in mistake or error in mistake or (nothing and mistake.startswith((VAIN, MANY_IN_ONE)))
            if not is_told:
                refused[told, _NUMBER.sub("…", error)] = f"{told} {'found nothing' if nothing else f'failed: {error}'}"
    yield from list(refused.values())[-_REFUSALS:]
