"""Heads of records that a program or a chat writes: `09:02:11 user …`, `[14:01] Ann: …`, `OUT<< …`, `**Ann** 10:02`."""

from __future__ import annotations

import json
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import AGENT_NAMES, USER_NAMES, foreign_words
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import ARROW

_TASKS = frozenset({"task", "request", "prompt", "question", "query", "goal", "caller", "requester"}) | foreign_words(
    "task"
)
_OUTPUTS = frozenset(
    {
        *("tool", "out", "err", "stdout", "stderr", "result", "results", "output", "outputs", "observation", "obs"),
        *("return", "returned", "response", "tool_result", "tool-result", "tool_output", "toolresult", "function"),
        *("env", "environment", "exit", "shell", "terminal"),
        *foreign_words("result"),
        *foreign_words("tool"),
    }
)
_CALLS = frozenset({"tool", "call", "function", "action"})
_PLAIN_CALLS = frozenset({"call", "calls", "action", "invoke", "tool_call", "tool-call", "toolcall"}) | foreign_words(
    "call"
)
"""What a record of a call is named where the tool stands in its words."""
_OF_OUTPUT = re.compile(r"(?P<tool>[\w.:/-]{0,60}?)[:./]?\b(?:out|output|result|stdout|stderr|err|return|response)")
"""What a record names behind a tool whose output it holds."""
_SYSTEM = frozenset({"system", "sys", "meta", "session"}) | foreign_words("system")
_LEVELS = frozenset(
    {
        *("info", "information", "warn", "warning", "error", "debug", "trace", "notice", "fatal", "critical", "crit"),
        *("verbose", "severe", "fine", "inf", "wrn", "dbg"),
    }
)
"""What applications write before the lines of their logs."""
_NAMED_AS_AGENT = re.compile(
    r"(?:^|[\w.-])(?:agent|assistant|bot|copilot|gpt)\d{0,2}|(?:agent|assistant|bot)[_-][\w-]{1,30}"
)
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AaPp][Mm])?(?:Z| ?UTC|[+-]\d\d:?\d\d)?"
_TIME = rf"(?:\d{{4}}-\d\d-\d\d[T ]|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}},? )?{_CLOCK}"
_STAMP = re.compile(rf"(?:\[{_TIME}\]|\({_TIME}\)|{_TIME})(?: [-–|])?[ \t]{{1,4}}(?=\S)")
_NAME = r"[^\W\d_][\w.@-]{0,30}(?: [\w.@-]{1,30}){0,2}(?: \([^()\n]{1,40}\))?"
_WORD = r"[A-Za-z][\w-]{0,20}"
_SPOKEN = {
    "→": re.compile(rf"(?P<name>{_NAME}) (?P<words>(?:{ARROW}|\[(?:tool|call|calls|run|exec)[ :]).*)"),
    "><": re.compile(rf"(?P<name>{_WORD})(?P<way>[<>])(?:[ \t]{{1,4}}(?P<words>.*)|$)"),
    "x>": re.compile(rf"(?P<name>{_WORD})[ \t]{{1,4}}(?P<words>[a-z]{{2,9}}[>»].*)"),
    " ": re.compile(rf"(?P<name>{_WORD})>?(?:[ \t]{{1,8}}(?:\|[ \t]{{1,4}})?(?P<words>(?!\().*)|$)"),
    "[]": re.compile(
        r"\[(?P<name>[A-Za-z][\w-]{0,20})(?:[:/](?P<of>[A-Za-z_][\w.:/-]{0,60}))?\]:?[ \t]{0,4}(?P<words>.*)"
    ),
    "<>": re.compile(r"<(?P<name>[^<>\n]{1,40})> ?(?P<words>.*)"),
    ":": re.compile(rf"(?P<name>{_NAME}): ?(?P<words>.*)"),
}
"""What stands behind a time, by the notation of whoever speaks."""
_MARKED = re.compile(rf"(?P<name>{_WORD}) ?(?P<mark>>{{2,3}}|<{{2,3}}|::|\|{{1,2}})(?:[ \t](?P<words>.*)|$)")
_SIGNED = re.compile(
    rf"(?:\*\*(?P<bold>[^*\n]{{1,40}})\*\*|(?P<plain>{_NAME}))[ \t,—–-]{{1,4}}"
    rf"(?:\[{_TIME}\]|\({_TIME}\)|{_TIME})[ \t]{{0,4}}"
)
_TIMED = re.compile(
    rf"(?P<name>{_WORD}(?:/{_WORD})?)[ \t]{{1,4}}(?:\[{_TIME}\]|\({_TIME}\)|{_TIME}):(?:[ \t]{{1,4}}(?P<words>.*)|$)"
)
"""A name with a time, and words behind both."""
_COMMENTED = re.compile(
    r"\*\*@(?P<name>[\w-]{1,39}(?:\[bot\])?)\*\* (?:commented|wrote|replied)\b[^\n]{0,60}"
    r"|\*\*(?:opened|created|asked) by @(?P<asker>[\w-]{1,39})\*\*[^\n]{0,60}"
)
"""The head of a comment in the export of an issue."""
_LOGGED = re.compile(
    r"(?i:info|debug|trace|notice|warn(?:ing)?|error)[ \t]{1,4}(?:"
    r"(?P<name>[a-z][\w-]{0,20}(?:\.[\w-]{1,20}){1,3})[ \t]{1,8}(?P<words>\S.*)"
    r"|(?P<plain>[a-z][\w-]{0,20})[ \t]{1,8}(?P<quoted>\".*\"|\w{1,20}=.*))"
)
"""A record of a program's log, which names who wrote it behind its level: `INFO tool.call name=http args={…}`."""
_KINDS = {"call": "call", **dict.fromkeys(("resp", "res", "ret", "result", "response", "return", "out"), "output")}
_OF_KIND = re.compile(
    rf"(?P<kind>{'|'.join(_KINDS)}|info|debug|notice)[ \t]{{1,4}}\[(?P<by>[\w .:-]{{1,40}})\]"
    r"(?:[ \t]{1,4}(?P<words>.*)|$)",
    re.IGNORECASE,
)
"""A record that says its kind before who wrote it: `CALL [shell] make`, `RESP [shell] exit=0`, `INFO [agent] …`."""
_RECEIVED = re.compile(r"(?:task|request|prompt|question) received: ", re.IGNORECASE)
_ASKED = re.compile(r"(?:task|prompt|request|question)=")
_TO, _FROM = re.compile(r"(?:->|→|=>)[ \t]{1,3}"), re.compile(r"(?:<-|←|<=)[ \t]{1,3}")
_ANSWERS = re.compile(r"answer: ")
_CALL_NAMES = frozenset({"call", "invoke", "request", "start"})
_RESULT_NAMES = frozenset({"ret", "return", "returned", "result", "output", "response"})
_DIGIT = re.compile(r"\d+")


class RecordHead(NamedTuple):
    """The head of a record: who it is by, and what stands behind; `style` is how the time before it is written.

    The notation is `:`, `<>`, `[]`, `→`, `x>`, `><` or a blank behind a time, `n:` for a name before one, `|` for a
    mark behind a role, `**` for a name with a time in a line of its own, `log` for one behind a level, and `@` for
    the name above a comment. `of` is what stands behind a role, as in `[tool:shell]`.
    """

    name: str
    notation: str
    style: str
    words: str
    of: str = ""

    @property
    def role(self) -> str:
        """The role that the name tells.

        It is `user`, `agent`, `call`, `output`, `system`, `level` of a log, or empty for any other name.
        """
        if self.of and self.name.lower() in _CALLS:
            return "output" if _OF_OUTPUT.fullmatch(self.of.lower()) else "call"
        return _role_of(self.name)

    @property
    def is_error(self) -> bool:
        """Whether it names an error: behind a call it tells what came of that, else it is the level of a log."""
        return self.name.lower() in {"error", "failed", "failure"}


def _role_of(name: str) -> str:
    lower = name.lower().partition(" (")[0].partition("/")[0].strip()
    if lower in USER_NAMES or lower in _TASKS:
        return "user"
    if lower in AGENT_NAMES or _NAMED_AS_AGENT.fullmatch(lower.lstrip("@")) or lower.endswith(("bot", "agent")):
        return "agent"
    if lower in _OUTPUTS:
        return "output"
    if lower in _PLAIN_CALLS:
        return "call"
    return "system" if lower in _SYSTEM else "level" if lower in _LEVELS else ""


def read_record_head(line: str) -> RecordHead | None:
    """Return the head of a record that a line begins with; None for any other line."""
    if stamp := _STAMP.match(line):
        style = _DIGIT.sub("0", stamp[0].strip())
        if told := _OF_KIND.fullmatch(line, stamp.end()):
            return _head_of_kind(told, style)
        if logged := _LOGGED.fullmatch(line, stamp.end()):
            return _head_of_log(logged["name"] or logged["plain"], logged["words"] or logged["quoted"], style)
        for notation, pattern in _SPOKEN.items():
            spoken = pattern.fullmatch(line, stamp.end())
            if spoken is None:
                continue
            if notation == "><":
                if head := _head_of_tool(spoken, style):
                    return head
                continue
            of = spoken.groupdict().get("of") or ""
            head = RecordHead(spoken["name"], notation, style, spoken["words"] or "", of)
            if notation not in {"[]", "x>", " "} or head.role not in {"", "level"} or head.is_error:
                return head
        return None
    return _head_by_name(line)


def _head_of_tool(told: re.Match[str], style: str) -> RecordHead | None:
    """The head of a record that a tool is given something by, or gives something back; None for who speaks."""
    name, words = told["name"], told["words"] or ""
    if _role_of(name) not in {"", "output"}:
        return None
    if told["way"] == "<":
        return RecordHead("output", "><", style, words, name)
    return RecordHead("call", "><", style, words, name)


def _head_of_kind(told: re.Match[str], style: str) -> RecordHead:
    """The head of a record that says its kind."""
    words, kind = told["words"] or "", _KINDS.get(told["kind"].lower(), "")
    if kind:
        return RecordHead(kind, "log", style, words, told["by"] if kind == "call" else "")
    if received := _RECEIVED.match(words):
        return RecordHead("user", "log", style, words[received.end() :])
    role = _role_of(told["by"])
    return RecordHead(role if role in {"user", "agent"} else "system", "log", style, _ANSWERS.sub("", words, 1))


def _head_of_log(name: str, words: str, style: str) -> RecordHead | None:
    """The head of a record of a log under the role that its name tells; None where it tells none."""
    parts = name.lower().split(".")
    first, last = parts[0], parts[-1]
    text = _unquoted(words)
    if asked := _ASKED.match(words):
        return RecordHead("user", "log", style, _unquoted(words[asked.end() :]))
    if (to := _TO.match(words)) or last in _CALL_NAMES:
        return RecordHead("call", "log", style, words[to.end() :] if to else words)
    if (told := _FROM.match(words)) or last in _RESULT_NAMES:
        return RecordHead("output", "log", style, words[told.end() :] if told else words)
    role = _role_of(first)
    if role in {"user", "agent"}:
        return RecordHead(role, "log", style, _ANSWERS.sub("", text, 1))
    return RecordHead("system", "log", style, text) if role in {"", "system"} else None


def _unquoted(words: str) -> str:
    """Words without the quotes around them, with what is escaped in these."""
    if len(words) > 1 and words[0] == words[-1] == '"':
        try:
            return str(json.loads(words))
        except ValueError:
            return words[1:-1]
    return words


def _head_by_name(line: str) -> RecordHead | None:
    """The head that begins with a name, before a mark or a time."""
    if (marked := _MARKED.fullmatch(line)) and _role_of(marked["name"]) not in {"", "level"}:
        return RecordHead(marked["name"], "|", "", marked["words"] or "")
    if timed := _TIMED.fullmatch(line):
        return RecordHead(timed["name"], "n:", "n:", timed["words"] or "")
    if signed := _SIGNED.fullmatch(line):
        return RecordHead((signed["bold"] or signed["plain"]).strip(), "**", "**" if signed["bold"] else "", "")
    if commented := _COMMENTED.fullmatch(line.rstrip()):
        return RecordHead(commented["name"] or commented["asker"], "@", "@", "")
    return None
