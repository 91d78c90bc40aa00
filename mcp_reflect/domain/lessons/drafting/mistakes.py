"""The mistake of a run that failed: the reviewer's words, an error, an objection, or what the run ended with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.comparison.sameness import EXPLAINED
from mcp_reflect.domain.lessons.drafting.feedback import telling_feedback
from mcp_reflect.domain.lessons.drafting.last_words import (
    ANSWER_WORDS,
    MOST_TURNS,
    is_reason,
    is_statement,
    last_policy,
    last_statement,
    names_more,
)
from mcp_reflect.domain.lessons.drafting.run_errors import MANY_IN_ONE, VAIN, last_error
from mcp_reflect.domain.lessons.drafting.wrong_acts import (
    MOST_EDITS,
    acts_named_in,
    describe_act,
    describe_rejected,
    edits_behind,
    edits_told,
    only_searches,
)
from mcp_reflect.domain.lessons.failures.failure_text import short_error
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.failures.wording import NEW_FILE, describe_step, is_telling, says_more
from mcp_reflect.domain.lessons.run.call_text import (
    CALL_CHARS,
    describe_answer,
    describe_call_form,
    describe_two_calls,
    gives_answer,
)
from mcp_reflect.domain.lessons.run.case_data import (
    serves_one_case,
)
from mcp_reflect.domain.lessons.run.code_cells import asks_about_data
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER
from mcp_reflect.domain.lessons.sentences.chatter import without_interjection
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import (
    PLAIN_WEIGHT,
    count_special,
    term_weights,
)
from mcp_reflect.domain.lessons.sentences.wording import is_courtesy, objects
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

REPAIRS = 3
_TRIED = 3

STATUS_TOKEN = re.compile(r"###\w+###")
_TOLD_VALUE = re.compile(r"=(?!…)[^,)`]")
"""In a call: a value that is told. Without one, and nothing beside it, the call is one of any run of its kind."""
_ONLY_LOOKED = "The run ended without an answer: it only looked things up"
_OBJECTED = "The user objected: "
_WRONG, _WRONG_TO_SAY, _WRONG_ANSWER = "Wrong or incomplete: ", "Wrong or incomplete answer: ", "Wrong answer: "
"""Beginnings of a mistake, before what a failed run did or said: nobody told which of the two it was."""


def find_mistake(
    run: ReviewedRun,
    trajectory: Trajectory,
    steps: Sequence[Step],
    rejected: Sequence[Step],
    approved: Collection[str] = (),
) -> str:
    """Return the reviewer's words, else the error that the run ended in, else the answer or action it ended with.

    `rejected` are the steps that the words of the reviewer or the user object to, `approved` the acts that the reviewer
    calls right, as a lesson tells them.
    """
    served = serves_customer(trajectory, steps)
    feedback = telling_feedback(run)
    if feedback and (
        wrong := [*rejected[-MOST_EDITS:]] or acts_named_in(feedback, steps) or edits_behind(feedback, steps)
    ):
        describe_one = describe_rejected if served or serves_one_case(steps) else describe_act
        told_acts = (act for act in map(describe_one, wrong) if act not in approved)
        acts = [act for act in told_acts if not act.startswith(NEW_FILE)]  # its name says nothing
        return f"{feedback}\n{_WRONG}{'; '.join(acts)}" if acts else feedback
    told = feedback or last_error(run, steps, served=served)
    if told:
        found = _last_finding(trajectory, f"{run.trace.task}\n{told}") if told.startswith((VAIN, MANY_IN_ONE)) else ""
        return f"{told}{EXPLAINED}{found}" if found else told
    one_case = serves_one_case(steps)
    done = [step for step in steps if step.failed is not True]
    told_steps = [step for step in done if is_telling(step)]
    acting = [step for step in told_steps if not only_searches(step)]
    objected = objections_in(run, trajectory, steps)
    edits = edits_behind(objected, steps) if objected and not served else []
    changing = edits or edits_told(steps) or acting or told_steps
    answers = [step for step in changing if step.kind == "call" and gives_answer(step)]
    describe = describe_answer if answers else describe_call_form if one_case else describe_act
    did = "; ".join([*dict.fromkeys(map(describe, answers or changing))][-_TRIED:])
    known = f"{run.trace.task}\n{did}" if answers else did
    objection = truncate_line(_last_objection(trajectory), CALL_CHARS)
    if served:
        said = last_policy(trajectory, steps)
    else:
        talked = is_conversation(trajectory)
        kinds = (is_reason,) if objection or (did and talked) else (is_reason, is_statement)
        in_words = not (talked or answers) and (bool(did) or _ends_in_words(trajectory, steps))
        said = run.trace.final_response.strip() or last_statement(trajectory, *kinds, or_any=in_words)
        if answers:  # what only says the answer or the task again is left out
            said = " ".join(each for each in split_sentences(said) if _adds_to(each, known))
    told = truncate_line(said, CALL_CHARS)
    parts = []  # a sentence for each: screening may withhold some of them, and the others are left
    explains = names_more(told, known)
    if did and (objection or explains or not one_case or (not served and (answers or _TOLD_VALUE.search(did)))):
        parts.append(f"{_WRONG_ANSWER if answers else _WRONG}{did}{f'{EXPLAINED}{told}' if explains else ''}")
    elif steps and not did:
        parts += filter(None, [_without_act(trajectory, steps, told, served=served)])
    elif told and not did:
        parts.append(f"{_WRONG_TO_SAY}{told}")
    if objection:
        parts.append(f"{_OBJECTED}{objection}")
    return "\n".join(parts)


def objections_in(run: ReviewedRun, trajectory: Trajectory, steps: Sequence[Step]) -> str:
    """Return what the reviewer of a failed run said, and what its user said behind its last step."""
    ended = steps_before(trajectory, steps) + len(steps)
    spoken = [said.text for said in find_said(trajectory) if said.role == USER and said.place >= ended]
    return "\n".join([*spoken, telling_feedback(run)]).strip()


def _without_act(trajectory: Trajectory, steps: Sequence[Step], told: str, *, served: bool) -> str:
    """The mistake of a run that changed nothing and handed in no answer by a call; `told` is what it said last."""
    if served:
        return f"Only looking things up was not enough{EXPLAINED}{told}" if told else ""
    if told and _ends_in_words(trajectory, steps):
        return f"{_WRONG_TO_SAY}{told}"
    asked = [*dict.fromkeys(describe_step(step) for step in steps if is_lookup(step))][-_TRIED:]
    looked = f", at last by {', '.join(asked)}" if asked else ""
    return f"{_ONLY_LOOKED}{looked}{f'{EXPLAINED}{told}' if told else ''}" if looked or told else ""


def _ends_in_words(trajectory: Trajectory, steps: Sequence[Step]) -> bool:
    """Return true where the agent said something after the last step: where it did nothing, that was its answer."""
    ended = steps_before(trajectory, steps) + len(steps)
    return any(said.role == AGENT and said.place >= ended for said in find_said(trajectory))


def _adds_to(sentence: str, known: str) -> bool:
    """Return true where a sentence has an uncommon word, a name or two other words that are not known."""
    said, known_terms = term_weights(sentence), term_weights(known)
    new = [term for term in said if term not in known_terms and term not in ANSWER_WORDS]
    return len(new) > 1 or count_special(new) > 0 or any(said[term] > PLAIN_WEIGHT for term in new)


def _last_finding(trajectory: Trajectory, known: str) -> str:
    """What the agent stated last, where it says more than is known; empty without that."""
    said = truncate_line(last_statement(trajectory, is_reason, is_statement, or_any=False), CALL_CHARS)
    return said if names_more(said, known) else ""


def is_conversation(trajectory: Trajectory) -> bool:
    """Return true where the user said something after the task: what the agent says is said to somebody."""
    return sum(said.role == USER for said in find_said(trajectory)) > 1


def serves_customer(trajectory: Trajectory, steps: Sequence[Step]) -> bool:
    """Return true where a run served one case in a conversation with the one whose case it is.

    Who has programs and queries run asks about data, and is no customer.
    """
    return serves_one_case(steps) and is_conversation(trajectory) and not asks_about_data(steps)


def _last_objection(trajectory: Trajectory) -> str:
    """Return the last sentence by which the user objected to what the agent did or said; empty without one."""
    answers = [said.text for said in find_said(trajectory) if said.role == USER][1:]
    for text in reversed(answers[-MOST_TURNS:]):
        told = [each for each in split_sentences(text) if objects(each) and not is_courtesy(each)]
        if told:
            return STATUS_TOKEN.sub("", without_interjection(told[-1])).strip()
    return ""


def find_lookups(repairs: Sequence[Repair], mistake: str) -> Iterator[str]:
    """Look-ups that found something, with those that did not, in a run that failed: nobody knows if it was the thing.

    A failure that the mistake tells already is not told again.
    """
    found = {repair.failed.subject: repair for repair in repairs if is_lookup(repair.worked)}
    for repair in list(found.values())[-REPAIRS:]:
        worked, failed = describe_two_calls(repair.worked, repair.failed)
        if failed in mistake:
            yield f"{worked} found something"
        elif says_more(repair.error, failed):
            yield f"{failed} failed: {short_error(repair.error)}; {worked} found something"
        else:
            yield f"{worked} found something, {failed} did not"
