"""The turns of a conversation, and the sentences in them that a lesson may tell."""

from __future__ import annotations

from dataclasses import dataclass

USER, AGENT = "user", "assistant"
"""The roles of whoever speaks."""


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation; `role` is USER or AGENT.

    `refuted` is true for the agent's words between two failures of one kind, the second of which they led to.
    `corrects` is true for the user's words after which the run did something over again. `acted` is true where the run
    did something since the turn before.
    """

    role: str
    text: str
    refuted: bool = False
    corrects: bool = False
    acted: bool = False


@dataclass(frozen=True)
class Candidate:
    """A sentence of a run. `evidence` is above 0, and 1 for a plain statement; `turn` counts from 0.

    `is_rule` is true where it states a rule, a cause or a decision, by its wording. `place` is its number among the
    sentences, `behind` that of the one without which it is not understood; None where it stands alone.
    """

    text: str
    role: str
    turn: int
    evidence: float
    is_rule: bool = False
    place: int = 0
    behind: int | None = None
