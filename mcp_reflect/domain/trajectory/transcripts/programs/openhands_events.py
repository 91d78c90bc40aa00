"""Events of OpenHands as its log tells them: fields below the name of an action, and what an observation shows."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import named_arguments, read_object

_FIELD = re.compile(
    r"^(?P<name>(?:FINAL )?THOUGHT|COMMAND|CODE|CONTENT|PATH|RANGE|URL|BROWSER_ACTIONS|NAME|ARGUMENTS|QUERY"
    r"|OLD STRING|NEW STRING|INSERT LINE|CREATED FILE WITH TEXT|INPUTS|OUTPUTS|MESSAGE|AGENT|TASK)"
    r"(?: FROM [\w.]{1,60})?:[ \t]{0,4}(?P<rest>.*)$",
    re.IGNORECASE,
)
_LAST_FIELDS = frozenset({"code", "browser_actions", "content"})
"""Fields that everything behind them belongs to, as to the command of a shell."""
_EDITED = re.compile(r"^\[Existing file (?P<path>\S.{0,400}?) is edited with \d{1,6} changes?\.\]$", re.MULTILINE)
_GIVEN_PATH = re.compile(r"\bpath=(?P<path>\S{1,400}?)(?:[),]|\s|$)")
_EXIT_CODE = re.compile(r"\bexit[ _]code=(?P<code>-?\d{1,5})")
_FOOT = re.compile(
    r"\s{0,9}^\[(?:The command (?:completed|finished) with exit code (?P<code>-?\d{1,5})\.?|Current working directory:"
    r"[^\n]{0,400}|Python interpreter:[^\n]{0,400}|Command finished with exit code (?P<code2>-?\d{1,5}))\]\s{0,9}\Z",
    re.MULTILINE,
)
"""What OpenHands adds to the output of a command."""
_SIGNS = frozenset({"+", "-", " ", "@"})
_MOST_OF_FOOT = 900
_MOST_FEET = 4
_FENCED = re.compile(r"^```\n?(?P<text>.*?)\n?```\s{0,9}\Z", re.DOTALL)
_UNTOLD = frozenset(
    {
        *("RecallAction", "RecallObservation", "NullAction", "NullObservation", "AgentStateChangedObservation"),
        *("ChangeAgentStateAction", "AgentThinkObservation", "CondensationAction", "AgentCondensationObservation"),
        *("SystemMessageAction", "LoopDetectionObservation", "TaskTrackingObservation", "CondensationRequestAction"),
    }
)
"""Events of OpenHands itself."""
_WORDS = frozenset({"AgentThinkAction", "AgentFinishAction", "AgentRejectAction", "AgentSummarizeAction"})


def add_event(found: CollectedMessages, name: str, head: str, text: str, *, is_shown: bool) -> None:
    """Add an event: `name` is its class, `head` what its first line tells of it, and `text` what stands below.

    `is_shown` is true where the head holds its fields as Python shows them.
    """
    given = _shown_fields(name, head) if is_shown else _fields(text, is_command=name == "CmdRunAction")
    if name in _UNTOLD:
        return
    if name == "USER MESSAGE" or (name == "MessageAction" and re.search(r"source=\S{0,20}USER\b", head)):
        found.hear(given.get("content", "") or ("" if is_shown else text))
    elif name.endswith("Observation"):
        _add_observation(found, name, head, text, given if is_shown else {})
    elif name in _WORDS or name == "MessageAction":
        told = (given.get(each, "") for each in ("thought", "final thought", "final_thought", "message", "content", ""))
        found.say("\n".join(filter(None, told)))
    else:
        thought, diff = (
            _without_diff(given.get("thought", "")) if name == "FileEditAction" else (given.get("thought", ""), [])
        )
        found.say(thought)
        _add_action(found, name, head, {**given, "diff": "\n".join(diff)} if diff else given)


def _add_observation(found: CollectedMessages, name: str, head: str, text: str, given: dict[str, str]) -> None:
    code = _EXIT_CODE.search(head)
    failed = int(code["code"]) != 0 if code else (True if name == "ErrorObservation" else None)
    text = given.get("content", "") or text
    for _ in range(_MOST_FEET):
        foot = _FOOT.search(text, max(0, len(text) - _MOST_OF_FOOT))
        if foot is None:
            break
        told = foot["code"] or foot["code2"]
        failed = int(told) != 0 if failed is None and told else failed
        text = text[: foot.start()]
    found.answer(text, failed)


def _add_action(found: CollectedMessages, name: str, head: str, given: dict[str, str]) -> None:
    placed = _GIVEN_PATH.search(head)
    path = (given.get("path", "") or (placed["path"] if placed else "")).strip("[]'\"")
    if name == "CmdRunAction":
        found.run(given.get("command", ""))
    elif name == "IPythonRunCellAction":
        found.run_code(given.get("code", ""))
    elif name == "FileReadAction":
        found.call("read_file", {"file_path": path or given.get("", "").strip()})
    elif name == "FileWriteAction":
        found.write(path, without_fence(given.get("content", "") or given.get("", "")))
    elif name == "FileEditAction":
        _add_edit(found, path, given)
    elif name == "MCPAction":
        found.call(given.get("name", "mcp").strip(), read_object(given.get("arguments", "").strip()) or {})
    else:
        tool = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Action")).lower()
        told = {key: value.strip("\n") for key, value in given.items() if key and key != "thought" and value.strip()}
        found.call(tool, told)


def _add_edit(found: CollectedMessages, path: str, given: dict[str, str]) -> None:
    command, rest = given.get("command", "").strip(), given.get("", "")
    edited = _EDITED.search(rest)
    if diff := given.get("diff", ""):
        found.patch(read_patch([f"+++ {path}", *diff.split("\n")]))
    elif created := given.get("created file with text") or given.get("file_text"):
        found.write(path, _unfenced(created))
    elif "old string" in given or given.get("old_str"):
        old, new = (given.get(f"{each} string") or given.get(f"{each}_str", "") for each in ("old", "new"))
        found.edit(path, (_unfenced(old), _unfenced(new)))
    elif edited is not None:
        path = edited["path"]
        for patch in read_patch([f"+++ {path}", *_without_gutter(rest[edited.end() :].split("\n"))]):
            found.edit(patch.path, *patch.changes)
    elif content := given.get("content", ""):
        found.call("edit_file", {"file_path": path, "content": _unfenced(content)})
    else:
        found.call(
            "edit_file", {"file_path": path, "command": command, "new_str": _unfenced(given.get("new string", ""))}
        )


def _without_diff(thought: str) -> tuple[str, list[str]]:
    """The words of an edit's thought, and the lines of a diff below them, of which at least one is new or gone."""
    lines = thought.split("\n")
    begin = len(lines)
    while begin > 0 and lines[begin - 1][:1] in _SIGNS:
        begin -= 1
    is_diff = any(line[:1] in {"+", "-"} for line in lines[begin:])
    return ("\n".join(lines[:begin]), lines[begin:]) if is_diff else (thought, [])


def _without_gutter(lines: Sequence[str]) -> list[str]:
    """The lines of an edit without the numbers that stand between a sign and the text: `-12|old`."""
    return [re.sub(r"^([-+ ]) {0,8}\d{1,7}\|", r"\1", line) for line in lines]


def _fields(text: str, *, is_command: bool) -> dict[str, str]:
    """The fields below the name of an action, by their names in lower case; what has no name stands under ``."""
    found: dict[str, list[str]] = {"": []}
    name, is_fenced = "", False
    for line in text.split("\n"):
        field = _FIELD.match(line)
        is_last = name in _LAST_FIELDS or (name == "command" and is_command)
        if field and not (is_last or is_fenced) and field["name"].lower() not in found:
            name = field["name"].lower()
            found[name] = [field["rest"]] if field["rest"] else []
            is_fenced = field["rest"].startswith("```")
        elif name.endswith("thought") and line.startswith("[Existing file "):
            name = ""
            found[name].append(line)
        else:
            is_fenced = is_fenced != line.startswith("```")
            found[name].append(line)
    return {each: "\n".join(lines).strip("\n") for each, lines in found.items()}


def _unfenced(text: str) -> str:
    fenced = _FENCED.match(text.strip("\n"))
    return fenced["text"] if fenced else text


def _shown_fields(name: str, head: str) -> dict[str, str]:
    """The fields of an event that is shown as Python shows it; what is no literal there is left out."""
    plain = re.sub(r"<[^<>]{0,200}>", "None", head)
    return {key: str(value) for key, value in (named_arguments(f"{name}({plain})") or {}).items() if value}
