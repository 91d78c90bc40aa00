"""What is read out of a transcript, and that nothing in one can do harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.limits import MAX_TRAJECTORY
from mcp_reflect.domain.text.recall_tags import marked
from mcp_reflect.domain.text.recalled import strip_recalled
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.outcome.evidence import find_evidence
from mcp_reflect.hooks.transcripts.clients import load_transcript_reader
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionTurn
from mcp_reflect.hooks.truncation import MAX_TURN_CHARS, truncate_messages
from tests.support.claude import Transcript
from tests.support.effort import examples
from tests.support.linear_time import takes_linear_time

CLIENTS = ("claude-code", "codex", "cursor", "gemini")


def turns(path: Path, name: str = "claude-code", start: int = 0) -> list[SessionTurn]:
    return load_transcript_reader(name).read_turns(HookEvent("stop", name, "s", transcript=str(path)), start)


def told(turn: SessionTurn) -> str:
    return json.dumps(turn.messages)


def test_a_turn_holds_what_was_asked_and_done(transcript: Transcript) -> None:
    transcript.asks("What is in here?")
    transcript.says("I will look.")
    transcript.runs("ls")
    transcript.says("A calculator.")
    transcript.asks("And the tests?")
    transcript.says("One.")
    first, second = turns(transcript.path)
    assert (first.prompt, first.final, first.model) == ("What is in here?", "A calculator.", "claude-opus-4-8")
    assert (first.followed_up, second.prompt, second.followed_up) == ("And the tests?", "And the tests?", "")
    assert second.key == transcript.prompt_id
    assert [message["role"] for message in first.messages] == ["assistant", "assistant", "user", "assistant"]
    trajectory = parse(truncate_messages(first.messages))
    assert trajectory.tools_used == ("Bash",)
    assert "calculator.py" in trajectory.text


def test_reading_can_go_on_where_it_ended(transcript: Transcript) -> None:
    transcript.asks("one")
    transcript.says("1")
    transcript.asks("two")
    transcript.says("2")
    second = turns(transcript.path)[1]
    assert turns(transcript.path, start=second.start) == [second]
    assert len(turns(transcript.path, start=10**9)) == 2


def test_what_is_not_the_sessions_own_is_left_out(transcript: Transcript) -> None:
    transcript.raw({"type": "summary", "summary": "SUMMARY", "leafUuid": "x"})
    transcript.asks("Fix the bug")
    transcript.attaches(marked("RECALLED"))
    transcript.line("user", {"role": "user", "content": "METALINE"}, isMeta=True)
    transcript.line("user", {"role": "user", "content": "COMPACTED"}, isCompactSummary=True)
    transcript.says("SUBAGENT", isSidechain=True)
    transcript.line("user", {"role": "user", "content": "<local-command-stdout>LOCAL</local-command-stdout>"})
    transcript.line("user", {"role": "user", "content": "[Request interrupted by user]"})
    transcript.line("system", content="SYSTEM")
    transcript.raw({"type": "a-type-of-the-future", "message": {"role": "user", "content": "FUTURE"}})
    transcript.line("assistant", {"role": "assistant", "content": [{"type": "thinking", "thinking": "THOUGHT"}]})
    transcript.says(f"Done. {marked('RECALLED')}<system-reminder>")
    (turn,) = turns(transcript.path)
    assert turn.prompt == "Fix the bug"
    assert turn.messages == [{"role": "assistant", "content": [{"type": "text", "text": "Done. <system-reminder>"}]}]


def test_memories_that_the_agent_asked_for_are_not_kept(transcript: Transcript) -> None:
    transcript.asks("Fix the bug")
    call = transcript.uses("mcp__plugin_mcp-reflect_reflect__query_memories", {"task": "bug"})
    transcript.results(call, [{"type": "text", "text": '{"memories": ["RECALLED"]}'}])
    (turn,) = turns(transcript.path)
    assert "RECALLED" not in told(turn)
    assert "query_memories" in told(turn)


def test_commands_and_queued_words_count_as_the_users(transcript: Transcript) -> None:
    transcript.asks(
        "<command-message>fix</command-message><command-name>/fix</command-name><command-args>42</command-args>"
    )
    transcript.says("MemoryReader.")
    transcript.line("attachment", attachment={"type": "queued_command", "prompt": "and quickly"})
    transcript.asks("<system-reminder>be nice</system-reminder>Now the other one")
    first, second = turns(transcript.path)
    assert first.prompt == "/fix 42"
    assert first.messages[-1] == {"role": "user", "content": "and quickly"}
    assert second.prompt == "Now the other one"


def test_lines_written_twice_count_once(transcript: Transcript) -> None:
    transcript.asks("one")
    transcript.says("1")
    transcript.raw(transcript.path.read_text(encoding="utf-8"))
    (turn,) = turns(transcript.path)
    assert len(turn.messages) == 1


def test_a_truncated_transcript_is_read_up_to_its_end(transcript: Transcript) -> None:
    transcript.asks("one")
    transcript.says("whole")
    transcript.says("cut off here")
    whole = transcript.path.read_bytes()
    for length in range(len(whole) - 300, len(whole), 7):
        transcript.path.write_bytes(whole[:length])
        (turn,) = turns(transcript.path)
        assert "whole" in told(turn)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "cp1252"])
def test_another_encoding_is_no_obstacle(transcript: Transcript, encoding: str) -> None:
    transcript.raw(json.dumps({"type": "user", "message": {"content": "Größe"}}, ensure_ascii=False) + "\n")
    text = transcript.path.read_text(encoding="utf-8")
    transcript.path.write_bytes(text.encode(encoding))
    assert [turn.prompt for turn in turns(transcript.path)] in (["Gr\ufffd\ufffde"], [])


def test_a_transcript_of_50_mb_is_read_in_linear_time_and_fits_into_a_trace(transcript: Transcript) -> None:
    transcript.asks("dig through the logs")
    block = "\n".join(f"{n} a line of a log, as long as such lines are" for n in range(400))
    for n in range(2_500):
        transcript.uses("Bash", {"command": f"cat log.{n}"})
        transcript.results(f"toolu_{transcript._calls - 1:04}", f"{block}\nERROR {n}", failed=n == 1_200)
    transcript.says("The end of it.")
    assert transcript.path.stat().st_size > 50_000_000
    (turn,) = turns(transcript.path)
    kept = truncate_messages(turn.messages)
    assert len(kept) <= MAX_TURN_CHARS <= MAX_TRAJECTORY
    messages = json.loads(kept)
    assert messages[-1]["content"][0]["text"] == "The end of it."
    lines = transcript.path.read_bytes().splitlines(keepends=True)

    def read(number: int) -> None:
        transcript.path.write_bytes(b"".join(lines[:number]))
        truncate_messages(turns(transcript.path)[0].messages)

    assert takes_linear_time(read, len(lines) // 4)
    assert "ERROR 1200" in kept
    assert "left out" in kept
    assert messages[0] == turn.messages[0]
    parse(kept)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        *("type", "message", "role", "content", "attachment", "uuid", "promptId", "payload", "tool_use_id", "id"),
        *("text", "name", "input", "is_error", "toolCalls", "arguments", "output", "call_id", "messages", "prompt"),
    ]
)
WORDS = st.sampled_from(
    [
        *("user", "assistant", "attachment", "tool_use", "tool_result", "text", "queued_command", "response_item"),
        *("function_call", "function_call_output", "message", "event_msg", "user_message", "gemini", "Bash", "pytest"),
    ]
)
SHAPED = st.recursive(
    WORDS | JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
@given(lines=st.lists(st.dictionaries(KEYS, SHAPED, max_size=6) | JSON, max_size=8), junk=st.binary(max_size=40))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_is_in_a_transcript_comes_out_as_a_trace_or_not_at_all(
    tmp_path: Path, name: str, lines: list[Any], junk: bytes
) -> None:
    file = tmp_path / "transcript.jsonl"
    written = [json.dumps(line).encode() for line in lines]
    file.write_bytes(b"\n".join([*written, junk, *written]))
    for turn in turns(file, name):
        find_evidence(turn)
        parse(truncate_messages(turn.messages))
        assert turn.prompt


@given(
    st.lists(st.text(min_size=1).map(lambda text: {"role": "user", "content": text}), max_size=30),
    st.integers(2_000, 9_000),
)
def test_a_trajectory_always_fits(messages: list[dict[str, Any]], longest: int) -> None:
    many = messages * 40
    kept = truncate_messages(many, longest)
    assert len(kept) <= longest
    if many:
        assert json.loads(kept)[-1] == many[-1]


@given(st.text(), st.text(), st.text())
def test_what_hooks_add_is_cut_out_again(before: str, recalled: str, after: str) -> None:
    assert strip_recalled(f"{before}{marked(recalled)}{after}") == before + after


def test_a_result_nested_beyond_all_use_has_no_text() -> None:
    assert output_text([[{"output": [{"text": "x"}]}]]) == "x"
    assert output_text(json.loads("[" * 900 + '"x"' + "]" * 900)) == ""


REJECTION = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\nUse pnpm here, never npm."
)


@pytest.mark.parametrize(
    ("tool", "more", "is_said"),
    [
        ("Bash", {"toolDenialKind": "user-rejected"}, True),
        ("mcp__tickets__close", {"toolDenialKind": "user-rejected"}, True),
        ("Bash", {"toolUseResult": f"Error: {REJECTION}"}, True),  # before the client named the kind
        ("Bash", {"toolUseResult": f"Error: Exit code 1\n{REJECTION}"}, False),
        ("Bash", {"toolDenialKind": "hook", "toolUseResult": f"Error: {REJECTION}"}, False),
        ("mcp__tickets__close", {"toolUseResult": f"Error: {REJECTION}"}, False),  # a server may answer anything
        ("Bash", {}, False),
    ],
)
def test_what_the_user_said_when_they_rejected_a_call_is_theirs(
    transcript: Transcript, tool: str, more: dict[str, Any], is_said: bool
) -> None:
    transcript.asks("Install the date library")
    use = {"type": "tool_use", "id": "t1", "name": tool, "input": {"command": "npm install dayjs"}}
    transcript.line("assistant", {"role": "assistant", "content": [use]})
    result = {"type": "tool_result", "tool_use_id": "t1", "content": REJECTION, "is_error": True}
    transcript.line("user", {"role": "user", "content": [result]}, **more)
    transcript.says("With pnpm then.")
    (turn,) = turns(transcript.path)
    assert ({"role": "user", "content": "Use pnpm here, never npm."} in turn.messages) is is_said
    assert ("the user said" in told(turn)) is not is_said
