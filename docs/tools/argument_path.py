"""Prints the files that an argument passes on its way through a tool call, in the order in which they are entered.

    python -m docs.tools.argument_path           # print
    python -m docs.tools.argument_path --write   # also write them into docs/ARCHITECTURE.md

`task` is followed through `query_memories` and `result` through `review_trace`, in a server on a memory of one run in a
temporary home. A file is entered when a function of another file of the package is called with the value: in an
argument itself, or in a field of one. A file that was entered before is marked as entered again, with the file that
calls it; one that still waits for its own call to return is marked as called back.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Self

import anyio
from mcp.client import Client
from pydantic import BaseModel

import mcp_reflect
from docs.tools.marked import ROOT, write_block
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain.record import Record
from mcp_reflect.server.app import build_server

PACKAGE = Path(mcp_reflect.__file__).parent
TASK = "Run the quick tests of the billing service"
_DEPTH = 4
"""How far down in fields of fields the value is looked for: submission, verdict, review, value."""

Mark = Literal["", "again", "callback"]
Holds = Callable[[str, object], bool]
"""Whether a value under a name is the one that is followed."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A call into a file with the value that is followed."""

    file: str
    function: str
    caller: str
    mark: Mark


def holds_text(text: str) -> Holds:
    """Any string that contains `text`, under whatever name."""
    return lambda _, value: isinstance(value, str) and text in value


def holds_named(names: set[str], wanted: str) -> Holds:
    """The string `wanted` under one of the names; for values too common to be known by themselves."""
    return lambda name, value: name in names and isinstance(value, str) and value == wanted


def _fields(value: object) -> Iterator[tuple[str, object]]:
    """The named parts of a value that data is passed in; those of services are not looked at."""
    if isinstance(value, BaseModel | Record):
        yield from ((name, value.__dict__.get(name)) for name in type(value).model_fields)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((each.name, getattr(value, each.name, None)) for each in dataclasses.fields(value))
    elif isinstance(value, Mapping):
        yield from ((str(name), part) for name, part in list(value.items()))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        yield from (("", part) for part in list(value))


def _contains(holds: Holds, name: str, value: object, depth: int = _DEPTH) -> bool:
    if holds(name, value):
        return True
    return depth > 0 and any(_contains(holds, inner, part, depth - 1) for inner, part in _fields(value))


def _arguments(frame: FrameType) -> Iterator[tuple[str, object]]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    extra = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    for name in code.co_varnames[: count + extra]:
        if name not in {"self", "cls"} and name in frame.f_locals:
            yield name, frame.f_locals[name]


def _own_file(filename: str) -> str:
    """The file's path in the package; "" for one of another package."""
    path = Path(filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else ""


def _files_below(frame: FrameType) -> list[str]:
    """The package's files that wait on the stack for this frame to return, nearest first."""
    found = []
    below = frame.f_back
    while below is not None:
        found.append(_own_file(below.f_code.co_filename))
        below = below.f_back
    return [file for file in found if file]


class Follower:
    """Profiles every thread that is started while it is open; records entries only within `following`."""

    def __init__(self) -> None:
        self._holds: Holds | None = None
        self._entries: list[Entry] = []
        self._seen: list[FrameType] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        self._seen.clear()

    @contextmanager
    def following(self, holds: Holds) -> Iterator[list[Entry]]:
        """The files that are entered with the value while the context is open."""
        self._entries, self._holds = [], holds
        try:
            yield self._entries
        finally:
            self._holds = None

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        code, holds = frame.f_code, self._holds
        if holds is None or event != "call" or not code.co_filename.startswith(f"{PACKAGE}/"):
            return
        if code.co_name.startswith("<"):  # the class bodies and comprehensions of a file are no calls
            return
        file, callers = _own_file(code.co_filename), _files_below(frame)
        if file != next(iter(callers), "") and any(_contains(holds, *each) for each in _arguments(frame)):
            with self._lock:
                self._record(frame, file, callers)

    def _record(self, frame: FrameType, file: str, callers: list[str]) -> None:
        if any(frame is each for each in self._seen):
            return  # a coroutine that goes on
        self._seen.append(frame)
        if self._entries and self._entries[-1].file == file:
            return
        mark: Mark = "callback" if file in callers else "again" if file in {e.file for e in self._entries} else ""
        self._entries.append(Entry(file, frame.f_code.co_qualname, next(iter(callers), ""), mark))


async def paths(home: Path) -> dict[str, list[Entry]]:
    """What `task` and `result` pass, by the name of the tool, on an empty home."""
    variables = {"MCP_REFLECT_HOME": str(home), "MCP_REFLECT_PROJECT": "paths", "MCP_REFLECT_USER": "ann"}
    settings = load_settings(variables, home)
    found = {}
    lesson = {"guidance": "Leave out the slow tests.", "correct_action": "pytest -m 'not slow'"}

    async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await client.call_tool(tool, arguments)
        if result.is_error or not isinstance(result.structured_content, dict):
            raise RuntimeError(f"{tool}: {result.content}")
        return result.structured_content

    server = build_server(lambda: open_memory(settings))
    with Follower() as follower:
        async with Client(server) as client:
            await call(client, "submit_trace", task="Run the quick tests", review_result="fail", **lesson)
            with follower.following(holds_text(TASK)) as entries:
                await call(client, "query_memories", task=TASK)
            found["query_memories"] = list(entries)
            trace = await call(client, "submit_trace", task=TASK, trajectory="$ pytest -m 'not slow'\n212 passed")
            with follower.following(holds_named({"result", "review_result"}, "pass")) as entries:
                await call(client, "review_trace", trace_id=trace["trace_id"], result="pass", **lesson)
            found["review_trace"] = list(entries)
    return found


def shown(entries: list[Entry]) -> str:
    """The files in order, one after another."""
    chain = " → ".join(f"{entry.file}{f' ({entry.mark})' if entry.mark else ''}" for entry in entries)
    return "\n".join(["```text", *textwrap.wrap(chain, 112, break_on_hyphens=False), "```"])


def traced() -> dict[str, list[Entry]]:
    with tempfile.TemporaryDirectory(prefix="mcp-reflect-paths-") as folder:
        return anyio.run(paths, Path(folder))


def main() -> int:
    found = traced()
    for argument, tool in (("task", "query_memories"), ("result", "review_trace")):
        print(f"{argument} through {tool}")
        for entry in found[tool]:
            told = f"  ({entry.mark}, from {entry.caller})" if entry.mark else ""
            print(f"  {entry.file:<42} {entry.function}{told}")
        if sys.argv[1:] == ["--write"]:
            write_block(ROOT / "docs" / "ARCHITECTURE.md", f"{argument} through {tool}", shown(found[tool]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
