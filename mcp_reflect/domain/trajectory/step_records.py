"""Steps as models and frameworks write them down themselves: `{"cmd": "make test", "exit_code": 1, "output": "…"}`.

Such an object has neither the role nor the type of a message. Its keys tell what was thought, done and observed; one
record may hold all three.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.told_acts import ToldCommand, find_acts, says_more_than_acts
from mcp_reflect.domain.trajectory.tools import is_tool_name

_COMMANDS = ("command", "cmd", "shell", "bash")
_ACTIONS = ("action", "tool", "tool_name", "call", "function", "act")
_ARGUMENTS = ("arguments", "args", "tool_input", "action_input", "input", "params", "parameters", "kwargs")
_OUTCOMES = ("output", "result", "observation", "observations", "stdout", "stderr", "response", "outcome", "error")
_WORDS = ("thought", "thoughts", "reasoning", "plan", "note", "notes", "comment", "summary", "reflection")
_CODES = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status", "rc")
_PASSED, _FAILED = ("success", "ok", "passed"), ("failed", "is_error", "isError")
_STATUSES = ("status", "outcome", "result")
_GOOD = re.compile(r"ok|okay|success(?:ful(?:ly)?)?|succeeded|pass(?:ed)?|works?|worked|done|completed?", re.IGNORECASE)
_BAD = re.compile(r"error|fail(?:ed|ure|s)?|crash(?:ed)?|broken|timed? ?out", re.IGNORECASE)
_NUMBERS = ("step", "index", "id", "turn", "time", "timestamp", "duration", "n")
_CALLED = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)(?:\[(?P<listed>.*)\]|\((?P<given>.*)\))", re.DOTALL)
"""A call as ReAct agents write it: `Search[solar eclipse]`, `lookup("moon")`."""
_RAN = "Ran "
_SHELL, _EDITOR = "bash", "edit"


class StepRecord(NamedTuple):
    """What one record tells; each part may be empty. `failed` is None where it tells nothing of success.

    `tool` and `arguments` are a call; `words` are the agent's own, also those in which it describes what it did.
    """

    words: str
    tool: str
    arguments: Mapping[str, Any]
    outcome: str
    failed: bool | None


def read_record(fields: Mapping[str, Any]) -> StepRecord | None:
    """Return what an object tells of a step; None where it names neither an act nor what came of one."""
    words = [text for key in _WORDS if (text := _text(fields.get(key)))]
    tool, arguments = _call_in(fields)
    if not tool and (told := next((text for key in _ACTIONS if (text := _text(fields.get(key)))), "")):
        tool, arguments = _call_told(told)
        if not tool or says_more_than_acts(told, find_acts(told) or find_acts(f"{_RAN}{told}")):
            words.append(told)
    outcome = "\n".join(dict.fromkeys(text for key in _OUTCOMES if (text := _text(fields.get(key)))))
    if not (tool or outcome or any(key in fields for key in _ACTIONS)):
        return None
    return StepRecord("\n".join(words), tool, arguments, outcome, _failed(fields))


def _call_in(fields: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the tool of a record with its arguments; an empty one where it only tells what was done in words."""
    named = next((fields[key] for key in _ACTIONS if fields.get(key)), fields.get("name"))
    if isinstance(named, Mapping):  # {"action": {"tool": …, "tool_input": …}}
        return _call_in(named)
    name = named.strip() if isinstance(named, str) else ""
    command = next((fields[key] for key in _COMMANDS if isinstance(fields.get(key), str | list) and fields[key]), None)
    if command is not None:
        return name if is_tool_name(name) else _SHELL, {"command": command}
    if is_tool_name(name):
        return name, _arguments(fields)
    called = _CALLED.fullmatch(name)
    if called is None or not is_tool_name(called["name"]):
        return "", {}
    return called["name"], {"input": (called["listed"] or called["given"] or "").strip("\"'")}


def _call_told(text: str) -> tuple[str, Mapping[str, Any]]:
    """Return the last command or edit that words tell as done; an empty tool where they tell none."""
    acts = find_acts(text) or find_acts(f"{_RAN}{text}")
    act = acts[-1].act if acts else None
    if isinstance(act, ToldCommand):
        return _SHELL, {"command": act.command}
    if act is not None and act.is_quoted:
        return _EDITOR, {"file_path": act.path, "old_string": act.old, "new_string": act.new}
    return "", {}


def _arguments(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call: those under a key of their own, else whatever the record says beside its outcome."""
    given = next((fields[key] for key in _ARGUMENTS if fields.get(key) is not None), None)
    if isinstance(given, Mapping):
        return given
    if given is not None:
        return {"input": given}
    told = {*_ACTIONS, *_OUTCOMES, *_WORDS, *_CODES, *_PASSED, *_FAILED, *_STATUSES, *_NUMBERS, "name", "role", "type"}
    return {key: value for key, value in fields.items() if key not in told}


def _failed(fields: Mapping[str, Any]) -> bool | None:
    codes = [code for key in _CODES if isinstance(code := fields.get(key), int)]
    if codes:
        return any(codes)
    for keys, is_failure in ((_PASSED, False), (_FAILED, True)):
        flag = next((fields[key] for key in keys if isinstance(fields.get(key), bool)), None)
        if flag is not None:
            return flag is is_failure
    if fields.get("error"):
        return True
    for text in filter(None, (_text(fields.get(key)).strip() for key in _STATUSES)):
        if _GOOD.fullmatch(text) or _BAD.fullmatch(text):
            return _BAD.fullmatch(text) is not None
    return None


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
