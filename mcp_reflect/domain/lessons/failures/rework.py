"""Work done over again once the user had spoken: whatever words they used, the first form was not what they want.

No wording is looked at, so that it holds in every language: a command that worked runs in another form behind the
user's words and not in its own again, an edit from before them is taken back, or the first that is done behind them is
to take back files by version control.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repairs import Repair
from mcp_reflect.domain.lessons.run.commands.lines import normalised, program_of
from mcp_reflect.domain.lessons.run.commands.variants import are_variants, is_variant_text, parts_of
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.run_again import has_same_operands
from mcp_reflect.domain.lessons.run.step import Step

_TAKES_BACK = re.compile(r"git\s+(?:restore|reset|revert|checkout\s+(?:-[a-z]+\s+)*(?:--\s|\S+\.\w))")
_WORDS_OF_QUERY = 5
"""Words from which what a call is given is a query or another text that can be worded anew."""
_VALUE = re.compile(r"'[^']*'|\d+")
"""A value in a query."""


class Rework:
    """The commands and queries of a run that were replaced, and the user's words that had them replaced.

    `spoke` are the places of the user's turns behind the task, each the number of steps before it, `corrections` those
    of them that had something replaced, `plain` those that had an edit taken back or other options tried: with another
    operand a command may serve a new task. `before` is the number of steps before those that are read.
    """

    def __init__(self, steps: Sequence[Step], spoke: Sequence[int], before: int = 0) -> None:
        self._final: dict[int, Step] = {}
        self._place: dict[int, int] = {}
        self.corrections = set[int]()
        self.plain = set[int]()
        spoke = [place - before for place in spoke if place >= before]
        for number, step in enumerate(steps):
            place = next((each for each in spoke if each > number), None)
            later = None if place is None or not _worked(step) else _other_form(step, steps[place:])
            if place is not None and later is not None:
                self._final[id(step)] = later
                self._place[id(step)] = place
                self.corrections.add(place)
                if has_same_operands(step, later):
                    self.plain.add(place)
        self._undone = set[int]()
        for place, undone in _taken_back(steps, spoke):
            self._undone.update(map(id, undone))
            self.plain.add(place)
        place_of = {id(step): number for number, step in enumerate(steps)}
        for edit, later in NetChanges(steps).taken_back():
            between = [each for each in spoke if place_of[id(edit)] < each <= place_of[id(later)]]
            if between:
                self._place[id(edit)] = between[0]
                self.plain.add(between[0])
        self.corrections = {place + before for place in self.corrections | self.plain}
        self.plain = {place + before for place in self.plain}

    def is_replaced(self, step: Step) -> bool:
        """Return true for a command or a query that the user had done in another form, or taken back."""
        return id(step) in self._final or id(step) in self._undone

    def replaced(self, steps: Sequence[Step]) -> Iterator[tuple[Step, Step, int]]:
        """Yield the commands that the user had done in another form, each with that and the place of their words."""
        for step in steps:
            if step.kind == "command" and (final := self._final.get(id(step))) is not None:
                yield step, final, self._place[id(step)]

    def redone_at(self, steps: Sequence[Step]) -> int | None:
        """Return the last place among the steps read at which the user had one of these done over; None without one."""
        return max((self._place[id(step)] for step in steps if id(step) in self._place), default=None)

    def as_accepted(self, repair: Repair) -> Repair:
        """Return a repair with the form of its command that the run ended with.

        A command line that prepared something first stays: what it prepared was there when the later form ran.
        """
        final = self._final.get(id(repair.worked))
        if final is None or (final.kind == "command" and _prepared(repair.worked, final, repair.failed)):
            return repair
        return replace(repair, worked=final)


def _prepared(worked: Step, final: Step, failed: Step) -> bool:
    """Return true where a part of a command line that worked is no form of what failed, nor of what it ended with."""
    others = [normalised(part) for step in (final, failed) for part in parts_of(step.subject)]
    parts = list(map(normalised, parts_of(worked.subject)))
    return len(parts) > 1 and any(not any(_is_form(part, other) for other in others) for part in parts[:-1])


def _taken_back(steps: Sequence[Step], spoke: Sequence[int]) -> Iterator[tuple[int, list[Step]]]:
    """Yield the places of the user's words that had commands taken back, each with these and what took them back."""
    for start, place in zip([0, *spoke], spoke, strict=False):
        first = next((step for step in steps[place:] if not is_inspection(step)), None)
        if first is not None and first.kind == "command" and _TAKES_BACK.match(normalised(first.subject)):
            yield place, [*filter(_worked, steps[start:place]), first]


def _other_form(step: Step, later: Sequence[Step]) -> Step | None:
    """The last form of a command or a query behind the user's words; None where it runs as it did, or not at all."""
    if step.kind == "call":
        written = [each for each in later if _worked(each) and _is_rewritten(step, each)]
        return written[-1] if written and not any(each.arguments == step.arguments for each in later) else None
    ours = normalised(step.subject)
    forms = [each for each in later if _worked(each) and _is_form(ours, normalised(each.subject))]
    return None if not forms or any(normalised(each.subject) == ours for each in forms) else forms[-1]


def _is_form(ours: str, theirs: str) -> bool:
    return program_of(ours) == program_of(theirs) and are_variants(ours, theirs)


def _is_rewritten(step: Step, other: Step) -> bool:
    """Return true for a call with nothing else than another wording of a text that the first one was given."""
    if other.kind != "call" or other.tool != step.tool or other.arguments.keys() != step.arguments.keys():
        return False
    differing = [(one, other.arguments[name]) for name, one in step.arguments.items() if other.arguments[name] != one]
    if len(differing) != 1 or not all(map(_is_query, differing[0])) or not is_variant_text(*differing[0]):
        return False
    one, anew = (_VALUE.sub("x", text) for text in differing[0])
    return one != anew  # with other values it asks for something else


def _is_query(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value.split()) >= _WORDS_OF_QUERY


def _worked(step: Step) -> bool:
    if step.kind == "call":
        return step.failed is not True and any(map(_is_query, step.arguments.values()))
    return step.kind == "command" and step.failed is not True and not is_inspection(step)
