"""`mcp-reflect hook` as a process: it fails open, and says nothing but its answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mcp_reflect
from mcp_reflect.hooks import error_log
from mcp_reflect.wire.caller import Caller
from tests.support.claude import Transcript, call_hook
from tests.support.effort import examples
from tests.support.forks import SHIM
from tests.support.hubs import hub_pids, posix
from tests.support.servers import environment
from tests.support.waiting import HANG_S

NO_HUB = {"MCP_REFLECT_HUB__ENABLED": "false"}


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "NoSuchEvent", ""])
@pytest.mark.parametrize("stdin", [b"", b"{", b"[]", b'"\xff"', b"null", b"{}", b'{"session_id": 7, "prompt": []}'])
def test_broken_input_is_passed_over_in_silence(home: Path, event: str, stdin: bytes) -> None:
    done = call_hook(home, stdin, "claude-code", event)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert hub_pids(home) == []


@pytest.mark.parametrize("words", [[], ["no-such-client"], ["claude-code", "Stop", "and", "more"]])
def test_an_unknown_client_is_passed_over_in_silence(home: Path, words: list[str]) -> None:
    done = call_hook(home, b"{}", *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@given(st.binary(max_size=60) | st.dictionaries(st.text(), st.text()).map(lambda value: json.dumps(value).encode()))
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_stdin_holds_the_exit_code_is_0(home: Path, stdin: bytes) -> None:
    done = call_hook(home, stdin, "claude-code")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_home_that_cannot_be_used_is_no_obstacle(tmp_path: Path, transcript: Transcript) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    payload = json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": "fix it"}).encode()
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        done = call_hook(tmp_path / "file" / "home", payload, "claude-code", event)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_went_wrong_stands_in_the_log_without_the_prompt(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[memory]\nlimit = 'lots'\n", encoding="utf-8")
    payload = json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": "hunter2 is my password"}).encode()
    done = call_hook(home, payload, "claude-code", "UserPromptSubmit")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    told = (home / error_log.HOOK_LOG).read_text(encoding="utf-8")
    assert "claude-code prompt" in told
    assert "hunter2" not in told


@posix
def test_a_stdin_that_nobody_closes_ends_with_the_time_limit(home: Path) -> None:
    code = (
        "from mcp_reflect.hooks import command; "
        "command.HOOK_TIMEOUTS_S = dict.fromkeys(command.HOOK_TIMEOUTS_S, 0.3); "
        "command.run_hook(['claude-code', 'Stop'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(home)
    )
    try:
        assert process.wait(HANG_S) == 0
    finally:
        process.kill()
        process.communicate()


def test_hooks_work_where_there_is_no_hub(transcript: Transcript) -> None:
    transcript.variables = NO_HUB
    transcript.asks("fix the calculator")
    assert transcript.hook("UserPromptSubmit", prompt="fix the calculator") == ""
    assert not (transcript.home / error_log.HOOK_LOG).exists()
    assert (transcript.home / "ledger.db").exists()


def test_the_commands_help_tells_of_hooks(home: Path) -> None:
    done = subprocess.run(
        [*SHIM, "hook", "--help"], env=environment(home), capture_output=True, text=True, check=True, timeout=HANG_S
    )
    assert "claude-code" in done.stdout


def test_a_hook_behind_a_command_that_worked_imports_little() -> None:
    code = (
        "import sys\nfrom mcp_reflect.hooks.events.claude_code import parse_event\n"
        "payload = {'tool_name': 'Bash', 'tool_response': {'stdout': '12 passed', 'metadata': {'exit_code': 0}}}\n"
        "assert parse_event('PostToolUse', payload).error == ''\n"
        "print(*{'json', 're', 'mcp_reflect.hooks.transcripts.steps'} & set(sys.modules))"
    )
    root = str(Path(mcp_reflect.__file__).parent.parent)
    words = [sys.executable, "-S", "-c", code]
    done = subprocess.run(words, env={"PYTHONPATH": root}, capture_output=True, text=True, check=True, timeout=HANG_S)
    assert done.stdout.strip() == ""


def test_a_hook_before_a_command_imports_little(caller: Caller, home: Path, project: Path) -> None:
    """An agent waits for it before each of its commands: here each import counts."""
    caller.call("memory_stats", {})  # a hub runs
    report = (
        "import os, sys\n"
        "def leave(code):\n"
        "    os.write(1, ' '.join(sys.modules).encode()); leave_now(code)\n"
        "leave_now, os._exit = os._exit, leave\n"
        "from mcp_reflect.hooks.command import run_hook; run_hook(['claude-code', 'PreToolUse'])"
    )
    payload = {"session_id": "s", "cwd": str(project), "tool_name": "Bash", "tool_input": {"command": "make"}}
    done = subprocess.run(
        [sys.executable, "-S", "-c", report],
        input=json.dumps(payload).encode(),
        env=environment(home) | {"PYTHONPATH": str(Path(mcp_reflect.__file__).parent.parent)},
        capture_output=True,
        check=True,
        timeout=HANG_S,
    )
    loaded = set(done.stdout.decode().split())
    assert "mcp_reflect.wire.transport" in loaded  # it did ask the hub
    ours = {name.removeprefix("mcp_reflect.") for name in loaded if name.startswith("mcp_reflect.")}
    assert ours == {
        *("domain", "domain.limits", "domain.trajectory", "domain.trajectory.tools"),
        *("hooks", "hooks.command", "hooks.event", "hooks.events", "hooks.events.claude_code"),
        *("hooks.options", "hooks.recall", "hooks.session_state", "own_files"),
        *("wire", "wire.address", "wire.caller", "wire.connector", "wire.handshake", "wire.hub_connection"),
        *("wire.hub_errors", "wire.json_rpc", "wire.light_json", "wire.remote_error", "wire.request_meta"),
        *("wire.transport", "wire.version"),
    }
    assert not {"collections", "contextlib", "enum", "functools", "json", "re", "socket", "threading"} & loaded
    assert not {"dataclasses", "hashlib", "logging", "pathlib", "subprocess", "tomllib", "typing"} & loaded
