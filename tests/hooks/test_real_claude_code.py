"""The plugin in the real Claude Code, with a scripted model behind it: what its documents do not tell shows here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_reflect.wire.caller import Caller
from tests.hooks.test_evidence import UNITTEST
from tests.hooks.test_plugin import CLAUDE, PLUGIN
from tests.hooks.test_sessions import TASK, handed_in
from tests.support.claude_api import ClaudeAPI, bash, claude_api, text
from tests.support.hubs import posix
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

pytestmark = [
    posix,
    pytest.mark.slow,
    pytest.mark.skipif(not CLAUDE, reason="claude (npm @anthropic-ai/claude-code) is neither on PATH nor named"),
]


def ask(api: ClaudeAPI, prompt: str, project: Path, home: Path, *more: str) -> str:
    """`claude -p` with the plugin; the agent's last words."""
    variables = environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30") | {
        "HOME": str(home.parent),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "REFLECT_PROGRAM": str(home.parent / "mcp-reflect"),
        "ANTHROPIC_BASE_URL": api.base_url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    done = subprocess.run(
        [CLAUDE, "--plugin-dir", str(PLUGIN), "--allowedTools", "Bash", "--output-format", "json", *more, "-p", prompt],
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
    command = home.parent / "mcp-reflect"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m mcp_reflect "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    script = [
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
        assert ask(api, "no, still broken", project, home, "-c") == "Done."
    assert (failed["review"]["result"], failed["final_response"]) == ("fail", "I could not make them pass.")
    assert "FAILED (errors=1)" in failed["trajectory"]
    assert (passed["review"]["result"], passed["retrieved_memory_ids"]) == ("pass", [failed["memory"]["id"]])
    assert "mcp-reflect-recall" not in passed["trajectory"]
    assert "still broken" in judged_by_user(caller, passed["trace_id"])


def judged_by_user(caller: Caller, trace_id: str) -> str:
    """The feedback of the review once it is the user's."""

    def judged() -> str:
        review = caller.call("get_trace", {"trace_id": trace_id})["review"]
        return str(review["feedback"]) if review["source"] == "user" else ""

    return str(until(judged))
