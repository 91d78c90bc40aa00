"""The sentences of a run that its lesson tells."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.drafting.case_statements import select_of_case
from mcp_reflect.domain.lessons.drafting.headline import RULING_CHARS
from mcp_reflect.domain.lessons.drafting.last_words import names_more
from mcp_reflect.domain.lessons.drafting.mistakes import serves_customer
from mcp_reflect.domain.lessons.run.case_data import (
    serves_one_case,
)
from mcp_reflect.domain.lessons.run.lookups import is_research
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Candidate, Turn
from mcp_reflect.domain.lessons.sentences.evidence import find_candidates, reports_state
from mcp_reflect.domain.lessons.sentences.position import is_objection
from mcp_reflect.domain.lessons.sentences.reports import is_bare_report
from mcp_reflect.domain.lessons.sentences.responses import ADMISSION
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.lessons.sentences.speaker import (
    gives_own_data,
    speaks_of_oneself,
)
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words, names_something, term_weights
from mcp_reflect.domain.trajectory.report import read_report
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.trajectory.transcripts.reading import looks_recorded

_LEAST_EVIDENCE = 0.25
"""Evidence below which a sentence is an opinion, a guess or a plan, however much it says."""
_NAMING = 0.5
_REPORT = re.compile(
    r"\W*(?:all )?(?:done|fixed|renamed|updated|added|removed|changed|replaced|created|written|moved|corrected)\b",
    re.IGNORECASE,
)
_FEW_NEW = 4
"""Words that the task lacks up to which a report of what was done says no more than it."""
_LEAST_WORDS, _WORDS_OF_RULING = 4, 6
_OF_SPEAKER = re.compile(
    r"\W*(?:(?:no|nope|yes|ok(?:ay)?|well|hm+)\W+)?(?:I|we|it|they|that|this|please|can you|could you)\b", re.IGNORECASE
)
"""How a sentence begins that tells of somebody, or points at what was said."""
_STATED = 1.3
"""Evidence from which what a user says in a failed run is a statement about more than that run."""


def select_told(
    run: ReviewedRun, turns: Sequence[Turn], steps: Sequence[Step], room: int, acted: str, *, passed: bool
) -> list[Candidate]:
    """Return the sentences of a run that say most in `room` characters beside its task.

    Of a run that served one case, also beside `acted`, which tells what was done. Of a failed run they are the user's
    statements, and what they say of the work and name something by: what the agent concluded is no lesson, but what it
    admits in the end to have done wrong is. A report of how things stand now is none either, where the run did
    something.
    """
    if run.trajectory.messages is None and not read_report(run.trajectory):
        # a log of commands is told by its steps, and of a record that nobody reads only the final response is
        turns = turns[1:] if steps or looks_recorded(run.trajectory.text) else turns
    one_case = serves_one_case(steps) and not is_research(steps)
    candidates = [
        each
        for each in find_candidates(turns, one_case=one_case)
        if not (each.role == USER and gives_own_data(each.text))
    ]
    spoken = candidates
    worked = bool(steps) and not one_case
    if not passed:
        ruling = {
            number for number, turn in enumerate(turns) if number and turn.role == USER and is_objection(turn.text)
        }
        candidates = [
            each
            for each in candidates
            if (each.role == USER and (_states_more(each) or (worked and _corrects_by_name(each))))
            or (each.turn in ruling and _rules(each))
            or (worked and each.turn == len(turns) - 1 and ADMISSION.search(each.text))
        ]
    task = run.trace.task
    if not one_case:
        told = [
            each
            for each in candidates
            if names_more(each.text, task) and not (steps and (reports_state(each) or _only_reports(each, task)))
        ]
        chosen = select_sentences(told, task, room, least_evidence=_LEAST_EVIDENCE)
        if worked and acted and not is_research(steps):  # what was looked up is the answer, however short
            last = max((number for number, turn in enumerate(turns) if turn.role == AGENT), default=0)
            chosen = _without_reports(chosen, task, last)
        return _with_same_turn(chosen, spoken, task)
    served = serves_customer(run.trajectory, steps)
    return select_of_case(candidates, turns, steps, task, acted, room, served=served)


def _with_same_turn(told: Sequence[Candidate], spoken: Sequence[Candidate], task: str) -> list[Candidate]:
    """The sentences with the short ones beside them in a turn of the user that corrected the run: they go together.

    They are about the task or what is told.
    """
    turns = {each.turn for each in told if each.role == USER and each.turn > 0}
    known = term_weights("\n".join((task, *(each.text for each in told)))).keys()
    places = {each.place for each in told}
    room = RULING_CHARS
    beside: list[Candidate] = []
    for each in spoken:
        if each.turn in turns and each.place not in places and _goes_with_ruling(each, known):
            if len(each.text) > room:
                break
            room -= len(each.text)
            beside.append(each)
    return sorted((*told, *beside), key=lambda each: each.place)


def _goes_with_ruling(sentence: Candidate, known: AbstractSet[str]) -> bool:
    if sentence.role != USER or sentence.text.endswith("?") or count_words(sentence.text) < _LEAST_WORDS:
        return False
    return not _OF_SPEAKER.match(sentence.text) and not known.isdisjoint(term_weights(sentence.text))


def _without_reports(told: Sequence[Candidate], task: str, last: int) -> list[Candidate]:
    """The sentences but those in which the agent only says in the end how things stand, and on which no other hangs.

    They are left out once all are chosen: in their room stands nothing that says still less.
    """
    leant_on = {each.behind for each in told}
    return [
        each
        for each in told
        if each.role == USER or each.turn != last or each.place in leant_on or not is_bare_report(each.text, task)
    ]


def _only_reports(sentence: Candidate, task: str) -> bool:
    """Return true for an agent's report that what the task asks for was done, with next to nothing beside that."""
    if sentence.role == USER or sentence.is_rule or not _REPORT.match(sentence.text):
        return False
    return len(term_weights(sentence.text).keys() - term_weights(task).keys()) <= _FEW_NEW


def _states_more(sentence: Candidate) -> bool:
    """Return true for a statement about more than the run, and not about who says it."""
    return sentence.evidence >= _STATED and not speaks_of_oneself(sentence.text)


def _rules(sentence: Candidate) -> bool:
    """Return true for what a user rules where they object to what was done or is about to be, whatever its words."""
    if sentence.is_rule:
        return True
    is_short = count_words(sentence.text) < _WORDS_OF_RULING
    return not (is_short or sentence.text.endswith("?") or speaks_of_oneself(sentence.text))


def _corrects_by_name(sentence: Candidate) -> bool:
    """Return true for what a user said of the work that was done, where it names a command, a file or a value."""
    return sentence.turn > 0 and sentence.evidence >= _NAMING and names_something(sentence.text)
