"""Recorded sessions as a model tells them in the trajectory of `submit_trace`: in its own words, not as messages."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain.lessons.failures.failure_text import failure_text
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.trajectory.parsing import Trajectory

STYLES = ("list", "prose", "fences")


def tell(trajectory: Trajectory, style: str) -> str:
    """Return a run in words: a list with arrows, sentences in the first person, or commands between fences."""
    steps = list(find_steps(trajectory))
    said = find_said(trajectory)
    lines: list[str] = []
    for place in range(len(steps) + 1):
        lines += [f"User: {each.text}" for each in said if each.place == place and each.role == "user"]
        lines += [each.text for each in said if each.place == place and each.role != "user"]
        lines += _told(steps[place], style) if place < len(steps) else ()
    return "\n".join(lines)


def _told(step: Step, style: str) -> Iterator[str]:
    error = failure_text([step]) if step.failed else ""
    if step.kind == "edit":
        yield from _edited(step, style)
    elif step.kind == "command" and style == "list":
        yield f"- Ran `{step.subject}` -> {f'failed: {error}' if step.failed else 'ok'}"
    elif step.kind == "command" and style == "prose":
        yield f"I ran `{step.subject}` and it {f'failed with {error}.' if step.failed else 'worked.'}"
    elif step.kind == "command":
        yield from ("```bash", step.subject, "```", *(["```", step.output, "```"] if step.output else ()))


def _edited(step: Step, style: str) -> Iterator[str]:
    change = "\n".join(old or "" for old, _ in step.change), "\n".join(new for _, new in step.change)
    if style == "fences" or any("\n" in side for side in change):
        marked = [f"{sign}{line}" for sign, text in zip("-+", change, strict=True) for line in text.splitlines()]
        yield from ("```diff", f"--- a/{step.file}", f"+++ b/{step.file}", *marked, "```")
    elif change[0]:
        yield f"{'- ' if style == 'list' else 'I '}changed `{change[0]}` to `{change[1]}` in {step.file}"
    else:
        yield f"{'- ' if style == 'list' else 'I '}added `{change[1]}` to {step.file}"
