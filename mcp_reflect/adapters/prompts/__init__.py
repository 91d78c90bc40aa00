"""The prompts that ask a model for a reflection, from template files.

A template of the user's takes the place of the package's of the same name; the others stay. What the run contributes is
passed in as values, so nothing in it is ever evaluated, and is fenced by a line that occurs nowhere in it. What a
template may do is in `restricted_templates`.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.adapters.prompts.fitting import SHARES, fit_run, fit_runs, shorten
from mcp_reflect.domain.defaults import MAX_PROMPT_CHARS
from mcp_reflect.domain.insights.model_answers import read_insights
from mcp_reflect.domain.insights.observations import insight_parts, observation_line
from mcp_reflect.domain.lessons.drafting.answer_checks import check_draft
from mcp_reflect.domain.models import InsightDraft, Material, Memory, ReflectionDraft, Result
from mcp_reflect.domain.reflection.model_answers import ANSWER_FORMS, AnswerForm, read_answer
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line
from mcp_reflect.errors import ConfigurationError, ReflectorRefused

if TYPE_CHECKING:
    from mcp_reflect.adapters.prompts.restricted_templates import RestrictedEnvironment

log = logging.getLogger(__name__)

TEMPLATES = (
    "reflect_pass.md",
    "reflect_fail.md",
    "run.md",
    "rules.md",
    "answer_structured.md",
    "answer_json.md",
    "answer_prose.md",
    "insights.md",
)

_LEAST_ROOM = 1_000
_MAX_RETRIEVED = 6
"""Memories shown to be judged, best-ranked first: what a run was given beyond that it hardly read."""
_MAX_ERROR_CHARS = 600


class Prompts:
    """A ReflectionDialogue over template files; `overrides` is the user's folder and need not exist.

    A prompt has at most `max_chars` characters. Raises ConfigurationError for a template of the user's that cannot be
    read or does not render.
    """

    def __init__(self, overrides: Path | None = None, max_chars: int = MAX_PROMPT_CHARS) -> None:
        self._max_chars = max_chars
        self._overrides = overrides
        self._made: RestrictedEnvironment | None = None
        self._rendering = threading.Lock()
        if overrides is not None and overrides.is_dir():
            self._check(overrides)

    def prompt(self, run: ReviewedRun, *, form: AnswerForm = "json") -> str:
        """Return the question about a run, in at most `max_chars` characters where the templates leave 1,000 of them.

        `form` is how the answer is asked for. Raises ReflectorRefused where a template does not render.
        """
        parts = _parts(run)
        try:
            bare = self._render(run.review.result, form, {name: text[:1] for name, text in parts.items()})
            fitted = fit_run(parts, run.trajectory, max(self._max_chars - len(bare), _LEAST_ROOM))
            prompt = self._render(run.review.result, form, fitted)
        except _Unrenderable as error:
            raise ReflectorRefused(f"prompts: {error}") from error
        return replace_surrogates(prompt)  # A lone surrogate could not be sent.

    def insights_prompt(self, material: Material) -> str:
        """Return the question about many runs, in at most `max_chars` characters.

        Raises ReflectorRefused as `prompt` does.
        """
        parts = insight_parts(material)
        try:
            bare = self._rendered("insights.md", {name: text[:1] for name, text in parts.items()})
            room = max(self._max_chars - len(bare), _LEAST_ROOM)
            prompt = self._rendered("insights.md", fit_runs(parts, room))
        except _Unrenderable as error:
            raise ReflectorRefused(f"prompts: {error}") from error
        return replace_surrogates(prompt)

    def insights(self, answer: str, material: Material) -> list[InsightDraft]:
        """Return the insights in an answer that name runs of the material as evidence."""
        return read_insights(answer, {seen.trace.id: observation_line(seen) for seen in material.observations})

    def draft(self, answer: str, run: ReviewedRun) -> ReflectionDraft:
        """Return the reflection in an answer; empty for an answer that holds none."""
        draft = read_answer(answer)
        return draft if draft.is_empty else check_draft(draft, run, self._instructions(run.review.result))

    def _instructions(self, result: Result) -> str:
        """Return the templates' own text, which a model may repeat instead of answering."""
        parts = dict.fromkeys((*SHARES, "trajectory", "retrieved"), "")
        try:
            return "\n".join(self._render(result, form, parts) for form in ANSWER_FORMS)
        except _Unrenderable:
            return ""

    def _render(self, result: Result, form: AnswerForm, parts: Mapping[str, str]) -> str:
        answer_format = self._rendered(f"answer_{form}.md", parts)
        return self._rendered(f"reflect_{result}.md", parts, answer_format=answer_format)

    def _rendered(self, template: str, parts: Mapping[str, str], **more: str) -> str:
        try:
            values = dict(parts, boundary=_boundary(parts), **more)
            with self._rendering:
                return self._environment().rendered(template, values).strip()
        except Exception as error:
            # What a template of the user's can raise has no bounds: {{ 1 / 0 }} is a valid one.
            raise _Unrenderable(f"{_place(error)}: {_reason(error)}") from error

    def _environment(self) -> RestrictedEnvironment:
        from mcp_reflect.adapters.prompts.restricted_templates import RestrictedEnvironment  # noqa: PLC0415 - Jinja2

        if self._made is None:
            self._made = RestrictedEnvironment(self._source)
        return self._made

    def _source(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        if name not in TEMPLATES:  # joined to a folder, a name may lead anywhere
            return None
        for folder in (self._overrides, package_folder()):
            if folder is not None and (file := folder.joinpath(name)).is_file():
                return file.read_text(encoding="utf-8"), str(file), lambda: True
        return None

    def _check(self, overrides: Path) -> None:
        """Every form of both prompts renders; a file that takes no template's place is pointed out."""
        unknown = sorted(file.name for file in overrides.glob("*.md") if file.name not in TEMPLATES)
        if unknown:
            log.warning("%s: %s is none of %s", overrides, ", ".join(unknown), ", ".join(TEMPLATES))
        if not any((overrides / name).is_file() for name in TEMPLATES):
            return
        sample = dict.fromkeys((*SHARES, "trajectory", "retrieved"), "sample")
        try:
            self._rendered("insights.md", dict.fromkeys(("focus", "failed", "passed", "open", "known"), "sample"))
            for form in ANSWER_FORMS:
                self._render("pass", form, sample)
                self._render("fail", form, sample)
        except _Unrenderable as error:
            allowed = "a Jinja template that uses only the variables of the one whose place it takes"
            raise ConfigurationError(f"{overrides}: {error}; must be {allowed}") from error


class _Unrenderable(Exception):
    """A template that does not render; the message says which, where and why."""


def package_folder() -> Traversable:
    """Return the folder of the package's templates: inside an installed wheel, else at the top of the repository."""
    inside = files("mcp_reflect").joinpath("prompts")
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / "prompts"


def _parts(run: ReviewedRun) -> dict[str, str]:
    """The texts of a run by the names they have in the templates, each once and in full."""
    trace = run.trace
    errors = (shorten(" ".join(error.split()), _MAX_ERROR_CHARS) for error in run.errors)
    return {
        "task": trace.task.strip(),
        "trajectory": trace.trajectory.strip(),
        "final_response": trace.final_response.strip(),
        "errors": "\n".join(f"- {error}" for error in dict.fromkeys(errors) if error),
        "reference_context": trace.reference_context.strip(),
        "feedback": run.review.feedback.strip(),
        "retrieved": "\n".join(f"{memory.id}: {_line(memory)}" for memory in run.retrieved[:_MAX_RETRIEVED]),
    }


def _line(memory: Memory) -> str:
    return " ".join(memory.reflection.split())


def _boundary(parts: Mapping[str, str]) -> str:
    """A word that occurs in no part, so that no text of a run can end its fence; equal parts, equal word."""
    seed = "\0".join(f"{name}={parts[name]}" for name in sorted(parts))
    while True:
        word = "RUN-" + hashlib.sha256(seed.encode(errors="replace")).hexdigest()[:8]
        if not any(word in text for text in parts.values()):
            return word
        seed += word


def _place(error: Exception) -> str:
    """Which template, and where known which line of it, an error is about."""
    from jinja2 import TemplateNotFound, TemplateSyntaxError  # noqa: PLC0415 - jinja2 is loaded already

    if isinstance(error, TemplateNotFound):
        return str(error.name)
    if isinstance(error, TemplateSyntaxError):
        return f"{error.name}, line {error.lineno}"
    places = []
    trace = error.__traceback__
    while trace is not None:
        name = Path(trace.tb_frame.f_code.co_filename).name
        if name.endswith(".md"):
            places.append(f"{name}, line {trace.tb_lineno}")
        trace = trace.tb_next
    return places[-1] if places else "a template"


def _reason(error: Exception) -> str:
    return truncate_line(str(error), 200) or type(error).__name__
