"""What a failed run had read and did not act by, where its reviewer points to it or speaks of the same matter.

"The README tells how it is done, you read it and ignored it" says that there is a rule, and not which: that stands in
what the run had read. Of documents and answers the passages are taken that share most with the reviewer's words, of
those alone that the reviewer points to where there are such. The reviewer vouches for them: they are told as a
quotation with their source, also where they want something of the reader.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.lookups import (
    is_lookup,
    names_act,
    searches_knowledge,
    tells_of_somebody,
    tells_rules,
)
from mcp_reflect.domain.lessons.run.named_lines import (
    advice_in_errors,
    first_lines_named,
    found_in_named_folders,
    last_paragraph_named,
    lines_with_names,
)
from mcp_reflect.domain.lessons.run.passage_scores import (
    CODED,
    MOST_RECALLED,
    MOST_RECALLED_CHARS,
    NEAR_BEST,
    STATES_RULE,
    TASK_WEIGHT,
    best_of,
    score_of,
    spoken_weights,
    weight_in,
)
from mcp_reflect.domain.lessons.run.passages import Passage, passages_of
from mcp_reflect.domain.lessons.run.reviewer_pointers import (
    counted_items,
    means_last,
    nouns_of,
    opened_by_name,
    pointers_in,
    sections_named,
    steps_pointed_at,
)
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.wording import states_rule
from mcp_reflect.domain.text.observation import reads_as_error
from mcp_reflect.domain.trajectory.messages import OPERATOR_ROLES, Utterance
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ReviewedRun

_NAME = re.compile(r"[\w./*-]*\w")
_PATH = re.compile(r"\w[./]\w")
_VALUE = re.compile(r"(?=.*\d)(?=.*[A-Za-z]|\d+\.\d+\.\d).{4,40}")
_ASSIGNED = re.compile(r"\w=([\w.-]*\w)")

_PROGRAM = re.compile(
    r"\s*(?:from [\w.]+ import |import [\w{\"']|#include\b|use \w+::|package \w+;?$|(?:async )?def \w+\("
    r"|class \w+[(:{ ]|[\w-]+ ?\(\) ?\{|func \w+\(|(?:pub )?fn \w+|(?:static |public |private )+\w+)"
)
_SCHEMA = re.compile(r"\s*CREATE (?:TABLE|INDEX|VIEW)\b", re.IGNORECASE)
_OF_SCHEMA = re.compile(r"\b(?:schema|columns?|fields?|types?|definition|constraint)\b", re.IGNORECASE)
_COUNTS_HITS = re.compile(r"\W*(?:found )?\d+ (?:match(?:es)?|hits?|results?|files?)\b", re.IGNORECASE)
_NUMBER_ALONE = re.compile(r"(?<!\S)[\d.,:%€$-]*\d[\d.,:%€$-]*(?!\S)")
_LEAST_NUMBERS = 4
_MOST_PASSAGES = 3_000
"""Passages of a run that are compared, from its beginning: documents are read before something is done by them."""
_LEAST_SHARED = 3
_LEAST_WEIGHT = 3.0
"""Words, and their weight, that a passage shares with the words of a reviewer who points to nothing."""
_LEAST_SCORE, _LEAST_SCORE_NAMED, _LEAST_SCORE_OPENED, _LEAST_SCORE_BESIDE = 2.0, 1.5, 1.0, 2.5
"""Score from which a passage is told of what the reviewer points to; the second where they say what it is, the third in
the document that they name, the fourth beside that."""
_LONGEST_TITLE = 60
_NEAR_BEST_OPENED = 0.35
"""Least part of the best passage's score that others have in the one document that the reviewer means."""
_FEW = 2
_OF_OPERATOR = "policy rules instructions guidelines terms"
"""What reviewers call that which whoever runs an agent has told it."""


def readings_recalled_in(run: ReviewedRun) -> list[str]:
    """Return what a failed run had read and its reviewer speaks of; none for one that passed or was judged by tests."""
    if run.review.result == "pass" or run.review.source == "tests" or not run.review.feedback.strip():
        return []
    steps, feedback = find_steps(run.trajectory), run.review.feedback
    return recalled_readings(feedback, run.trace.task, [*_given_to_agent(run.trajectory, feedback, steps), *steps])


def _given_to_agent(trajectory: Trajectory, feedback: str, steps: Sequence[Step]) -> Iterator[Step]:
    """What whoever runs the agent told it before it began, as if it had looked it up: many have their policy there.

    Where the run had opened what the reviewer calls by its name, that is meant.
    """
    nouns = nouns_of(pointers_in(feedback), feedback)
    if trajectory.may_be_forged or not nouns or steps_pointed_at(nouns, feedback, steps)[1]:
        return
    for event in trajectory.events:
        if isinstance(event, Utterance) and event.role in OPERATOR_ROLES:
            yield Step("call", "system_prompt", _OF_OPERATOR, output=event.text)


def recalled_readings(feedback: str, task: str, steps: Sequence[Step]) -> list[str]:
    """Return the passages that a run had read and its reviewer speaks of, at most three; none for most runs.

    What the run did act by is not what its reviewer says it ignored: none has a value that it gave its calls and edits,
    but for a setting to which it gave another value, and for what names a file that the reviewer names and it did not.
    """
    acts = _acts_of(steps)
    acted_by = _values_of(acts) - _values_of(f"{task} {feedback}")
    meant = {name for name in _NAME.findall(feedback) if _PATH.search(name) and name not in acts}

    def is_acted_by(text: str) -> bool:
        sets = _ASSIGNED.findall(text)
        if any(name in text for name in meant):
            return False
        return not acted_by.isdisjoint(_values_of(text)) and all(value in acts for value in sets)

    told = _recalled(feedback, task, steps)
    return [each for each in told if not (is_acted_by(each) or _states_nothing(each, feedback))]


def _states_nothing(text: str, feedback: str) -> bool:
    """Return true for the beginning of a program, which states no rule, and for schemas and data nobody speaks of."""
    is_schema = _SCHEMA.match(text) is not None and not _OF_SCHEMA.search(feedback)
    is_program = _PROGRAM.match(text) is not None
    return is_program or is_schema or _COUNTS_HITS.match(text) is not None or _is_row_of_numbers(text, feedback)


def _is_row_of_numbers(text: str, feedback: str) -> bool:
    numbers = _NUMBER_ALONE.findall(text)
    is_row = len(numbers) >= _LEAST_NUMBERS and 2 * len(numbers) > len(text.split())
    return is_row and not any(number in feedback for number in numbers)


def _recalled(feedback: str, task: str, steps: Sequence[Step]) -> list[str]:
    said, asked = spoken_weights(feedback), spoken_weights(task)
    if not said:
        return []
    pointed = pointers_in(feedback)
    read = [step for step in steps if step.output.strip() and not (_acted(step) or tells_of_somebody(step))]
    edited = {step.subject for step in steps if step.kind == "edit"}
    opened = opened_by_name(read, feedback, edited)
    whole = {word: TASK_WEIGHT * weight for word, weight in asked.items()} | said
    sections = [] if opened else sections_named(read, feedback)
    named = _passages(opened) or sections
    found = counted_items(named, feedback)[-1:] or best_of(
        [(score_of(each, whole, asked, ()), each.text) for each in named], _LEAST_SCORE_OPENED, _NEAR_BEST_OPENED
    )
    found = found or [each.text for each in sections][:_FEW]  # whatever it shares with the reviewer's words
    found = found or advice_in_errors(steps, feedback)
    found = first_lines_named(steps, feedback) or last_paragraph_named(steps, feedback) or found
    if not found:
        among = _passages(opened_by_name(read, feedback, edited, among_others=True))
        found = best_of([(score_of(each, whole, asked, ()), each.text) for each in among], _LEAST_SCORE)
    if not (found or pointed):
        found = [each.text for each in lines_with_names(read, feedback, task) if _adds_rule(each, feedback)][:_FEW]
    if not (found or pointed):
        hits = [each for each in found_in_named_folders(read, feedback) if _adds_rule(each, feedback)]
        found = best_of([(score_of(each, said, asked, ()), each.text) for each in hits], _LEAST_SCORE)
    if not pointed:
        known = {*_NAME.findall(task), *_NAME.findall(feedback)}
        data = (step for step in read if step.output.lstrip().startswith(("{", "[")))
        rules = (step for step in read if tells_rules(step) or searches_knowledge(step))
        return found or _spoken_of([*_sentences(rules), *_passages(data)], said, known)
    others = [step for step in read if step not in opened]
    further = _pointed_at(pointed, feedback, others, said, asked, is_beside=bool(found))
    return list(_within_room([*found[: MOST_RECALLED - 1], *further] if found else further))


def _adds_rule(passage: Passage, feedback: str) -> bool:
    """Return true for a passage that says how something is done, and for any where the reviewer does not say it."""
    return STATES_RULE.search(passage.text) is not None or not states_rule(feedback)


def _acted(step: Step) -> bool:
    """Return true for an edit and a call that did something by its name: its answer says what came of that."""
    return step.kind == "edit" or (step.kind == "call" and names_act(step.tool))


def _acts_of(steps: Sequence[Step]) -> str:
    """What the commands, calls and edits of a run say that did more than look."""
    acts = (step for step in steps if not (is_lookup(step) or (step.kind == "command" and only_reads(step.subject))))
    return " ".join(" ".join((step.subject, *(new for _, new in step.change))) for step in acts)


def _values_of(text: str) -> frozenset[str]:
    """The codes and versions in a text: words with a digit and a letter or a point in them."""
    return frozenset(name.lower() for name in _NAME.findall(text) if _VALUE.fullmatch(name))


def _pointed_at(
    pointed: Sequence[str],
    feedback: str,
    read: Sequence[Step],
    said: Mapping[str, float],
    asked: Mapping[str, float],
    *,
    is_beside: bool,
) -> list[str]:
    """The passages of what a reviewer points to by what it is: a guide, the third rule, the table that was fetched."""
    nouns = nouns_of(pointed, feedback)
    shown, is_named = steps_pointed_at(nouns, feedback, read)
    shown = shown or [step for step in read if not (step.failed or is_beside)]
    if means_last(feedback):
        shown = shown[-1:]
    passages = _passages(shown)
    if items := counted_items(passages, feedback):
        return items[-1:]
    near = _NEAR_BEST_OPENED if len(shown) == 1 and not any(each.is_of_data for each in passages) else NEAR_BEST
    least = _LEAST_SCORE_BESIDE if is_beside else _LEAST_SCORE_NAMED if is_named else _LEAST_SCORE
    return best_of([(score_of(each, said, asked, nouns), each.text) for each in passages], least, near)


def _within_room(texts: Iterable[str]) -> Iterator[str]:
    room = MOST_RECALLED_CHARS
    for number, text in enumerate(dict.fromkeys(texts)):
        room -= len(text)
        if number and room < 0:
            return
        yield text


def _passages(steps: Iterable[Step]) -> list[Passage]:
    """The passages of some outputs, without their titles."""
    told = (
        each for step in steps for number, each in enumerate(passages_of(step.output)) if number or not _is_title(each)
    )
    return list(islice(told, _MOST_PASSAGES))


def _sentences(steps: Iterable[Step]) -> Iterator[Passage]:
    """The sentences of what a house has written down, as data: each may be the rule that somebody speaks of."""
    for each in _passages(steps):
        yield from (Passage(said, each.key, each.item, is_of_data=True) for said in split_sentences(each.text))


def _is_title(passage: Passage) -> bool:
    text = passage.text
    is_short = len(text) <= _LONGEST_TITLE and not text.endswith((".", "!", ":"))
    return is_short and not (passage.item or passage.key or STATES_RULE.search(text) or CODED.search(text))


def _spoken_of(passages: Iterable[Passage], said: Mapping[str, float], known: Collection[str]) -> list[str]:
    """The one record or text of an answer that says more of the reviewer's matter, with a name for it.

    Programs, logs and errors share words with everything.
    """
    told: list[tuple[float, str]] = []
    for each in passages:
        if not each.is_of_data or reads_as_error(each.text):
            continue
        words = spoken_weights(each.text)
        shared = [weight for word in words if (weight := weight_in(word, said))]
        names_more = any(map(CODED.search, set(_NAME.findall(each.text)) - set(known)))
        if len(shared) >= _LEAST_SHARED and names_more:
            told.append((sum(shared), each.text))
    return best_of(told, _LEAST_WEIGHT)[:1]
