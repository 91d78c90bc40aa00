"""Calls that an export of Cursor tells in fences of the language `tool`: `Read file: a.c`, `Edit file: a.c`."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.shown_diffs import signed_changes

_HEAD = re.compile(r"(?P<verb>[A-Z][a-z]{1,20})(?P<object>(?: [\w-]{1,30}){0,4}):(?: (?P<given>.*))?")
_LINES_OF_FILE = re.compile(r" \((?:lines? )?\d[\d, -]{0,30}\)$")
_READS, _LISTS, _SEARCHES = frozenset(("Read", "View")), "List", frozenset(("Search", "Grep", "Find"))
_WRITES, _DELETES, _RUNS = frozenset(("Create", "Write")), "Delete", "Run"
CHANGES = _WRITES | {"Edit", "Update", _DELETES}
"""The verbs of calls that change a file."""
_OF_OTHERS = ("web", "docs", "internet", "online")
_FAILURE = re.compile(r"\s{0,9}(?:Error|Failed|Could not)\b")


def add_cursor_tool(found: CollectedMessages, text: str) -> str:
    """Add the call that a fence tells; return its verb, or an empty text where the fence tells none.

    A change is answered at once, as most exports show nothing behind it.
    """
    first, *lines = text.strip("\n").split("\n")
    head = _HEAD.fullmatch(first.rstrip())
    if head is None:
        found.say(f"```tool\n{text}\n```")
        return ""
    verb, given = head["verb"], (head["given"] or "").strip()
    path = _LINES_OF_FILE.sub("", given).strip("`")
    if verb == _RUNS:
        found.run("\n".join([given, *lines]))
    elif verb in _READS:
        found.call("read_file", {"file_path": path})
    elif verb in _SEARCHES and not any(word in head["object"].lower() for word in _OF_OTHERS):
        found.call("grep", {"pattern": given})
    elif verb == _LISTS:
        found.call("list_directory", {"path": path})
    elif verb in CHANGES:
        _add_change(found, verb, path, lines)
    else:
        name = "_".join(f"{verb}{head['object']}".lower().split())
        found.call(name, {"input": "\n".join([given, *lines])} if given or lines else {})
    return verb


def _add_change(found: CollectedMessages, verb: str, path: str, lines: Sequence[str]) -> None:
    """Add a change of a file, whose new or changed lines may have signs."""
    is_new = all(line.startswith("+") for line in lines)
    if verb == _DELETES:
        found.call("delete_file", {"file_path": path})
    elif verb in _WRITES:
        found.write(path, "\n".join(line[1:] for line in lines) if is_new else "\n".join(lines))
    elif changes := [(old, new) for old, new in signed_changes(lines) if old != new]:
        found.edit(path, *changes)
    else:
        found.call("edit", {"file_path": path} | ({"code_edit": "\n".join(lines)} if lines else {}))
    found.answer("", failed=False)


def answer_cursor_tool(found: CollectedMessages, verb: str, output: str) -> None:
    """Add what a call with a verb came to; a file that was read or changed shows a failure in words."""
    of_file = verb in _READS | CHANGES
    found.answer(output, _FAILURE.match(output) is not None if of_file else None)
