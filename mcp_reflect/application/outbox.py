"""The outbox of a home: runs that a program could not hand to a hub, until the next hub takes them in.

One JSON file per run in `<home>/outbox`, written whole or not at all, readable by its owner alone, secrets redacted.
Its name follows from project and trace_key, so that a run which is kept twice waits once. A file goes after its run was
committed; a hub that is killed in between stores nothing twice, as the run has its trace_key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_reflect.application.atomic_file import PRIVATE_MODE, atomic_writer
from mcp_reflect.application.requests.trajectories import refuse_unreadable_trajectory
from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.run_secrets import redact_run
from mcp_reflect.domain.redaction.stored_text import storable_key
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.errors import MemoryUnavailable
from mcp_reflect.own_files import foreign_owner, read_own

OUTBOX_FOLDER = "outbox"
MAX_WAITING_RUNS = 500
MAX_OUTBOX_BYTES = 64_000_000

_WAITING = "*.json"
_REFUSED = ".refused"
_FORMAT = 1
_IDS = {"retrieved_memory_ids", "helpful_memory_ids", "harmful_memory_ids", "retrieval_id", "review_result"}
"""Arguments that hold no words of anybody's."""


@dataclass(frozen=True)
class WaitingRun:
    """A run as it waits: whose it is, and the arguments of submit_trace, a trace_key among them.

    `source` is what a program took the verdict from, `connection` that of the client, whose retrievals the run may have
    used.
    """

    project: str
    user: str
    arguments: Mapping[str, Any]
    source: str = ""
    connection: str = ""


def keep_run(home: Path, run: WaitingRun) -> Path:
    """Write a run to the outbox, redacted; the file. Raises OSError, and MemoryUnavailable where the outbox is full."""
    folder = home / OUTBOX_FOLDER
    for place in (home, folder):  # each before anything is made in it
        if foreign_owner(place) is not None:
            raise MemoryUnavailable(f"{place} belongs to another user; `mcp-reflect doctor` says what to do")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    arguments = _without_told(run.arguments)
    given = {name: _redacted(name, value) for name, value in arguments.items()}
    told = {"format": _FORMAT, "project": run.project, "user": run.user, "arguments": given}
    content = json.dumps(told | {"source": run.source, "connection": run.connection}).encode()
    file = _file_of(home, run.project, run.arguments["trace_key"])
    others = [size for other, size in _sizes(folder) if other != file]
    if len(others) >= MAX_WAITING_RUNS or sum(others) + len(content) > MAX_OUTBOX_BYTES:
        raise MemoryUnavailable(
            f"the outbox {folder} is full: {len(others)} runs of {sum(others) / 1e6:.0f} MB wait there for a hub. "
            "`mcp-reflect hub restart` starts one, `mcp-reflect doctor` says what holds it up"
        )
    with atomic_writer(file, PRIVATE_MODE) as out:
        out.write(content)
    return file


def is_waiting(home: Path, project: str, trace_key: str) -> bool:
    """Return whether a run with that trace_key waits in the outbox."""
    return _file_of(home, project, trace_key).exists()


def _file_of(home: Path, project: str, trace_key: str) -> Path:
    name = hashlib.sha256(f"{project}\0{trace_key}".encode(errors="surrogatepass")).hexdigest()[:32]
    return home / OUTBOX_FOLDER / f"{name}.json"


def _sizes(folder: Path) -> list[tuple[Path, int]]:
    found = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # taken in meanwhile
            found.append((file, file.stat().st_size))
    return found


def waiting_files(home: Path) -> list[Path]:
    """Return the files of the runs that wait, the oldest first."""
    found = []
    for file in (home / OUTBOX_FOLDER).glob(_WAITING):
        with suppress(FileNotFoundError):  # taken in meanwhile
            found.append((file.stat().st_mtime_ns, file))
    return [file for _, file in sorted(found)]


def refused_files(home: Path) -> list[Path]:
    """Return the files of the runs that a hub could not take in, for a person to look at."""
    return sorted((home / OUTBOX_FOLDER).glob(f"*{_REFUSED}"))


def read_run(file: Path) -> WaitingRun:
    """Read a run that waits. Raises ValueError for what is none, and OSError."""
    found = json.loads(read_own(file))
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise ValueError("written by another version, or no run")
    project, user, arguments = found.get("project"), found.get("user"), found.get("arguments")
    if not isinstance(project, str) or not isinstance(user, str) or not isinstance(arguments, dict):
        raise ValueError("no run")  # noqa: TRY004 - the content of a file
    if not arguments.get("trace_key"):
        raise ValueError("a run without a trace_key, which could be stored twice")
    return WaitingRun(project, user, arguments, str(found.get("source", "")), str(found.get("connection", "")))


def set_aside(file: Path) -> None:
    """Put a run that cannot be taken in out of the way of the others. Raises OSError."""
    file.replace(file.with_name(file.name + _REFUSED))


def _without_told(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments without the secrets that any part of the run tells, and its trajectory redacted."""
    trajectory = arguments.get("trajectory")
    with refuse_unreadable_trajectory():
        given = parse(trajectory if isinstance(trajectory, str) else "")
    words = {name: value for name, value in arguments.items() if name not in {*_IDS, "trace_key", "trajectory"}}
    run = redact_run(given, words)
    told = {**arguments, **run.words}
    return told | {"trajectory": run.trajectory.text} if isinstance(trajectory, str) else told


def _redacted(name: str, value: Any) -> Any:
    if name in _IDS or (name == "trajectory" and isinstance(value, str)):
        return value
    if name == "trace_key":
        return storable_key(value)
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return [_redacted("", item) for item in value]
    return redact_json(value)
