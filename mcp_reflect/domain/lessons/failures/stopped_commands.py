"""Repairs in a run whose command lines may stop midway: `migrate && test` that fails in its tests has migrated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.failure_text import failure_text, is_same_failure, says_new
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection, is_preparation
from mcp_reflect.domain.lessons.failures.repairs import RETRIED_WITHIN, Repair, find_repairs
from mcp_reflect.domain.lessons.failures.wording import describe_edit, describe_stage
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.commands.variants import repeats
from mcp_reflect.domain.lessons.run.compound_commands import separated_parts
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undone_files import only_removes

_WORD = re.compile(r"[A-Za-z]{3,}")
_NAME = re.compile(r"[\w-]{4,}")
_ENDED = re.compile(
    r"\b(?:done|migrated|successfully|succeeded|created|updated|installed|applied|finished|rolled back|up to date"
    r"|added \d+|passed|complete[d]?)\b",
    re.IGNORECASE,
)
"""What commands print that worked."""
_MARKS = (
    ("pip", re.compile(r"^ERROR: ")),
    ("npm", re.compile(r"\bnpm (?:ERR!|error)")),
    ("docker", re.compile(r"daemon|container|image|Bind for|port is already")),
    ("cargo", re.compile(r"^error\[E\d+\]|could not compile")),
    ("tsc", re.compile(r"\bTS\d{3,5}\b")),
)
"""How the errors of programs are known that do not name themselves."""
_OF_START = re.compile(
    r"SyntaxError|IndentationError|ImportError|ModuleNotFoundError|command not found|No such file|cannot find module"
    r"|parse error|unexpected (?:token|end)",
    re.IGNORECASE,
)
"""Failures by which a command does not even begin."""
_MOVES = re.compile(r"cd\s+\S+\s*")


def find_repairs_of_parts(steps: Sequence[Step]) -> Iterator[Repair]:
    """Yield the repairs of a run as `find_repairs` does, a failed command line taken apart where the run went on.

    What worked of it may be the end of one repair, what failed the beginning of another. The places of the failures
    are those of the whole command lines.
    """
    split = _split(steps)
    place_of = [place for place, parts in enumerate(split) for _ in parts]
    for repair in find_repairs([part for parts in split for part in parts]):
        yield replace(repair, tries=tuple(dict.fromkeys(place_of[each] for each in repair.tries)))


def find_stages(steps: Sequence[Step], told: Collection[int], mistake: str) -> Iterator[str]:
    """Yield lines on commands that failed in another way once something was changed, and never in the first way again.

    They are obstacles that a run overcame although the very command never worked. Nothing was overcome by what is in
    the `mistake`, what removes files, and what the later failure names or is of an earlier stage than the first one.
    `told` are the places of failures that are told already.
    """
    split = [
        parts if step.failed and len(parts) > 1 and not _is_unclear(parts) else [step]
        for step, parts in zip(steps, separated_parts(steps), strict=True)
    ]
    place_of = [place for place, parts in enumerate(split) for _ in parts]
    parts = [part for each in split for part in each]
    for place, failed in enumerate(parts):
        if failed.kind != "command" or not failed.failed or is_inspection(failed) or place_of[place] in told:
            continue
        again = [
            number
            for number in range(place + 1, min(place + 1 + RETRIED_WITHIN, len(parts)))
            if repeats(failed.subject, parts[number].subject)
        ]
        error = failure_text([failed])
        later = failure_text([parts[again[0]]]) if again else ""
        if not (error and later) or not says_new(later, error) or _OF_START.search(later):
            continue
        if any(not parts[each].failed or is_same_failure(failure_text([parts[each]]), error) for each in again):
            continue
        changed = [
            step
            for step in parts[place + 1 : again[0]]
            if (step.kind == "edit" and not step.failed)
            or (is_preparation(step) and not _MOVES.fullmatch(step.subject))
        ]
        if changed and not any(_is_blamed(step, later, mistake) for step in changed):
            yield describe_stage(failed, error, changed)


def _is_blamed(step: Step, later: str, mistake: str) -> bool:
    """Return true for a change that the later failure names, that removes something, or that is told as wrong."""
    if step.kind == "edit":
        return step.file.rpartition("/")[2] in later or describe_edit(step) in mistake
    return only_removes(step.subject) or any(word in later for word in _NAME.findall(step.subject))


def _split(steps: Sequence[Step]) -> list[list[Step]]:
    """The steps, a failed command line as its parts where the run went on with one of them.

    It is whole where nothing shows that its first parts had ended.
    """
    split: list[list[Step]] = []
    for place, (step, parts) in enumerate(zip(steps, separated_parts(steps), strict=True)):
        is_split = step.failed and len(parts) > 1 and not _is_unclear(parts) and _got_past(parts, step, steps[:place])
        split.append(parts if is_split else [step])
    return split


def _got_past(parts: Sequence[Step], whole: Step, before: Sequence[Step]) -> bool:
    """Return true where an output says that the first parts ended, or that one which had failed does not any more.

    The failure is theirs where it names their program or one of their words, and none of the last part.
    """
    *first, last = parts
    if all(only_reads(part.subject) for part in first):
        return True
    error = failure_text([whole])
    own, others = _words(last.subject), set[str]().union(*(_words(part.subject) for part in first))
    said = {word.lower() for word in _WORD.findall(error)}
    if said & (others - own) and not said & (own - others):
        return False
    marks = [mark for program, mark in _MARKS if program in others - own]
    if any(mark.search(error) for mark in marks):
        return False
    if _ENDED.search(whole.output):
        return True
    failed = [step for step in before if step.failed and any(repeats(step.subject, part.subject) for part in first)]
    return bool(failed) and not any(is_same_failure(failure_text([step]), error) for step in failed)


def _words(command: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(normalised(command))}


def _is_unclear(parts: Sequence[Step]) -> bool:
    """Return true where a part before may have failed as well, and the last one only reads."""
    return any(part.failed is None for part in parts) and only_reads(parts[-1].subject)
