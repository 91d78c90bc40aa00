"""Warnings before a call that failed earlier: `python -m benchmarks.before [FOLDER ...]`.

The recorded sessions of each folder (by default `lessons/recorded`, real tools) are submitted as runs of one project.
Then their calls are met a second time, as the hook before a call sees them. Where a run repaired something by edits,
the calls are met in a folder whose files are as they were before, and in one where the edits are in place.

- Repeats: commands that failed, as they stand and in other forms (behind a `cd`, with their output shortened, with
  other blanks, with other quotes). A later call that runs such a command is one of them, as is a wrong edit, which a
  later one took back or changed again.
- Other calls: what else worked in the sessions, and the failed commands with another operand.
- Further options: the failed commands with one that they did not have. Where a word is wrong that still stands there
  (`make tests --all`), they fail again and are warned of; where an option may be what was missing, they are not.
"""

from __future__ import annotations

import json
import shlex
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.quality.banks import laboratory
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, PlannedCall, Submission
from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.commands.variants import repeats
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.tools import SHELLS, command_of

RECORDED = Path(__file__).parent / "lessons" / "recorded"


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    failed: bool
    folder: str = ""

    @property
    def command(self) -> str:
        return command_of(self.arguments) if self.tool.lower() in SHELLS else ""

    def running(self, command: str) -> Call:
        """Return the call of a shell with another command."""
        return self._replace(tool="Bash", arguments={"command": command})


class Session:
    """A recorded session: its calls, and its files before and after."""

    def __init__(self, file: Path) -> None:
        recorded = json.loads(file.read_text(encoding="utf-8"))
        self.task: str = recorded["task"]
        self.trajectory = recorded.get("log") or json.dumps(recorded["messages"])
        self._steps = find_steps(parse(self.trajectory))
        self.calls = [Call(step.tool, dict(step.arguments), bool(step.failed)) for step in self._steps if step.tool]
        failed = [call for call in self.calls if call.failed and call.command]
        self.failing = list({call.command: call for call in failed}.values())
        taken_back = NetChanges(self._steps).taken_back()
        self._wrong = {new for edit, _ in taken_back for _, new in edit.change}

    def is_repeat(self, call: Call, failing: Iterable[Call]) -> bool:
        if not call.command:
            return any(value in self._wrong for value in call.arguments.values())
        return any(repeats(each.command, call.command) for each in failing)

    def write_files(self, folder: Path, *, after: bool) -> None:
        """Write the files that the session edited, with the lines that it shows of them."""
        net = NetChanges(self._steps)
        for edit in net.of([step for step in self._steps if step.kind == "edit" and not step.failed]):
            file = folder / PurePosixPath(edit.subject).name
            text = "\n".join(new if after else old for old, new in edit.change)
            if text or after:
                file.write_text(f"{file.read_text('utf-8') if file.exists() else ''}\n{text}\n", encoding="utf-8")


def reworded(call: Call, way: int) -> Call:
    """Return a command as another session may write it."""
    command = call.command
    forms = (
        f"cd {call.folder or '/home/dev/project'} && {command}",
        f"{command} 2>&1 | tail -n 40",
        f"  {command.replace(' ', '  ')} ",
        " ".join(word if any(c in word for c in "&|;<>*$'\"") else shlex.quote(word) for word in command.split(" ")),
    )
    return call.running(forms[way % len(forms)])


def with_other_operand(call: Call) -> Iterator[Call]:
    """Yield a command that shares all but a word with one that failed, where it has an operand."""
    words = normalised(call.command).split(" ")
    last = max(n for n, word in enumerate(words) if word[:1].isalnum() or "/" in word)
    if last:
        other = [*words[:last], f"{words[last]}2", *words[last + 1 :]]
        yield call.running(" ".join(other))


def with_further_option(call: Call) -> Call:
    """Return a failed command with an option that it did not have."""
    return call.running(f"{normalised(call.command)} --all")


def warned(memory: MemoryService, call: Call) -> bool:
    planned = PlannedCall(tool=call.tool, arguments=call.arguments, folder=call.folder)
    return bool(memory.errors.expect(planned, 2).fixes)


def measure(recorded: Path, folder: Path) -> None:
    sessions = [Session(file) for file in sorted(recorded.glob("*.json"))]
    failing = [call for session in sessions for call in session.failing]
    told: list[bool] = []
    forms: list[bool] = []
    repaired: list[bool] = []
    others: list[bool] = []
    further: list[bool] = []
    times: list[float] = []
    lines: list[str] = []
    with laboratory() as lab, lab.memory("before") as memory:
        early = [warned(memory, call) for session in sessions for call in session.calls]
        for session in sessions:
            run = Submission(task=session.task, trajectory=session.trajectory, retrieval_id=NO_RETRIEVAL)
            memory.submit(run)
        for number, session in enumerate(sessions):
            before, after = folder / f"{number}-before", folder / f"{number}-after"
            for place in (before, after):
                place.mkdir()
                session.write_files(place, after=place is after)
            again = [call._replace(folder=str(before)) for call in session.failing]
            news = [warned(memory, call) for call in again]
            lines += [f"not warned: {call.command!r}" for call, hit in zip(again, news, strict=True) if not hit]
            told += news
            forms += [warned(memory, reworded(call, way)) for call in again for way in range(4)]
            if any(after.iterdir()):
                late = [warned(memory, call._replace(folder=str(after))) for call in again]
                lines += [f"repaired: {call.command!r}" for call, hit in zip(again, late, strict=True) if hit]
                repaired += late
            rest = [call for call in session.calls if not (call.failed or session.is_repeat(call, failing))]
            rest += [miss for call in session.failing for miss in with_other_operand(call)]
            further += [warned(memory, with_further_option(call)) for call in again]
            for call in (each._replace(folder=str(before)) for each in rest):
                began = time.perf_counter()
                others.append(warned(memory, call))
                times.append((time.perf_counter() - began) * 1000)
                if others[-1]:
                    lines.append(f"warned: {call.command or call.arguments!r}")
    print(f"{recorded}: {len(sessions)} sessions")
    share("exact repeats of a failed command, warned before they run", told, ">= 80%")
    share("the same in four other forms", forms)
    share("the same where the edits that repaired it are in place", repaired)
    share("other calls, warned", others, "<= 2%")
    share("failed commands with a further option, warned", further)
    share("calls before anything was known, warned", early, "0%")
    print(f"in the hub: {statistics.median(times):.2f} ms a call, at most {max(times):.1f} ms")
    print("".join(f"  {line[:200]}\n" for line in lines))


def share(name: str, found: list[bool], goal: str = "") -> None:
    part = f"{sum(found)} of {len(found)} ({sum(found) / max(len(found), 1):.1%})"
    print(f"{name}: {part}" + (f", goal {goal}" if goal else ""))


def main() -> None:
    for recorded in [Path(each) for each in sys.argv[1:]] or [RECORDED]:
        with TemporaryDirectory() as folder:
            measure(recorded, Path(folder).resolve())


if __name__ == "__main__":
    main()
