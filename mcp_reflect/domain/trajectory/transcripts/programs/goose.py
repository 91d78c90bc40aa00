"""Sessions of Goose: `( O)> user words`, and `─── shell | developer ───` before each call."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.closing_words import split_closing_words
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CALL = re.compile(r"^[─-]{2,6} (?P<name>[\w.-]{1,80}) \| (?P<extension>[\w. -]{1,80}) [─-]{3,300}\s{0,9}$")
_USER = re.compile(r"^(?:\( ?[Oo0][ )]{0,2}\)?>|🪿 ?>?)\s(?P<words>.*)$")
_ARGUMENT = re.compile(r"^(?P<name>[a-z][a-z_]{1,30}):(?:[ \t](?P<value>.*))?$")
_EDITOR_ARGUMENTS = frozenset(
    {"path", "command", "old_str", "new_str", "file_text", "view_range", "insert_line", "diff"}
)
_LONG = frozenset({"old_str", "new_str", "file_text", "diff"})
_EDITED = re.compile(
    r"^(?:Successfully (?:wrote to|edited)|The file|File) [`'\"]?(?P<path>[^\s`'\"]{1,400})[`'\"]?"
    r"(?P<rest> (?:has been|was) (?:edited|updated|created|written|successfully).{0,400})?$"
)
"""What the client answers when it has changed a file."""
_NOTE = re.compile(
    r"^(?:starting session \||\s{2,8}(?:session id|working directory:|logging to)|Closing session|Goose is running)"
)


def read_goose(text: str) -> list[Message] | None:
    """Return the messages of a session of Goose; None for any other text."""
    lines = text.split("\n")
    if not any(_CALL.match(line) for line in lines):
        return None
    found = CollectedMessages()
    begin, held = None, list[str]()
    for line in lines:
        call, said = _CALL.match(line), _USER.match(line)
        is_doubtful = begin is not None and (not held or bool(held[-1].strip()))
        if call or (said and not is_doubtful):
            _add(found, begin, held)
            begin, held = call, []
            if said:
                found.hear(said["words"])
        elif not _NOTE.match(line):
            held.append(line)
    _add(found, begin, held)
    return found.messages if found.calls else None


def _add(found: CollectedMessages, call: re.Match[str] | None, lines: Sequence[str]) -> None:
    """Add what stands below the line of a call: its arguments, its output, and the agent's words behind that."""
    if call is None:
        found.say("\n".join(lines))
        return
    is_editor = "edit" in call["name"]
    result = _line_of_result(lines) if is_editor else None
    place, given = _arguments(lines, is_editor=is_editor, result=result)
    name = call["name"]
    if name == "shell":
        found.run(given.get("command", ""))
    elif name == "text_editor":
        if given.get("command") in {"write", "create"}:
            content, words = given.get("file_text", ""), ""
            if result is None:
                content, words = split_closing_words(content.split("\n"), may_be_all=False)
            found.write(given.get("path", ""), content)
            found.say(words)
        else:
            found.call("str_replace_editor", {**given})
    else:
        found.call(name, {**given})
    output, words = split_closing_words(lines[place:], may_be_all=name == "text_editor" and result is None)
    found.answer(output)
    found.say(words)


def _line_of_result(lines: Sequence[str]) -> int | None:
    """The number of the last line behind a blank one that tells of the change of the file that a call names."""
    argument = next((each for line in lines if (each := _ARGUMENT.match(line)) and each["name"] == "path"), None)
    path = (argument["value"] or "").strip() if argument else ""
    for number in range(len(lines) - 1, 0, -1):
        told = None if lines[number - 1].strip() else _EDITED.match(lines[number])
        is_named = told and (told["rest"] is not None or lines[number].startswith("Successfully"))
        if path and told and is_named and (told["path"].endswith(path) or path.endswith(told["path"])):
            return number
    return None


def _arguments(lines: Sequence[str], *, is_editor: bool, result: int | None) -> tuple[int, dict[str, str]]:
    """The arguments below the line of a call, and the number of the line behind them.

    They end with the first blank line; a text that an editor writes or replaces may hold some. Such a text goes on to
    the blank lines above the line that tells the `result`, where there is one.
    """
    given: dict[str, list[str]] = {}
    name, end = "", 0
    names = {argument["name"]: number for number, line in enumerate(lines) if (argument := _ARGUMENT.match(line))}
    last = max((names.get(each, 0) for each in _LONG), default=0) if is_editor else 0
    last = len(lines) if is_editor and "file_text" in names else last
    if result is not None:
        last = result
        while last and not lines[last - 1].strip():
            last -= 1
    for number, line in enumerate(lines):
        argument = _ARGUMENT.match(line)
        if argument and is_editor and (argument["name"] not in _EDITOR_ARGUMENTS or argument["name"] in given):
            argument = None
        if argument and not (name == "command" and not is_editor):
            name = argument["name"]
            given[name] = [argument["value"] or ""]
        elif line.strip() or (name in _LONG and number < last):
            if not name:
                break
            given[name].append(line)
        else:
            end = number
            break
        end = number + 1
    return end, {each: "\n".join(value).removeprefix("\n") for each, value in given.items()}


GOOSE = TranscriptFormat(
    re.compile(r"^(?:\( ?[Oo0]|[─-]{2,6} \S{1,80} \| |starting session \|)", re.MULTILINE), read_goose
)
