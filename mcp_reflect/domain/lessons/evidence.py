"""Evidence that a sentence states a decision, a finding or a correction, from its position and its wording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_reflect.domain.lessons import cues
from mcp_reflect.domain.lessons.sentences import split_sentences

USER, AGENT = "user", "assistant"

_TASK_FACTOR = 0.5
"""Of the first turn: it is the task, which stands beside the lesson anyway."""
_USER_FACTOR = 1.15
_CORRECTION_FACTOR = 1.5
_REJECTED_FACTOR = 0.3
_CONFIRMED_FACTOR = 1.25
_UNDERSTOOD_FACTOR = 1.1
"""Of the agent's answer to a correction, which repeats it as it was understood."""
_LAST_FACTOR = 1.7
_RECAP_FACTOR = 1.5


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation; `role` is USER or AGENT."""

    role: str
    text: str


@dataclass(frozen=True)
class Candidate:
    """A sentence of a run. `evidence` is above 0, and 1 for a plain statement; `turn` counts from 0."""

    text: str
    role: str
    turn: int
    evidence: float


def find_candidates(turns: Sequence[Turn]) -> Iterator[Candidate]:
    """Yield the sentences of a conversation with their evidence: the factor of the turn times that of the wording.

    A user's correction counts more and what it rejects less; what a user confirms, what sums up and what stands last
    counts more. The factors are few and coarse, and set by hand: `python -m benchmarks.lessons` says what they keep.
    """
    for number, turn in enumerate(turns):
        position = position_factor(turns, number)
        for sentence in split_sentences(turn.text):
            if is_courtesy(sentence) and not cues.RULE.search(sentence):
                continue
            yield Candidate(sentence, turn.role, number, position * wording_factor(sentence))


def position_factor(turns: Sequence[Turn], number: int) -> float:
    """Return the factor of a turn by its role, its neighbours and its place."""
    turn = turns[number]
    factor = _user_factor(turn, number) if turn.role == USER else _agent_factor(turns, number)
    if number and number == len(turns) - 1:
        factor *= _LAST_FACTOR
    if number > 1 and cues.RECAP.match(turn.text):
        factor *= _RECAP_FACTOR
    return factor


def _user_factor(turn: Turn, number: int) -> float:
    if number == 0:
        return _TASK_FACTOR
    return _CORRECTION_FACTOR if cues.CORRECTION.match(turn.text) else _USER_FACTOR


def _agent_factor(turns: Sequence[Turn], number: int) -> float:
    factor = 1.0
    reply = next((later for later in turns[number + 1 :] if later.role == USER), None)
    if reply is not None and cues.CORRECTION.match(reply.text):
        factor *= _REJECTED_FACTOR
    elif reply is not None and cues.CONFIRMATION.match(reply.text):
        factor *= _CONFIRMED_FACTOR
    before = turns[number - 1] if number else None
    if before is not None and before.role == USER and cues.CORRECTION.match(before.text):
        factor *= _UNDERSTOOD_FACTOR
    return factor


def wording_factor(sentence: str) -> float:
    """Return the factor of a sentence by its wording alone."""
    if cues.OWN_STATE.holds(sentence):  # "I don't have it" is worded as a rule is, and is none
        return cues.OWN_STATE.factor
    factor = min(1.0 + cues.RULE_STEP * len(cues.RULE.findall(sentence)), cues.RULE_CAP)
    for cue in cues.STRENGTHENING:
        if cue.holds(sentence):
            factor *= cue.factor
    weak = next((cue.factor for cue in cues.WEAKENING if cue.holds(sentence)), 1.0)
    return factor * weak


def is_courtesy(sentence: str) -> bool:
    """Return true where a sentence thanks, greets, apologises or offers more help."""
    return cues.COURTESY.holds(sentence)
