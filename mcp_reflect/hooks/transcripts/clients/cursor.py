"""Cursor. Transcripts as found by those who read them: one message a line, with a `role`; earlier plain text.
Not tried with the program.

Tool results do not stand in them, so tests are no evidence here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import read_json_lines
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "cursor"

_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_TRANSCRIPTS = "agent-transcripts"
_LONGEST_TEXT = 64_000_000
_SPEAKER = re.compile(r"^(user|A|assistant):[ \t]*$", re.MULTILINE)
_PART = re.compile(r"^\[(Tool call|Tool result|Thinking)\][ \t]*(.*)$", re.MULTILINE)
_ARGUMENT = re.compile(r"^  (\w+): ?(.*)$")


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folder below which the transcripts stand; `user` is the user's own folder."""
    del environ
    return (os.path.join(user, ".cursor", "projects"),)


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below that folder, part by part, is that of a session, not of a subagent.

    `<project>/agent-transcripts/<session>.txt`, or `.jsonl`, later in a folder of the session.
    """
    if len(names) < 3 or names[1] != _TRANSCRIPTS:  # noqa: PLR2004 - the parts above
        return False
    session, kind = os.path.splitext(names[-1])
    return kind in {".jsonl", ".txt"} and list(names[2:-1]) in ([], [session])


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what the path of a transcript says of it."""
    parts = os.path.abspath(path).split(os.sep)
    if _TRANSCRIPTS not in parts or not is_session(parts[parts.index(_TRANSCRIPTS) - 1 :]):
        return ()
    session = os.path.splitext(parts[-1])[0]
    return (SessionHead(session, find_project(parts[parts.index(_TRANSCRIPTS) - 1])),)


def find_project(slug: str, top: str = os.sep) -> str:
    """Return the folder of which Cursor made a project's name, empty where none or several fit.

    In the name, whatever is no letter or digit is a dash, several of them one.
    """
    fits: list[str] = []
    _descend(top, slug.lower(), fits)
    return fits[0] if len(fits) == 1 else ""


def _descend(folder: str, rest: str, fits: list[str]) -> None:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for name in names:
        own = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if own and own == rest:
            fits.append(os.path.join(folder, name))
        elif own and rest.startswith(f"{own}-"):
            _descend(os.path.join(folder, name), rest[len(own) + 1 :], fits)


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns in the event's transcript. Raises OSError where it cannot be read."""
    found = TurnBuilder(most)
    if event.transcript.endswith(".txt"):
        _read_text(found, event.transcript)
        return found.turns
    for position, line in read_json_lines(event.transcript, start):
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else line.get("content")
        if line.get("role") == "user":
            text = output_text(content)
            query = _QUERY.search(text)
            if said := user_text(query[1] if query else text):
                found.begin(f"{position}", said, position, local=True)
        elif line.get("role") == "assistant":
            text = output_text(content)
            found.add({"role": "assistant", "content": content or text}, text, event.model)
    return found.turns


def _read_text(found: TurnBuilder, path: str) -> None:
    """Read a transcript of plain text, as earlier versions wrote them."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(_LONGEST_TEXT)
    heads = list(_SPEAKER.finditer(text))
    for number, head in enumerate(heads):
        body = text[head.end() : heads[number + 1].start() if number + 1 < len(heads) else len(text)]
        if head[1] == "user":
            query = _QUERY.search(body)
            if said := user_text(query[1] if query else body):
                found.begin(f"{head.start()}", said, head.start(), local=True)
            continue
        parts = list(_PART.finditer(body))
        if said := body[: parts[0].start() if parts else len(body)].strip():
            found.add({"role": "assistant", "content": said}, said)
        for part in parts:
            if part[1] == "Tool call":
                given = dict(_arguments(body[part.end() :]))
                use = {
                    "type": "tool_use",
                    "id": f"{head.start()}-{part.start()}",
                    "name": part[2].strip(),
                    "input": given,
                }
                found.add({"role": "assistant", "content": [use]})


def _arguments(text: str) -> list[tuple[str, str]]:
    """The arguments in the indented lines at the beginning of a text."""
    found = []
    for line in text.lstrip("\n").splitlines():
        argument = _ARGUMENT.match(line)
        if argument is None:
            break
        found.append((argument[1], argument[2]))
    return found
