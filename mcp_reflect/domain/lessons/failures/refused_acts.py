"""Acts that were found wrong: by the user in the next turn, by the agent in its next words, by the reviewer by name.

That a command or a call ended well does not make it what worked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.objections import is_objected_to
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences import responses
from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER
from mcp_reflect.domain.lessons.sentences.position import is_objection
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.wording import objects, with_plain_apostrophes
from mcp_reflect.domain.trajectory.parsing import Trajectory

_WORD = re.compile(r"[\w.-]*\w")
_FIRST = 2
"""Sentences of the user in which an objection stands, or not at all."""
_BEGINNING = 40
"""Characters of a sentence behind thanks in which it takes them back: further on it speaks of something else."""


def refused_acts(trajectory: Trajectory, steps: Sequence[Step], feedback: str = "") -> Iterator[Step]:
    """Yield the acts that somebody spoke up against; one may be yielded more than once.

    They are the last command or call before each turn of the user that objects to it or says that it did not help, and
    commands before it that the turn objects to by name; what the agent did last before it says that this was wrong or
    changed nothing; and commands that the reviewer's feedback objects to by name. Of edits only those that the agent
    found overwritten are among them: what else came of them is seen in the files. `steps` are the last ones of the run.
    """
    yield from (step for step in steps if step.kind == "command" and is_objected_to(step.subject, feedback))
    before = steps_before(trajectory, steps)
    turns = [(said.role, said.place - before, with_plain_apostrophes(said.text)) for said in find_said(trajectory)]
    for role, place, words in turns:
        if role == AGENT and 0 < place <= len(steps) and _acts(steps[place - 1]) and _dismisses(words):
            yield steps[place - 1]
        if role == AGENT and responses.LOST_EDIT.search(words) and any(map(_is_edit, steps[max(place, 0) :])):
            yield from list(filter(_is_edit, steps[: max(place, 0)]))[-1:]
    spoken = [(place, words) for role, place, words in turns if role == USER]
    for (start, _), (end, words) in pairwise([(0, ""), *spoken[1:]]):
        acted = [step for step in steps[max(start, 0) : max(end, 0)] if _acts(step)]
        if acted and _is_against(acted[-1], words):
            yield acted[-1]
        if not _is_content(words):
            against = " ".join(each for each in split_sentences(words) if responses.RULED_OUT.search(each))
            yield from (step for step in acted[:-1] if step.kind == "command" and is_objected_to(step.subject, against))


def _dismisses(words: str) -> bool:
    """Return true where an agent says first that what it just did was wrong, or made no difference."""
    return any(responses.DISMISSAL.match(sentence) for sentence in islice(split_sentences(words), 1))


def _acts(step: Step) -> bool:
    return step.kind != "edit" and step.failed is not True and not (is_inspection(step) or is_lookup(step))


def _is_edit(step: Step) -> bool:
    return step.kind == "edit" and not step.failed


def _is_content(words: str) -> bool:
    if not (responses.CONFIRMATION.match(words) or responses.APPROVAL.match(words)):
        return False
    first = islice(split_sentences(words), _FIRST)
    looked_at = (each[:_BEGINNING] if number else each for number, each in enumerate(first))
    return not any(map(responses.RESERVATION.search, looked_at))


def _is_against(step: Step, words: str) -> bool:
    first = list(islice(split_sentences(words), _FIRST))
    if _is_content(words):
        return False
    if any(objects(each) or (responses.IN_VAIN.search(each) and not each.endswith("?")) for each in first):
        return True
    if step.kind == "call":  # a plain no may answer a question about something else
        return is_objection(words) and any(each in _WORD.findall(words) for each in map(str, step.arguments.values()))
    return step.kind == "command" and is_objected_to(step.subject, words)
