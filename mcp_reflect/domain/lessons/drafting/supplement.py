"""The likeliest passages of a run that its lesson does not tell yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.wording import describe_step
from mcp_reflect.domain.lessons.run.case_data import case_data, holds_for_case, may_identify, serves_one_case
from mcp_reflect.domain.lessons.run.commands.checks import checks_by
from mcp_reflect.domain.lessons.run.commands.printing_scripts import only_shows
from mcp_reflect.domain.lessons.run.commands.told_command import only_records, work_of
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undoing import only_takes_back
from mcp_reflect.domain.lessons.salience.likelihood import likelihoods
from mcp_reflect.domain.lessons.salience.run_passages import RunPassage, find_passages
from mcp_reflect.domain.lessons.sentences.vocabulary import known_share, term_weights
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import CUT

_LIKELIEST, _LEAST_LIKELY = 3, 0.06
"""Passages that a lesson should tell, and the probability from which it does.

Of 58 lessons that lacked what the next run needs, 16 have it by these, and lessons are 45 characters longer. With
twice the passages, all that are at least half as likely, it is 17, and 70 characters.
"""
_LEAST_CHARS, _MOST_CHARS = 200, 300
"""Characters that they have in a full lesson, and in any."""
_TOLD = 0.85
"""Share of the weight of a passage's words from which the lesson tells it already: an act only where it quotes acts."""
_WORD = re.compile(r"\w")
_TELLS_EDIT = "editing "
_QUOTED = re.compile(r"`[^`]+`")


def find_untold(
    run: ReviewedRun, steps: Sequence[Step], lesson: str, most: int, refused: Collection[int] = ()
) -> list[str]:
    """Return the likeliest passages of a run that a lesson lacks, as lines for it, in the order of the run.

    They have the room that the lesson leaves up to `most` characters, 200 at least and 300 at most. `refused` are the
    acts, by their `id`, that the user spoke up against. Of a run on the data of one case nothing is told that may be
    about somebody.
    """
    passed = run.review.result == "pass"
    found = find_passages(run.trajectory, steps, run.trace.final_response, passed=passed)
    likely = likelihoods(found, steps, run.trace.final_response)
    ranked = sorted(range(len(found)), key=lambda number: likely[number], reverse=True)[:_LIKELIEST]
    data = case_data(steps) if serves_one_case(steps) else None
    told = " ".join(lesson.split())
    known, known_acts = term_weights(told).keys(), term_weights(" ".join(_QUOTED.findall(told))).keys()
    room = min(max(most - len(lesson), _LEAST_CHARS), _MOST_CHARS)
    chosen: dict[int, str] = {}
    for number in ranked:
        passage = found[number]
        if likely[number] < _LEAST_LIKELY or id(passage.step) in refused:
            continue
        if passage.text in told or known_share(passage.text, known_acts if passage.step else known) >= _TOLD:
            continue
        if data is not None and (passage.kind == "call" or _is_of_case(passage.text, data)):
            continue
        line = _line_of(passage, told, room)
        if line and len(line) <= room:
            chosen[number] = line
            room -= len(line) + 1
    return [chosen[number] for number in sorted(chosen)]


def _is_of_case(text: str, data: frozenset[str]) -> bool:
    return holds_for_case(text, data) or may_identify(text)


def _line_of(passage: RunPassage, told: str, most: int) -> str:
    """The passage as a line of a lesson that has `told` the others; empty where it has no room or says little more.

    Of an edit only lines are told that the lesson lacks, a third of the passage or more, and of a command nothing where
    it only checks or commits what the run changed, or only looks beside an edit.
    """
    step = passage.step
    if step is None:
        return passage.text
    if step.kind == "command":
        work = work_of(passage.text)
        is_known = work in told or any(told_by(passage.text) for told_by in (checks_by, only_takes_back, only_records))
        return "" if is_known or (_TELLS_EDIT in told and only_shows(passage.text)) else f"`{work}`"
    if step.kind != "edit":
        return describe_step(step)
    if _is_told_whole(step.file, told):
        return ""
    quoted = passage.text.replace("`; `", "`\n`").splitlines()
    lines = [line for line in quoted if line.strip("`") not in told] or quoted
    added = _describe_added(step.file, lines)
    if len(added) > most:
        lines = list(filter(_WORD.search, lines))
        while lines and len(added := _describe_added(step.file, lines)) > most:
            lines.pop()
    return added if 3 * sum(map(len, lines)) >= len(passage.text) else ""


def _is_told_whole(file: str, told: str) -> bool:
    """Return true where a lesson tells an edit of a file without an ellipsis for further lines of it."""
    edit = told.partition(f"editing {file} (")[2].partition("editing ")[0]
    return bool(edit) and f"; {CUT}" not in edit


def _describe_added(file: str, lines: Sequence[str]) -> str:
    return f"editing {file} ({'; '.join(f'+ {line}' for line in lines)})"
