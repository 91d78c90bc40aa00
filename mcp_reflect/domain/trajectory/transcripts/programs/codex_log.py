"""Logs of `codex exec`: sections under a time stamp, or under a word on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_STAMP = re.compile(r"^\[(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[.\d]{0,10}Z?\] (?P<rest>.*)$")
_RESULT = re.compile(
    r"^(?P<call>.{0,4000}?) (?:(?P<worked>succeeded|success)|exited (?P<code>-?\d{1,10})|(?P<failed>failed))"
    r" in \d[\d.]{0,12}(?:ms|s)(?: \d{1,3}s)?:?$"
)
_PLACE = re.compile(r" in (?P<folder>[/~]\S{0,400}|[A-Z]:\\\S{0,400})$")
_CALLED_IN = re.compile(r"^(?:bash|sh|zsh) \S.{0,4000} in [/~]\S{0,400}$")
_SHELL = re.compile(r"^(?:/\S{0,80}/)?(?:bash|sh|zsh) -l?c ")
_PATCHED = re.compile(r"^(?:apply_patch\(exit (?P<code>-?\d{1,5})\)|patch: (?P<word>\w{1,20}))")
_TOOL = re.compile(r"^tool (?P<name>[\w.:-]{1,120})\((?P<given>.*)\)$")
_TOOL_DONE = re.compile(r"^[\w.:-]{1,120}\(.*\) (?P<word>success|succeeded|failed) in ")
_PATCH_CALL = re.compile(r"^apply_patch\(auto_approved=\w{1,9}, ?(?P<path>[^()\s]{1,300})\)$")
_PATCHES = ("apply_patch", "apply patch", "file update")
_HEADS = frozenset({"user", "codex", "thinking", "exec", "tokens used", "apply patch", "file update", "file update:"})


class _Part(NamedTuple):
    head: str
    body: list[str]


def read_codex_log(text: str) -> list[Message] | None:
    """Return the messages of a log of `codex exec`; None for any other text."""
    lines = text.split("\n")
    is_stamped = any(_STAMP.match(line) for line in lines[:40])
    parts = list(_stamped(lines) if is_stamped else _unstamped(lines))
    heads = {part.head.partition(" ")[0].partition("(")[0] for part in parts}
    if heads.isdisjoint({"exec", "apply_patch"}) or not (is_stamped or "User" in heads):
        return None
    found = CollectedMessages()
    answers = sum(_add(found, part, is_stamped=is_stamped) for part in parts)
    return found.messages if found.calls and answers else None


def _stamped(lines: Sequence[str]) -> Iterator[_Part]:
    """The sections under time stamps that lie between the first and the last, and go on in time.

    A text that an output shows was written at another time: it can print no such stamp.
    """
    stamps = [stamp["time"] if (stamp := _STAMP.match(line)) else "" for line in lines]
    times = [time for time in stamps if time]
    now, last = times[0], times[-1]
    held: _Part | None = None
    for line, time in zip(lines, stamps, strict=True):
        if time and now <= time <= last:
            if held is not None:
                yield held
            now, held = time, _Part(line.partition("] ")[2].strip(), [])
        elif held is not None:
            held.body.append(line)
    if held is not None:
        yield held


def _unstamped(lines: Sequence[str]) -> Iterator[_Part]:
    """The sections under a word on a line of its own; the user speaks in the first one only."""
    held: _Part | None = None
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_instruction = line.lower().startswith("user instructions:")
        is_head = (line in _HEADS or is_instruction) and (held is None) == (line == "user" or is_instruction)
        if line == "exec":
            is_call = any(each.match(following) for each in (_SHELL, _RESULT, _CALLED_IN))
            is_head = is_head and is_call
        elif line.startswith("exec ") and held is not None:
            is_head = _SHELL.match(line[5:]) is not None and _PLACE.search(line) is not None
        elif line in {"codex", "thinking"} and held is not None and held.head == "exec":
            is_head = is_head and " " in following.strip()
        elif _PATCH_CALL.match(line):  # an output could print one
            is_head = held is not None and held.head != "exec" and not held.head.startswith("exec ")
        if is_head:
            if held is not None:
                yield held
            begins = [line.partition(":")[2].strip()] if is_instruction else []
            held = _Part("User instructions:" if line == "user" or is_instruction else line, begins)
        elif held is not None:
            held.body.append(line)
    if held is not None:
        yield held


def _add(found: CollectedMessages, part: _Part, *, is_stamped: bool) -> bool:
    """Add a section; return true for the outcome of a call."""
    head, body = part.head, "\n".join(part.body)
    if head.lower().startswith("user instructions"):
        found.hear(body, is_sure=is_stamped)
    elif head in {"codex", "thinking", "assistant"}:
        found.say(body)
    elif head.startswith("exec"):
        return _add_command(found, "\n".join(filter(None, (head.removeprefix("exec").strip(), body.strip("\n")))))
    elif called := _PATCH_CALL.match(head):
        found.patch(read_patch([f"+++ {called['path']}", *part.body]))
        return False
    elif "*** Begin Patch" in body or (head.startswith(_PATCHES) and not _PATCHED.match(head)):
        found.patch(read_patch([line for line in part.body if not line.startswith(("*** Begin", "*** End"))]))
        return not is_stamped
    elif tool := _TOOL.match(head):
        found.call(tool["name"], read_object(tool["given"]) or tool["given"])
    else:
        return _add_outcome(found, head, part.body)
    return False


def _add_outcome(found: CollectedMessages, head: str, lines: Sequence[str]) -> bool:
    """Add the outcome of a call, where a section is one."""
    failed: bool | None = None
    if done := _PATCHED.match(head):
        failed = done["code"] != "0" if done["code"] else done["word"] not in {"completed", "applied", "success"}
    elif tool_done := _TOOL_DONE.match(head):
        failed = tool_done["word"] == "failed"
    elif result := _RESULT.match(f" {head}"):  # it need not name the call again
        failed = result["worked"] is None
    elif _SHELL.match(head):  # a command of several lines, with its outcome behind the last
        for number, line in enumerate(lines):
            if result := _RESULT.match(line):
                failed, lines = result["worked"] is None, lines[number + 1 :]
                break
    if failed is not None:
        found.answer("\n".join(lines), failed)
    return failed is not None


def _add_command(found: CollectedMessages, text: str) -> bool:
    """Add a command, and its outcome where that stands behind it; return true for one with an outcome."""
    command, rest, failed = text, list[str](), None
    for number, line in enumerate(lines := text.split("\n")):
        if result := _RESULT.match(line):
            is_told = number > 0 and _PLACE.search(lines[number - 1]) is not None  # the outcome only names the call
            told = lines[:number] if is_told else [*lines[:number], result["call"]]
            command, rest = "\n".join(told), lines[number + 1 :]
            failed = result["worked"] is None
            break
    command = command.strip()
    place = _PLACE.search(command[-420:])
    if place:
        command = command[: len(command) - len(place[0])]
    found.run(_unwrapped(command.strip()), place["folder"] if place else "")
    if failed is not None:
        found.answer("\n".join(rest), failed)
    return failed is not None


def _unwrapped(command: str) -> str:
    """The command line that a shell was given, without its quotes; any other as it is."""
    shell = _SHELL.match(command)
    inner = command[shell.end() :].strip() if shell else command
    if shell is None or len(inner) < 2 or inner[0] not in "\"'" or inner[-1] != inner[0]:  # noqa: PLR2004 - quotes
        return inner
    body = inner[1:-1]
    if inner[0] == "'":
        return body.replace("'\\''", "'").replace("'\"'\"'", "'")
    is_escaped = '"' not in body.replace('\\"', "")
    return body.replace('\\"', '"').replace("\\$", "$").replace("\\`", "`") if is_escaped and "\\" in body else body


CODEX_LOG = TranscriptFormat(
    re.compile(r"^(?:\[\d{4}-\d\d-\d\dT[\d:.]{8,18}Z?\] \S|user$|user instructions: )", re.MULTILINE), read_codex_log
)
