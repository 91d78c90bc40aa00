"""Compound commands such as `git mv a b && make`, taken apart into steps whose results follow from the whole's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mcp_reflect.domain.lessons.run.command_lines import normalised, only_reads, setup_of, without_noise
from mcp_reflect.domain.lessons.run.steps import Step

_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\{[^}]*\}")
_SCRIPT = re.compile(r"<<|[()\n`{}]|\|\||(?<![&>])&(?![&>\d])|(?:^|[;&\s])(?:for|if|while|until|case)\s")
"""What makes a script of a command line: the result of its parts does not follow from its own."""
_JOINT = re.compile(r"\s*(&&|;)\s*")


def separated_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps, a compound command as one step for each part, unless it failed as a whole and comes again.

    What a command printed counts as that of its last part. Where it failed, a part that only reads did not.
    """
    given = list(steps)
    commands = [list(_parts(step)) if step.kind == "command" else [step] for step in given]
    failed = {
        normalised(part.subject) for parts in commands for part in parts if part.kind == "command" and part.failed
    }
    for step, parts in zip(given, commands, strict=True):
        yield from [step] if step.kind == "command" and normalised(step.subject) in failed else parts


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
        for part in last[:acting]:
            yield replace(step, subject=setup + part, failed=False, errors=(), output="")
        yield replace(step, subject=setup + " && ".join(last[acting:]))
        return
    for part in last[:-1]:
        yield replace(step, subject=setup + part, errors=(), output="")
    yield replace(step, subject=setup + last[-1])


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
