"""A lesson from a reviewed run, without a model: what is quoted is the run's own words, commands and values.

Nothing is concluded here. A draft is empty where the run holds nothing that its task does not say already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.comparison.sameness import EXPLAINED
from mcp_reflect.domain.lessons.drafting.feedback import telling_feedback
from mcp_reflect.domain.lessons.drafting.last_words import last_conclusion, last_policy, report_of
from mcp_reflect.domain.lessons.drafting.mistakes import (
    REPAIRS,
    find_lookups,
    find_mistake,
    find_refusals,
    last_error,
    objections_in,
    serves_customer,
)
from mcp_reflect.domain.lessons.drafting.statements import choose_headline, select_told
from mcp_reflect.domain.lessons.drafting.turns import closing_words, said_turns
from mcp_reflect.domain.lessons.failures.change_text import describe_change, edits_by_file
from mcp_reflect.domain.lessons.failures.named_forms import as_named
from mcp_reflect.domain.lessons.failures.objections import is_repair_objected_to
from mcp_reflect.domain.lessons.failures.refuted import refuted_places
from mcp_reflect.domain.lessons.failures.repairs import Repair, find_repairs, is_preparation
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.failures.vain_attempts import find_vain_attempts
from mcp_reflect.domain.lessons.failures.wording import (
    describe_attempt,
    describe_customer_repair,
    describe_edit,
    describe_failure,
    describe_further_failure,
    describe_repair,
    describe_step,
    is_lookup,
    is_search,
    is_telling,
)
from mcp_reflect.domain.lessons.run.call_text import (
    CALL_CHARS,
    describe_call_form,
    describe_case_call,
    names_calls_only,
)
from mcp_reflect.domain.lessons.run.case_data import serves_one_case
from mcp_reflect.domain.lessons.run.command_lines import (
    are_variants,
    is_small_program,
    normalised,
    repeats,
    searches_output,
)
from mcp_reflect.domain.lessons.run.idle_commands import did_nothing
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import Step, find_steps, steps_before, user_places
from mcp_reflect.domain.lessons.run.undoing import find_undone, only_removes
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
_VAIN_ATTEMPTS = 2
_SMALL_CHANGE = 2
"""Most edits beside the repairs of a run that are told: of many, none says what made the difference."""
_NUMBERS_ONLY = re.compile(r"`[\w.:-]+\(\w+=\d{1,4}(?:, \w+=\d{1,4})*\)`")
"""A call with nothing but small numbers, such as the place of a button on a page: it tells nothing elsewhere."""
_LEAST_SENTENCES = 250
"""Characters that sentences get at least, however much there is to say of commands."""


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
    repairs = [as_named(rework.as_accepted(each), steps, closing) for each in find_repairs(steps)]
    served = serves_customer(trajectory, steps)
    objections = "" if passed else objections_in(run, trajectory, steps)
    rejected = [each.worked for each in repairs if objections and is_repair_objected_to(each, objections)]
    mistake = "" if passed else find_mistake(run, trajectory, steps, rejected)
    actions = list(_actions(steps, repairs, rework, mistake, passed=passed, served=served))
    found = list(find_lookups(repairs, mistake)) if not passed else []
    refused = [*find_refusals(steps, repairs, mistake), *(_vain(steps, actions) if passed and not served else ())]
    room = max(LESSON_CHARS - sum(map(len, (*actions, *found, *refused))), _LEAST_SENTENCES)
    refuted = refuted_places(trajectory, steps, repairs)
    turns = said_turns(trajectory, run.trace.final_response, refuted, rework.corrections)
    told = select_told(run, turns, steps, room, "\n".join(actions), passed=passed)
    feedback = telling_feedback(run)
    guidance = [f"Reviewer: {feedback}"] if passed and feedback else []
    if not passed and feedback and (error := last_error(run, steps)) not in mistake:
        guidance.append(f"The run ended in an error: {error}")
    guidance += [*found, *(each.text for each in told if each.text not in mistake)]
    if not (actions or guidance or mistake or run.trace.reference_context.strip()):
        return ReflectionDraft()
    if passed and actions and not told and serves_one_case(steps):  # what led to the answer stands for the rules
        acted = "\n".join(actions)
        reason = last_policy(trajectory, steps, acted) if served else last_conclusion(trajectory, acted)
        guidance += filter(None, [truncate_line(reason, CALL_CHARS)])
    tools = {step.tool for step in steps}
    if served and not (mistake or guidance):
        if all(names_calls_only(each, tools) for each in actions):
            return ReflectionDraft()
        if passed:
            actions[-1] += _reported(run, steps, "\n".join(actions))
    guidance += refused  # beside what was learned; alone they only say that something failed
    if not passed:  # that a call worked in the end does not say that it mends why the run failed
        actions, guidance = [], [*actions, *guidance]
    summary, guidance = choose_headline(told, guidance, one_case=serves_one_case(steps), acted=bool(actions))
    reference = run.trace.reference_context.strip()
    if reference:
        actions.append(f"Reference: {' '.join(reference.split())[:_REFERENCE_CHARS]}")
    return ReflectionDraft(
        summary=summary,
        key_mistake=mistake,
        correct_action="\n".join(actions),
        guidance="\n".join(guidance),
    )


def _actions(
    steps: Sequence[Step], repairs: Sequence[Repair], rework: Rework, mistake: str, *, passed: bool, served: bool
) -> Iterator[str]:
    """Lines on what failed and then worked, and on what worked at once; of edits in the `mistake` what they mended."""
    shown = [each for each in repairs if passed or not is_lookup(each.worked)][-REPAIRS:]
    describe_one = (
        partial(describe_customer_repair, passed=passed) if served else partial(_described_beside, mistake, passed)
    )
    yield from dict.fromkeys(_described(shown, describe_one))
    named = {id(step) for repair in shown for step in (repair.worked, *repair.commands)}
    subjects = {repair.worked.subject for repair in shown}
    if not passed:
        return
    undone = _undone(steps, shown)
    vain = {number for repair in shown for number in range(repair.tries[0], repair.tries[-1] + 1)}
    worked = [
        step
        for number, step in enumerate(steps)
        if step.failed is not True
        and is_telling(step)
        and id(step) not in named | undone
        and not any(repeats(subject, step.subject) for subject in subjects)
        and number not in vain
        and not rework.is_replaced(step)
        and not did_nothing(step.output)
    ]
    worked = [step for place, step in enumerate(worked) if not _is_tried_again(step, worked[place + 1 :])]
    edits = _other_edits(steps, shown)
    acting = [step for step in worked if not _is_by_work(step)]
    if acting or shown or edits:
        worked = acting
    elif not worked:
        worked = [step for step in steps if step.failed is False and is_small_program(step.subject)][-1:]
    if edits:
        yield "; ".join(map(describe_edit, edits))
    describe = describe_call_form if served else describe_case_call if serves_one_case(steps) else describe_step
    told = dict.fromkeys(line for line in map(describe, reversed(worked)) if not _NUMBERS_ONLY.fullmatch(line))
    lines = list(told)[: _COMMANDS - min(len(shown), 2)]
    if lines:
        yield "; ".join(reversed(lines)) + _way_of([step for step in steps if id(step) not in named], worked)


def _described_beside(mistake: str, passed: bool, repair: Repair) -> str:
    if any(describe_edit(step) in mistake for step in repair.edits) or describe_step(repair.worked) in mistake:
        return describe_failure(repair)
    return describe_repair(repair) if passed or repair.worked.kind == "call" else describe_attempt(repair)


def _vain(steps: Sequence[Step], actions: Sequence[str]) -> list[str]:
    """The last attempts that were taken back, as far as no action tells of the same failure."""
    told = "\n".join(actions)
    found = [each for each in find_vain_attempts(steps) if each.partition(". That came of ")[0] not in told]
    return list(dict.fromkeys(found))[-_VAIN_ATTEMPTS:]


def _reported(run: ReviewedRun, steps: Sequence[Step], acted: str) -> str:
    """What the agent reported of the last thing that it did, to be told behind it; empty without anything new."""
    last = next((step for step in reversed(steps) if step.failed is not True and is_telling(step)), None)
    report = "" if last is None else report_of(last, run.trajectory, steps, f"{run.trace.task}\n{acted}")
    return f"{EXPLAINED}{truncate_line(report, CALL_CHARS)}" if report else ""


def _undone(steps: Sequence[Step], repairs: Sequence[Repair]) -> set[int]:
    """The commands that only took back what the run did, and those that they took back before it worked.

    What was only cleaned up in the end had its part until then.
    """
    place_of = {id(step): place for place, step in enumerate(steps)}
    mended = [range(each.tries[0], place_of[id(each.worked)]) for each in repairs if id(each.worked) in place_of]
    found: set[int] = set()
    for earlier, later in [*find_undone(steps), *NetChanges(steps).taken_back()]:
        began, ended = place_of[id(earlier)], place_of[id(later)]
        found.add(id(later))
        if any(step.failed for step in steps[began:ended]) or any(began in each and ended in each for each in mended):
            found.add(id(earlier))
    return found


def _is_by_work(step: Step) -> bool:
    """Return true for a command that searches another's output, or only tidies up."""
    return step.kind == "command" and (searches_output(step.subject) or only_removes(step.subject))


def _is_tried_again(step: Step, later: Sequence[Step]) -> bool:
    """Return true for a command that another form of it stands for: one that ran it again beside what it had lacked.

    What changed something that others need may stand beside other forms of it, not beside one that holds it whole.
    """
    if step.kind != "command":
        return False
    forms = [each.subject for each in later if each.kind == "command"]
    if any(form != step.subject and repeats(step.subject, form) for form in forms):
        return True
    if is_preparation(step):
        return False
    ours = normalised(step.subject)
    return any(repeats(form, step.subject) or are_variants(ours, normalised(form)) for form in forms)


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
    files = edits_by_file([step for step in edits if step.subject not in told])
    left = [step for step in files if describe_change(step, CALL_CHARS)]
    return left if len(left) <= _SMALL_CHANGE else []


def _way_of(steps: Sequence[Step], worked: Sequence[Step]) -> str:
    """The searches that led to what a run did, where it did one thing only, such as giving an answer."""
    asked = [step for step in steps if step.failed is False and is_search(step)]
    if len(worked) != 1 or not asked:
        return ""
    return f" after {', '.join(dict.fromkeys(describe_step(step) for step in asked[-_SEARCHES:]))}"
