"""The reflector that needs no model: the lesson that the run itself holds (`domain/lessons/`)."""

from __future__ import annotations

import logging
import re

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.models import LESSON_FIELDS, Author, ReflectionDraft
from mcp_reflect.domain.reflection.model_answers import MAX_TOOL_CHARS, MAX_TOOLS
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.trajectory.tools import is_instrument

log = logging.getLogger(__name__)


class ExtractiveReflector:
    """A Reflector that needs nothing but the run; equal runs, equal drafts."""

    @property
    def author(self) -> Author:
        """Return "extractive", the author of its reflections."""
        return "extractive"

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """Return the lesson of the run; an empty draft where it holds nothing to learn.

        Its tools are those of the run's that it names, without shells and editors, which every coding agent has, and
        without those that only ask for something. Raises nothing for a stored trace.
        """
        try:
            draft = extract_lesson(run)
            return draft if draft.is_empty else draft.model_copy(update={"applicable_tools": _tools_of(draft, run)})
        except Exception:  # a mistake in reading a run costs its lesson, and not the run
            log.exception("no lesson could be written from %s", run.trace.id)
            return ReflectionDraft()


def _tools_of(draft: ReflectionDraft, run: ReviewedRun) -> tuple[str, ...]:
    told = "\n".join(getattr(draft, name) for name in LESSON_FIELDS)
    outcomes: dict[str, bool] = {}
    for step in find_steps(run.trajectory):
        outcomes[step.tool] = outcomes.get(step.tool, False) or step.failed is not True
    tools = [
        name
        for name in run.trace.tools_used
        if outcomes.get(name, True)  # what only refused is no tool for the task
        and len(name) <= MAX_TOOL_CHARS
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told)
        and not (is_instrument(name) or only_asks(name))
    ]
    return tuple(tools[:MAX_TOOLS])
