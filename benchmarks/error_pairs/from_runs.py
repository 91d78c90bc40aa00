"""Errors with their fixes out of recorded coding sessions, and what sessions without a fix come to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.error_pairs.report import find, is_announced
from benchmarks.lessons.record import RECORDED
from benchmarks.quality.banks import laboratory
from mcp_reflect.application.known_errors import KnownFix
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.domain.models import ErrorMemory

Messages = Sequence[Mapping[str, Any]]


class RecordedSession(NamedTuple):
    """A recorded session: `failing` are its first messages, up to the output of the command that failed."""

    name: str
    ecosystem: str
    task: str
    messages: Messages
    failing: Messages
    error: str
    decisive: str


def read_sessions() -> Iterator[RecordedSession]:
    """The sessions, each up to its first failure and as a whole."""
    for file in sorted(Path(RECORDED).glob("*.json")):
        row = json.loads(file.read_text(encoding="utf-8"))
        messages = row["messages"]
        place, error = next(
            (number, str(block["content"]))
            for number, message in enumerate(messages)
            for block in message["content"]
            if isinstance(block, dict) and block.get("is_error")
        )
        yield RecordedSession(
            row["name"], row["ecosystem"], row["task"], messages, messages[: place + 1], error, row["decisive"]
        )


def elsewhere(error: str) -> str:
    """The same error as a build server prints it: in another folder, at another line, with times, from a makefile."""
    moved = error.replace("/home/dev/project", "/builds/team-7/checkout_41/project")
    moved = re.sub(r"(?<=line )\d+|(?<=\w:)\d+(?=:)", lambda n: str(int(n[0]) + 4), moved)
    lines = [f"2026-03-04T05:06:{n % 60:02}.1234567Z {line}" for n, line in enumerate(moved.splitlines())]
    return "\n".join([*lines, "make: *** [Makefile:12: check] Error 1"])


def recorded_fixes(memory: MemoryService, error: str) -> list[KnownFix]:
    """What a hook would announce for an error, of what came out of runs."""
    found = [fix for fix in find(memory, error) if is_announced(fix) and isinstance(fix.memory, ErrorMemory)]
    return [fix for fix in found if isinstance(fix.memory, ErrorMemory) and fix.memory.correct_action]


def print_runs(console: Console) -> None:
    """Submit the sessions, whole and cut short, and print what was recorded of their errors."""
    sessions = list(read_sessions())
    with laboratory() as lab, lab.memory("runs") as memory:
        for each in sessions:
            submit(memory, each.task, each.messages)
        again = [recorded_fixes(memory, elsewhere(each.error)) for each in sessions]
    for each, fixes in zip(sessions, again, strict=True):
        if not fixes:
            console.print(f"  no fix of its own: {each.name}", markup=False)
    decisive = [
        any(each.decisive in text for fix in fixes for text in (*fix.memory.instructions, *tests_of(fix)))
        for each, fixes in zip(sessions, again, strict=True)
    ]
    wrong = [bool(wrong_fixes(sessions, number)) for number in range(len(sessions))]
    table = Table("of recorded coding sessions", "value", "goal", title=f"{len(sessions)} sessions")
    table.add_row("error and fix recorded, and found by the same error elsewhere", f"{share(map(bool, again)):.3f}", "")
    table.add_row("… with the decisive change word for word", f"{share(decisive):.3f}", "")
    table.add_row("a fix for an error that was not fixed, where other work follows", f"{share(wrong):.3f}", "0")
    console.print(table)


def wrong_fixes(sessions: Sequence[RecordedSession], number: int) -> list[KnownFix]:
    """Fixes found for a session's error where all that follows the failure is the whole of another session."""
    mine = sessions[number]
    foreign = [each for each in sessions if each is not mine]
    others = [each for each in foreign if each.ecosystem == mine.ecosystem] or foreign[:1]
    with laboratory() as lab, lab.memory(f"cut-{mine.name}") as memory:
        submit(memory, mine.task, mine.failing)
        for other in others:
            submit(memory, mine.task, [*mine.failing, *renamed(other.messages)])
        return recorded_fixes(memory, mine.error)


def renamed(messages: Messages) -> Messages:
    """The messages with ids of calls that do not occur in another session."""
    told: Messages = json.loads(json.dumps(messages).replace('"call_', '"other_call_'))
    return told


def tests_of(fix: KnownFix) -> tuple[str, ...]:
    """The commands that showed that a fix works."""
    return fix.memory.tests if isinstance(fix.memory, ErrorMemory) else ()


def submit(memory: MemoryService, task: str, messages: Messages) -> None:
    """Hand in a run that nobody has reviewed."""
    run = {"task": task, "trajectory": json.dumps(messages), "retrieval_id": NO_RETRIEVAL}
    memory.submit(Submission.model_validate(run))


def share(found: Iterator[bool] | Sequence[bool]) -> float:
    """The share of true ones."""
    values = list(found)
    return sum(values) / len(values)
