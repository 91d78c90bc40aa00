"""Warnings before commands of later sessions: `python -m benchmarks.repeats [--record] [--all]`.

Sessions in which a command failed and another one worked (`cases/`), run with real tools and recorded, are submitted as
runs of one project. Then commands of later sessions are met as the hook before a call sees them, in the project as it
was: repeats of what failed, as they stand and as others write them (in another folder, behind variables, wrappers and
limits of time, with other quotes, with options that change no outcome), and commands that are none of its business.

The cases are split by a seed. Of the half that was looked at, what went wrong is listed; of the other one only counts,
unless `--all` is given. `--record` records the sessions again; it needs the tools that the cases name.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.lessons.record import record
from benchmarks.quality.banks import laboratory
from benchmarks.repeats.case import PROJECT, Case
from benchmarks.repeats.cases import CASES, halves
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, PlannedCall, Submission

RECORDED = Path(__file__).parent / "recorded"


@contextmanager
def project_of(case: Case) -> Iterator[Path]:
    """Give the project of a case as it was before its session."""
    with TemporaryDirectory() as top:
        folder = Path(top).resolve() / "project"
        folder.mkdir()
        for name, content in case.scenario.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
        yield folder


def submit_sessions(memory: MemoryService, cases: Sequence[Case]) -> None:
    """Submit the recorded sessions of the cases."""
    for case in cases:
        recorded = json.loads((RECORDED / f"{case.scenario.name}.json").read_text(encoding="utf-8"))
        trajectory = recorded.get("log") or json.dumps(recorded["messages"])
        memory.submit(Submission(task=recorded["task"], trajectory=trajectory, retrieval_id=NO_RETRIEVAL))


def warned(memory: MemoryService, command: str, folder: Path) -> bool:
    """Whether the hook before a call would warn of a command."""
    told = {"command": command.replace(PROJECT, str(folder))}
    return bool(memory.errors.expect(PlannedCall(tool="Bash", arguments=told, folder=str(folder)), 2).fixes)


def measure(name: str, memory: MemoryService, cases: Sequence[Case], *, listed: bool) -> None:
    """Print how many commands of some cases are warned of, and which ones wrongly so or not."""
    repeats: list[bool] = []
    others: list[bool] = []
    lines: list[str] = []
    for case in cases:
        with project_of(case) as folder:
            for command in case.repeats:
                repeats.append(warned(memory, command, folder))
                lines += [] if repeats[-1] else [f"  not warned: {command}"]
            for command in case.others:
                others.append(warned(memory, command, folder))
                lines += [f"  warned: {command}"] if others[-1] else []
    print(f"{name}, {len(cases)} sessions")
    print(f"repeats warned: {_share(repeats)}, goal >= 80%; other commands warned: {_share(others)}, goal <= 2%")
    print("".join(f"{line}\n" for line in lines if listed), end="")


def _share(found: Sequence[bool]) -> str:
    return f"{sum(found)} of {len(found)} ({sum(found) / len(found):.1%})"


def record_sessions() -> None:
    """Run every session with real tools and keep what they print."""
    RECORDED.mkdir(exist_ok=True)
    for case in CASES:
        text = json.dumps(record(case.scenario), indent=1, ensure_ascii=False)
        (RECORDED / f"{case.scenario.name}.json").write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Warnings before commands that failed in an earlier session.")
    parser.add_argument("--record", action="store_true", help="run the sessions again and keep what they print")
    parser.add_argument("--all", action="store_true", help="list what went wrong in the half that was held out, too")
    given = parser.parse_args()
    if given.record:
        record_sessions()
        return
    seen, held_out = halves()
    with laboratory() as lab, lab.memory("repeats") as memory:
        submit_sessions(memory, CASES)
        measure("looked at", memory, seen, listed=True)
        measure("held out", memory, held_out, listed=given.all)


if __name__ == "__main__":
    main()
