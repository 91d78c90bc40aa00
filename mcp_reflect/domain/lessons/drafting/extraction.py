"""A lesson from a reviewed run, without a model: what is quoted is the run's own words, commands and values.

Nothing is concluded here. A draft is empty where the run holds nothing that its task does not say already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mcp_reflect.domain.lessons.drafting.mistakes import (
    REPAIRS,
    find_lookups,
    find_mistake,
    find_refusals,
    is_policy,
    is_statement,
    last_error,
    last_statement,
    names_more,
    serves_customer,
    telling_feedback,
)
from mcp_reflect.domain.lessons.drafting.turns import said_turns
from mcp_reflect.domain.lessons.failures.refuted import refuted_places
from mcp_reflect.domain.lessons.failures.repairs import Repair, describe_change, find_repairs
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.failures.wording import (
    describe_customer_repair,
    describe_edit,
    describe_further_failure,
    describe_repair,
    describe_step,
    is_lookup,
    is_search,
    is_telling,
)
from mcp_reflect.domain.lessons.run.call_text import CALL_CHARS, describe_call_form, describe_case_call
from mcp_reflect.domain.lessons.run.case_data import case_data, dates_case, identifies_case, serves_one_case
from mcp_reflect.domain.lessons.run.command_lines import repeats
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import Step, find_steps, steps_before, user_places
from mcp_reflect.domain.lessons.sentences.chatter import is_request
from mcp_reflect.domain.lessons.sentences.evidence import (
    USER,
    Candidate,
    Turn,
    find_candidates,
    is_record,
    wording_factor,
)
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

LESSON_CHARS = 1_200
"""Budget of a whole lesson, the reviewer's words aside. Up to 1,400 a longer one says more of a conversation's decision
(`python -m benchmarks.lessons --only decisions`), beyond that it only takes tokens."""

_REFERENCE_CHARS = 400
MOST_STEPS = 600
"""The last steps of a run that are read: comparing them takes time, and a run is decided at its end."""
_COMMANDS = 4
_SEARCHES = 3
_NAMED_FACTOR = 0.5
"""Of a rule that names the one case it was applied to by an id: what says it for all cases goes before."""
_ONLY_NAMED = re.compile(r"`[\w.:-]+`(?:; `[\w.:-]+`)*")
"""Calls of which nothing but the name is told: alone they say nothing of how such a case is dealt with."""
_SMALL_CHANGE = 2
"""Most edits beside the repairs of a run that are told: of many, none says what made the difference."""
_LEAST_SENTENCES = 250
"""Characters that sentences get at least, however much there is to say of commands."""

_HEADLINE_WEIGHT = 8.0
"""Weight of the words of a sentence from which it sums a run up by itself."""
_STATED = 1.3
"""Evidence from which what a user says in a failed run is a statement about more than that run."""


def extract_lesson(run: ReviewedRun) -> ReflectionDraft:
    """Return the lesson of a reviewed run within LESSON_CHARS; an empty draft where there is nothing to learn from it.

    Of a passed run: each failed → worked pair, the commands and calls that worked, verbatim, and the decisions, rules
    and conclusions of the conversation. Of a failed one: what the reviewer or the last error says went wrong, what was
    tried, and what the user stated. The reviewer's feedback is kept verbatim.
    """
    trajectory = run.trajectory
    steps = find_steps(trajectory)[-MOST_STEPS:]
    passed = run.review.result == "pass"
    rework = Rework(steps, user_places(trajectory), steps_before(trajectory, steps))
    repairs = list(map(rework.as_accepted, find_repairs(steps)))
    served = serves_customer(trajectory, steps)
    actions = list(_actions(steps, repairs, rework, passed=passed, served=served))
    mistake = "" if passed else find_mistake(run, trajectory, steps)
    found = list(find_lookups(repairs, mistake)) if not passed else []
    refused = list(find_refusals(steps, repairs, mistake))
    room = max(LESSON_CHARS - sum(map(len, (*actions, *found, *refused))), _LEAST_SENTENCES)
    refuted = refuted_places(trajectory, steps, repairs)
    turns = said_turns(trajectory, run.trace.final_response, refuted, rework.corrections)
    told = _select(run, turns, steps, room, "\n".join(actions), passed=passed)
    feedback = telling_feedback(run)
    guidance = [f"Reviewer: {feedback}"] if passed and feedback else []
    if not passed and feedback and (error := last_error(run, steps)) not in mistake:
        guidance.append(f"The run ended in an error: {error}")
    guidance += [*found, *(each.text for each in told)]
    if not (actions or guidance or mistake or run.trace.reference_context.strip()):
        return ReflectionDraft()
    if passed and actions and not told and serves_one_case(steps):  # what led to the answer stands for the rules
        kind = is_policy if served else is_statement
        acted = "\n".join(actions)
        reason = last_statement(trajectory, lambda each: kind(each) and names_more(each, acted), or_any=False)
        guidance += filter(None, [truncate_line(reason, CALL_CHARS)])
    if served and not (mistake or guidance) and all(map(_ONLY_NAMED.fullmatch, actions)):
        return ReflectionDraft()
    guidance += refused  # beside what was learned; alone they only say that something failed
    if not passed and not mistake:  # that a call worked in the end is not why the run failed
        actions, guidance = [], [*actions, *guidance]
    summary, guidance = _headline(told, guidance, one_case=serves_one_case(steps))
    reference = run.trace.reference_context.strip()
    if reference:
        actions.append(f"Reference: {' '.join(reference.split())[:_REFERENCE_CHARS]}")
    return ReflectionDraft(
        summary=summary,
        key_mistake=mistake,
        correct_action="\n".join(actions),
        guidance="\n".join(guidance),
    )


def _headline(told: Sequence[Candidate], guidance: list[str], *, one_case: bool) -> tuple[str, list[str]]:
    """The sentence with the most evidence as the summary, and the rest; of a single case only a rule sums up."""
    leant_on = {each.behind for each in told[2:]}  # taken to the front it would leave them without what they need
    fit = [
        each for each in told if (each.is_rule or not one_case) and each.behind is None and each.place not in leant_on
    ]
    if len(told) < 2 or not fit:  # noqa: PLR2004 - a single sentence is the guidance
        return "", guidance
    first = max(fit, key=_worth_as_headline)
    return first.text, [text for text in guidance if text != first.text]


def _worth_as_headline(sentence: Candidate) -> float:
    """Evidence, as far as the sentence says something by itself: its words weigh enough and it does not point back."""
    full = min(sum(term_weights(sentence.text).values()) / _HEADLINE_WEIGHT, 1.0)
    return sentence.evidence * full * min(wording_factor(sentence.text), 1.0)


def _select(
    run: ReviewedRun, turns: Sequence[Turn], steps: Sequence[Step], room: int, acted: str, *, passed: bool
) -> list[Candidate]:
    """The sentences of a run that say most beside its task; of one case, also beside what was done (`acted`)."""
    if run.trajectory.messages is None and steps:
        turns = turns[1:]  # a log of commands is told by its steps
    one_case = serves_one_case(steps)
    candidates = list(find_candidates(turns, one_case=one_case))
    if not passed:  # what the agent concluded in a run that failed is no lesson; what the user said still holds
        candidates = [each for each in candidates if each.role == USER and each.evidence >= _STATED]
    if not one_case:
        return select_sentences(candidates, run.trace.task, room)
    data = case_data(steps)
    served = serves_customer(run.trajectory, steps)
    candidates = [
        _less_where_it_names(each, data)
        for each in candidates
        if _outlives_case(each, data, served=served) and names_more(each.text, acted)
    ]
    return select_sentences(candidates, f"{run.trace.task}\n{acted}", room, data)


def _outlives_case(sentence: Candidate, data: frozenset[str], *, served: bool) -> bool:
    """Return true where a sentence of a run that served one case may hold for others: a rule, or none of its data.

    Where a customer was `served`, it is a rule that names no day.
    """
    if is_record(sentence.text) or is_request(sentence.text):
        return False
    if served:
        return sentence.is_rule and not dates_case(sentence.text)
    return sentence.is_rule or not term_weights(sentence.text).keys() & data


def _less_where_it_names(sentence: Candidate, data: frozenset[str]) -> Candidate:
    named = identifies_case(sentence.text, data)
    return replace(sentence, evidence=_NAMED_FACTOR * sentence.evidence) if named else sentence


def _actions(
    steps: Sequence[Step], repairs: Sequence[Repair], rework: Rework, *, passed: bool, served: bool
) -> Iterator[str]:
    """Lines on what failed and then worked, and on what worked at once."""
    shown = [each for each in repairs if passed or not is_lookup(each.worked)][-REPAIRS:]
    yield from dict.fromkeys(_described(shown, describe_customer_repair if served else describe_repair))
    named = {id(step) for repair in shown for step in (repair.worked, *repair.commands)}
    subjects = {repair.worked.subject for repair in shown}
    if not passed:
        return
    vain = {number for repair in shown for number in range(repair.tries[0], repair.tries[-1] + 1)}
    worked = [
        step
        for number, step in enumerate(steps)
        if step.failed is not True
        and is_telling(step)
        and id(step) not in named
        and not any(repeats(subject, step.subject) for subject in subjects)
        and number not in vain
        and not rework.is_replaced(step)
    ]
    edits = _other_edits(steps, shown)
    if edits:
        yield "; ".join(map(describe_edit, edits))
    describe = describe_call_form if served else describe_case_call if serves_one_case(steps) else describe_step
    lines = list(dict.fromkeys(describe(step) for step in reversed(worked)))[: _COMMANDS - min(len(shown), 2)]
    if lines:
        yield "; ".join(reversed(lines)) + _way_of([step for step in steps if id(step) not in named], worked)


def _described(repairs: Sequence[Repair], describe: Callable[[Repair], str]) -> Iterator[str]:
    """A line for each step that worked after a failure; commands that it mended at once share one."""
    lines: dict[int, str] = {}
    for repair in repairs:
        key = id(repair.worked)
        if key not in lines:
            lines[key] = describe(repair)
        elif repair.worked.kind == "command":
            lines[key] = ". ".join(filter(None, (lines[key], describe_further_failure(repair))))
    yield from lines.values()


def _other_edits(steps: Sequence[Step], repairs: Sequence[Repair]) -> list[Step]:
    """Return what a run changed in files beside its repairs, as it ended; nothing where that is no small change."""
    told = {step.subject for repair in repairs for step in repair.edits}
    edits = NetChanges(steps).of([step for step in steps if step.kind == "edit" and not step.failed])
    left = [step for step in edits if step.subject not in told and describe_change(step, CALL_CHARS)]
    return left if len(left) <= _SMALL_CHANGE else []


def _way_of(steps: Sequence[Step], worked: Sequence[Step]) -> str:
    """The searches that led to what a run did, where it did one thing only, such as giving an answer."""
    asked = [step for step in steps if step.failed is False and is_search(step)]
    if len(worked) != 1 or not asked:
        return ""
    return f" after {', '.join(dict.fromkeys(describe_step(step) for step in asked[-_SEARCHES:]))}"
