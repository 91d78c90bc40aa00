"""Actions by the names that OpenHands has for them: `CmdRunAction: make`, `FileEditAction: setup.cfg`."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import without_fence

ACTION_NAME = (
    r"(?:CmdRun|IPythonRunCell|FileEdit|FileWrite|FileRead|BrowseURL|BrowseInteractive|MCP|Recall"
    r"|AgentFinish|AgentThink|AgentReject|Message|TaskTracking)"
)
_ACTION = re.compile(rf"^(?P<name>{ACTION_NAME})Action:[ \t]{{0,4}}(?P<rest>.*)$")
_WORDS = frozenset({"AgentFinish", "AgentThink", "AgentReject", "Message"})
_CHANGED = re.compile(r"[+-]")
_PATH = re.compile(r"[`\"']?(?P<path>[\w.@+~/\\-]{1,300})[`\"']?(?: \([^()\n]{1,200}\))?:?")


def add_words_and_actions(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add the words of an agent with the actions among them, each of which goes on to the next one."""
    name, held = "", list[str]()
    for line in lines:
        action = _ACTION.match(line)
        if action is None:
            held.append(line)
            continue
        _add(found, name, held)
        name, held = action["name"], [action["rest"]]
    _add(found, name, held)


def _add(found: CollectedMessages, name: str, lines: Sequence[str]) -> None:
    if name:
        add_action(found, name, lines)
    else:
        found.say("\n".join(lines))


def add_action(found: CollectedMessages, name: str, lines: Sequence[str], seen: Sequence[str] = ()) -> None:
    """Add an action: its name without `Action`, and the lines behind that.

    `seen` are the lines of its observation, in which an edit may be told by what it changed.
    """
    text = "\n".join(lines).strip("\n")
    first, _, rest = text.partition("\n")
    file = _PATH.fullmatch(first.strip())
    if name in _WORDS:
        found.say(text)
    elif name == "CmdRun":
        found.run(without_fence(text))
    elif name == "IPythonRunCell":
        found.run_code(without_fence(text))
    elif name in {"FileEdit", "FileWrite"} and file is not None:
        _add_change(found, name, file["path"], rest or "\n".join(_changed_lines(seen)))
    elif name == "FileRead" and file is not None:
        found.call("read_file", {"file_path": file["path"]})
    else:
        found.call(name, {"url" if name.startswith("Browse") else "input": text})


def _changed_lines(seen: Sequence[str]) -> Sequence[str]:
    told = [line for line in seen if line.strip()]
    return seen if told and all(line[0] in "+-@ " for line in told) and any(map(_CHANGED.match, told)) else ()


def _add_change(found: CollectedMessages, name: str, path: str, text: str) -> None:
    before = found.calls
    if change := read_signed_edit(text, path):
        found.patch([change])
    elif _changed_lines(text.split("\n")):
        found.patch(read_patch([f"+++ {path}", *text.split("\n")]))
    elif text.strip() and name == "FileWrite":
        found.write(path, without_fence(text))
    if found.calls == before:
        found.call("edit_file", {"file_path": path, **({"content": text} if text.strip() else {})})
