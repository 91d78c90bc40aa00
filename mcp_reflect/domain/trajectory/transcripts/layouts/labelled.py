"""Transcripts in sections by label: SWE-agent (`THOUGHT:`, `ACTION:`, `OBSERVATION:`) and ReAct (`Action Input:`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.asked_people import asks_people
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import split_fences, without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.labelled_edits import read_labelled_edit
from mcp_reflect.domain.trajectory.transcripts.elements.labelled_sections import LabelledSection, with_true_answers
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import (
    add_react_call,
    add_tool_call,
    read_object,
    read_tool_and_given,
)
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.swe_agent import SweAgentShell

_LABEL = re.compile(
    r"^(?P<mark>[ \t]{0,3}(?:\*\*|#{1,4} )?)"
    r"(?P<name>instructions?|(?:user|agent|assistant)[ _]message|user|human|task|question|issue|goal|thoughts?"
    r"|discussion|reasoning|action[ _]input"
    r"|actions?|command|observations?|final[ _]answer|answer)(?P<number>[ ]#?\d{1,4})?"
    r"(?:[ ]\((?P<tool>[A-Za-z][\w.-]{1,40})\))?[ ]?(?P<colon>:?)(?:\*\*)?(?P<colon2>:?)[ \t]{0,9}(?P<rest>.*)$",
    re.IGNORECASE,
)
_ROLES = {
    **dict.fromkeys(
        ("instruction", "instructions", "user", "user message", "human", "task", "question", "issue", "goal"), "user"
    ),
    **dict.fromkeys(("thought", "thoughts", "discussion", "reasoning"), "agent"),
    **dict.fromkeys(("action", "actions", "command"), "action"),
    **dict.fromkeys(("observation", "observations"), "observation"),
    **dict.fromkeys(("final answer", "answer", "agent message", "assistant message"), "end"),
    "action input": "input",
}
_FAILED = re.compile(
    r"\(?(?:exit (?:status|code):? |returncode[ =:]{1,3})(?P<code>\d{1,5})\)?\s{0,20}\Z", re.IGNORECASE
)
_NOT_RUN = re.compile(
    r"[^\n]{0,60}is not a valid tool\b|Invalid (?:format|Format|tool)\b|Your (?:proposed )?edit\b.{0,60}error"
)

_CHAIN = re.compile(r"^> (?:Entering new .{0,80}chain\.{0,3}|Finished chain\.?)\s{0,9}$", re.MULTILINE)
_MOST_BEFORE = 40
"""Lines before the first label in which the agent speaks."""


class _Style(NamedTuple):
    """The spelling of a label: one in an output is told from the agent's by it."""

    mark: str
    is_upper: bool
    is_numbered: bool
    has_colon: bool


def read_labelled(text: str) -> list[Message] | None:
    """Return the messages of a transcript in sections by label; None for any other text."""
    found_sections = list(_sections(text.split("\n")))
    if _CHAIN.search(text) and not any(section.role == "observation" for section in found_sections):
        found_sections = list(_with_outputs(found_sections))
    sections = with_true_answers([each._replace(text=each.text.strip("\n")) for each in found_sections])
    roles = [section.role for section in sections]
    if "observation" not in roles or roles[0] == "observation":
        return None
    is_react = "input" in roles
    if "agent" not in roles and not (is_react and roles[0] in {"user", "action"}):
        return None
    found = CollectedMessages()
    shell = SweAgentShell(found)
    if roles[0] == "action":
        before = "\n".join(itertools.takewhile(lambda line: not _LABEL.match(line), text.split("\n")[:_MOST_BEFORE]))
        found.say(_CHAIN.sub("", before))
    is_printed = is_asked = False
    """Whether a call may have printed any section behind it, and whether the last one has asked the user."""
    for section, following in itertools.zip_longest(sections, sections[1:]):
        if section.role == "action":
            is_asked = not is_printed and following is not None and following.role == "input" and _asks(section.text)
        _add_section(found, shell, section, following)
        if section.role == "input" and is_asked:
            found.say(_told(section.text))
        elif section.role == "observation" and is_asked:
            found.hear(_told(section.text))
        elif section.role == "observation":
            is_printed = is_printed or (found.is_doubtful and read_object(section.text.strip()) is None)
    return found.messages


def _with_outputs(sections: Sequence[LabelledSection]) -> Iterator[LabelledSection]:
    """The sections as LangChain prints them, in colours instead of with a label: an output below what a tool is given.

    A tool is given one line, or as many as its brackets or its fence have.
    """
    for section in sections:
        given, output = _split_input(section.text) if section.role == "input" else (section.text, "")
        yield section._replace(text=given)
        if output.strip():
            yield LabelledSection("observation", "Observation", "", output)


def _split_input(text: str) -> tuple[str, str]:
    """What a tool is given, and what stands below that."""
    lines = text.split("\n")
    fences = depth = 0
    for number, line in enumerate(lines, start=1):
        fences += line.lstrip().startswith("```")
        depth += sum(line.count(each) for each in "{[") - sum(line.count(each) for each in "}]")
        if fences % 2 == 0 and depth <= 0:
            return "\n".join(lines[:number]), "\n".join(lines[number:])
    return lines[0], "\n".join(lines[1:])  # nothing closes what is open


def _asks(action: str) -> bool:
    return asks_people(action.strip().strip("`\"'"))


def _told(text: str) -> str:
    """The words of a question or its answer, which may be given under a name."""
    given = read_object(text.strip()) or {}
    words = next((value for value in given.values() if isinstance(value, str)), "")
    return words if given else text


def _add_section(
    found: CollectedMessages, shell: SweAgentShell, section: LabelledSection, following: LabelledSection | None
) -> None:
    if section.role == "user":
        found.hear(section.text)
    elif section.role == "action" and following is not None and following.role == "action" and _is_shell(section):
        return  # its command stands below a label of its own
    elif section.role == "action":
        given = following.text if following is not None and following.role == "input" else None
        _act(found, shell, section.text, given)
    elif section.role == "observation":
        _observe(found, shell, section.text)
    elif section.role == "agent" and following is not None and following.role == "observation":
        _say_and_act(found, shell, section.text)
    elif section.role == "later user":
        found.observe(section.text)
    elif section.role == "unsure" and found.shows_others:
        found.answer(f"{section.label}{section.text}")
    elif section.role != "input":
        found.say(_CHAIN.sub("", section.text))


def _is_shell(section: LabelledSection) -> bool:
    return section.text.strip().lower() in SHELLS | {"run"}


def _act(found: CollectedMessages, shell: SweAgentShell, action: str, given: str | None) -> None:
    if given is None and (edit := read_labelled_edit(action)):
        found.edit(edit.path, (edit.old, edit.new))
    elif given is None and (call := read_tool_and_given(action)):
        add_tool_call(found, *call)
    elif not add_react_call(found, action, given):
        shell.act(without_fence(action).strip())


def _observe(found: CollectedMessages, shell: SweAgentShell, text: str) -> None:
    told = _FAILED.search(text[-80:])
    failed = int(told["code"]) != 0 if told else (True if _NOT_RUN.match(text) else None)
    if told:
        text = text[: len(text) - len(told[0])]
    shell.see(text)
    found.answer(text, failed)


def _say_and_act(found: CollectedMessages, shell: SweAgentShell, text: str) -> None:
    """Add words that are followed by an output: they end with the command in a fence."""
    parts = [part for part in split_fences(text) if part.text.strip()]
    commands = parts[-1:] if parts and parts[-1].language is not None else []
    found.say("\n".join(part.text for part in parts[: len(parts) - len(commands)]))
    for part in commands:
        shell.act(part.text.strip())


def _sections(lines: Sequence[str]) -> Iterator[LabelledSection]:
    """The sections; labels are spelled as they were before any output.

    The user speaks in the first one, and behind final answers under the very same label.
    """
    role, name, mark, asked, held = "", "", "", "", list[str]()
    styles: dict[str, _Style] = {}
    alone: dict[str, bool] = {}
    has_output, has_gaps, is_after_gap = False, True, True
    for line in lines:
        label = _LABEL.match(line)
        told = _ROLES[" ".join(label["name"].lower().replace("_", " ").split())] if label else ""
        begins = label is not None and _begins(label, told, role, styles, alone, asked=asked, has_output=has_output)
        if begins and has_output and has_gaps and role == "observation":
            begins = is_after_gap
        if label is None or not begins:
            held.append(line)
            is_after_gap = not line.strip()
            continue
        if role:
            yield LabelledSection(role, name, mark, "\n".join(held))
            has_gaps = has_gaps and (has_output or is_after_gap)
        has_output = has_output or told == "observation"
        asked = asked or (label["name"].lower() if told == "user" else "")
        styles.setdefault(told, _style_of(label))
        alone.setdefault(told, not label["rest"].strip())
        role, name, is_after_gap = told, label["name"], False
        held = [label["tool"], label["rest"]] if label["tool"] and told == "action" else [label["rest"]]
        mark = line[: label.start("rest")]
    if role:
        yield LabelledSection(role, name, mark, "\n".join(held))


def _style_of(label: re.Match[str]) -> _Style:
    colon = bool(label["colon"] or label["colon2"])
    return _Style(label["mark"], label["name"].isupper(), bool(label["number"]), colon)


def _begins(
    label: re.Match[str],
    told: str,
    role: str,
    styles: dict[str, _Style],
    alone: dict[str, bool],
    *,
    asked: str,
    has_output: bool,
) -> bool:
    style = _style_of(label)
    if not style.has_colon and not (style.is_upper and not label["rest"].strip()):
        return False
    if told == "user":
        return not role or (role == "end" and styles.get("user") == style and label["name"].lower() == asked)
    if told == "input" and role != "action":
        return False
    if told == "observation" and role not in {"action", "input", "agent"}:
        return False
    known = styles.get(told)
    if known is None and has_output:
        known = next((styles[each] for each in ("agent", "action", "observation") if each in styles), None)
    if known is not None and style._replace(is_numbered=known.is_numbered) != known:
        return False
    return not (has_output and role == "observation" and alone.get(told, False) and label["rest"].strip())


LABELLED = TranscriptFormat(
    re.compile(
        r"^[ \t]{0,3}(?:\*\*|#{1,4} )?"
        r"(?:instructions?|user|human|task|question|issue|goal|thoughts?|discussion|reasoning|action)\b",
        re.MULTILINE | re.IGNORECASE,
    ),
    read_labelled,
)
