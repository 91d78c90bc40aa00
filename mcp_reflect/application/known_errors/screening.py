"""Screening of an error that a run fixed: what of it may be stored, and what of it nobody vouches for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcp_reflect.domain.error_matching.signatures import error_signatures
from mcp_reflect.domain.lessons.failures.course_changes import names_in
from mcp_reflect.domain.lessons.failures.fix_wording import INSTEAD, command_of_change
from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError
from mcp_reflect.domain.lessons.failures.triggers import command_of_trigger
from mcp_reflect.domain.provenance.dictated_commands import is_called_so
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.text.quotation import read_quotation

_CLAUSE_END = re.compile(r"[:;,.](?=\s)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ERROR_NAME = re.compile(
    r"\b(?:[A-Z][a-z]+){1,4}(?:Error|Exception|Violation|Failure|Timeout|Fault)\b|\b[A-Z]{1,4}\d{3,5}\b|\b(?!ERROR)E[A-Z]{4,12}\b"
)
_LEAST_WORDS = 3
"""Words from which the beginning of a mistake says something."""


def screened_error(screening: Screening, fixed: FixedError) -> FixedError | None:
    """Return an error without what its output wanted; None where nothing of its fix is left.

    That the command failed, and passed after what the fix tells, the run itself shows: of the mistake as much is told
    as may be, at least that the command failed. Of a fix with a step that may not be told, another form of the command
    is left: the other steps alone would be another fix, which nobody tried.
    """
    failed = command_of_trigger(fixed.triggers[0]) if fixed.triggers else ""
    told = {
        change: change if fixed.is_correction and not command_of_change(change) else _told(screening, change, failed)
        for change in fixed.changes  # a correction stands in the words of who judged the run
    }
    changes = tuple(told.values()) if all(told.values()) else tuple(each for each in told.values() if INSTEAD in each)
    mistake = next(filter(screening.passes, (fixed.mistake, *_beginnings(fixed.mistake))), None)
    if mistake is None and screening.passes(fixed.failure):
        mistake = _with_error_name(fixed)
    said = tuple(filter(None, (_closing(screening, each, told) for each in fixed.said)))
    if mistake is None or not (changes or said):
        return None
    command = fixed.command if screening.passes(fixed.command) else ""
    evidence = screening.evidence_in(fixed.evidence)
    if not error_signatures(evidence):  # all that an import and a later version know it by
        evidence = f"{mistake}\n{evidence}".strip()
    texts = (mistake, *changes, *said, command, *map(command_of_trigger, fixed.triggers))
    unvouched = tuple(text for text in texts if text and screening.unvouched(text))
    return replace(
        fixed,
        mistake=mistake,
        changes=changes,
        said=said,
        command=command,
        evidence=evidence,
        unvouched=unvouched,
        output=fixed.evidence,
    )


def _with_error_name(fixed: FixedError) -> str:
    """Return that the command failed, with the name or code of its error, which is too short to be a sentence."""
    found = _ERROR_NAME.search(fixed.mistake) if fixed.failure else None
    return f"{fixed.failure}: {found[0]}" if found else fixed.failure


def _told(screening: Screening, change: str, failed: str) -> str:
    """Return a change as it may be told; empty where it may not.

    What the run did by what it had read is told with its source: an edit, another form of the failed command, and a
    step of the failed program's own on the project, none of which brings anything in. Of another form that alone may be
    told where the failed one, which stands in an output, may not.
    """
    quoted, command = screening.quoted(change), command_of_change(change)
    if quoted and (not command or INSTEAD in change or is_called_so(command, failed)):
        return quoted
    forms = (change, f"Run `{command}`") if INSTEAD in change else (change,)
    return next(filter(screening.passes, forms), "")


def _closing(screening: Screening, sentence: str, told: Mapping[str, str]) -> str:
    """Return a closing sentence of the agent as it may be told; empty where it may not.

    It names what one of the changes did. Where that is told with the source of what led to it, the sentence is, too.
    """
    named = [change for change in told if any(name in change for name in names_in(sentence))]
    if any(told[change] == change for change in named) and screening.passes(sentence):
        return sentence
    sources = filter(None, (read_quotation(screening.quoted(change)) for change in named))
    source = next(sources, None)
    is_kept = screening.passes(sentence) or screening.quoted(sentence)
    return str(source._replace(text=sentence)) if source is not None and is_kept else ""


def _beginnings(mistake: str) -> Iterator[str]:
    """The clauses at the beginning of a mistake, the most of them first: advice stands at its end."""
    for end in reversed([found.start() for found in _CLAUSE_END.finditer(mistake)]):
        if len(_WORD.findall(mistake[:end])) >= _LEAST_WORDS:
            yield mistake[:end]
