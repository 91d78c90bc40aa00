"""Exit codes that a command line prints, as in `make check; echo "rc=$?"`: its own says nothing of the command then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.lines import PRINTS_STATUS, normalised
from mcp_reflect.domain.lessons.run.step import Step

_MOST_CHARS = 20_000
_MOST_OF_LINE = 300
KILLED = 126
"""The least code that says of itself that something failed: a command could not be run, or a signal ended it."""


def printed_codes(command: str, output: str) -> Sequence[int]:
    """Return the exit codes in an output that a command line printed behind words of its own, in order."""
    lines = _code_lines(command)
    return [int(each["code"]) for each in lines.finditer(output[-_MOST_CHARS:])] if lines else ()


def _code_lines(command: str) -> re.Pattern[str] | None:
    """What the lines with the exit codes look like that a command line prints; None where it prints none."""
    labels = dict.fromkeys(found["label"] for found in PRINTS_STATUS.finditer(command)) if "$" in command else {}
    begins = "|".join(re.escape(label) if label.strip() else r"\s*(?=\d+\s*$)" for label in labels)
    return re.compile(rf"^(?:{begins})(?P<code>\d{{1,3}})\b.*\n?", re.MULTILINE) if labels else None


def with_failures_by_code(steps: list[Step]) -> list[Step]:
    """The steps, those as failed that printed a code other than 0 where the same command did not in the end.

    By itself such a code may be what was to be seen: that a check finds what is wrong, or a script refuses something.
    """
    codes = [printed_codes(step.subject, step.output) if step.kind == "command" else () for step in steps]
    if not any(map(any, codes)):
        return steps
    passed = {
        normalised(step.subject): place
        for place, step in enumerate(steps)
        if step.kind == "command" and step.failed is False and not any(codes[place])
    }
    return [
        _as_failed(step, codes[place])
        if any(codes[place]) and not step.failed and passed.get(normalised(step.subject), -1) > place
        else step
        for place, step in enumerate(steps)
    ]


def _as_failed(step: Step, codes: Sequence[int]) -> Step:
    """The step as failed with the last line that it printed before its code, or the code where that is all."""
    lines = _code_lines(step.subject)
    output = lines.sub("", step.output) if lines else step.output
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
    error = last[:_MOST_OF_LINE] or f"exit code {next(filter(None, codes))}"
    return replace(step, failed=True, errors=step.errors or (error,), output=output or error)
