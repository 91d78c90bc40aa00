"""The plugin in the real Claude Code, with a scripted model behind it: what its documents do not tell shows here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_reflect.wire.caller import Caller
from tests.hooks.outcome.test_evidence import UNITTEST
from tests.hooks.test_plugin import CLAUDE, PLUGIN
from tests.hooks.test_sessions import TASK, handed_in
from tests.support.claude import failing_run
from tests.support.claude_api import Blocks, ClaudeAPI, Scripted, bash, claude_api, text
from tests.support.hubs import posix
from tests.support.real_clients import require_program
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

pytestmark = [posix, pytest.mark.slow]
named = pytest.mark.skipif(
    not CLAUDE, reason="claude (npm @anthropic-ai/claude-code) is neither on PATH nor named: one test is enough for CI"
)


def our_program(home: Path) -> None:
    command = home.parent / "mcp-reflect"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m mcp_reflect "$@"\n', encoding="utf-8")
    command.chmod(0o755)


def ask(api: ClaudeAPI, prompt: str, project: Path, home: Path, *more: str, **settings: str) -> str:
    """`claude -p` with the plugin; the agent's last words."""
    variables = environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30", **settings) | {
        "HOME": str(home.parent),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "REFLECT_PROGRAM": str(home.parent / "mcp-reflect"),
        "ANTHROPIC_BASE_URL": api.base_url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    done = subprocess.run(
        [
            require_program("claude"),
            "--plugin-dir",
            str(PLUGIN),
            "--allowedTools",
            "Bash",
            "--output-format",
            "json",
            *more,
            "-p",
            prompt,
        ],
        cwd=project,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(json.loads(done.stdout)["result"])


def test_a_session_of_claude_code_teaches_the_next_one(project: Path, home: Path, caller: Caller) -> None:
    require_program("claude")
    our_program(home)
    script: list[Scripted] = [
        [text("I run the tests."), bash(UNITTEST, "a")],
        [bash("sed -i.bak 's/a - b/a + c/' calculator.py", "b")],
        [bash(UNITTEST, "c")],
        [text("I could not make them pass.")],
        [bash("sed -i.bak 's/a + c/a + b/' calculator.py", "d")],
        [bash(UNITTEST, "e")],
        [text("They pass.")],
    ]
    with claude_api(script) as api:
        assert ask(api, TASK, project, home) == "I could not make them pass."
        (failed,) = handed_in(caller, 1)
        assert "mcp-reflect-recall" not in json.dumps(api.asked)
        assert ask(api, "The calculator's tests must pass, mend it", project, home) == "They pass."
        _, passed = handed_in(caller, 2)
        assert "NameError" in json.dumps(api.asked[-1])
        assert "mcp-reflect-recall" in json.dumps(api.asked[-1])
        tools = {tool["name"] for body in api.asked for tool in body.get("tools", [])}
        assert "mcp__plugin_mcp-reflect_reflect__query_memories" in tools
        assert ask(api, "Danke!", project, home, "-c") == "Done."
        assert ask(api, "geht immer noch nicht", project, home, "-c") == "Done."
    assert (failed["review"]["result"], failed["final_response"]) == ("fail", "I could not make them pass.")
    assert "FAILED (errors=1)" in failed["trajectory"]
    assert (passed["review"]["result"], passed["retrieved_memory_ids"]) == ("pass", [failed["memory"]["id"]])
    assert "mcp-reflect-recall" not in passed["trajectory"]
    assert "geht immer noch nicht" in judged_by_user(caller, passed["trace_id"])
    assert not [
        each for each in caller.call("list_traces", {"review_status": "all"})["traces"] if "Danke" in each["task"]
    ]


def lesson(request: str) -> Blocks:
    """Answers the hook's request for a lesson."""
    trace_id = re.findall(r"It is stored as (trace_\w+)", request)[-1]
    given = {"trace_id": trace_id, "result": "", "guidance": "The sign in add() decides."}
    name = "mcp__plugin_mcp-reflect_reflect__review_trace"
    return [{"type": "tool_use", "id": "toolu_lesson", "name": name, "input": given}]


@named
@pytest.mark.parametrize(
    ("setting", "last", "author"), [("interactive", "They pass.", "extractive"), ("always", "Written.", "agent")]
)
def test_the_agent_is_asked_for_the_lesson_where_no_program_reads_its_answer(
    setting: str, last: str, author: str, project: Path, home: Path, caller: Caller
) -> None:
    our_program(home)
    script: list[Scripted] = [
        [bash(UNITTEST, "a")],
        [bash("sed -i.bak 's/a - b/a + b/' calculator.py", "b")],
        [bash(UNITTEST, "c")],
        [text("They pass.")],
        lesson,
        [text("Written.")],
    ]
    with claude_api(script) as api:
        more = ("--allowedTools", "mcp__plugin_mcp-reflect_reflect__review_trace")
        asking = {"MCP_REFLECT_HOOKS__ASK_FOR_LESSON": setting}
        assert ask(api, TASK, project, home, *more, **asking) == last
    until(lambda: [trace["memory"]["author"] for trace in handed_in(caller, 1)] == [author])
    (stored,) = handed_in(caller, 1)
    assert (stored["final_response"], stored["review"]["source"]) == ("They pass.", "tests")


@named
def test_a_command_that_failed_in_an_earlier_run_brings_its_fix_and_runs(
    project: Path, home: Path, caller: Caller
) -> None:
    our_program(home)
    command = "python3 -c 'import nosuchmodule'"
    caller.call("submit_trace", {"task": "Run the importer", "trajectory": failing_run(command)})
    with claude_api([[bash(command, "a")], [text("It is not there.")]]) as api:
        ask(api, "Import it", project, home)
        told = json.dumps(api.asked[-1])
    assert "This call failed here before" in told
    assert "pip install such-module" in told
    assert "ModuleNotFoundError: No module named 'nosuchmodule'" in told


def judged_by_user(caller: Caller, trace_id: str) -> str:
    """The feedback of the review once it is the user's."""

    def judged() -> str:
        review = caller.call("get_trace", {"trace_id": trace_id})["review"]
        return str(review["feedback"]) if review["source"] == "user" else ""

    return str(until(judged))
