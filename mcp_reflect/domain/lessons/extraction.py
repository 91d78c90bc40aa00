"""A lesson from a reviewed run, without a model: what is quoted is the run's own words, commands and values.

Nothing is concluded here. A draft is empty where the run holds nothing that its task does not say already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from mcp_reflect.domain.lessons.call_text import CALL_CHARS, describe_call_form, describe_two_calls
from mcp_reflect.domain.lessons.case_data import case_data, serves_one_case
from mcp_reflect.domain.lessons.evidence import (
    AGENT,
    USER,
    Candidate,
    Turn,
    find_candidates,
    is_courtesy,
    is_record,
    states_rule,
    wording_factor,
)
from mcp_reflect.domain.lessons.failure_text import ERROR_CHARS, decisive_error, failure_text, short_error
from mcp_reflect.domain.lessons.repairs import Repair, find_repairs, is_inspection
from mcp_reflect.domain.lessons.sameness import EXPLAINED
from mcp_reflect.domain.lessons.selection import select_sentences
from mcp_reflect.domain.lessons.sentences import split_sentences
from mcp_reflect.domain.lessons.steps import Step, find_said, find_steps
from mcp_reflect.domain.lessons.vocabulary import stem, term_weights
from mcp_reflect.domain.lessons.wording import (
    describe_repair,
    describe_step,
    is_lookup,
    is_search,
    is_telling,
    says_more,
)
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

LESSON_CHARS = 1_200
"""Budget of a whole lesson, the reviewer's words aside. Up to 1,400 a longer one says more of a conversation's decision
(`python -m benchmarks.lessons --only decisions`), beyond that it only takes tokens."""

_FEEDBACK_CHARS = 1_000
_REFERENCE_CHARS = 400
MOST_STEPS = 600
_MOST_TURNS = 400
"""The last steps and turns of a run that are read: comparing them takes time, and a run is decided at its end."""
_REPAIRS = 3
_COMMANDS = 4
_TRIED = 3
_REFUSALS = 2
_SEARCHES = 3
_LEAST_SENTENCES = 250
"""Characters that sentences get at least, however much there is to say of commands."""

_VERDICT_WORD = (
    r"(?:reward|score|result|verdict|outcome|status|grade|rating|success|correct|incorrect|passed|pass|failed|fail"
    r"|failure|true|false|ok)"
)
_BARE_VERDICT = re.compile(
    rf"(?=.*\b{_VERDICT_WORD}\b|[\W\d]*\Z)(?:\b(?:{_VERDICT_WORD}|is|was|the|run|task)\b|[-+]?\d+(?:\.\d+)?%?|[\s:=/.,;!()-])+",
    re.IGNORECASE | re.DOTALL,
)
_ANSWER_WORDS = frozenset(map(stem, ("answer", "final", "finally", "hence", "question", "therefore", "thus")))
_STATUS_TOKEN = re.compile(r"###\w+###")
_STATEMENT = 0.9
"""Factor of wording from which a sentence states something, and neither asks nor announces."""
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
    repairs = list(find_repairs(steps))
    actions = list(_actions(steps, repairs, passed=passed))
    mistake = "" if passed else _mistake(run, trajectory, steps)
    found = list(_found(repairs, mistake)) if not passed else []
    refused = [line for line in _refusals(steps, repairs) if line not in mistake]
    room = max(LESSON_CHARS - sum(map(len, (*actions, *found, *refused))), _LEAST_SENTENCES)
    turns = said_turns(trajectory, run.trace.final_response, refuted_places(trajectory, steps, repairs))
    told = _select(run, turns, steps, room, "\n".join(actions), passed=passed)
    feedback = _telling_feedback(run)
    guidance = [f"Reviewer: {feedback}"] if passed and feedback else []
    if not passed and feedback and (error := _last_error(run, steps)):
        guidance.append(f"The run ended in an error: {error}")
    guidance += [*found, *(each.text for each in told)]
    if not (actions or guidance or mistake or run.trace.reference_context.strip()):
        return ReflectionDraft()
    if passed and actions and not told and serves_one_case(steps):  # what led to the answer stands for the rules
        guidance += filter(None, [truncate_line(_last_statement(trajectory, _is_statement, or_any=False), CALL_CHARS)])
    guidance += refused  # beside what was learned; alone they only say that something failed
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
    fit = [each for each in told if each.is_rule or not one_case]
    if len(told) < 2 or not fit:  # noqa: PLR2004 - a single sentence is the guidance
        return "", guidance
    first = max(fit, key=lambda each: each.evidence)
    return first.text, [text for text in guidance if text != first.text]


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
    return select_sentences(candidates, f"{run.trace.task}\n{acted}", room, case_data(steps))


def said_turns(trajectory: Trajectory, final_response: str, refuted: Sequence[range] = ()) -> list[Turn]:
    """Return what was said in a run: the first turn and at most 400 of the last, with the final response at the end.

    `refuted` are the places in which the agent's words are.
    """
    turns = [
        Turn(said.role, _STATUS_TOKEN.sub("", said.text), any(said.place in places for places in refuted))
        for said in find_said(trajectory)
    ]
    final = final_response.strip()
    if final and (not turns or turns[-1].text.strip() != final):
        turns.append(Turn(AGENT, final))
    return turns[:1] + turns[1:][-_MOST_TURNS:]


def refuted_places(trajectory: Trajectory, steps: Sequence[Step], repairs: Sequence[Repair]) -> list[range]:
    """Return the places of a run between two failures of one command with one error: what was thought there was wrong.

    `steps` are the last ones of the run. A place is the number of steps before it.
    """
    before = len(trajectory.calls) - len(steps) if trajectory.messages is not None else 0
    return [
        range(before + failed + 1, before + again + 1)
        for repair in repairs
        for failed, again in pairwise(repair.tries)
        if failure_text([steps[failed]]) == failure_text([steps[again]])
    ]


def _mistake(run: ReviewedRun, trajectory: Trajectory, steps: Sequence[Step]) -> str:
    """The reviewer's words; else the error that the run ended in; else the answer or the last action it ended with."""
    told = _telling_feedback(run) or _last_error(run, steps)
    if told:
        return told
    describe = describe_call_form if serves_one_case(steps) else describe_step
    changing = dict.fromkeys(describe(step) for step in steps if step.failed is not True and is_telling(step))
    did = f"did {'; '.join([*changing][-_TRIED:])}" if changing else ""
    said = run.trace.final_response.strip() or _last_statement(trajectory, _is_reason, _is_statement)
    told = truncate_line(said, CALL_CHARS)
    if did:  # a sentence for each: screening may withhold the words, and the calls are left
        return f"Judged a failure after the run {did}{f'{EXPLAINED}{told}' if _names_more(told, did) else ''}"
    return f"Judged a failure after the run said: {told}" if told else ""


def _names_more(said: str, did: str) -> bool:
    """Return true where the words of a run name something that its calls do not, other than that it is the answer."""
    return bool(term_weights(said).keys() - term_weights(did).keys() - _ANSWER_WORDS)


def _telling_feedback(run: ReviewedRun) -> str:
    """The reviewer's words; empty where they only say the verdict again, as `reward 0.0` and `failed` do."""
    feedback = run.review.feedback.strip()[:_FEEDBACK_CHARS]
    return "" if is_bare_verdict(feedback) else feedback


def is_bare_verdict(feedback: str) -> bool:
    """Return true where a reviewer's words hold a verdict or a score, and nothing else."""
    return _BARE_VERDICT.fullmatch(feedback) is not None


def _last_error(run: ReviewedRun, steps: Sequence[Step]) -> str:
    """Return the error that the run ended in, with the call that failed; empty where its last step worked."""
    acted = [step for step in steps if not is_inspection(step)]
    if acted and acted[-1].failed and (error := failure_text([acted[-1]])):
        told = error if acted[-1].kind == "command" else truncate_line(error, ERROR_CHARS)
        return f"{describe_step(acted[-1])} failed: {told}"
    if not steps and run.errors and (error := decisive_error(run.errors[-1:])):
        return short_error(error)
    return ""


def _last_statement(trajectory: Trajectory, *kinds: Callable[[str], bool], or_any: bool = True) -> str:
    """Return the agent's last sentences of the first kind that it said any of.

    Without such a sentence its last words but courtesies are returned where `or_any` is true, else nothing.
    """
    turns = [list(split_sentences(said.text)) for said in find_said(trajectory) if said.role == AGENT]
    for is_fit in (*kinds, bool) if or_any else kinds:
        for sentences in reversed(turns[-_MOST_TURNS:]):
            told = [each for each in sentences if not is_courtesy(each) and is_fit(each)]
            if told:
                return " ".join([each for each in told if not is_record(each)] or (told if or_any else []))
    return ""


def _is_reason(sentence: str) -> bool:
    return states_rule(sentence) and _is_statement(sentence) and not is_record(sentence)


def _is_statement(sentence: str) -> bool:
    return wording_factor(sentence) >= _STATEMENT


def _refusals(steps: Sequence[Step], repairs: Sequence[Repair]) -> Iterator[str]:
    """Calls that failed and were not repeated in a form that worked, with the reason that the tool gave; the last."""
    mended = {repair.failed.tool for repair in repairs}
    refused = {
        short_error(error): step
        for step in steps
        if step.kind == "call" and step.failed and step.tool not in mended and (error := failure_text([step]))
    }
    for error, step in list(refused.items())[-_REFUSALS:]:
        yield f"{describe_step(step)} failed: {error}"


def _found(repairs: Sequence[Repair], mistake: str) -> Iterator[str]:
    """Look-ups that found something, with those that did not, in a run that failed: nobody knows if it was the thing.

    A failure that the mistake tells already is not told again.
    """
    found = {repair.failed.subject: repair for repair in repairs if is_lookup(repair.worked)}
    for repair in list(found.values())[-_REPAIRS:]:
        worked, failed = describe_two_calls(repair.worked, repair.failed)
        if failed in mistake:
            yield f"{worked} found something"
        elif says_more(repair.error, failed):
            yield f"{failed} failed: {short_error(repair.error)}; {worked} found something"
        else:
            yield f"{worked} found something, {failed} did not"


def _actions(steps: Sequence[Step], repairs: Sequence[Repair], *, passed: bool) -> Iterator[str]:
    """Lines on what failed and then worked, and on what worked at once."""
    shown = [each for each in repairs if passed or not is_lookup(each.worked)][-_REPAIRS:]
    for repair in shown:
        yield describe_repair(repair)
    named = {id(step) for repair in shown for step in (repair.worked, *repair.commands)}
    subjects = {repair.worked.subject for repair in shown}
    if not passed:
        return
    worked = [
        step
        for step in steps
        if step.failed is not True and is_telling(step) and id(step) not in named and step.subject not in subjects
    ]
    lines = list(dict.fromkeys(describe_step(step) for step in reversed(worked)))[: _COMMANDS - min(len(shown), 2)]
    if lines:
        yield "; ".join(reversed(lines)) + _way_of([step for step in steps if id(step) not in named], worked)


def _way_of(steps: Sequence[Step], worked: Sequence[Step]) -> str:
    """The searches that led to what a run did, where it did one thing only, such as giving an answer."""
    asked = [step for step in steps if step.failed is False and is_search(step)]
    if len(worked) != 1 or not asked:
        return ""
    return f" after {', '.join(dict.fromkeys(describe_step(step) for step in asked[-_SEARCHES:]))}"
