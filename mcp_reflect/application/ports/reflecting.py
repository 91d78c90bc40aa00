"""Who writes reflections and insights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcp_reflect.domain.models import Author, InsightDraft, Material, ReflectionDraft
from mcp_reflect.domain.trajectory.run import ReviewedRun


class Reflector(Protocol):
    """Writes a reflection from a reviewed run."""

    @property
    def author(self) -> Author: ...

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """A draft that is not empty. Raises ReflectorBusy or ReflectorRefused."""
        ...


class InsightWriter(Protocol):
    """Finds out what many runs have in common."""

    @property
    def author(self) -> Author: ...

    def insights(self, material: Material) -> list[InsightDraft]:
        """At least one. Raises ReflectorBusy or ReflectorRefused."""
        ...


class ReflectionDialogue(Protocol):
    """How to ask any model for a reflection, and how to read what it says."""

    def prompt(self, run: ReviewedRun) -> str:
        """The question, with the run in it."""
        ...

    def draft(self, answer: str, run: ReviewedRun) -> ReflectionDraft:
        """Return the reflection in an answer: its JSON where it has one, otherwise its prose.

        Without what the run does not support; empty where nothing is left.
        """
        ...

    def insights_prompt(self, material: Material) -> str:
        """The question about many runs."""
        ...

    def insights(self, answer: str, material: Material) -> list[InsightDraft]:
        """The insights in an answer that name runs of the material as evidence."""
        ...


@dataclass(frozen=True)
class Usage:
    """Tokens that one call to a model used."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        return self.prompt + self.completion
