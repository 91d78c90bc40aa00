"""Codex, Gemini CLI and Cursor, in the shapes that are documented of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.hooks import events
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.outcome.evidence import find_evidence
from mcp_reflect.hooks.transcripts.clients import codex, cursor, gemini
from mcp_reflect.hooks.truncation import truncate_messages
from tests.support.claude import call_hook
from tests.support.hubs import posix

BASE = {"session_id": "s", "transcript_path": "/t", "cwd": "/w"}


def written(path: Path, lines: list[dict[str, Any]]) -> HookEvent:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return HookEvent("stop", "any", "s", transcript=str(path))


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-01T00:00:00Z", "type": "response_item", "payload": payload}


def test_a_codex_rollout_is_turns_with_the_result_of_their_tests(tmp_path: Path) -> None:
    user = [{"type": "input_text", "text": "Make the tests pass"}]
    event = written(
        tmp_path / "rollout.jsonl",
        [
            {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
            item(type="message", role="user", content=[{"type": "input_text", "text": "<environment_context>…"}]),
            item(type="message", role="user", content=user),
            {"type": "event_msg", "payload": {"type": "user_message", "message": "Make the tests pass"}},
            {"type": "turn_context", "payload": {"model": "gpt-test"}},
            item(type="reasoning", summary=[], encrypted_content="gAAAA"),
            item(type="function_call", name="exec_command", call_id="c1", arguments='{"cmd": "pytest -q"}'),
            item(type="function_call_output", call_id="c1", output="Process exited with code 1\n1 failed in 0.10s"),
            item(type="custom_tool_call", name="apply_patch", call_id="c2", input="*** Begin Patch"),
            item(type="custom_tool_call_output", call_id="c2", output="Success."),
            item(type="function_call", name="shell", call_id="c3", arguments='{"command": ["bash", "-lc", "pytest"]}'),
            item(
                type="function_call_output",
                call_id="c3",
                output=json.dumps({"output": "1 passed in 0.10s", "metadata": {"exit_code": 0}}),
            ),
            item(type="message", role="assistant", content=[{"type": "output_text", "text": "They pass."}]),
        ],
    )
    (turn,) = codex.read_turns(event, 0)
    assert (turn.prompt, turn.final, turn.model) == ("Make the tests pass", "They pass.", "gpt-test")
    assert parse(truncate_messages(turn.messages)).tools_used == ("exec_command", "apply_patch", "shell")
    assert getattr(find_evidence(turn), "result", None) == "pass"


def test_a_gemini_transcript_is_turns(tmp_path: Path) -> None:
    call = {
        "id": "c1",
        "name": "run_shell_command",
        "args": {"command": "npm test"},
        "result": [
            {"functionResponse": {"id": "c1", "response": {"output": "Tests: 1 failed, 1 total\nExit Code: 1"}}}
        ],
        "status": "success",
    }
    messages = [
        {"id": "m1", "type": "user", "content": "Make the tests pass"},
        {"id": "m2", "type": "gemini", "content": "I try.", "toolCalls": [call], "model": "gemini-test"},
        {"id": "m3", "type": "gemini", "content": "They fail."},
    ]
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"sessionId": "s", "messages": messages}), encoding="utf-8")
    (whole,) = gemini.read_turns(HookEvent("stop", "gemini", "s", transcript=str(file)), 0)
    (lines,) = gemini.read_turns(written(tmp_path / "session.jsonl", messages), 0)
    assert whole == lines
    assert (whole.key, whole.final, whole.model) == ("m1", "They fail.", "gemini-test")
    assert getattr(find_evidence(whole), "result", None) == "fail"


def test_gemini_without_a_transcript_tells_of_the_turn_itself(tmp_path: Path) -> None:
    payload = {**BASE, "transcript_path": str(tmp_path / "none"), "prompt": "What is 2 + 2?", "prompt_response": "4"}
    event = events.load_client_adapter("gemini").parse_event("AfterAgent", payload)
    assert event is not None
    (turn,) = gemini.read_turns(event, 0)
    assert (turn.prompt, turn.final) == ("What is 2 + 2?", "4")


def test_a_cursor_transcript_is_turns(tmp_path: Path) -> None:
    asked = {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nFix it\n</user_query>"}]}}
    said = {"role": "assistant", "message": {"content": [{"type": "text", "text": "Fixed."}]}}
    (turn,) = cursor.read_turns(written(tmp_path / "t.jsonl", [asked, said]), 0)
    assert (turn.prompt, turn.final, turn.local) == ("Fix it", "Fixed.", True)


FAILING: list[tuple[str, str, dict[str, Any]]] = [
    ("codex", "PostToolUse", {"tool_name": "Bash", "tool_response": "Exit code: 2\nerror: no such option"}),
    (
        "codex",
        "PostToolUse",
        {"tool_name": "shell", "tool_response": {"output": "error", "metadata": {"exit_code": 1}}},
    ),
    (
        "gemini",
        "AfterTool",
        {"tool_name": "run_shell_command", "tool_response": {"llmContent": "Output: error\nExit Code: 1"}},
    ),
    (
        "cursor",
        "postToolUse",
        {"tool_name": "Shell", "tool_output": '{"exitCode": 1, "stdout": "", "stderr": "error"}'},
    ),
    ("claude-code", "PostToolUse", {"tool_name": "Bash", "tool_response": {"stdout": "error", "exitCode": 1}}),
    ("claude-code", "PostToolUseFailure", {"tool_name": "Bash", "error": "Exit code 1\nerror"}),
]
WORKING: list[tuple[str, str, dict[str, Any]]] = [
    ("codex", "PostToolUse", {"tool_name": "Bash", "tool_response": "Exit code: 0\nerror: 0"}),
    ("gemini", "AfterTool", {"tool_name": "run_shell_command", "tool_response": {"llmContent": "error\nExit Code: 0"}}),
    ("cursor", "postToolUse", {"tool_name": "Shell", "tool_output": '{"exitCode": 0, "stdout": "error"}'}),
    ("cursor", "postToolUse", {"tool_name": "Shell", "tool_output": "no JSON: error"}),
    ("claude-code", "PostToolUse", {"tool_name": "Bash", "tool_response": {"stdout": "error", "stderr": "error"}}),
    ("claude-code", "PostToolUse", {"tool_name": "Read", "tool_response": {"exitCode": 1, "stdout": "error"}}),
    ("claude-code", "PostToolUseFailure", {"tool_name": "Bash", "error": "error", "is_interrupt": True}),
    ("claude-code", "PostToolUseFailure", {"tool_name": "Read", "error": "File does not exist. error"}),
]


@pytest.mark.parametrize(("name", "event", "more"), FAILING)
def test_a_command_that_failed_is_an_error(name: str, event: str, more: dict[str, Any]) -> None:
    found = events.load_client_adapter(name).parse_event(event, {**BASE, **more})
    assert found is not None
    assert "error" in found.error


@pytest.mark.parametrize(("name", "event", "more"), WORKING)
def test_a_command_that_worked_or_was_stopped_is_none(name: str, event: str, more: dict[str, Any]) -> None:
    found = events.load_client_adapter(name).parse_event(event, {**BASE, **more})
    assert found is not None
    assert found.error == ""


def test_each_client_is_answered_in_its_own_shape() -> None:
    assert events.load_client_adapter("cursor").format_answer("sessionStart", "text") == {"additional_context": "text"}
    assert events.load_client_adapter("cursor").format_answer("beforeSubmitPrompt", "text") is None
    inner = {"hookEventName": "BeforeAgent", "additionalContext": "text"}
    assert events.load_client_adapter("gemini").format_answer("BeforeAgent", "text") == {"hookSpecificOutput": inner}
    assert events.load_client_adapter("gemini").format_answer("AfterAgent", "text") is None
    assert events.load_client_adapter("codex").format_answer("Stop", "text") is None


PROMPTS = [("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent"), ("claude-code", "UserPromptSubmit")]


@posix
@pytest.mark.parametrize(("name", "event"), PROMPTS)
def test_the_same_lesson_reaches_every_client(name: str, event: str, home: Path, project: Path, caller: Any) -> None:
    caller.call(
        "submit_trace", {"task": "Mend the calculator", "review_result": "pass", "guidance": "Look at the sign."}
    )
    payload = {**BASE, "cwd": str(project), "prompt": "Please mend the calculator", "hook_event_name": event}
    done = call_hook(home, json.dumps(payload).encode(), name)
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == event
    assert "Look at the sign." in answer["additionalContext"]
