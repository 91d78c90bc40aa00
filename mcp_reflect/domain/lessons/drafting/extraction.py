"""A lesson from a reviewed run, without a model: what is quoted is the run's own words, commands and values.

Nothing is concluded here. A draft is empty where the run holds nothing that its task does not say already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.comparison.sameness import EXPLAINED
from mcp_reflect.domain.lessons.drafting.actions import tell_actions
from mcp_reflect.domain.lessons.drafting.approved_acts import APPROVED, approved_acts
from mcp_reflect.domain.lessons.drafting.feedback import asks_for_something, telling_feedback, with_broken_rules
from mcp_reflect.domain.lessons.drafting.headline import choose_headline
from mcp_reflect.domain.lessons.drafting.last_words import last_conclusion, last_policy, report_of
from mcp_reflect.domain.lessons.drafting.mistakes import (
    find_lookups,
    find_mistake,
    objections_in,
    serves_customer,
)
from mcp_reflect.domain.lessons.drafting.run_errors import find_refusals, last_error
from mcp_reflect.domain.lessons.drafting.statements import select_told
from mcp_reflect.domain.lessons.drafting.supplement import find_untold
from mcp_reflect.domain.lessons.drafting.tool_rules import find_tool_rules
from mcp_reflect.domain.lessons.drafting.turns import closing_words, reasons_before, said_turns
from mcp_reflect.domain.lessons.drafting.wrong_acts import describe_last_acts, describe_unopposed
from mcp_reflect.domain.lessons.failures.named_forms import as_named
from mcp_reflect.domain.lessons.failures.objections import is_repair_objected_to
from mcp_reflect.domain.lessons.failures.refused_acts import refused_acts
from mcp_reflect.domain.lessons.failures.refuted import refuted_places
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.failures.stopped_commands import find_repairs_of_parts, find_stages
from mcp_reflect.domain.lessons.failures.vain_attempts import find_vain_attempts
from mcp_reflect.domain.lessons.failures.wording import (
    is_telling,
)
from mcp_reflect.domain.lessons.run.call_text import (
    CALL_CHARS,
    gives_answer,
    names_calls_only,
)
from mcp_reflect.domain.lessons.run.case_data import serves_one_case
from mcp_reflect.domain.lessons.run.followed_rules import rules_followed_in
from mcp_reflect.domain.lessons.run.lookups import is_research
from mcp_reflect.domain.lessons.run.recalled_readings import readings_recalled_in
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps, steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said, user_places
from mcp_reflect.domain.lessons.sentences.candidates import USER, Candidate
from mcp_reflect.domain.lessons.sentences.reports import (
    is_bare_report,
    remarks_only,
    reports_no_change,
    restates_change,
)
from mcp_reflect.domain.lessons.sentences.selection import without_repetitions
from mcp_reflect.domain.lessons.sentences.speaker import standing_rules
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

LESSON_CHARS = 1_200
"""Budget of a whole lesson, the reviewer's words aside. Up to 1,400 a longer one says more of a conversation's decision
(`python -m benchmarks.lessons --only decisions`), beyond that it only takes tokens."""

_REFERENCE_CHARS = 400
MOST_STEPS = 600
"""The last steps of a run that are read: comparing them takes time, and a run is decided at its end."""
_DIGIT = re.compile(r"\d")
_VAIN_ATTEMPTS = 2
_STAGES = 2
_LEAST_SENTENCES = 250
"""Characters that sentences get at least, however much there is to say of commands."""
_MOST_FAILURES = 300
"""Characters that what was tried in vain takes from them at most: screening may yet withhold it."""


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
    closing = closing_words(trajectory, run.trace.final_response)
    repairs = [as_named(rework.as_accepted(each), steps, closing) for each in find_repairs_of_parts(steps)]
    served = serves_customer(trajectory, steps)
    one_case = serves_one_case(steps) and not is_research(steps)
    rejected = _rejected(run, steps, repairs)
    approved = [] if passed else approved_acts(telling_feedback(run), steps)
    mistake = "" if passed else with_broken_rules(find_mistake(run, trajectory, steps, rejected, approved), run)
    refused = {id(step) for step in refused_acts(trajectory, steps, telling_feedback(run) if passed else "")}
    actions = list(
        tell_actions(
            steps, repairs, rework, mistake, refused, _answers(trajectory), run.trace.task, passed=passed, served=served
        )
    )
    found = list(find_lookups(repairs, mistake)) if not passed else []
    places = {place for repair in repairs for place in repair.tries}
    failures = [
        *(list(find_stages(steps, places, mistake))[-_STAGES:] if not passed else ()),
        *find_refusals(steps, repairs, mistake, passed=passed),
        *(_vain(trajectory, steps, actions) if passed and not served else ()),
    ]
    room = LESSON_CHARS - sum(map(len, (*actions, *found))) - min(sum(map(len, failures)), _MOST_FAILURES)
    turns = said_turns(
        trajectory, run.trace.final_response, refuted_places(trajectory, steps, repairs), rework.corrections
    )
    told = select_told(run, turns, steps, max(room, _LEAST_SENTENCES), "\n".join(actions), passed=passed)
    feedback = telling_feedback(run)
    told = _without_restated(
        _without_told(told, feedback, failures, acted=bool(steps)), actions if passed and not one_case else ()
    )
    guidance, praise = _of_reviewer(feedback) if passed else ([], [])
    if not passed and feedback and (error := last_error(run, steps, served=served)) not in mistake:
        guidance.append(f"The run ended in an error: {error}")
        failures = [line for line in failures if line.rpartition(" failed: ")[2] not in error]
    if not (passed or served):
        failures += _not_wrong(feedback, steps, approved, "\n".join(actions), mistake)
        mistake = _with_last_acts(mistake, steps, (*actions, *found, *failures), feedback)
    guidance += [
        *(each for each in (rules_followed_in(run) if passed else readings_recalled_in(run)) if each not in mistake),
        *found,
        *(each.text for each in told if each.text not in mistake),
        *standing_rules(run.trace.task),
    ]
    rules = find_tool_rules(steps) if one_case else []
    if not (actions or guidance or mistake or rules or praise or run.trace.reference_context.strip()):
        return ReflectionDraft()
    if passed and actions and not told and one_case:  # what led to the answer stands for the rules
        acted = "\n".join(actions)
        reason = (
            last_policy(trajectory, steps, acted)
            if served
            else _without_result(last_conclusion(trajectory, acted), steps, run.trace.task)
        )
        guidance += filter(None, [truncate_line(reason, CALL_CHARS)])
    tools = {step.tool for step in steps}
    actions = _without_bare_names(actions, tools, beside=guidance if served else ())
    if served and not (mistake or guidance or praise):
        if not rules and all(names_calls_only(each, tools) for each in actions):
            return ReflectionDraft()
        if passed and actions:
            actions[-1] += _reported(run, steps, "\n".join(actions))
    guidance += [rule for rule in rules if rule.rstrip(".") not in "\n".join((mistake, *actions, *failures))]
    further = find_untold(run, steps, "\n".join((mistake, *actions, *guidance, *failures)), LESSON_CHARS, refused)
    guidance += [*praise, *failures]  # beside what was learned; alone they only say how it went
    if not passed:  # that a call worked in the end does not say that it mends why the run failed
        actions, guidance = [], [*actions, *guidance]
    summary, guidance = choose_headline(told, guidance, one_case=one_case, acted=bool(actions))
    actions += _reference_of(run)
    return ReflectionDraft(
        summary=summary,
        key_mistake=mistake,
        correct_action="\n".join(actions),
        guidance="\n".join(guidance),
        further=tuple(further),
    )


def _answers(trajectory: Trajectory) -> str:
    """What the user said after the task."""
    return "\n".join(said.text for said in find_said(trajectory) if said.role == USER and said.place)


def _of_reviewer(feedback: str) -> tuple[list[str], list[str]]:
    """The words of a passed run's reviewer as guidance, and those that only say how it went, which stand behind it."""
    told = [f"Reviewer: {feedback}"] if feedback else []
    return (told, []) if asks_for_something(feedback) else ([], told)


def _without_bare_names(actions: list[str], tools: set[str], *, beside: Sequence[str]) -> list[str]:
    """What was done, none of it where it is names of tools alone: they say nothing beside what was learned."""
    return [] if beside and all(names_calls_only(each, tools) for each in actions) else actions


def _reference_of(run: ReviewedRun) -> list[str]:
    given = " ".join(run.trace.reference_context.split())
    return [f"Reference: {given[:_REFERENCE_CHARS]}"] if given else []


def _rejected(run: ReviewedRun, steps: Sequence[Step], repairs: Sequence[Repair]) -> list[Step]:
    """The repairs that the words of a failed run's reviewer or user object to."""
    objections = objections_in(run, run.trajectory, steps)
    return [each.worked for each in repairs if objections and is_repair_objected_to(each, objections)]


def _with_last_acts(mistake: str, steps: Sequence[Step], told: Sequence[str], feedback: str) -> str:
    """The mistake of a failed run of whose acts nothing is told, with the last of them.

    A reviewer who names something says what was wrong.
    """
    tells_acts = not feedback or names_something(feedback) or any("`" in line for line in (mistake, *told))
    return mistake if tells_acts else "\n".join(filter(None, (mistake, describe_last_acts(steps))))


def _not_wrong(
    feedback: str, steps: Sequence[Step], approved: Sequence[str], acted: str, mistake: str
) -> Iterator[str]:
    """The acts of a failed run that its reviewer calls right or has no word about, a line for each of the two."""
    if approved:
        yield f"{APPROVED}{'; '.join(approved)}"
    if unopposed := describe_unopposed(feedback, steps, "\n".join((mistake, acted, *approved))):
        yield unopposed


def _without_told(told: Sequence[Candidate], feedback: str, failures: Sequence[str], *, acted: bool) -> list[Candidate]:
    """The sentences that neither others, the reviewer nor an attempt that was given up tell."""
    tried = "\n".join(failures)
    left = without_repetitions(told, feedback, acted=acted)
    return [each for each in left if each.text.rstrip(".") not in tried]


def _without_restated(told: Sequence[Candidate], acts: Sequence[str]) -> list[Candidate]:
    """The sentences but those in which the agent says again what it did, or that all is as it was to be.

    A few words of the user without a rule or a name are left out where they are all that is told of a turn. All of them
    stay where no `acts` are told.
    """
    known = "\n".join((*acts, *(each.text for each in told if each.role == USER)))
    leant_on = {each.behind for each in told}
    turns = Counter(each.turn for each in told)

    def says_little(each: Candidate) -> bool:
        if each.role == USER:
            return turns[each.turn] == 1 and not each.is_rule and remarks_only(each.text)
        return restates_change(each.text, known) or reports_no_change(each.text)

    return [each for each in told if not acts or each.place in leant_on or not says_little(each)]


def _without_result(said: str, steps: Sequence[Step], task: str) -> str:
    """What an agent concluded without the sentences that only report what came of the one case, by a number of it.

    Where it was asked a question, that is what it found out.
    """
    if any(map(gives_answer, steps)):
        return said
    told = (each for each in split_sentences(said) if not (_DIGIT.search(each) and is_bare_report(each, task)))
    return " ".join(told)


def _vain(trajectory: Trajectory, steps: Sequence[Step], actions: Sequence[str]) -> list[str]:
    """The last attempts that were taken back, as far as no action tells of the same edit."""
    told = "\n".join(actions)
    reasons = reasons_before(trajectory, steps)
    found = dict.fromkeys(line for edits, line in find_vain_attempts(steps, reasons) if edits not in told)
    return list(found)[-_VAIN_ATTEMPTS:]


def _reported(run: ReviewedRun, steps: Sequence[Step], acted: str) -> str:
    """What the agent reported of the last thing that it did, to be told behind it; empty without anything new."""
    last = next((step for step in reversed(steps) if step.failed is not True and is_telling(step)), None)
    report = "" if last is None else report_of(last, run.trajectory, steps, f"{run.trace.task}\n{acted}")
    return f"{EXPLAINED}{truncate_line(report, CALL_CHARS)}" if report else ""
