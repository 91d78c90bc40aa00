"""The lines of a transcript split at its marks (`marks.py`): the parts of a run, and what only looks like one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.agent_words import begins_call
from mcp_reflect.domain.trajectory.transcripts.elements.marks import Mark

Part = tuple[Mark, list[str]]
"""A mark, and the lines of its part: the first is what stands behind it."""
TOOL_MARK = "tool"
CALLS = frozenset({"call", "tool call", "action", "invoke"})
LONGEST_END = 40
"""Characters of what may close a transcript or an output."""
_RULE = re.compile(r"(?P<sign>[-=~*#_]{2,40})(?![-=~*#_])[^\n]{0,200}(?P=sign)[ \t]{0,9}")
_IN_BRACES = re.compile(r"\{[^{}\n]{1,200}\}[ \t]{0,9}")
_MOST_BEFORE = 2


def without_end(lines: list[str]) -> list[str]:
    """Return the lines without a rule at their end that closes what one at their beginning has opened, or stands apart.

    So do two records of the run itself: `{session: 7}` and `{end: ok}`.
    """
    first = next((rule for line in lines[:_MOST_BEFORE] if (rule := _RULE.fullmatch(line))), None)
    last = _RULE.fullmatch(lines[-1])
    is_frame = first and last and first["sign"] == last["sign"]
    is_apart = last and len(lines) > 1 and not lines[-2].strip()
    is_braced = _IN_BRACES.fullmatch(lines[0]) and _IN_BRACES.fullmatch(lines[-1])
    return lines[:-1] if (is_frame or is_apart or is_braced) and len(lines[-1]) <= LONGEST_END else lines


def without_fields(lines: Sequence[str], marks: Sequence[Mark | None], begin: int) -> list[Mark | None]:
    """Return the marks without unknown words that go on in the line below another, where all known ones stand apart.

    They are fields that an output tells: `STATUS: deployed`.
    """
    apart = [number == begin or not lines[number - 1].strip() for number in range(len(lines))]
    if not all(is_apart for mark, is_apart in zip(marks, apart, strict=True) if mark and mark.role):
        return list(marks)
    return [mark if mark and (mark.role or is_apart) else None for mark, is_apart in zip(marks, apart, strict=True)]


def without_sections(marks: Sequence[Mark | None], first: Mark) -> list[Mark | None]:
    """Return the marks without unknown words alone in a box where results have a mark: they are sections of a file."""
    has_results = any(mark and mark.role == "result" for mark in marks)

    def is_section(mark: Mark) -> bool:
        return (
            has_results and not mark.role and not mark.rest and mark.form.startswith("[]") and mark.name != first.name
        )

    return [None if mark and is_section(mark) else mark for mark in marks]


def split_parts(lines: Sequence[str], marks: Sequence[Mark | None], begin: int) -> list[Part]:
    """Return the parts with their lines; the first of each is what stands behind its mark."""
    parts: list[Part] = []
    for line, mark in zip(lines[begin:], marks[begin:], strict=True):
        if mark is not None:
            parts.append((mark, [mark.rest]))
        else:
            parts[-1][1].append(line)
    return parts


def join_answers(parts: Sequence[Part], answers: frozenset[tuple[str, str]]) -> list[Part]:
    """Return the parts, those of an output of which each line has its mark as one."""
    found: list[Part] = []
    for mark, lines in parts:
        if (mark.name, mark.form) in answers and found and found[-1][0].name == mark.name:
            found[-1][1].extend(lines)
        else:
            found.append((mark, lines))
    return found


def answering_names(parts: Sequence[Part]) -> frozenset[tuple[str, str]]:
    """Return the names, with their forms, that mark results, though they sound like calls.

    A call stands before them, or the agent's words end in one.
    """
    answers: dict[tuple[str, str], list[bool]] = {}
    for (before, lines), (mark, _) in pairwise(parts):
        if mark.role == "call" and before.name != mark.name:
            is_call = mark.name == TOOL_MARK and not mark.of and before.name in CALLS
            ends_in_call = is_call or (before.role == "agent" and any(map(begins_call, lines)))
            answers.setdefault((mark.name, mark.form), []).append(ends_in_call)
    return frozenset(name for name, each in answers.items() if any(each) and (name[0] == TOOL_MARK or all(each)))
