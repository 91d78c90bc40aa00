"""Sections of a transcript by label, and which of its final answers are the agent's.

A final answer behind which its question goes on is a part of the output before it, which has printed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_NO_OUTPUT = -1


class LabelledSection(NamedTuple):
    """A section: the role and the name that its label tells, the label as it is written, and the text behind it.

    The role is `user`, `agent`, `action`, `input`, `observation` or `end`, which is a final answer; `later user` of a
    question behind the first one, `unsure` of words around it, which are the agent's or of the output before it.
    """

    role: str
    name: str
    label: str
    text: str


def with_true_answers(sections: Sequence[LabelledSection]) -> list[LabelledSection]:
    """Return the sections with what only looks like a question or a final answer as a part of the one before.

    A question behind the first one has an action before its answer: else the answer before it goes on. It takes linear
    time.
    """
    sections = _with_true_questions(sections)
    false_ends = _false_ends(sections)
    found: list[list[LabelledSection]] = []
    output = _NO_OUTPUT
    """The number of the output behind which the agent has not acted or answered so far."""
    is_behind_false_end = False
    for number, section in enumerate(sections):
        following = sections[number + 1].role if number + 1 < len(sections) else ""
        is_printed = number in false_ends or (is_behind_false_end and section.role == following == "agent")
        if is_printed and output != _NO_OUTPUT:
            for each in found[output + 1 :]:
                found[output] += each
            del found[output + 1 :]
            found[output].append(section)
            is_behind_false_end = True
            continue
        found.append([section])
        if section.role == "observation":
            output, is_behind_false_end = len(found) - 1, False
        elif section.role != "agent":
            output, is_behind_false_end = _NO_OUTPUT, False
    return _with_doubts([*map(_joined, found)])


def _with_doubts(sections: Sequence[LabelledSection]) -> list[LabelledSection]:
    """The sections; an output may have printed a later question with the words around it."""
    roles = [section.role for section in sections]
    for number in [number for number, role in enumerate(roles) if role == "user" and number]:
        roles[number] = "later user"
        begin, end = number, number + 1
        while roles[begin - 1] in {"agent", "end"}:
            begin -= 1
        while roles[end : end + 2] == ["agent", "agent"]:
            end += 1
        if roles[begin - 1] == "observation":
            roles[begin:number] = ["unsure"] * (number - begin)
            roles[number + 1 : end] = ["unsure"] * (end - number - 1)
    return [section._replace(role=role) for section, role in zip(sections, roles, strict=True)]


def _with_true_questions(sections: Sequence[LabelledSection]) -> list[LabelledSection]:
    """The sections; a question without an action before the next answer or question is a part of the one before."""
    is_true, acts = [True] * len(sections), False
    for number in range(len(sections) - 1, 0, -1):
        role = sections[number].role
        is_true[number] = role != "user" or acts
        acts = role == "action" or (acts and role not in {"user", "end"})
    found: list[list[LabelledSection]] = []
    for section, keeps in zip(sections, is_true, strict=True):
        if keeps:
            found.append([section])
        else:
            found[-1].append(section)
    return [*map(_joined, found)]


def _false_ends(sections: Sequence[LabelledSection]) -> frozenset[int]:
    """The final answers behind which their question goes on: with an action, or with words and another answer."""
    found: list[int] = []
    goes_on, has_end, later = False, False, ""
    """Whether the question goes on behind a section, whether an answer follows, and the name of one directly behind."""
    for number in range(len(sections) - 1, -1, -1):
        section = sections[number]
        if section.role == "end":
            if goes_on or later == section.name.lower():
                found.append(number)
            has_end, later = True, section.name.lower()
            continue
        later = ""
        if section.role == "user":
            goes_on = has_end = False
        elif section.role == "action" or has_end:
            goes_on = True
    return frozenset(found)


def _joined(sections: Sequence[LabelledSection]) -> LabelledSection:
    """The first of sections, with the others as lines of it."""
    texts = (sections[0].text, *(f"{each.label}{each.text}" for each in sections[1:]))
    return sections[0]._replace(text="\n".join(texts))
