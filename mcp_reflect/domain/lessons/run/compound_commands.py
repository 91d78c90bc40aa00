"""Compound commands such as `git mv a b && make`, taken apart into steps whose results follow from the whole's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import normalised, setup_of, without_noise
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.run_again import is_run_again
from mcp_reflect.domain.lessons.run.step import Step

_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\{[^}]*\}|[<>$]\([^()]*\)")
_SCRIPT = re.compile(r"<<|[()\n`{}]|\|\||(?<![&>])&(?![&>\d])|(?:^|[;&\s])(?:for|if|while|until|case)\s")
"""What makes a script of a command line: the result of its parts does not follow from its own."""
_JOINT = re.compile(r"\s*(&&|;)\s*")
_GOES_ON_WITHIN = 20
"""Steps behind a compound command in which the run goes on with the part that failed."""


def separated_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps, a compound command as one step for each part, unless it failed as a whole and comes again."""
    return chain.from_iterable(separated_parts(list(steps)))


def separated_parts(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the parts of each step.

    What a command printed counts as that of its last part. Where it failed, a part that only reads did not, nor did
    those before the first one that the run made again afterwards: it goes on where it stopped. What failed as a whole
    and worked in another form is one step there, too.
    """
    commands = [list(_parts(step)) if step.kind == "command" else [step] for step in steps]
    for place, parts in enumerate(commands):
        if parts[-1].failed and parts[-1].whole:
            later = chain.from_iterable(commands[place + 1 : place + 1 + _GOES_ON_WITHIN])
            commands[place] = _from_where_it_went_on(parts, list(later))
    failed = {
        normalised(part.subject) for parts in commands for part in parts if part.kind == "command" and part.failed
    }
    wholes = {number for place, parts in enumerate(commands) for number in _forms_of_whole(parts[-1], steps, place)}
    return [
        [step] if number in wholes or (step.kind == "command" and normalised(step.subject) in failed) else parts
        for number, (step, parts) in enumerate(zip(steps, commands, strict=True))
    ]


def _forms_of_whole(failed: Step, steps: Sequence[Step], place: int) -> Iterator[int]:
    """The places behind a compound command that failed as a whole at which all of it was run in another form."""
    if not (failed.failed and failed.whole) or failed.subject != failed.whole:
        return
    parts = len(parts_of(failed.whole))
    for number, step in enumerate(steps[place + 1 : place + 1 + _GOES_ON_WITHIN], place + 1):
        if step.kind == "command" and len(parts_of(step.subject)) == parts and is_run_again(failed, step):
            yield number


def _parts(step: Step) -> Iterator[Step]:
    setup, groups = _groups(step.subject)
    *before, last = groups
    if not before and len(last) == 1:
        yield step
        return
    for part in (part for group in before for part in group):  # the shell went on whatever came of them
        yield replace(step, subject=setup + part, failed=None, errors=(), output="")
    if step.failed:
        acting = next((number for number, part in enumerate(last) if not only_reads(part)), len(last) - 1)
        yield from _stopped_at(step, setup, last, acting)
        return
    for part in last[:-1]:
        yield replace(step, subject=setup + part, errors=(), output="", whole=step.whole or step.subject)
    yield replace(step, subject=setup + last[-1], whole=step.whole or step.subject)


def _stopped_at(step: Step, setup: str, parts: Sequence[str], stop: int) -> Iterator[Step]:
    """The parts of a failed command: those that worked, and as one step what failed with what may not have run."""
    for part in parts[:stop]:
        yield replace(step, subject=setup + part, failed=False, errors=(), output="")
    yield replace(step, subject=setup + " && ".join(parts[stop:]), whole=step.whole or step.subject)


def _from_where_it_went_on(parts: list[Step], later: Sequence[Step]) -> list[Step]:
    """The parts with what failed cut at the first one that a later step runs again, in the same form or another one."""
    *before, failed = parts
    setup, groups = _groups(failed.subject)
    last = groups[-1]
    again = (
        number
        for number, part in enumerate(last)
        if any(is_run_again(replace(failed, subject=setup + part), step) for step in later)
    )
    stop = next(again, 0)
    return [*before, *_stopped_at(replace(failed, subject=failed.whole), setup, last, stop)] if stop else parts


def _groups(command: str) -> tuple[str, list[list[str]]]:
    """Return the set-up of a command line, and what is joined by `;`, each as the parts joined by `&&`."""
    setup = setup_of(command)
    text = without_noise(command.strip()[len(setup) :])
    masked = _QUOTED.sub(lambda found: "_" * len(found[0]), text)
    if _SCRIPT.search(masked):
        return setup, [[text]]
    groups: list[list[str]] = [[]]
    at = 0
    for joint in _JOINT.finditer(masked):
        groups[-1].append(text[at : joint.start()])
        at = joint.end()
        if joint[1] == ";":
            groups.append([])
    groups[-1].append(text[at:])
    filled = [kept for group in groups if (kept := [part for part in group if part.strip()])]
    return setup, filled or [[text]]
