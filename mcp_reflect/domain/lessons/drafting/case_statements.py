"""The sentences of a run that served one case: what holds for others too, or corrects how it was dealt with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.drafting.headline import RULING_CHARS
from mcp_reflect.domain.lessons.drafting.last_words import names_more
from mcp_reflect.domain.lessons.failures.course_changes import names_in
from mcp_reflect.domain.lessons.run.case_data import (
    case_data,
    holds_for_case,
    identifies_case,
    may_identify,
    without_ids,
)
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.candidates import USER, Candidate, Turn
from mcp_reflect.domain.lessons.sentences.chatter import is_request
from mcp_reflect.domain.lessons.sentences.position import is_objection, is_own_case, says_what_holds, speaks_up
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.lessons.sentences.speaker import rules_for_all, rules_for_good
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words, term_weights
from mcp_reflect.domain.lessons.sentences.wording import is_record, rules_out
from mcp_reflect.domain.trajectory.tools import argument_values

_NAMED_FACTOR = 0.5
"""Of a rule that names the one case it was applied to by an id: what says it for all cases goes before."""
_NAMES_CODE = re.compile(r"`[^`\n]{2,60}`|\b[a-z_]+=\S")
"""A name or a setting in a sentence: of work on data that says how it is done."""
_DIGIT = re.compile(r"\d")
_WORDS_OF_RULE = 8
"""Words from which a sentence with a colon is more than a value with its name."""


def select_of_case(
    candidates: Sequence[Candidate],
    turns: Sequence[Turn],
    steps: Sequence[Step],
    task: str,
    acted: str,
    room: int,
    *,
    served: bool,
) -> list[Candidate]:
    """Return the sentences that say most in `room` characters beside the task and what was done (`acted`).

    They are rules, what names nothing of the case, and what users say to correct how the agent dealt with the case of
    somebody else. `served` says that there was a conversation; where it was with the one whose case it is, they rule
    nothing.
    """
    data = case_data(steps)
    own_case = served and is_own_case(turns)
    ruled = {each.turn for each in candidates if each.is_rule}
    steered = {} if own_case and not any(step.failed for step in steps) else _find_steered(turns, steps)
    ruling = (number for number in range(len(turns)) if not own_case and _is_correction(turns, number, ruled))
    corrections = sorted({*steered, *ruling})
    answers = [number for number in corrections if says_what_holds(turns, number)]
    lasting = [each for each in corrections if is_objection(turns[each].text) and rules_for_good(turns[each].text)]
    denied = {number - 1 for number in corrections if is_objection(turns[number].text)}
    kept = [
        each if each.turn in corrections else _without_case(each, data, served=served)
        for each in candidates
        if (
            not identifies_case(each.text, data)
            if each.turn in lasting
            else _corrects_handling(
                each, data, is_answer=each.turn in answers, names=steered.get(each.turn, frozenset())
            )
            if each.turn in corrections and not _may_name_somebody(each, turns, data, served=served)
            else each.turn not in denied and _outlives_case(each, data, served=served) and names_more(each.text, acted)
        )
    ]
    told = select_sentences(kept, f"{task}\n{acted}", room, data)
    return _with_whole_turns(told, [each for each in kept if each.turn in corrections])


def _is_correction(turns: Sequence[Turn], number: int, ruled: Collection[int]) -> bool:
    """Return true for a turn in which the user rules how a case is dealt with, unasked or asked, or objects."""
    turn = turns[number]
    if speaks_up(turns, number):
        return number in ruled or turn.corrects or is_objection(turn.text)
    acts_on = any(each.acted for each in turns[number + 1 :])
    return turn.role == USER and number > 0 and number in ruled and (acts_on or says_what_holds(turns, number))


def _find_steered(turns: Sequence[Turn], steps: Sequence[Step]) -> dict[int, frozenset[str]]:
    """Return the turns in which the user named, unasked, what the run then took, with these names.

    Nobody had named it before them, and having no digits it is no id of a case: a script, a tool, a way to call it.
    """
    used = {value for step in steps for value in argument_values(step.arguments)}
    found = {}
    for number, turn in enumerate(turns):
        if turn.role == USER and speaks_up(turns, number):
            named = (name for name in map(_bare, names_in(turn.text)) if name in used)
            new = frozenset(name for name in named if not any(name in each.text for each in turns[:number]))
            if new and not any(map(_DIGIT.search, new)):
                found[number] = new
    return found


def _bare(name: str) -> str:
    return name.strip("'\"`")


def _may_name_somebody(sentence: Candidate, turns: Sequence[Turn], data: frozenset[str], *, served: bool) -> bool:
    """Return true for a rule for good, or one in an answer, which may name somebody: it says where something goes."""
    is_told = rules_for_good(sentence.text) or not speaks_up(turns, sentence.turn)
    return is_told and _outlives_case(sentence, data, served=served)


def _with_whole_turns(told: Sequence[Candidate], corrections: Sequence[Candidate]) -> list[Candidate]:
    """The sentences with what users said to correct how a case was dealt with, each short turn of theirs whole.

    One half of a correction is hardly understood without the other.
    """
    turns = [[each for each in corrections if each.turn == turn] for turn in {each.turn for each in corrections}]
    short = [turn for turn in turns if sum(len(each.text) for each in turn) <= RULING_CHARS]
    return sorted({each.place: each for each in chain(told, *short)}.values(), key=lambda each: each.place)


def _corrects_handling(
    sentence: Candidate, data: frozenset[str], *, is_answer: bool, names: Collection[str] = ()
) -> bool:
    """Return true for what a user says of how a case is to be dealt with, and not only that something is to be done.

    A sum in what they say of a rule is none of the case. What holds one of the `names` says how.
    """
    if any(name in sentence.text for name in names):
        return True
    is_value = is_record(sentence.text) and count_words(sentence.text) < _WORDS_OF_RULE
    if sentence.text.endswith("?") or may_identify(sentence.text):
        return False
    if not is_answer and (is_value or holds_for_case(sentence.text, data)):
        return False
    return sentence.role == USER and not (is_request(sentence.text) and not sentence.is_rule)


def _outlives_case(sentence: Candidate, data: frozenset[str], *, served: bool) -> bool:
    """Return true where a sentence of a run that served one case may hold for others: a rule, or none of its data.

    Where a customer was `served`, it is a rule that names neither a day nor somebody; what they say of themselves or of
    their case is none.
    """
    ruled_out = sentence.role == USER and sentence.is_rule and rules_out(sentence.text)
    if is_record(sentence.text) or (is_request(sentence.text) and not ruled_out):
        return False
    if served:
        of_customer = sentence.role == USER and not rules_for_all(sentence.text)
        return sentence.is_rule and not (of_customer or holds_for_case(sentence.text, data))
    names_code = _NAMES_CODE.search(sentence.text) is not None
    return sentence.is_rule or names_code or not term_weights(sentence.text).keys() & data


def _without_case(sentence: Candidate, data: frozenset[str], *, served: bool) -> Candidate:
    """The sentence with less evidence where it names the case by an id, which a customer's rule is told without."""
    if not identifies_case(sentence.text, data):
        return sentence
    text = without_ids(sentence.text, data) if served else sentence.text
    return replace(sentence, text=text, evidence=_NAMED_FACTOR * sentence.evidence)
