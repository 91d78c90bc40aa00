"""Acts that the user spoke up against: what a run did last before words that object to it, or say that it did not do.

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
from mcp_reflect.domain.lessons.sentences.wording import objects
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
_DISMISSES = re.compile(
    r"\W*(?:hm+\W+|no\W+|ok(?:ay)?\W+|so\W+)?"
    r"(?:(?:that|this|it)(?:'s| is| was)? (?:all )?(?:wrong|no good|no use|not (?:it|enough|right))"
    r"|(?:still|no luck|no effect|no change|wrong|worse)\b"
    r"|(?:that|this|it|which) (?:did|does|has)(?: not|n't) (?:help|work|change|fix|do)\b"
    r"|.{0,40}?\bchange[sd]? nothing\b)",
    re.IGNORECASE,
)
"""How an agent begins that says of what it did last that it was not what was needed."""


def refused_acts(trajectory: Trajectory, steps: Sequence[Step], feedback: str = "") -> Iterator[Step]:
    """Yield the last command or call before each turn of the user that objects to it, or says that it did not help.

    So are those of which the agent itself says next that they were wrong, and the commands that the reviewer's feedback
    objects to by name. Edits are none: what came of them is seen in
    the files. `steps` are the last ones of the run.
    """
    yield from (step for step in steps if step.kind == "command" and is_objected_to(step.subject, feedback))
    before = steps_before(trajectory, steps)
    for said in find_said(trajectory):
        place = said.place - before
        if said.role == AGENT and 0 < place <= len(steps) and _acts(steps[place - 1]) and _dismisses(said.text):
            yield steps[place - 1]
    spoken = [(said.place - before, said.text) for said in find_said(trajectory) if said.role == USER]
    for (start, _), (end, words) in pairwise([(0, ""), *spoken[1:]]):
        acted = [step for step in steps[max(start, 0) : max(end, 0)] if _acts(step)]
        if acted and _is_against(acted[-1], words):
            yield acted[-1]


def _dismisses(words: str) -> bool:
    """Return true where an agent says first that what it just did was wrong, or made no difference."""
    return any(_DISMISSES.match(sentence) for sentence in islice(split_sentences(words), 1))


def _acts(step: Step) -> bool:
    return step.kind != "edit" and step.failed is not True and not (is_inspection(step) or is_lookup(step))


def _is_against(step: Step, words: str) -> bool:
    first = list(islice(split_sentences(words), _FIRST))
    if cues.CONFIRMATION.match(words) or _APPROVES.match(words):
        return False
    if any(objects(each) or (_IN_VAIN.search(each) and not each.endswith("?")) for each in first):
        return True
    return step.kind == "command" and is_objected_to(step.subject, words)
