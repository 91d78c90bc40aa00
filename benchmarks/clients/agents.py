"""Claude Code, Codex and Gemini CLI, driven with a scripted model: a cold session without hooks, and one with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.clients.result import AGAIN, LESSON, MISSPELT, REFUSAL, SUBMIT, TASK, ClientResult
from mcp_reflect.wire.caller import Caller
from tests.support.claude import a_project
from tests.support.claude_api import Blocks, bash, claude_api, text
from tests.support.hubs import hubs_ended
from tests.support.real_clients import CLIENTS, PROGRAMS, run_client
from tests.support.scripted_models import Step, scripted_model
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
UNITTEST = f"{sys.executable} -m unittest -q"
LOOP = [
    Step(tool="submit_trace", arguments=dict(SUBMIT)),
    Step(tool="query_memories", arguments={"task": AGAIN}),
    Step(tool="query_memories", arguments=dict(MISSPELT)),
    Step("Done."),
]
MENDING = [
    Step(command=UNITTEST),
    Step(command="sed -i.bak 's/a - b/a + b/' calculator.py"),
    Step(command=UNITTEST),
    Step("They pass."),
]
TOOL_NAMES = {
    "claude": "mcp__reflect__query_memories",
    "codex": "query_memories",
    "gemini": "mcp_reflect_query_memories",
}

Session = Callable[[Sequence[Step], str, Path, Path, bool], list[str]]
"""Works off a script for a prompt, in a project and on a home, with hooks or without; the requests of its main loop."""


def try_agent(name: str, title: str) -> ClientResult:
    """Return what was seen of a program, and that it is not here where it is not."""
    if not PROGRAMS[name]:
        return ClientResult(title, "", *["not tried: the program is not here"] * 4)
    said = subprocess.run([PROGRAMS[name], "--version"], capture_output=True, text=True, check=True, timeout=HANG_S)
    version = next(word for word in said.stdout.split() if word[0].isdigit())
    session = claude_session if name == "claude" else scripted_session(name)
    with somewhere() as (project, home):
        asked = session(LOOP, TASK, project, home, False)  # noqa: FBT003 - as Session says
        cold = "yes" if TOOL_NAMES[name] in asked[0] else "no: the first request goes out without the tools"
        loop = "yes" if stored(project, home, 1) and recalled(asked) else "no"
        errors = "yes" if REFUSAL in asked[-1] else "no"
    with somewhere() as (project, home):
        session(MENDING, "Make the calculator's tests pass", project, home, True)  # noqa: FBT003 - likewise
        (run,) = stored(project, home, 1)
        review = run["review"] or {}
        judged = (review.get("result"), review.get("source")) == ("pass", "tests")
        hooks = "yes" if judged else f"no: the review is {review}"
    return ClientResult(title, version, cold, loop, hooks, errors)


def recalled(asked: Sequence[str]) -> bool:
    """Return whether the answer to the query holds the lesson: the request after it has it once more."""
    return len(asked) == len(LOOP) and asked[2].count(LESSON) > asked[1].count(LESSON)


@contextmanager
def somewhere() -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
        yield a_project(Path(folder) / "project"), home


def stored(project: Path, home: Path, count: int) -> list[dict[str, Any]]:
    """The runs in the memory, once there are so many and each is reviewed."""
    with Caller(environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30"), str(project), "benchmark") as caller:

        def there() -> list[dict[str, Any]] | None:
            listed = caller.call("list_traces", {"review_status": "all"})["traces"]
            whole = [caller.call("get_trace", {"trace_id": each["trace_id"]}) for each in listed]
            return whole if len(whole) == count and all(each["review"] for each in whole) else None

        return list(until(there))


def scripted_session(name: str) -> Session:
    def session(script: Sequence[Step], prompt: str, project: Path, home: Path, hooks: bool) -> list[str]:
        with scripted_model(script, CLIENTS[name].answer) as model:
            run_client(name, prompt, project, home, model, hooks=hooks, asking="never")
            return [each for each in model.asked if '"exec_command"' in each or '"run_shell_command"' in each]

    return session


def claude_session(script: Sequence[Step], prompt: str, project: Path, home: Path, hooks: bool) -> list[str]:
    """Claude Code: hooks come with the plugin."""
    program = home.parent / "mcp-reflect"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m mcp_reflect "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    servers = json.dumps({"mcpServers": {"reflect": {"command": str(program)}}})
    own = ["--plugin-dir", str(PLUGIN)] if hooks else ["--strict-mcp-config", "--mcp-config", servers]
    with claude_api([_blocks(step, number) for number, step in enumerate(script)]) as api:
        subprocess.run(
            [PROGRAMS["claude"], *own, "--allowedTools", "Bash mcp__reflect", "--output-format", "json", "-p", prompt],
            cwd=project,
            env=environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30", MCP_REFLECT_HUB__ANSWER_WITHIN_S="")
            | {
                "HOME": str(home.parent),
                "PATH": os.environ["PATH"],
                "REFLECT_PROGRAM": str(program),
                "ANTHROPIC_BASE_URL": api.base_url,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=HANG_S,
        )
        return [json.dumps(body) for body in api.asked if body.get("tools")]


def _blocks(step: Step, number: int) -> Blocks:
    if step.command:
        return [bash(step.command, f"{number}")]
    if step.tool:
        name = f"mcp__reflect__{step.tool}"
        return [{"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": step.arguments}]
    return [text(step.text)]
