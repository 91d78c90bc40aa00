"""Who writes reflections and insights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from mcp_reflect.domain.models import Author, InsightDraft, Material, ReflectionDraft

if TYPE_CHECKING:
    from mcp_reflect.domain.trajectory.run import ReviewedRun


class Reflector(Protocol):
    """Writes a reflection from a reviewed run."""

    @property
    def author(self) -> Author:
        """The author that is stored with the reflections."""
        ...

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """Return a draft that is not empty. Raises ReflectorBusy or ReflectorRefused."""
        ...


class InsightWriter(Protocol):
    """Finds out what many runs have in common."""

    @property
    def author(self) -> Author:
        """The author that is stored with the insights."""
        ...

    def insights(self, material: Material) -> list[InsightDraft]:
        """Return one insight or more. Raises ReflectorBusy or ReflectorRefused."""
        ...


class ReflectionDialogue(Protocol):
    """Composes the questions to any model, and reads its answers."""

    def prompt(self, run: ReviewedRun) -> str:
        """Return the question, with the run in it."""
        ...

    def draft(self, answer: str, run: ReviewedRun) -> ReflectionDraft:
        """Return the reflection in an answer: its JSON where it has one, otherwise its prose.

        Without what the run does not support; empty where nothing is left.
        """
        ...

    def insights_prompt(self, material: Material) -> str:
        """Return the question about many runs."""
        ...

    def insights(self, answer: str, material: Material) -> list[InsightDraft]:
        """Return the insights in an answer that name runs of the material as evidence."""
        ...


class Usage(NamedTuple):
    """Tokens that one call to a model used."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        """Return the prompt and completion tokens together."""
        return self.prompt + self.completion
