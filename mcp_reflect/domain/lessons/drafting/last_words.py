"""The last statements of an agent in a run: what explains what it did, or says how cases of a kind are dealt with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcp_reflect.domain.lessons.run.call_text import CALL_CHARS
from mcp_reflect.domain.lessons.run.case_data import case_data, holds_for_case, without_ids
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences.candidates import AGENT
from mcp_reflect.domain.lessons.sentences.chatter import is_chatter, is_clause, is_request, without_interjection
from mcp_reflect.domain.lessons.sentences.self_contained import points_back
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, term_weights
from mcp_reflect.domain.lessons.sentences.wording import (
    is_courtesy,
    is_record,
    states_policy,
    states_rule,
    wording_factor,
)
from mcp_reflect.domain.trajectory.parsing import Trajectory

MOST_TURNS = 400
"""The last turns of a run that are read: a run is decided at its end."""
ANSWER_WORDS = frozenset(map(stem, ("answer", "final", "finally", "hence", "question", "therefore", "thus")))
_STATEMENT = 0.6
"""Factor of wording from which a sentence states something, and neither asks nor announces."""

_TELLING = 3
"""New words from which a report tells more than that something was done."""


def last_statement(trajectory: Trajectory, *kinds: Callable[[str], bool], or_any: bool = True) -> str:
    """Return the agent's last sentences of the first kind that it said any of.

    Without such a sentence its last words but courtesies are returned where `or_any` is true, else nothing.
    """
    turns = [list(split_sentences(said.text)) for said in find_said(trajectory) if said.role == AGENT]
    for is_fit in (*kinds, bool) if or_any else kinds:
        for sentences in reversed(turns[-MOST_TURNS:]):
            told = [each for each in sentences if not is_courtesy(without_interjection(each)) and is_fit(each)]
            if told:
                return _as_fit([each for each in told if not is_record(each)] or (told if or_any else []))
    return ""


def _as_fit(sentences: Sequence[str]) -> str:
    """Return the sentences with the strongest wording, the later of two, as many as fit in CALL_CHARS; one at least."""
    told = [without_interjection(each) for each in sentences]
    ranked = sorted(range(len(told)), key=lambda place: (wording_factor(sentences[place]), place), reverse=True)
    kept: list[int] = []
    for place in ranked:
        if not kept or sum(len(told[each]) + 1 for each in kept) + len(told[place]) <= CALL_CHARS:
            kept.append(place)
    return " ".join(told[place] for place in sorted(kept))


def is_reason(sentence: str) -> bool:
    return states_rule(sentence) and is_statement(sentence)


def is_statement(sentence: str) -> bool:
    return _stands_alone(sentence) and wording_factor(sentence) >= _STATEMENT


def _stands_alone(sentence: str) -> bool:
    told = without_interjection(sentence)
    empty = is_record(sentence) or is_request(sentence) or is_chatter(told) or told.endswith("?")
    return not empty and is_clause(sentence) and not points_back(told)


def last_conclusion(trajectory: Trajectory, acted: str) -> str:
    """Return the agent's last statements that name something which `acted` does not; empty without any."""
    return last_statement(trajectory, lambda each: is_statement(each) and names_more(each, acted), or_any=False)


def last_policy(trajectory: Trajectory, steps: Sequence[Step], acted: str = "") -> str:
    """Return the agent's last statements of how such cases are dealt with, without the case's ids; empty without any.

    They hold for other cases too, and name something that `acted` does not. Those in which the agent speaks of what it
    can do itself are taken where there are no others.
    """
    data = case_data(steps)

    def is_policy(sentence: str) -> bool:
        told = without_interjection(sentence)
        holds = states_policy(told) and _stands_alone(told) and not holds_for_case(told, data)
        return holds and names_more(told, acted)

    said = last_statement(trajectory, lambda each: is_policy(each) and is_statement(each), is_policy, or_any=False)
    return without_ids(said, data)


def report_of(step: Step, trajectory: Trajectory, steps: Sequence[Step], known: str) -> str:
    """Return what the agent reported first once it had done a step, without the case's ids; empty without any.

    It says what the step was for, where the call is the same in other cases, in words that are not `known`.
    """
    data = case_data(steps)
    place = steps_before(trajectory, steps) + next(number for number, each in enumerate(steps) if each is step)
    said = next((each.text for each in find_said(trajectory) if each.role == AGENT and each.place > place), "")
    for sentence in map(without_interjection, split_sentences(said)):
        new = term_weights(without_ids(sentence, data)).keys() - term_weights(known).keys()
        if _stands_alone(sentence) and len(new) >= _TELLING and not holds_for_case(sentence, data):
            return without_ids(sentence, data)
    return ""


def names_more(said: str, did: str) -> bool:
    """Return true where the words of a run name something that its calls do not, other than that it is the answer."""
    return bool(term_weights(said).keys() - term_weights(did).keys() - ANSWER_WORDS)
