"""What a mark of the agent's tells in a session of Codex CLI: `Ran make` above `  └ output`, `Edited a.c (+1 -1)`."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.elements.shown_diffs import read_numbered_diff, signed_changes

_OUTPUT = re.compile(r"^  └(?: (?P<text>.*))?$")
_COMMAND_GOES_ON = re.compile(r"^  │(?: .*)?$")
_LEFT_OUT = re.compile(r"\s{0,9}… \+\d{1,7} lines?(?: \(.{0,60}\))?\s{0,9}")
_NO_OUTPUT = "(no output)"
_EXIT = re.compile(
    r"\(?(?:(?:process|command) )?exit(?:ed)?(?: with)?(?: exit)? (?:code|status):? (?P<code>-?\d{1,9})\)?\.?",
    re.IGNORECASE,
)
_RAN = re.compile(r"(?:You ran|Ran) (?P<command>\S.*)")
_RUNS = re.compile(r"(?:Running|Calling) \S.*|Exploring")
"""What has not ended yet: it is told again once it has."""
_NOTE = re.compile(
    r"Updated Plan|Viewed Image|Context compacted|Waited for background terminal.*|Search(?:ed|ing) the web.*"
    r"|Model interrupted .*|Working \(\d.*"
)
_EXPLORED = "Explored"
_CALLED = re.compile(r"Called(?: (?P<call>[\w.:-]{1,160}\(.*))?")
_COUNTS = r"\((?:\+\d{1,7}(?: -\d{1,7})?|-\d{1,7})\)"
_CHANGED = re.compile(rf"(?P<verb>Edited|Change Approved|Added|Deleted) (?P<path>.{{1,400}}) {_COUNTS}")
_FILE = re.compile(rf"^  └ (?P<path>.{{1,400}}) {_COUNTS}$")
_MANY = re.compile(r"\d{1,4} files")
_ENDS_OF_SENTENCES = (".", ":", "!", "?")
_SLACK = 4
"""Columns that the terminal may leave free at the end of a line that it breaks."""


def shows_output(lines: Sequence[str]) -> bool:
    """Return true for lines below a mark that begin with an output, or with more of a command."""
    return bool(lines) and (_OUTPUT.match(lines[0]) or _COMMAND_GOES_ON.match(lines[0])) is not None


def output_below(lines: Sequence[str]) -> str:
    """Return what stands below a call, without the marks of left out lines."""
    first = _OUTPUT.match(lines[0]) if lines else None
    below = [line.removeprefix("    ") for line in (lines[1:] if first else lines)]
    kept = [line for line in [(first["text"] or "") if first else "", *below] if not _LEFT_OUT.fullmatch(line)]
    output = "\n".join(kept).strip("\n").rstrip()
    return "" if output == _NO_OUTPUT else output


def add_codex_call(found: CollectedMessages, words: str, lines: Sequence[str], width: int) -> bool:
    """Add the call that words behind a mark and the lines below them tell; return false for words of the agent.

    The agent may say "Ran the tests." as well, which has no output below. `width` are the columns of the terminal. A
    note of the client's is no call, and nobody's words.
    """
    is_alone = not any(map(str.strip, lines)) and not words.endswith(_ENDS_OF_SENTENCES)
    is_shown = shows_output(lines) or is_alone
    if _NOTE.fullmatch(words) or (is_shown and _RUNS.fullmatch(words)):
        return True
    ran, changed, called = _RAN.fullmatch(words), _CHANGED.fullmatch(words), _CALLED.fullmatch(words)
    if ran and is_shown:
        end = next((number for number, line in enumerate(lines) if not _COMMAND_GOES_ON.match(line)), len(lines))
        found.run(_command(ran["command"], lines[:end], width))
        output = output_below(lines[end:])
        found.answer(output, _failure(output))
    elif changed:
        _add_changes(found, changed, lines)
    elif called and (called["call"] or shows_output(lines)):
        _add_called(found, called["call"] or "", lines)
    elif words == _EXPLORED and shows_output(lines):
        _add_explored(found, lines)
    else:
        return False
    return True


def _command(first: str, lines: Sequence[str], width: int) -> str:
    """A command line, which the terminal may have broken; a text that is given to it stays in its lines."""
    parts, before = [first], f"• Ran {first}"
    for line in lines:
        text = line[4:].rstrip()
        is_full = len(before) + 1 + len(text.partition(" ")[0]) > width - _SLACK
        is_broken = is_full and "<<" not in first and not before.endswith("\\")
        parts.append((" " if is_broken else "\n") + ("…" if _LEFT_OUT.fullmatch(text) else text))
        before = line
    return "".join(parts)


def _failure(output: str) -> bool | None:
    """Whether the first or the last line of an output tells a failure; None where none tells an exit code."""
    exits = (_EXIT.fullmatch(line.strip()) for line in (output.partition("\n")[0], output.rpartition("\n")[2]))
    return next((each["code"] != "0" for each in exits if each), None)


def _add_changes(found: CollectedMessages, changed: re.Match[str], lines: Sequence[str]) -> None:
    """Add the changes of one file, or of several ones, each below a line that names it."""
    if not _MANY.fullmatch(changed["path"]):
        _add_change(found, changed["verb"], changed["path"], lines)
        return
    files = [(number, file["path"]) for number, line in enumerate(lines) if (file := _FILE.match(line))]
    ends = [*(number for number, _ in files[1:]), len(lines)]
    for (begin, path), end in zip(files, ends, strict=False):
        _add_change(found, "Edited", path, lines[begin + 1 : end])


def _add_change(found: CollectedMessages, verb: str, path: str, lines: Sequence[str]) -> None:
    path = path.rpartition(" → ")[2]
    shown = read_numbered_diff(lines)
    changes = signed_changes(text for _, text in shown)
    is_whole = [number for number, _ in shown] == list(range(1, len(shown) + 1))
    if verb == "Deleted":
        found.call("delete_file", {"file_path": path})
    elif verb == "Added" and shown and is_whole and all(text.startswith("+") for _, text in shown):
        found.write(path, "\n".join(text[1:] for _, text in shown))
    elif changes:
        found.edit(path, *changes)
    else:
        found.call("write" if verb == "Added" else "edit", {"file_path": path})
    found.answer("", failed=False)


def _add_called(found: CollectedMessages, call: str, lines: Sequence[str]) -> None:
    """Add the call of a server's tool, which stands in the first lines below where it is too long."""
    begin = 0
    if not call:
        begin = next((n for n, line in enumerate(lines) if n and not line.startswith(" " * 8)), len(lines))
        call = " ".join(line[4:].strip() for line in lines[:begin])
    name, _, given = call.strip().partition("(")
    given = given.removesuffix(")")
    found.call(name, read_object(given) or ({"input": given} if given else {}))
    output = output_below(lines[begin:])
    found.answer(output, True if output.startswith("Error: ") else _failure(output))


def _add_explored(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add what the agent has looked at; the client does not show what it saw."""
    told: list[list[str]] = []
    for line in filter(str.strip, lines):
        if told and line.startswith(" " * 6):
            told[-1].append(line.strip())
        else:
            told.append([line[4:].strip()])
    for verb, _, given in (" ".join(each).partition(" ") for each in told):
        pattern, _, place = given.rpartition(" in ")
        if verb == "Run":
            found.run(given)
        elif verb == "Search":
            found.call("grep", {"pattern": pattern, "path": place} if pattern else {"pattern": given})
        elif verb == "List":
            found.call("list_directory", {"path": given})
        for path in given.split(", ") if verb == "Read" else ():
            found.call("read_file", {"file_path": path})
