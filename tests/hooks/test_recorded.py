"""Sessions that the real Codex 0.169 and Gemini CLI 0.61 wrote, with hooks on, against a scripted model.

In `submitted` the agent hands its run in itself, in `asked` a hook asks it for the lesson. What says nothing of a turn
(developer messages, usage, settings) was left out, and folders and names were replaced.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.trajectory.tool_output import unwrap_codex, unwrap_gemini
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.events import codex, gemini
from mcp_reflect.hooks.lesson_request import find_occasion
from mcp_reflect.hooks.outcome.evidence import find_evidence
from mcp_reflect.hooks.own_tools import own_tool
from mcp_reflect.hooks.session_state import SessionState
from mcp_reflect.hooks.submission import submit_turns
from mcp_reflect.hooks.transcripts.clients import load_transcript_reader
from mcp_reflect.hooks.transcripts.turn import SessionTurn

RECORDED = Path(__file__).parent / "recorded"
WRAPPING = (
    *("Chunk ID", "Wall time", "token count", "PGID", "untrusted_context", "hook_context", "hook_prompt"),
    *("mcp-reflect-recall", "session_context", "environment_context", "Process exited"),
)
BOTH = pytest.mark.parametrize("client", ["codex", "gemini"])


def event_of(client: str, session: str) -> HookEvent:
    return HookEvent("stop", client, "s", transcript=str(RECORDED / f"{client}-{session}.jsonl"))


def turn_of(client: str, session: str) -> SessionTurn:
    (turn,) = load_transcript_reader(client).read_turns(event_of(client, session), 0)
    return turn


class Hub:
    """Notes what is handed in."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
        del meta
        self.calls.append((tool, arguments))
        return {"trace_id": "trace_stored0", "review_status": "reviewed"}


@BOTH
@pytest.mark.parametrize("session", ["submitted", "asked"])
def test_a_turn_holds_the_words_of_the_run_and_nothing_around_them(client: str, session: str) -> None:
    turn = turn_of(client, session)
    assert turn.prompt.endswith(("calculator's tests pass", "calculator's tests must pass"))
    told = json.dumps([turn.prompt, turn.messages])
    assert [words for words in WRAPPING if words in told] == []
    assert "AssertionError: -1 != 5" in told
    found = find_evidence(turn)
    assert found is not None
    assert (found.result, found.source) == ("pass", "tests")


@BOTH
def test_what_the_agent_handed_in_is_not_handed_in_again(client: str, tmp_path: Path) -> None:
    hub = Hub()
    submit_turns(
        event_of(client, "submitted"), [turn_of(client, "submitted")], SessionState(str(tmp_path), client, "s"), hub
    )
    assert hub.calls == []
    assert find_occasion(turn_of(client, "submitted")) == ""
    assert "[memories]" in json.dumps(turn_of(client, "submitted").messages)


@BOTH
def test_a_lesson_that_was_asked_for_makes_no_second_run(client: str, tmp_path: Path) -> None:
    turn = turn_of(client, "asked")
    own = next(n for n, message in enumerate(turn.messages) if "review_trace" in json.dumps(message))
    before = turn._replace(messages=turn.messages[:own])
    assert find_occasion(before) == "In this run tests failed and were made to pass."
    hub, state = Hub(), SessionState(str(tmp_path), client, "s")
    for known in (before, turn, turn):
        submit_turns(event_of(client, "asked"), [known], state, hub)
    assert [tool for tool, _ in hub.calls] == ["submit_trace"]


def test_codex_tells_of_a_failed_command_without_its_exit_code_which_the_rollout_has() -> None:
    base = {"session_id": "s", "transcript_path": str(RECORDED / "codex-asked.jsonl"), "tool_name": "Bash"}
    failed = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'nosuchmodule'\n"
    for call, text, error in (("d2", failed, failed), ("d4", "error: none\n", ""), ("unknown", failed, failed)):
        event = codex.parse_event("PostToolUse", {**base, "tool_use_id": call, "tool_response": text})
        assert event is not None
        assert event.error == error, call
    stopped = codex.parse_event("Stop", base)
    assert stopped is not None
    assert stopped.headless


def test_gemini_tells_of_a_failed_command_in_a_frame() -> None:
    said = "ModuleNotFoundError: No module named 'nosuchmodule'"
    framed = f"<untrusted_context>\nOutput: {said}\nExit Code: 1\nProcess Group PGID: 21292\n</untrusted_context>"
    payload = {"session_id": "s", "tool_name": "run_shell_command", "tool_response": {"llmContent": framed}}
    event = gemini.parse_event("AfterTool", payload)
    assert event is not None
    assert event.error == f"Exit code: 1\n{said}"


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("mcp__reflect__submit_trace", "submit_trace"),
        ("mcp__plugin_mcp-reflect_reflect__query_memories", "query_memories"),
        ("mcp_reflect_submit_trace", "submit_trace"),
        ("mcp_mcp-reflect_reflect", "reflect"),
        ("mcp__other__get_trace", ""),
        ("mcp_other_get_trace", ""),
        ("submit_trace", ""),
        ("Bash", ""),
    ],
)
def test_our_tools_are_known_by_every_clients_names(name: str, tool: str) -> None:
    assert own_tool(name) == tool


@pytest.mark.parametrize(
    ("text", "output", "code"),
    [
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno such option", "no such option", 2),
        ("Chunk ID: a1\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\n", "", 0),
        (
            "Chunk ID: a1\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\nready",
            "Process running with session ID 7\nready",
            None,
        ),
        ("Wall time: 0.008 seconds\nOutput:\n{}", "{}", None),
    ],
)
def test_the_head_of_an_output_of_codex_is_taken_off(text: str, output: str, code: int | None) -> None:
    assert unwrap_codex(text) == (output, code)


@pytest.mark.parametrize(
    ("text", "output", "code"),
    [
        ("Output: ok\nProcess Group PGID: 12", "ok", 0),
        ("Output: (empty)\nProcess Group PGID: 12", "", 0),
        ("Output: line\nExit Code: 3\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 12", "line", 3),
        (
            "Command: make\nDirectory: x\nOutput: done\nError: (none)\nExit Code: 0\nSignal: 0\nProcess Group PGID: 1",
            "done",
            0,
        ),
        ("<untrusted_context>\na page\n</untrusted_context>\n\n<hook_context>x</hook_context>", "a page", None),
    ],
)
def test_the_frame_of_an_output_of_gemini_is_taken_off(text: str, output: str, code: int | None) -> None:
    assert unwrap_gemini(text) == (output, code)


@given(st.text().filter(lambda text: "<" not in text and not text.startswith(("Output:", "Stdout:", "Command:"))))
def test_what_has_no_frame_is_left_as_it_is(text: str) -> None:
    assert unwrap_gemini(text).text == text
    assert unwrap_codex(f"a{text}").text == f"a{text}"
