"""Heads of a run's parts where each part is an act: `[step 2] action:`, `>>> agent / python`, `RESULT   :`.

A transcript keeps to one notation, by which its heads are told from what an output prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import foreign_words
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import role_of_label

_ROLES = {
    **dict.fromkeys(("reason", "hypothesis", "report", "summary", "note", "conclusion", "diagnosis"), "agent"),
    **dict.fromkeys(("decision", "think", "rationale", "say", "reply", "done", "finding"), "agent"),
    **dict.fromkeys(("observe", "observations", "obs", "outcome", "return", "reading", "measured"), "result"),
    **dict.fromkeys(("action", "actions", "act", "tool", "tool call", "command", "cmd", "run", "shell"), "call"),
    **dict.fromkeys(("bash", "exec", "python", "code", "read", "write", "save", "edit", "patch", "open"), "call"),
    **dict.fromkeys(("search", "fetch", "query", "create", "view", "py", "sh", "invoke", "do"), "call"),
    **dict.fromkeys(("stderr", "error", "out", "ret", "got"), "result"),
    **dict.fromkeys(sorted(foreign_words("tool") | foreign_words("command")), "call"),
}
_STEP = re.compile(
    r"^\[(?:(?i:step|turn|round|iteration|iter|s)[ _#-]{0,2})?(?P<number>\d{1,4})(?:/\d{1,4})?\][ \t]{1,3}"
    r"(?P<name>[A-Za-z][A-Za-z_ ]{1,20})(?:[ ]?\((?P<of>[^()\n]{1,60})\))?(?::[ \t]{0,9}(?P<rest>.*)|[ \t]{0,9})$"
)
_NUMBERED = re.compile(
    r"^\[(?P<name>[A-Za-z]{2,20})[ _#-]{1,2}(?P<number>\d{1,4})(?:[: /]{1,3}(?P<of>[\w.:/ -]{1,60}))?\]:?"
    r"(?:[ \t]{1,9}(?P<rest>.*)|[ \t]{0,9})$"
)
_BOXED = re.compile(r"^\[(?P<name>[A-Za-z]{2,20}(?: [a-z]{2,12})?)\]:?(?:[ \t]{1,9}(?P<rest>.*)|[ \t]{0,9})$")
_CHEVRONS = re.compile(
    r"^(?:>{3,5}|={2,3}>|<{3}>{3}|:{3})[ \t](?P<name>[A-Za-z][A-Za-z_]{1,20}(?: (?:call|result|output|answer))?)"
    r"(?:: (?P<tool>[\w.-]{1,60})|[ ]?[/|→][ ]?(?P<of>[\w.:@, -]{1,60}?)|[ ]?\((?P<note>[^()\n]{1,60})\))?"
    r"[ \t]{0,9}:?[ \t]{0,9}$"
)
_UPPER = re.compile(
    r"^(?P<name>[A-Z][A-Z_]{1,20}(?: [A-Z]{2,12})?)(?: ?#?(?P<number>\d{1,4}))?(?: ?\((?P<of>[^()\n]{1,60})\))?"
    r"(?P<pad>[ \t]{0,14}):(?:[ \t]{1,9}(?P<rest>.*)|[ \t]{0,9})$"
)
_HEADING = re.compile(
    r"^(?P<mark>#{1,6}) (?P<name>[A-Za-z][A-Za-z_]{1,20}(?: (?:call|result|output|answer))?)"
    r"(?:(?:: ?| [—–-] | ?\(|: ?`| `)(?P<of>[\w.:@/, -]{1,80}?)[)`]{0,2})?:?[ \t]{0,9}$"
)
_NOTATIONS = (("step", _STEP), ("step", _NUMBERED), (">", _CHEVRONS), ("#", _HEADING), ("step", _BOXED), (":", _UPPER))
_FAILED = re.compile(
    r"(?:exit|code|status|rc|returned)\D{0,8}(?P<code>-?\d{1,5})|(?P<word>fail\w*|error)", re.IGNORECASE
)
_LANGUAGES = frozenset({"python", "python3", "ipython", "sql", "ssh", "node", "javascript", "r", "ruby"})


class PartHead(NamedTuple):
    """The head of a part: who speaks or acts (`role`), under which label, and what stands behind it.

    `tool` is what the head tells of a tool or of an exit. `number` is that of the step, -1 without one; `column` is the
    place of the colon of a label in upper case. The role is empty for such a label that nothing is known of.
    """

    notation: str
    role: str
    name: str
    tool: str
    rest: str
    number: int
    column: int
    spelling: tuple[bool, bool]

    @property
    def label(self) -> str:
        """The name in lower case, with spaces in it."""
        return _plain(self.name)

    @property
    def failed(self) -> bool | None:
        """Whether the head of a result tells that the call failed; None where it tells nothing."""
        told = _FAILED.search(self.tool)
        return None if told is None else bool(told["word"]) or told["code"] not in {"0", "-0"}


def read_part_head(line: str) -> PartHead | None:
    """Return the head that a line is or begins with; None for any other line."""
    if line[:1] not in {"[", ">", "#", "=", "<", ":"} and not line[:1].isupper():
        return None
    for notation, pattern in _NOTATIONS:
        head = pattern.match(line)
        if head is None:
            continue
        found = {"of": None, "tool": None, "note": None, "rest": None, "number": None, "pad": None} | head.groupdict()
        name, of = head["name"].strip(), (found["of"] or found["tool"] or found["note"] or "").strip()
        role = role_of_part(_plain(name))
        if not role and notation != ":":
            continue
        if role == "agent" and ((notation == ">" and found["of"]) or of.lower() in SHELLS | _LANGUAGES):
            role = "call"
        column = head.end("pad") if notation == ":" else -1
        number = int(found["number"]) if found["number"] and notation == "step" else -1
        spelling = (name.isupper(), name.islower())
        return PartHead(notation, role, name, of, (found["rest"] or "").strip(), number, column, spelling)
    return None


def notation_of(heads: Sequence[PartHead | None], *, most_before: int) -> tuple[int, str]:
    """Return where the first head stands, and the notation; it is empty for heads that show no run.

    The user is first; calls have results; somebody tells thoughts or an answer. Labels in upper case have to be
    aligned, or many; steps to be numbered.
    """
    begin = next((n for n, head in enumerate(heads[:most_before]) if head and head.role in {"user", "task"}), -1)
    first = heads[begin] if begin >= 0 else None
    if first is None:
        return -1, ""
    same = [head for head in heads if head and head.notation == first.notation]
    roles = [head.role for head in same if head.role]
    if not {"call", "agent"} <= {*roles}:
        return -1, ""
    answered = sum(one == "call" and other == "result" for one, other in pairwise(roles))
    if first.notation == "step":
        is_run = answered > 0 and sum(head.number >= 0 for head in same) >= len(same) / 2
    elif first.notation == ":":
        is_run = answered > 1 or (answered > 0 and are_aligned(same, first))
    else:
        is_run = answered > 0 or (first.notation == "#" and any(head.role == "call" and head.tool for head in same))
    return (begin, first.notation) if is_run else (-1, "")


def are_aligned(heads: Sequence[PartHead | None], first: PartHead) -> bool:
    """Return true where the colons of labels stand below each other, whatever the lengths of their names."""
    return len({len(head.name) for head in heads if head and head.role and head.column == first.column > 0}) > 1


def _plain(name: str) -> str:
    return name.lower().replace("_", " ").strip()


def role_of_part(name: str) -> str:
    """Return the role of a label in lower case: `user`, `task`, `agent`, `call`, `result`, `system` or empty."""
    role = _ROLES.get(name) or role_of_label(name)
    return "result" if role == "weak result" else role
