"""Heads of turns in a generic notation: `### USER`, `User: …`, `[agent] …`, `**Tool**: …`, `Tool call (bash): …`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import (
    AGENT_NAMES,
    ENGLISH_AGENT_NAMES,
    USER_NAMES,
    foreign_words,
    languages_of,
)

ARROW = r"(?:[-=]{1,2}>|[→➜➔⟶⮕▶►⇒])"
"""As a regular expression, what stands before the tool that somebody calls."""
_TASKS = ("task", "request", "instructions", "instruction", "goal", "issue", "prompt", "question", "query")
"""Heads of what the user asks for at the beginning."""
_WORDS = (
    *("final answer", "final response", "final", "answer", "response", "thoughts", "thought", "thinking", "reasoning"),
    *("analysis", "plan"),
)
_RESULTS = (
    *("tool results", "tool result", "tool outputs", "tool output", "tool responses", "tool response", "tool"),
    *("function results", "function result", "function output", "function response", "function", "call result"),
    *("tool stdout", "tool stderr", "function stderr"),
)
_FAILURES = ("tool errors", "tool error", "tool failure", "tool exception", "function error", "function failure")
"""Heads of the results of calls that failed."""
_WEAK_RESULTS = ("results", "result", "outputs", "output", "observation", "stdout", "returned", "returns")
"""Heads that are a result's only directly behind a call; elsewhere they are words."""
_CALLS = (
    *("tool calls", "tool call", "tool use", "tool invocation", "tool request", "function calls", "function call"),
    *("toolcall", "call tool", "call", "calling tool", "action"),
)
_ROLES = {
    **dict.fromkeys(sorted(USER_NAMES), "user"),
    **dict.fromkeys((*_TASKS, *sorted(foreign_words("task"))), "task"),
    **dict.fromkeys((*sorted(AGENT_NAMES), *_WORDS), "agent"),
    **dict.fromkeys(("system", "system prompt", *sorted(foreign_words("system"))), "system"),
    **dict.fromkeys((*_RESULTS, *_FAILURES, *sorted(foreign_words("tool"))), "result"),
    **dict.fromkeys((*_WEAK_RESULTS, *sorted(foreign_words("result"))), "weak result"),
    **dict.fromkeys((*_CALLS, *sorted(foreign_words("call"))), "call"),
}
TURN_ROLES = ("user", "task", "agent", "system")
"""The roles of whoever speaks."""
_ROLES_TOGETHER = {name.replace(" ", ""): role for name, role in _ROLES.items()}
_FAILED = frozenset(name.replace(" ", "") for name in _FAILURES)
_BY_LETTER = groupby(sorted(_ROLES, key=lambda name: (name[0], -len(name))), key=itemgetter(0))
_NAME = (
    "(?P<name>"
    + "|".join(
        rf"{first}(?:{'|'.join(name[1:].replace(' ', '[ _-]?') for name in names)})" for first, names in _BY_LETTER
    )
    + r")(?![\w'-])(?: ?#?\d{1,4}\b)?"
)
"""One of the names; they are grouped by their first letter, as most lines begin with another one."""
_OF = r"(?: ?[(\[{`] ?(?P<of>[\w.:/ -]{1,80}?) ?[)\]}`])?"
_IN_LINE = r"[ \t]{0,9}(?P<rest>.*)$"
_OR_END = r"(?:[ \t]{1,9}(?P<rest>\S.*)|[ \t]{0,9})$"
_EMOJI = r"(?:[^\w\s\x00-\x7f]{1,4} ?)?"
_SHAPES = {
    "#": rf"#{{1,6}} (?:\*\*)?{_EMOJI}{_NAME}{_OF}(?:\*\*)?(?P<colon>:?)(?:\*\*)?{_IN_LINE}",
    "**": rf"\*\*{_EMOJI}{_NAME}{_OF}:?\*\*(?: ?[(`](?P<of2>[\w.:/ -]{{1,80}})[)`])?:?{_IN_LINE}",
    "[": rf"\[{_NAME}(?:(?:: ?| |/)(?P<of>[\w.:/-]{{1,80}}))?\]:?{_IN_LINE}",
    "<": rf"<(?!tool|function|call|result|output|action){_NAME}>:?[ \t]{{1,9}}(?P<rest>\S.*)$",
    "=": rf"[=-]{{2,40}}(?![=-]) ?{_NAME}{_OF} ?[=-]{{2,40}}(?P<rest>)[ \t]{{0,9}}$",
    ">": rf"{_NAME}{_OF} ?>{_OR_END}",
    ":": rf"{_NAME}{_OF}(?::(?=[ \t]|$)|：){_IN_LINE}",
}
_SIGN = r"^(?P<sign>[^\w\s\x00-\x7f]{1,3} ?)?"
_HEADS = {kind: re.compile(_SIGN + shape, re.IGNORECASE) for kind, shape in _SHAPES.items()}
_MAY_BE_HEAD = re.compile(
    _SIGN + rf"(?:(?:#{{1,6}} (?:\*\*)?|\*\*){_EMOJI}|\[|<|[=-]{{2,40}}(?![=-]) ?)?{_NAME}", re.IGNORECASE
)
"""What each of the patterns begins with: most lines are told from heads by it alone."""


_RESULT_TAG = re.compile(
    r"^[ \t]{0,8}<(?P<tag>(?P<strong>(?:tool|function)[_-](?:response|result|output)s?)|results?|outputs?|observation)"
    r"(?:[ \t][^<>\n]{0,200})?>(?P<rest>.*)$"
)
_RESULT_BRACKETS = re.compile(r"^\[\[(?P<tag>(?:tool[ _-])?(?:results?|outputs?|response))\]\](?P<rest>.*)$")
_RAN = re.compile(
    r"(?:Ran|Executed) (?:command|code|code block)\.?(?: \((?:exit|rc)(?: code)?:? (?P<code>-?\d{1,5})\))?"
    r"(?:: ?`.{0,400}`)?:?$|(?:Patch successfully applied|Saved|Appended) to .{1,300}$"
)
"""What gptme tells of a call, as `System: Ran command (exit 0)`."""
_SHORT = 2
"""Letters of an abbreviation, as in `AI`, which is written in capitals beside `Human` too."""
_RESULT_TO = re.compile(rf"^[A-Za-z_][\w.-]{{0,60}} ?{ARROW} ?(?P<name>[A-Za-z]\w{{0,20}}):(?:[ \t](?P<rest>.*))?$")
"""Which tool answers whom: `bash -> AI: …`."""
_RESULT_ARROW = re.compile(r"^(?:<-|<=|←|⇐|=>|⇒|↳|⎿)[ \t]{1,3}(?P<rest>\S.*)$")


class TurnForm(NamedTuple):
    """The spelling of a head, by which that of a turn is told from a line in an output."""

    kind: str
    sign: bool
    begins_upper: bool
    is_upper: bool


class TurnHead(NamedTuple):
    """The head of a turn, with what stands behind it; `of` is the tool that it names.

    The role is `user`, `task`, `agent`, `system`, `result`, `weak result` or `call`.
    """

    role: str
    name: str
    of: str
    rest: str
    form: TurnForm

    @property
    def may_be_first(self) -> bool:
        """Return true for a head that a transcript may begin with."""
        return self.role in {"user", "task", "system"} or self.name.lower() in AGENT_NAMES

    @property
    def label(self) -> tuple[str, TurnForm]:
        """The name with its spelling."""
        return self.name, self.form


def read_turn_head(line: str) -> TurnHead | None:
    """Return the head that a line begins with; None for any other line."""
    if not _MAY_BE_HEAD.match(line):
        return None
    for kind, pattern in _HEADS.items():
        head = pattern.match(line)
        if head is None:
            continue
        groups = head.groupdict()
        rest = groups["rest"] or ""
        if kind == "#" and rest and not (groups["colon"] or rest.startswith("`")):
            return None
        name = head["name"]
        form = TurnForm(kind, bool(head["sign"]), name[:1].isupper(), len(name) > _SHORT and name.isupper())
        return TurnHead(role_of_label(name), name, groups.get("of") or groups.get("of2") or "", rest.strip(), form)
    return None


def role_of_label(name: str) -> str:
    """Return the role of whoever speaks under a name; empty for a name that heads don't have."""
    return _ROLES_TOGETHER.get(_plain(name), "")


def _plain(name: str) -> str:
    return "".join(re.split(r"[ _-]", name.lower()))


class TurnLabels:
    """The labels under which somebody spoke so far in lines; what looks like another one in an output is none."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self._known: dict[tuple[str, TurnForm], str] = {}
        self._form: TurnForm | None = None
        heads = (read_turn_head(line) for line in reversed(lines))
        self._last = next(
            (head.name.lower() for head in heads if head and head.name.lower() in ENGLISH_AGENT_NAMES), ""
        )
        """The name under which the agent speaks at the end, behind all outputs."""

    @property
    def are_headings(self) -> bool:
        """Return true where turns stand below headings, as `### USER`."""
        return self._form is not None and self._form.kind in {"#", "="}

    def role(self, head: TurnHead, *, has_calls: bool, is_in_output: bool = False) -> str:
        """Return the role of a turn, empty for what begins none.

        Once there are calls, the user speaks under no other label than before, and nobody under one of another
        language. `is_in_output` tells that an output stands before: nobody who has a name already gets another one
        there.
        """
        if head.role not in TURN_ROLES:
            return ""
        if not has_calls:
            self._form = self._form or head.form
            is_known = head.form == self._form and (head.role != "task" or not self._known)
        else:
            may_be_new = head.role == "agent" or (head.role == "user" and "user" not in self._known.values())
            may_be_new = may_be_new and head.form == self._form and self._is_of_its_language(head.name)
            is_known = head.label in self._known or (may_be_new and not (is_in_output and self._is_named(head)))
        role = "user" if head.role == "task" else head.role
        return self._known.setdefault(head.label, role) if is_known else ""

    def _is_of_its_language(self, name: str) -> bool:
        return not self._known or any(languages_of(name) & languages_of(known) for known, _ in self._known)

    def _is_named(self, head: TurnHead) -> bool:
        """Return true for a name of the agent where it speaks under another one: `Bot:` beside `Assistant:`."""
        names = {self._last, *(name.lower() for name, _ in self._known)} & ENGLISH_AGENT_NAMES
        return head.name.lower() in ENGLISH_AGENT_NAMES - names and bool(names)


class ResultHead(NamedTuple):
    """The mark before a result, with what stands behind it.

    `end` is the tag that closes it, empty where none does; a strong one is no part of the agent's words.
    """

    rest: str
    end: str
    is_strong: bool
    failed: bool | None = None
    """Whether the mark tells that the call failed; None where it tells nothing."""


def read_result_head(line: str, head: TurnHead | None) -> ResultHead | None:
    """Return the mark of a result that a line begins with, None for any other line; `head` is the head in it."""
    if head is not None:
        return _result_of(head)
    if tag := _RESULT_TAG.match(line):
        return ResultHead(tag["rest"], f"</{tag['tag']}>", tag["strong"] is not None)
    if brackets := _RESULT_BRACKETS.match(line):
        return ResultHead(brackets["rest"], f"[[/{brackets['tag']}]]", is_strong=True)
    if (answer := _RESULT_TO.match(line)) and role_of_label(answer["name"]) == "agent":
        return ResultHead(answer["rest"] or "", "", is_strong=True)
    arrow = _RESULT_ARROW.match(line)
    return ResultHead(arrow["rest"], "", is_strong=False) if arrow else None


def _result_of(head: TurnHead) -> ResultHead | None:
    if head.role == "system" and (ran := _RAN.match(head.rest)):
        return ResultHead("", "", is_strong=True, failed=ran["code"] != "0" if ran["code"] else None)
    if head.role not in {"result", "weak result"}:
        return None
    failed = True if _plain(head.name) in _FAILED else None
    return ResultHead(head.rest, "", is_strong=head.role == "result", failed=failed)
