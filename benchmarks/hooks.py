"""Latency of hooks, each measured as a whole process as `install` writes it, with a warm and with a cold hub.

`python -m benchmarks.hooks`. Goal: under 200 ms with a warm hub, and before a command at most 40 ms above the
interpreter's own start. Times are those of the process, from its start to its end, also as a ratio to `python -c pass`
of the same run; beside them its CPU time above that of `python -c pass`, which other work changes little.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_reflect
from mcp_reflect.cli.install.entry import find_launch
from mcp_reflect.wire.caller import Caller
from tests.support.claude import Transcript, a_project, call_hook
from tests.support.hubs import hubs_ended, kill_hub, run_command
from tests.support.servers import environment
from tests.support.waiting import until

WARM = 30
COLD = 5
LAUNCH = find_launch(os.environ)
PROGRAM = [LAUNCH.command, *LAUNCH.args]
STOPS = 8
MEMORIES = 300
GOAL_MS = 200
PASS = "python -c pass"
LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "120"}
ERROR = "Exit code 1\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'"


def _exchange(number: int, tool: str, arguments: dict[str, str], output: str, *, failed: bool) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


IMPORT = {"command": "python importer.py"}
FAILING_RUN = [
    *_exchange(1, "Bash", IMPORT, ERROR, failed=True),
    *_exchange(2, "Bash", {"command": "pip install pyyaml"}, "installed", failed=False),
    *_exchange(3, "Bash", IMPORT, "imported", failed=False),
]


def timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def cpu_ms() -> float:
    """Milliseconds of CPU that the processes which were started and waited for have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def fill(home: Path, project: Path) -> None:
    with Caller(environment(home, **LASTING), str(project), "benchmark") as caller:
        for number in range(MEMORIES):
            task = f"Mend module {number} of the importer, whose tests fail"
            caller.call("submit_trace", {"task": task, "review_result": "pass", "guidance": f"Look at line {number}."})
        fix = {"task": "run the importer", "mistake": ERROR.splitlines()[-1], "fix": "pip install pyyaml"}
        caller.call("record_error_fix", fix)
        caller.call("submit_trace", {"task": "Run the importer", "trajectory": json.dumps(FAILING_RUN)})


def large(project: Path, home: Path) -> None:
    """The end of a turn with a transcript of 50 MB: the hook, and the trace that its worker stores."""
    transcript = Transcript(project, home)
    transcript.asks("Dig through the logs")
    block = "\n".join(f"{number} a line of a log, as long as such lines are" for number in range(400))
    for number in range(1_250):
        transcript.results(transcript.uses("Bash", {"command": f"cat log.{number}"}), block, failed=False)
    transcript.says("Nothing there.")
    path = {"transcript_path": str(transcript.path), "last_assistant_message": "Nothing there."}
    size = transcript.path.stat().st_size / 1e6
    with Caller(environment(home, **LASTING), str(project), "benchmark") as caller:
        began = time.perf_counter()
        taken = timed(hook(home, project, "Stop", 0, **path))
        until(lambda: caller.call("list_traces", {"review_status": "pending"})["traces"], 120)
        stored = time.perf_counter() - began
    print(f"Stop with a transcript of {size:.0f} MB: hook {taken:.0f} ms, stored after {stored:.1f} s")


def stop(project: Path, home: Path, *, taught: bool) -> Callable[[], object]:
    """The end of a small turn; of one that overcame an error, the hook asks for its lesson once it is stored."""
    transcript = Transcript(project, home)
    transcript.asks("Run the importer")
    if taught:
        transcript.results(transcript.uses("Bash", {"command": "python importer.py"}), ERROR, failed=True)
        transcript.results(transcript.uses("Bash", {"command": "pip install pyyaml"}), "installed", failed=False)
    transcript.results(transcript.uses("Bash", {"command": "python importer.py"}), "imported", failed=False)
    transcript.says("Imported.")
    payload = {"session_id": transcript.session, "transcript_path": str(transcript.path), "cwd": str(project)}
    line = json.dumps(payload | {"prompt_id": transcript.prompt_id, "last_assistant_message": "Imported."}).encode()

    def call() -> None:
        asked = call_hook(home, line, "claude-code", "Stop", program=PROGRAM).stdout
        if bool(asked) != taught:
            print("Stop: not stored in time to ask" if taught else "Stop: asked for nothing")

    return call


def hook(home: Path, project: Path, event: str, number: int, **more: object) -> Callable[[], object]:
    """A call of a hook in a session of its own, so that something is left to be told."""
    payload = {"session_id": f"{event}-{number}", "cwd": str(project), "hook_event_name": event, **more}
    return lambda: call_hook(home, json.dumps(payload).encode(), "claude-code", event, program=PROGRAM)


def calls(home: Path, project: Path, number: int) -> dict[str, Callable[[], object]]:
    return {
        "SessionStart": hook(home, project, "SessionStart", number),
        "UserPromptSubmit": hook(home, project, "UserPromptSubmit", number, prompt="Mend the importer, its tests fail"),
        "PreToolUse, warned": hook(home, project, "PreToolUse", number, tool_name="Bash", tool_input=IMPORT),
        "PreToolUse, nothing known": hook(
            home, project, "PreToolUse", number, tool_name="Bash", tool_input={"command": "git status"}
        ),
        "PostToolUseFailure": hook(home, project, "PostToolUseFailure", number, tool_name="Bash", error=ERROR),
        "PostToolUse, worked": hook(
            home, project, "PostToolUse", number, tool_name="Bash", tool_response={"stdout": ""}
        ),
    }


def main() -> None:
    compileall.compile_dir(Path(mcp_reflect.__file__).parent, quiet=1)  # as an installed program has it
    with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
        project = a_project(Path(folder) / "project")
        run_command(home, "hub", "restart", **LASTING)
        fill(home, project)
        large(project, home)
        times: dict[str, list[float]] = {}
        used: dict[str, list[float]] = {}
        for number in range(WARM):
            rounds = {PASS: lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)}
            for name, call in {**rounds, **calls(home, project, number)}.items():
                before = cpu_ms()
                times.setdefault(name, []).append(timed(call))
                used.setdefault(name, []).append(cpu_ms() - before)
        pass_ms, pass_cpu = statistics.median(times[PASS]), statistics.median(used[PASS])
        print(f"python -c pass: {pass_ms:.0f} ms")
        for name, taken in list(times.items())[1:]:
            middle = statistics.median(taken)
            verdict = "within" if max(taken) < GOAL_MS else "NOT within"
            print(
                f"{name}, warm hub: {middle:.0f} ms, {middle - pass_ms:.0f} ms above python, "
                f"worst {max(taken):.0f} ms, {middle / pass_ms:.1f} × python; "
                f"{verdict} {GOAL_MS} ms; CPU {statistics.median(used[name]) - pass_cpu:.0f} ms above python"
            )
        for name, taught in (("Stop", False), ("Stop that asks for a lesson", True)):
            ends = [timed(stop(project, home, taught=taught)) for _ in range(STOPS)]
            print(f"{name}, warm hub: {statistics.median(ends):.0f} ms, worst {max(ends):.0f} ms")
        for name in ("SessionStart", "UserPromptSubmit"):
            cold = []
            for number in range(COLD):
                kill_hub(home)
                cold.append(timed(calls(home, project, WARM + number)[name]))
            middle = statistics.median(cold)
            print(f"{name}, cold hub: {middle:.0f} ms, {middle / pass_ms:.0f} × python")


if __name__ == "__main__":
    main()
