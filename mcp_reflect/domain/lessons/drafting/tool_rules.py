"""Rules that a tool told where it refused a call, or in a warning beside what it did.

No argument of a call shows them. They are a tool's words, and screened as such: a lesson tells them as a quotation with
their source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.case_data import case_data, holds_for_case
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.text.instructions import begins_order
from mcp_reflect.domain.text.tool_rules import MOST_CHARS, states_limit
from mcp_reflect.domain.trajectory.tool_answers import people_in, reasons_in, warnings_in

_MOST = 3
_NAME = re.compile(r"\b(?=\w*[a-z])(?=\w*_|\w*[a-z][A-Z]|\w*\d)\w{3,}\b")
"""A name as programs have them: that of a tool, an argument or a value, where the run used it."""
_CLAUSE = re.compile(r"(?<=\w)[:;]\s+")
_WORD = re.compile(r"\w+")


def find_tool_rules(steps: Sequence[Step]) -> list[str]:
    """Return the last sentences in which tools told rules in a run that served one case, in order, each once.

    They state a limit (`text/tool_rules.py`) and name nobody whom a tool had named, no day, sum or id of the case, and
    no tool or argument that the run did not use. Where one goes on with an order it ends before that.
    """
    said = (sentence for step in steps for text in _words_of(step) for sentence in split_sentences(text))
    limits = dict.fromkeys(filter(states_limit, map(_without_order, said)))
    if not limits:
        return []
    data = case_data(steps)
    used = " ".join(f"{step.tool} {step.subject}" for step in steps)
    people = {word.lower() for step in steps for name in people_in(step.output) for word in _WORD.findall(name)}
    told = [
        rule
        for rule in limits
        if not holds_for_case(rule, data) and all(name in used for name in _NAME.findall(rule))
        if people.isdisjoint(map(str.lower, _WORD.findall(rule)))
    ]
    return told[-_MOST:]


def _words_of(step: Step) -> Iterator[str]:
    """What a tool said of a call that does something: what a look-up answers, anybody may have written."""
    if step.kind == "call" and not is_lookup(step):
        yield from warnings_in(step.output)
        yield from reasons_in(step.output) if step.failed else ()


def _without_order(sentence: str) -> str:
    if len(sentence) > MOST_CHARS:
        return sentence
    ends = [0, *(found.end() for found in _CLAUSE.finditer(sentence)), len(sentence)]
    kept = list(takewhile(lambda end: not begins_order(sentence[end:]), ends[:-1]))
    return sentence[: ends[len(kept)]].rstrip(" :;")
