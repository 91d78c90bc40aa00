"""opencode: the database `opencode.db`, or, in earlier versions, files of JSON below `storage/`.

Both hold the same records: sessions (`directory`, `parentID` where a subagent's), messages (`role`, `time`), and parts
of messages (`text`, `tool` with its `state`). Ids of one kind sort by time. After its sources, version 1.17 and before.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import read_json
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "opencode"

_DATABASE = re.compile(r"opencode(?:-[\w.-]+)?\.db")
_FILE_DEPTH = 2
"""Parts of a path below `storage/session`: `<project>/<session>.json`."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
_BUSY_S = 5.0

_HEADS = """
    SELECT s.id, s.directory, s.time_updated, (SELECT SUM(LENGTH(p.data)) FROM part p WHERE p.session_id = s.id)
    FROM session s WHERE s.parent_id IS NULL
"""
_PARTS = """
    SELECT m.id, m.data, p.data FROM message m JOIN part p ON p.message_id = m.id
    WHERE m.session_id = ? ORDER BY m.id, p.id
"""

_Record = dict[str, Any]


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folder of sessions in files, and the databases; `user` is the user's own folder."""
    top = os.path.join(environ.get("XDG_DATA_HOME") or os.path.join(user, ".local", "share"), NAME)
    try:
        found = sorted(name for name in os.listdir(top) if _DATABASE.fullmatch(name))
    except OSError:
        found = []
    return (os.path.join(top, "storage", "session"), *(os.path.join(top, name) for name in found))


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below one of these places, part by part, is that of sessions."""
    return len(names) == 0 or (len(names) == _FILE_DEPTH and names[1].endswith(".json"))


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what a file or a database says of its sessions. Raises OSError."""
    if _is_database(path):
        return [
            SessionHead(str(session), str(folder), float(updated or 0) / 1_000, int(size or 0))
            for session, folder, updated, size in _rows(path, _HEADS)
        ]
    session = read_json(path)
    if not isinstance(session, dict) or "directory" not in session or first_text(session, "parentID"):
        return ()
    return (SessionHead(first_text(session, "id"), first_text(session, "directory")),)


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns of the event's session. Raises OSError where they cannot be read."""
    del start  # records are read whole
    found = TurnBuilder(most)
    read = _in_database if _is_database(event.transcript) else _in_files
    for message, parts in read(event.transcript, event.session):
        if message.get("role") == "user":
            said = user_text("\n".join(_texts(parts)))
            if said:
                found.begin(first_text(message, "id"), said, 0, local=True, at=_second(message, "created"))
        elif message.get("role") == "assistant":
            for part in parts:
                _take(found, part, first_text(message, "modelID"), _second(message, "completed", "created"))
    return found.turns


def _take(found: TurnBuilder, part: _Record, model: str, at: float) -> None:
    if text := "\n".join(_texts([part])).strip():
        found.add({"role": "assistant", "content": text}, text, model, at)
    state = part.get("state")
    if part.get("type") != "tool" or not isinstance(state, dict):
        return
    call, name = first_text(part, "callID"), first_text(part, "tool")
    use = {"type": "tool_use", "id": call, "name": name, "input": state.get("input")}
    found.add({"role": "assistant", "content": [use]}, model=model, at=at)
    if state.get("status") not in {"completed", "error"}:
        return
    output, metadata = first_text(state, "output", "error"), state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    failed = state.get("status") == "error" or (isinstance(code, int) and code != 0)
    if isinstance(code, int) and code:
        output = f"Exit code: {code}\n{output}"
    told = "[memories]" if returns_memories(name) else output
    block = {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": failed}
    found.add({"role": "user", "content": [block]}, at=at)


def _texts(parts: Sequence[_Record]) -> list[str]:
    """Return what was typed or said, without what the program itself added to it."""
    return [
        first_text(part, "text")
        for part in parts
        if part.get("type") == "text" and part.get("synthetic") is not True and part.get("ignored") is not True
    ]


def _second(message: _Record, *names: str) -> float:
    times = message.get("time")
    found = (times.get(name) for name in names) if isinstance(times, dict) else ()
    return next((each / 1_000 for each in found if isinstance(each, int | float)), 0.0)


def _in_files(path: str, session: str) -> Iterator[tuple[_Record, list[_Record]]]:
    storage = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    for message in _records(os.path.join(storage, "message", session), session):
        yield message, list(_records(os.path.join(storage, "part", str(message["id"])), str(message["id"])))


def _records(folder: str, owner: str) -> Iterator[_Record]:
    """The records in a folder that is named by the id of their owner, which must not lead out of it."""
    if not _ID.fullmatch(owner) or os.path.islink(folder):
        return
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    for name in names:
        path = os.path.join(folder, name)
        if name.endswith(".json") and not os.path.islink(path):
            record = read_json(path)
            if isinstance(record, dict) and first_text(record, "id"):
                yield record


def _in_database(path: str, session: str) -> Iterator[tuple[_Record, list[_Record]]]:
    message: _Record = {}
    parts: list[_Record] = []
    for number, of_message, of_part in _rows(path, _PARTS, session):
        if number != message.get("id"):
            if message:
                yield message, parts
            message, parts = _object(of_message) | {"id": number}, []
        parts.append(_object(of_part))
    if message:
        yield message, parts


def _object(text: Any) -> _Record:
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_database(path: str) -> bool:
    return path.endswith(".db")


def _rows(path: str, query: str, *values: str) -> list[tuple[Any, ...]]:
    """The rows of a query, read without a write lock. Raises OSError for a file that is no such database."""
    import sqlite3  # noqa: PLC0415 - hooks do without

    uri = f"file:{path.replace('%', '%25').replace('?', '%3f').replace('#', '%23')}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_S)) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise OSError(0, f"no database of this program: {error}") from error
