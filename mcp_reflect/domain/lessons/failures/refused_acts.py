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
from mcp_reflect.domain.lessons.run.steps import Step, find_said, steps_before
from mcp_reflect.domain.lessons.sentences import cues
from mcp_reflect.domain.lessons.sentences.evidence import AGENT, USER
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.wording import objects, with_plain_apostrophes
from mcp_reflect.domain.trajectory.parsing import Trajectory

_FIRST = 2
"""Sentences of the user in which an objection stands, or not at all."""
_IN_VAIN = re.compile(
    r"\b(?:still (?:no\b|not\b|nothing|broken|failing|fails|red|the same|get(?:ting)?|see(?:ing)?)"
    r"|(?:did|does|has)(?: not|n't) (?:help|work|change|fix)|no (?:luck|effect)"
    r"|same (?:error|problem|issue|result)|not (?:happy|fixed|solved|working))",
    re.IGNORECASE,
)
_APPROVES = re.compile(
    r"\W*(?:looks?|lovely|super|fine|great|good|nice|perfect|ok(?:ay)?|thanks?|thank you|cool|awesome)\b", re.IGNORECASE
)
_TAKES_UP = re.compile(
    r"\b(?:but|still|wrong|(?:is|was|did|does|has)(?: not|n't)|undo|revert|take (?:that|it) back)\b", re.IGNORECASE
)
"""Words after thanks that go on with what is not as it should be."""
_END = r"(?=\s*(?:[.,:;!–—-]|$))"
_RULES_OUT = re.compile(
    r"\b(?:never|wrong|forbidden"
    r"|(?:don't|do not|should(?:n't| not) have|mustn't|not to) (?:use|touch|run|do|edit|restart|call)"
    r"|not allowed|instead of|why did you|undo|revert)\b",
    re.IGNORECASE,
)
"""What is said against something that was done earlier: with less, words that it happens to share tell nothing."""
_DISMISSES = re.compile(
    r"\W*(?:hm+\W+|no\W+|ok(?:ay)?\W+|so\W+)?"
    rf"(?:(?:that|this|it)(?:'s| is| was)? (?:all )?(?:wrong|no good|no use|not (?:it|enough|right)){_END}"
    r"|still (?:\d|failing\b|fails\b|red\b|broken\b|the same\b|no (?!errors?|problems?|warnings?)|nothing\b|not\b)"
    rf"|(?:no luck|no effect|no change|wrong|worse)(?!, as expected){_END}"
    r"|(?:that|this|it|which) (?:did|does|has)(?: not|n't) (?:help|work|fix (?:it|that|this)|change anything)\b"
    rf"|.{{0,40}}?\bchange[sd]? nothing{_END})",
    re.IGNORECASE,
)
"""How an agent begins that says of what it did last that it was not what was needed."""


def refused_acts(trajectory: Trajectory, steps: Sequence[Step], feedback: str = "") -> Iterator[Step]:
    """Yield the acts that somebody spoke up against; one may be yielded more than once.

    They are the last command or call before each turn of the user that objects to it or says that it did not help, and
    commands before it that the turn objects to by name; what the agent did last before it says that this was wrong or
    changed nothing; and commands that the reviewer's feedback objects to by name. Edits are none: what came of them is
    seen in the files. `steps` are the last ones of the run.
    """
    yield from (step for step in steps if step.kind == "command" and is_objected_to(step.subject, feedback))
    before = steps_before(trajectory, steps)
    turns = [(said.role, said.place - before, with_plain_apostrophes(said.text)) for said in find_said(trajectory)]
    for role, place, words in turns:
        if role == AGENT and 0 < place <= len(steps) and _acts(steps[place - 1]) and _dismisses(words):
            yield steps[place - 1]
    spoken = [(place, words) for role, place, words in turns if role == USER]
    for (start, _), (end, words) in pairwise([(0, ""), *spoken[1:]]):
        acted = [step for step in steps[max(start, 0) : max(end, 0)] if _acts(step)]
        if acted and _is_against(acted[-1], words):
            yield acted[-1]
        if not _is_content(words):
            against = " ".join(each for each in split_sentences(words) if _RULES_OUT.search(each))
            yield from (step for step in acted[:-1] if step.kind == "command" and is_objected_to(step.subject, against))


def _dismisses(words: str) -> bool:
    """Return true where an agent says first that what it just did was wrong, or made no difference."""
    return any(_DISMISSES.match(sentence) for sentence in islice(split_sentences(words), 1))


def _acts(step: Step) -> bool:
    return step.kind != "edit" and step.failed is not True and not (is_inspection(step) or is_lookup(step))


def _is_content(words: str) -> bool:
    if not (cues.CONFIRMATION.match(words) or _APPROVES.match(words)):
        return False
    return not any(_TAKES_UP.search(each) for each in islice(split_sentences(words), _FIRST))


def _is_against(step: Step, words: str) -> bool:
    first = list(islice(split_sentences(words), _FIRST))
    if _is_content(words):
        return False
    if any(objects(each) or (_IN_VAIN.search(each) and not each.endswith("?")) for each in first):
        return True
    return step.kind == "command" and is_objected_to(step.subject, words)
