"""Fixes that were rejected: what a failed run ended with, and what the user or the reviewer wants instead.

That a command passes does not make the way right. Where a run failed, the words behind its last step speak of what came
before them; what they reject is no fix, and what they want instead is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.course_changes import names_in
from mcp_reflect.domain.lessons.failures.fix_wording import INSTEAD_OF, command_of_change, quoted
from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.objections import is_objected_to
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.failures.triggers import command_of_trigger
from mcp_reflect.domain.lessons.run.run_again import is_run_again
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences

_IN_BACKQUOTES = re.compile(r"`([^`\n]+)`")
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_SENTENCES = 2
_MOST_CHARS = 300
"""Characters up to which all that was said is told."""


def last_words(read: ReadSteps) -> str:
    """Return what the user said behind the last step of a run; empty where the agent went on, or nobody spoke."""
    said = zip(read.spoke, read.words, strict=False)
    return "\n".join(words for place, words in said if place == len(read.steps))


def without_rejected(found: Sequence[FixedError], read: ReadSteps, words: str) -> Iterator[FixedError]:
    """Yield the errors of a failed run, those whose fix these words reject with what they want instead, if anything."""
    last = _last_stretch(read)
    for fixed in found:
        if not _is_rejected(fixed, last, words):
            yield fixed
        elif (corrected := _corrected(fixed, read.steps, words)) is not None:
            yield corrected


def _last_stretch(read: ReadSteps) -> Sequence[Step]:
    """The steps behind the last words of the user that something was done about."""
    return read.steps[max((place for place in read.spoke if place < len(read.steps)), default=0) :]


def _is_rejected(fixed: FixedError, last: Sequence[Step], words: str) -> bool:
    """Return true where a fix was made in the last steps, and the words name something of it, or nothing at all."""
    text = "\n".join([*fixed.changes, fixed.command])
    if not any(step.subject in text or (step.file and step.file in text) for step in last if not is_inspection(step)):
        return False
    failed = " ".join(map(command_of_trigger, fixed.triggers[:1]))
    if any(is_objected_to(command_of_change(change), words, failed) for change in fixed.changes):
        return True
    about = {word for name in names_in(words) for word in _words_of(name)}
    return not about or not about.isdisjoint(_words_of(f"{text}\n{fixed.mistake}"))


def _words_of(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _corrected(fixed: FixedError, steps: Sequence[Step], words: str) -> FixedError | None:
    """Return an error with the form of its command that the words name, else with the sentences that name something."""
    failed = [step for step in steps if step.failed and step.subject in map(command_of_trigger, fixed.triggers)]
    for step in failed:
        for command in _IN_BACKQUOTES.findall(words):
            other = replace(step, subject=command, whole="", failed=False, output="")
            if command != step.subject and is_run_again(step, other):
                change = f"Run {quoted(other)}{INSTEAD_OF}{quoted(step)}"
                return replace(fixed, changes=(change,), command=command, edits=(), said=(), is_correction=True)
    sentences = list(split_sentences(words))
    named = [sentence for sentence in sentences if names_in(sentence)][-_MOST_SENTENCES:]
    if sum(map(len, sentences)) <= _MOST_CHARS and (named or len(sentences) > 1):
        named = sentences  # what to do instead may name nothing
    if not named:
        return None
    return replace(fixed, changes=tuple(named), command="", edits=(), said=(), is_correction=True)
