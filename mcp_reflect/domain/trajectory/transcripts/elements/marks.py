"""Marks that begin the parts of a transcript in no known notation: `::tool …`, `[#] BOT : …`, `[bot → ci.run] …`.

A mark is a word with signs around it, or with a number or a time before it. Its form is all of that but the word: what
a transcript marks the words of its user or its agent by, it marks its calls and their results by as well; or it has a
form for these alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.agent_words import is_call_line
from mcp_reflect.domain.trajectory.transcripts.elements.part_heads import role_of_part
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import (
    ENGLISH_AGENT_NAMES,
    USER_NAMES,
    foreign_words,
    languages_of,
)
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import ARROW

_STAMP = (
    r"(?P<stamp>[\[(]?(?:(?i:step|turn|round|msg|message|iteration|iter|t|s|no)[ _#.:-]{0,2})?"
    r"\d[\d.:/T-]{0,25}Z?[\])]?[ .:)|-]{0,3})?"
)
_NAME = r"(?P<name>[^\W\d_][^\W\d]{0,20}(?: (?i:call|result|output|answer|response))?)"
_IN_BOX = re.compile(
    rf"^(?P<open>[^\w\s`\"'$%\\.+/]{{0,6}}[\[<(【]\|?) ?{_STAMP}{_NAME}"
    rf"(?:(?:: ?| |/| ?(?P<arrow>{ARROW}) ?)(?P<of>[\w.:/-]{{1,80}})(?!=))?"
    r"(?:[ ]\w{1,20}=[\"'][^\"'\n]{0,200}[\"']){0,4}"
    r"(?: (?i:exit(?:[_ ]code)?|rc|returncode|status)[=: ]{1,2}(?P<code>-?\d{1,5}))?"
    r"(?P<close> ?\|?[\])>】][^\w\s`\"'$%\\({\[<.]{0,6})(?:[ \t]{1,9}(?P<rest>.*)|(?P<direct>\S.*))?$"
)
_IN_RULE = re.compile(
    rf"^(?P<open>[-=*~#+_]{{2,40}}) ?{_STAMP}\(?{_NAME}\)?(?: ?[(\[](?P<of>[\w.:/ -]{{1,60}})[)\]])?"
    r"(?P<close> ?[-=*~#+_]{2,80})(?P<rest>)$"
)
_BEHIND_SIGN = re.compile(
    rf"^(?P<open>[^\w\s`\"'$%\\./()\[\]{{}}]{{1,8}} ?){_STAMP}{_NAME}(?P<close>:?)(?:[ \t]{{1,9}}(?P<rest>.*))?$"
)
_BEFORE_SIGN = re.compile(
    rf"^(?P<open>){_STAMP}{_NAME}(?:[ ]?\((?P<of>[\w.:/ -]{{1,60}})\)"
    r"| (?P<does>calls?|runs?|uses?|invokes?) (?P<tool>[\w.:/-]{1,60}))?"
    rf"(?P<close>[ \t]{{0,14}}(?:[:>|»]{{1,3}}|{ARROW})|(?=[ \t]))(?:[ \t]{{1,9}}(?P<rest>.*))?$"
)
_WITH_TOOL = re.compile(
    r"^(?P<open>)(?P<stamp>)(?P<name>[A-Z][A-Z_]{2,20}(?: [A-Z]{2,12})?) \[(?P<of>[A-Za-z_][\w.:/-]{0,60})\]"
    r"(?P<close>:?)[ \t]{1,4}(?P<rest>\S.*)$"
)
"""A label in capitals, with the tool in brackets behind it: `TOOL CALL [sh] make`."""
_BY_FACE = re.compile(
    r"^(?P<face>[🧑👤🙋👩👨🤖])[\ufe0f\U0001f3fb-\U0001f3ff]{0,2}[ \t]{1,4}"
    r"(?![A-Z]{3})(?P<rest>(?:(?P<label>[^\W\d_]{1,20}(?: \w{1,20})?)(?:[:：]|$))?.*)$"
)
"""Words behind the face of a person or a robot, without a label."""
_ALONE = re.compile(r"^(?P<open>)(?P<stamp>)(?P<name>[A-Z][A-Z_]{2,20}(?: [A-Z]{2,12})?)(?P<close>)(?P<rest>)$")
_TOOL_IN_BOX = re.compile(
    r"^(?P<open>[\[<(])(?P<name>[A-Za-z_][\w.:/-]{0,80})(?P<close>[\])>]):?(?:[ \t]{1,9}(?P<rest>.*))?$"
)
"""A tool that tells its result, by its own name."""
_KINDS = (
    ("0:", _BEFORE_SIGN), ("[]", _IN_BOX), ("--", _IN_RULE), ("@", _BEHIND_SIGN), (":", _BEFORE_SIGN),
    ("of", _WITH_TOOL), ("A", _ALONE),
)  # fmt: skip
"""The first is for words behind a number or a time, which may stand in a box."""
_EVERYDAY = frozenset({"-", "*", "+", "#", "<", ">", "&", "|", "!", "@", "=", "~", "--", "//", "•", "–"})
"""Signs before the lines of lists, quotations, comments and options."""
_LETTER = re.compile(r"[\W\d_]{0,60}[^\W\d_]")
_REPEATED = re.compile(r"(\W)\1+")
_ARROWED = re.compile(rf"\s*{ARROW}")
_POINTS = re.compile(rf"[^\w\n]{{0,8}}[^\n\[\](){{}}<>]{{1,60}}?{ARROW} ?`?(?P<tool>[A-Za-z_][\w.:/-]{{1,80}})")
"""What a line begins with whose mark calls a tool by an arrow."""
_UPPER = ":A:"
"""The form of labels in capitals before a colon."""
_BY_TOOL = "[]tool"
"""The form of marks that are names of tools."""
_BAR = "|"
"""What stands behind the marks of outputs alone where it stands before their other lines, too."""
_SPEAKERS = frozenset({"user", "task", "agent"})
_NAMES = USER_NAMES | ENGLISH_AGENT_NAMES | foreign_words("user") | foreign_words("agent")
_MOST_BEFORE = 12
"""Lines of a banner before the first mark."""
_LEAST = 3


class Mark(NamedTuple):
    """The mark that a line begins with: its form, the role that the word tells, and what stands behind it.

    The role is `user`, `task`, `agent`, `call`, `result`, `system`, or empty for a word that nothing is known of. `of`
    is what the mark tells of a tool, and `code` of an exit.
    """

    form: str
    role: str
    name: str
    of: str
    rest: str
    code: str = ""


def read_mark(line: str) -> Mark | None:
    """Return the mark that a line begins with; None for any other line."""
    if line[:1].isspace() or not _LETTER.match(line):
        return None
    line = line.rstrip()
    if (face := _BY_FACE.match(line)) and not role_of_part((face["label"] or "").lower()):
        role = "agent" if face["face"] == "🤖" else "user"
        return Mark("face", role, role, "", face["rest"])
    for kind, pattern in _KINDS:
        found = pattern.match(line)
        if found is None or not _is_mark(kind, found):
            continue
        parts = {
            "of": None,
            "direct": None,
            "does": None,
            "tool": None,
            "arrow": None,
            "code": None,
        } | found.groupdict()
        name = found["name"].lower().replace("_", " ")
        is_arrow = _ARROWED.match(found["close"]) is not None and bool(found["rest"])
        is_call = is_arrow or bool(parts["does"] or parts["arrow"])
        role = "call" if is_call else role_of_part(name)
        case = "A" if found["name"].isupper() else "a" if found["name"].islower() else "Aa"
        signs = ">" if is_arrow else found["close"].strip()
        form = _REPEATED.sub(r"\1", f"{kind}{found['open'].strip()}{'0' if found['stamp'] else ''}{case}{signs}")
        form = _UPPER if kind == "of" else form
        rest = found["rest"] or parts["direct"] or ""
        of, code = parts["of"] or parts["tool"] or "", parts["code"] or ""
        return Mark(form, role, "agent" if is_call else name, of, rest.strip(), code)
    return None


def _is_mark(kind: str, found: re.Match[str]) -> bool:
    """Return true for a word behind a number or a time, behind unusual signs, or in capitals before a colon."""
    if kind == "0:":
        return bool(found["stamp"]) and (bool(found["close"]) or found["name"].isupper())
    if kind == "of":
        return role_of_part(found["name"].lower().replace("_", " ")) == "call"
    if kind == ":" and not found["close"]:
        return False
    if kind == ":":
        return found["name"].isupper() or found["close"].strip() not in {":", "|", "::"}
    return kind != "@" or found["open"].strip() not in _EVERYDAY


def with_results(lines: Sequence[str], marks: Sequence[Mark | None]) -> list[Mark | None]:
    """Return the marks of lines, with those in boxes in which a tool that an arrow calls heads its result by its name.

    They have a form of their own: a box with another name, as in the lines of a log, is none of them.
    """
    calls = (line for line, mark in zip(lines, marks, strict=True) if mark and mark.role == "call")
    called = {points["tool"] for line in calls if (points := _POINTS.match(line))}
    found = list(marks)
    for number, line in enumerate(lines if called else ()):
        box = _TOOL_IN_BOX.match(line)
        if box is not None and box["name"] in called:
            rest = (box["rest"] or "").strip()
            found[number] = Mark(_BY_TOOL, "result", box["name"], "", rest)
    return found


def first_mark(marks: Sequence[Mark | None]) -> int:
    """Return the number of the line with the mark that a run begins with; -1 for a text that is none in marks.

    It is the user's: by its word, or because an unknown name speaks first and the agent in marks of the same form.
    """
    spoken = {mark.form for mark in marks if mark and mark.role == "agent"}
    for number, mark in enumerate(marks[:_MOST_BEFORE]):
        if mark and (mark.role in {"user", "task"} or (not mark.role and mark.form in spoken)):
            return number
    return -1


def without_other_speakers(marks: Sequence[Mark | None], begin: int) -> list[Mark | None]:
    """Return the marks of lines without those of speakers that an output has printed.

    A transcript's own are those before its first act, and the last: what names a speaker in another form or in another
    language, or the agent by another name, is none of its marks.
    """
    acts = (n for n in range(begin + 1, len(marks)) if (mark := marks[n]) and _is_act(mark))
    last = next((mark for mark in reversed(marks) if mark is not None), None)
    own = [mark for mark in (*marks[begin : next(acts, len(marks)) + 1], last) if mark and mark.role in _SPEAKERS]
    if all(mark.role != "agent" for mark in own):
        return [*marks]
    forms, names = {mark.form for mark in own}, {mark.name for mark in own}
    languages = frozenset[int]().union(*map(languages_of, names))
    agents = names & ENGLISH_AGENT_NAMES

    def is_other(mark: Mark) -> bool:
        if mark.role not in _SPEAKERS or mark.name not in _NAMES:
            return False
        is_renamed = mark.name in ENGLISH_AGENT_NAMES - agents and bool(agents)
        is_foreign = mark.name not in names and not languages_of(mark.name) & languages
        return mark.form not in forms or is_renamed or is_foreign

    return [None if mark and is_other(mark) else mark for mark in marks]


def _is_act(mark: Mark) -> bool:
    return mark.role in {"call", "result"} or (mark.role == "agent" and is_call_line(mark.rest))


def forms_of_run(marks: Sequence[Mark | None], first: Mark) -> frozenset[str]:
    """Return the forms by which a transcript marks its parts; empty where these are no run.

    At least half of the words of each are known. Somebody speaks in it beside a call, a result or somebody else; it is
    the form of the user's mark; it marks calls and their results, or nothing but calls as programs write them; it
    points to a call by an arrow, or closes the run with the answer.
    """
    counted: dict[str, Counter[str]] = {}
    called: dict[str, bool] = {}
    for mark in marks:
        if mark is not None:
            counted.setdefault(mark.form, Counter())[mark.role] += 1
            called[mark.form] = called.get(mark.form, True) and mark.role == "call" and is_call_line(mark.rest)
    last = next((mark for mark in reversed(marks) if mark is not None), first)
    forms = {
        form
        for form, roles in counted.items()
        if 2 * (roles.total() - roles[""]) >= roles.total()
        and (
            (len({*roles} - {""}) > 1 and _SPEAKERS & {*roles})
            or form in {first.form, *((last.form,) if last.role == "agent" else ())}
            or form == _BY_TOOL
            or (form == f"{first.form}{_BAR}" and {*roles} <= {"call", "result"})
            or {*roles} == {"call", "result"}
            or called[form]
            or (form.endswith(">") and form.startswith(":") and roles["call"])
        )
    }  # fmt: skip
    if any(form.startswith("[]") for form in forms):  # `[tool:kubectl]` beside `[user]`
        forms |= {form for form, roles in counted.items() if form.startswith("[]") and roles["call"] + roles["result"]}
    roles = sum((counted[form] for form in forms), Counter[str]())
    is_run = roles.total() >= _LEAST and roles["agent"] > 0 and len(roles) > 1
    return frozenset(forms) if is_run and first.form in forms else frozenset()
