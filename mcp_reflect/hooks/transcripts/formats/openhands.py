"""OpenHands: a conversation of the CLI (`base_state.json`, one file an event), and exported trajectories.

Events of version 1 have a `kind`, and a call and its result share `tool_call_id`; the folder is in the state. Events of
version 0 have an `action` or an `observation`, which names its action in `cause`; they stand in files of their own or,
exported, in one array.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_reflect.domain.trajectory.tools import arguments_of
from mcp_reflect.hooks.event import HookEvent, first_text, response_exit_code
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import moment, read_json
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "openhands"

_STATE = "base_state.json"
_EVENT = re.compile(r"(?:event-)?(\d+)(?:-[\w-]+)?\.json")
_SILENT = frozenset({"think", "recall", "system", "change_agent_state", "null", "condensation", "task_tracking"})
_TOOLS = {"run": "bash", "run_ipython": "ipython", "write": "write_file", "edit": "edit_file"}
"""Actions of version 0 by names that say what they do to files and shells."""

_Event = dict[str, Any]


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folders below which the conversations stand; `user` is the user's own folder."""
    top = environ.get("OPENHANDS_PERSISTENCE_DIR") or os.path.join(user, ".openhands")
    return (os.path.join(top, "conversations"), os.path.join(top, "sessions"))


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below one of these folders, part by part, is that of a conversation."""
    return (len(names) == 2 and names[1] == _STATE) or (len(names) == 3 and tuple(names[1:]) == ("events", "0.json"))  # noqa: PLR2004 - parts of a path


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what the state of a conversation says of it, or its first event. Raises OSError."""
    value, name = read_json(path), os.path.basename(path)
    if name == _STATE and isinstance(value, dict):
        workspace = value.get("workspace")
        folder = first_text(workspace if isinstance(workspace, dict) else {}, "working_dir")
        return (SessionHead(_named(path, 1), folder, *_written(path)),)
    if name == "0.json" and isinstance(value, dict) and _is_event(value):
        return (SessionHead(_named(path, 2), "", *_written(path)),)
    if isinstance(value, list) and value and all(isinstance(each, dict) and _is_event(each) for each in value[:5]):
        return (SessionHead(os.path.splitext(name)[0]),)
    return ()


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns of a conversation. Raises OSError where it cannot be read."""
    del start  # each event is a file, or all are one value
    found = TurnBuilder(most)
    for number, each in enumerate(_events(event.transcript)):
        if "kind" in each:
            _take(found, each, number)
        else:
            _take_version_0(found, each, number)
    return found.turns


def _is_event(value: _Event) -> bool:
    told = {"kind", "source"} <= value.keys() or "action" in value or "observation" in value
    return told and "timestamp" in value


def _named(path: str, levels: int) -> str:
    for _ in range(levels):
        path = os.path.dirname(path)
    return os.path.basename(path)


def _folder_of(path: str) -> str:
    return os.path.join(os.path.dirname(path), "events") if os.path.basename(path) == _STATE else os.path.dirname(path)


def _files(path: str) -> list[tuple[int, os.DirEntry[str]]]:
    """The files of a conversation's events, in order."""
    try:
        with os.scandir(_folder_of(path)) as entries:
            named = [(_EVENT.fullmatch(entry.name), entry) for entry in entries if not entry.is_symlink()]
    except FileNotFoundError:
        return []
    return sorted(((int(match[1]), entry) for match, entry in named if match), key=lambda each: each[0])


def _written(path: str) -> tuple[float, int]:
    """Return when a conversation was written to last, and its bytes."""
    found = [entry.stat() for _, entry in _files(path)]
    return max((each.st_mtime for each in found), default=0.0), sum(each.st_size for each in found)


def _events(path: str) -> Iterator[_Event]:
    if os.path.basename(path) in {_STATE, "0.json"}:
        values: list[Any] = [read_json(entry.path) for _, entry in _files(path)]
    else:
        value = read_json(path)
        values = value if isinstance(value, list) else []
    yield from (each for each in values if isinstance(each, dict))


def _take(found: TurnBuilder, event: _Event, number: int) -> None:
    kind, at = event["kind"], moment(event.get("timestamp"))
    call = first_text(event, "tool_call_id")
    if kind == "MessageEvent":
        message = event.get("llm_message")
        text = output_text(message.get("content")) if isinstance(message, dict) else ""
        _say(found, event, text, number, at)
    elif kind == "ActionEvent":
        thought, action = output_text(event.get("thought")), event.get("action")
        arguments = (
            {k: v for k, v in action.items() if k != "kind" and v is not None} if isinstance(action, dict) else {}
        )
        name = first_text(event, "tool_name")
        if name == "finish":
            thought = first_text(arguments, "message") or thought
        if thought:
            found.add({"role": "assistant", "content": thought}, thought, at=at)
        if name not in {"finish", "think"}:
            _call(found, call, name, arguments or _asked(event), at)
    elif kind == "ObservationEvent" and first_text(event, "tool_name") not in {"finish", "think"}:
        result = event.get("observation")
        if isinstance(result, dict):
            _result(found, event, result.get("content"), result, at)
    elif kind == "AgentErrorEvent":
        _result(found, event, first_text(event, "error"), {"is_error": True}, at)
    elif kind == "UserRejectObservation":
        reason = first_text(event, "rejection_reason")
        _result(found, event, f"User rejected the action: {reason}", {"is_error": True}, at)


def _asked(event: _Event) -> dict[str, Any]:
    """The arguments of a call as the model wrote them."""
    call = event.get("tool_call")
    return arguments_of(call.get("arguments")) if isinstance(call, dict) else {}


def _say(found: TurnBuilder, event: _Event, text: str, number: int, at: float) -> None:
    if event.get("source") == "user":
        if said := user_text(text):
            found.begin(str(event.get("id") or number), said, 0, local=True, at=at)
    elif event.get("source") == "agent" and text:
        found.add({"role": "assistant", "content": text}, text, at=at)


def _call(found: TurnBuilder, call: str, name: str, arguments: dict[str, Any], at: float) -> None:
    use = {"type": "tool_use", "id": call, "name": name, "input": arguments}
    found.add({"role": "assistant", "content": [use]}, at=at)


def _result(found: TurnBuilder, event: _Event, content: Any, told: dict[str, Any], at: float) -> None:
    code, text = response_exit_code(told), output_text(content)
    if code is not None and code < 0:  # it was still running, or stopped
        text = f"Command running in background\n{text}"
    elif code:
        text = f"Exit code: {code}\n{text}"
    if returns_memories(first_text(event, "tool_name")):
        text = "[memories]"
    block = {"type": "tool_result", "tool_use_id": first_text(event, "tool_call_id"), "content": text}
    failed = told.get("is_error") is True or bool(code)
    known = code is not None or isinstance(told.get("is_error"), bool)
    found.add({"role": "user", "content": [block | ({"is_error": failed} if known else {})]}, at=at)


def _take_version_0(found: TurnBuilder, event: _Event, number: int) -> None:
    action, observation, at = event.get("action"), event.get("observation"), moment(event.get("timestamp"))
    given, extras = event.get("args"), event.get("extras")
    arguments = given if isinstance(given, dict) else {}
    if isinstance(observation, str) and observation not in _SILENT | {"agent_state_changed"}:
        told = dict(extras) if isinstance(extras, dict) else {}
        told |= {"is_error": True} if observation == "error" else {}
        _result(found, {"tool_call_id": f"{event.get('cause')}"}, event.get("content"), told, at)
    elif action == "message":
        _say(found, event, first_text(arguments, "content"), number, at)
    elif action == "finish":
        text = first_text(arguments, "final_thought", "thought") or first_text(event, "message")
        if text:
            found.add({"role": "assistant", "content": text}, text, at=at)
    elif isinstance(action, str) and action not in _SILENT and event.get("source") == "agent":
        if thought := first_text(arguments, "thought"):
            found.add({"role": "assistant", "content": thought}, thought, at=at)
        asked = {k: v for k, v in arguments.items() if k != "thought"}
        _call(found, f"{event.get('id', number)}", _TOOLS.get(action, action), asked, at)
