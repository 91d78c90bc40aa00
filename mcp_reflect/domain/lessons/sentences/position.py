"""What the place of a turn says of its sentences: whether it was corrected, rejected or confirmed, or sums up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import cues, responses
from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Turn
from mcp_reflect.domain.lessons.sentences.speaker import is_case_of_speaker
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.wording import thinks_better

_TASK_FACTOR = 0.5
"""Of the first turn: it is the task, which stands beside the lesson anyway."""
_USER_FACTOR = 1.15
_CORRECTION_FACTOR = 1.5
_REJECTED_FACTOR = 0.2
_REVERSED_FACTOR = 0.15
"""Of what was said before the user thought better of it."""
_CONFIRMED_FACTOR = 1.25
_UNDERSTOOD_FACTOR = 1.1
"""Of the agent's answer to a correction, which repeats it as it was understood."""
_LAST_FACTOR = 1.7
_RECAP_FACTOR = 1.5
_REFUTED_FACTOR = 0.2
"""Of what the agent said before the same command failed in the same way again."""

_NO = re.compile(
    r"\W*(?:not(?! (?:bad|sure|yet|only|exactly|a problem))"
    r"|no|nope|nein|non|nej|nee|não|нет)\b(?!\.?\s*\d|-|\s+(?:problem|worries|idea|need)\b)"
    r"|\W*(?:(?:oh|please),? )*(?:don['’]?t|do not|stop)(?:,? please)?\s*(?:[.!]|$)",
    re.IGNORECASE,
)

_OF_RULES = re.compile(
    r"§|\bKB[- ]?\d|\b(?:polic(?:y|ies)|rules?|wiki|handbook|manual|templates?|agreements?|guidelines?"
    r"|contracts?|clauses?|terms"
    r"|valid|in force|appl(?:y|ies)|(?:do|does|is) (?:this|that|it) (?:still )?(?:hold|right|correct|current|true)"
    r"|richtlinie|regel|handbuch|vorlage|vertrag|gilt|règle|politique|contrat|regla|política|regra|regola)\b",
    re.IGNORECASE,
)
"""Words of a question about what holds."""
_CONFIRMED_WITHIN = 2
"""Sentences at the beginning of a turn one of which says yes."""
_SAYS_WHAT = re.compile(
    r"\b(?:is|are|counts?|means?|holds?|appl(?:y|ies)|stays?|our|always|never|only|per|once|at (?:most|least)"
    r"|from now on|keep|ist|sind|gilt|zählt|zählen|bleibt|est|sont|compte|vaut|es|son|vale|cuenta|são|conta"
    r"|è|sono)\b.{0,80}\w{3}",
    re.IGNORECASE | re.DOTALL,
)
"""What a user says of a rule, and not only that they agree."""


def position_factor(turns: Sequence[Turn], number: int) -> float:
    """Return the factor of a turn by its role and its neighbours."""
    turn = turns[number]
    factor = _user_factor(turn, number) if turn.role == USER else _agent_factor(turns, number)
    return factor * _REVERSED_FACTOR if _is_reversed(turns, number) else factor


def closing_factor(turns: Sequence[Turn], number: int) -> float:
    """Return the factor of a rule in a turn by its place: what stands last or sums up is what was settled."""
    factor = _LAST_FACTOR if number and number == len(turns) - 1 else 1.0
    return factor * _RECAP_FACTOR if number > 1 and cues.RECAP.match(turns[number].text) else factor


def _user_factor(turn: Turn, number: int) -> float:
    if number == 0:
        return _TASK_FACTOR
    return _CORRECTION_FACTOR if _is_correction(turn) else _USER_FACTOR


def _is_reversed(turns: Sequence[Turn], number: int) -> bool:
    """Return true for what a user said before they thought better of it, and for what the agent said to that."""
    if number == 0:
        return False
    replies = [later for later in turns[number + 1 :] if later.role == USER][:1]
    if not replies:
        return False
    return responses.SECOND_THOUGHT.match(replies[0].text) or any(
        map(thinks_better, split_sentences(replies[0].text, 1))
    )


def _is_correction(turn: Turn) -> bool:
    """Return true where the user corrects what was before, as the run that follows or their first words show."""
    if turn.role != USER:
        return False
    corrects = turn.corrects and not responses.CONFIRMATION.match(turn.text)
    return corrects or responses.CORRECTION.match(turn.text) or is_objection(turn.text)


def _agent_factor(turns: Sequence[Turn], number: int) -> float:
    factor = _REFUTED_FACTOR if turns[number].refuted else 1.0
    reply = next((later for later in turns[number + 1 :] if later.role == USER), None)
    if reply is not None and _is_correction(reply):
        factor *= _REJECTED_FACTOR
    elif reply is not None and responses.CONFIRMATION.match(reply.text):
        factor *= _CONFIRMED_FACTOR
    before = turns[number - 1] if number else None
    if before is not None and _is_correction(before):
        factor *= _UNDERSTOOD_FACTOR
    return factor


def is_objection(said: str) -> bool:
    """Return true where somebody begins with a no."""
    return _NO.match(said) is not None


def says_what_holds(turns: Sequence[Turn], number: int) -> bool:
    """Return true where a user says whether what the agent found or took for a rule is one.

    They answer what it asked about the rule with a yes or a no, or confirm it unasked and say what it is.
    """
    turn, before = turns[number], turns[number - 1] if number else None
    if turn.role != USER or before is None:
        return False
    if before.role == AGENT and before.text.rstrip().endswith("?"):
        return answers_about_rule(turns, number)
    confirms = any(map(responses.CONFIRMATION.match, islice(split_sentences(turn.text, 1), _CONFIRMED_WITHIN)))
    return confirms and _SAYS_WHAT.search(turn.text) is not None


def answers_about_rule(turns: Sequence[Turn], number: int) -> bool:
    """Return true where a user answers what the agent asked about a rule that it had found, with a yes or a no."""
    turn, before = turns[number], turns[number - 1] if number else None
    if turn.role != USER or before is None or before.role != AGENT or not before.text.rstrip().endswith("?"):
        return False
    answers = responses.CONFIRMATION.match(turn.text) or is_objection(turn.text)
    return bool(answers and _OF_RULES.search(before.text))


def is_own_case(turns: Sequence[Turn]) -> bool:
    """Return true where the user of a run that serves one case is the one whose case it is.

    Who is asked what holds in the house is none.
    """
    said = (turn.text for turn in turns if turn.role == USER)
    return is_case_of_speaker(said) and not any(answers_about_rule(turns, number) for number in range(len(turns)))


def speaks_up(turns: Sequence[Turn], number: int) -> bool:
    """Return true where a user speaks after a report or an act of the agent, unasked or with a no, and it then acts."""
    turn, before = turns[number], turns[number - 1] if number else None
    if turn.role != USER or before is None or not (before.role == AGENT or turn.acted):
        return False
    if before.role == AGENT and before.text.rstrip().endswith("?") and not is_objection(turn.text):
        return False
    return any(each.acted for each in turns[number + 1 :])
