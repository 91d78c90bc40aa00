"""Formats of past sessions beside those of clients with hooks: what counts of a file, and that nothing in one harms."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.outcome.evidence import find_evidence
from mcp_reflect.hooks.past_sessions import FORMATS, PastSession, Unreadable, find_named_sessions, read_past_runs
from mcp_reflect.hooks.transcripts.clients.cursor import find_project
from mcp_reflect.hooks.transcripts.turn import SessionTurn
from tests.support.effort import examples
from tests.support.past_sessions import PastStep, opencode_records, time_of

ASKED = "Make the tests pass"


def turns(name: str, path: Path, session: str = "s") -> list[SessionTurn]:
    return FORMATS[name].read_turns(HookEvent("end", name, session, transcript=str(path)), 0)


def written(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def told(turn: SessionTurn) -> str:
    return json.dumps(turn.messages)


def verdict(turn: SessionTurn) -> tuple[str, str]:
    found = find_evidence(turn)
    return (found.result, found.source) if found else ("", "")


def copilot_event(kind: str, number: int, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": time_of(number), "parentId": None}


def test_copilot_names_the_exit_code_in_the_last_line_of_an_output(tmp_path: Path) -> None:
    call = {"toolCallId": "t1", "arguments": {"command": "npm test", "description": "Run the tests"}}
    path = written(
        tmp_path / "s/events.jsonl",
        copilot_event("session.start", 0, sessionId="s", copilotVersion="1.0.70", producer="copilot-agent"),
        copilot_event(
            "user.message", 1, content=ASKED, transformedContent="<reminder>SECRET</reminder>", attachments=[]
        ),
        copilot_event("assistant.turn_start", 2, turnId="0"),
        copilot_event("assistant.message", 2, content="", toolRequests=[call | {"name": "bash", "type": "function"}]),
        copilot_event("tool.execution_start", 2, toolName="bash", **call),
        copilot_event("tool.execution_partial_result", 2, toolCallId="t1", partialOutput="PARTIAL"),
        copilot_event("user.message", 3, content="SUBTASK", parentToolCallId="t0"),
        copilot_event(
            "tool.execution_complete",
            3,
            toolCallId="t1",
            success=True,
            result={"content": "1 failing\n<shellId: 0 completed with exit code 1>", "detailedContent": "DETAIL"},
        ),
        copilot_event("assistant.message", 4, content="It fails.", model="gpt-5.2", toolRequests=[]),
    )
    (tmp_path / "s/workspace.yaml").write_text("id: s\ncwd: /home/ann/project\n", encoding="utf-8")
    [head] = FORMATS["copilot"].read_heads(str(path))
    assert (head.session, head.cwd) == ("s", "/home/ann/project")
    [turn] = turns("copilot", path)
    assert (turn.prompt, turn.final, turn.model) == (ASKED, "It fails.", "gpt-5.2")
    assert [message["role"] for message in turn.messages] == ["assistant", "user", "assistant"]
    assert "shellId" not in told(turn)
    assert verdict(turn) == ("fail", "tests")


def test_opencode_is_read_from_its_database_as_from_its_files(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    steps = [
        PastStep(prompt=ASKED),
        PastStep(command="python -m pytest", output="2 failed in 0.1s", code=1),
        PastStep(says="Two fail."),
    ]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE session (id, project_id, parent_id, directory, title, time_created, time_updated)"
        )
        database.execute("CREATE TABLE message (id, session_id, time_created, time_updated, data)")
        database.execute("CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)")
        for session, parent in (("ses_1", None), ("ses_2", "ses_1")):
            row = (session, "p", parent, "/home/ann/project", "t", 1, 1_790_000_000_000)
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            for message, parts in opencode_records(session, steps):
                data = {key: value for key, value in message.items() if key not in {"id", "sessionID"}}
                database.execute(
                    "INSERT INTO message VALUES (?, ?, 1, 1, ?)", (message["id"], session, json.dumps(data))
                )
                for part in parts:
                    row = (part["id"], message["id"], session, json.dumps(part))
                    database.execute("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)", row)
    [head] = FORMATS["opencode"].read_heads(str(path))
    assert (head.session, head.cwd, head.modified) == ("ses_1", "/home/ann/project", 1_790_000_000.0)
    [turn] = turns("opencode", path, "ses_1")
    assert (turn.prompt, turn.final, turn.model) == (ASKED, "Two fail.", "claude-sonnet-4-5")
    assert verdict(turn) == ("fail", "tests")


def test_openhands_of_version_0_is_read_from_an_exported_trajectory(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"source": "agent", "action": "system", "args": {"content": "PROMPT"}},
        {"source": "user", "action": "message", "args": {"content": ASKED}},
        {"source": "user", "action": "recall", "args": {"query": ASKED}},
        {"source": "agent", "action": "run", "args": {"command": "pytest -q", "thought": "I run them."}},
        {"source": "agent", "observation": "run", "content": "4 passed in 0.2s", "cause": 3},
        {"source": "agent", "action": "finish", "args": {"final_thought": "All pass."}},
    ]
    events[4]["extras"] = {"command": "pytest -q", "metadata": {"exit_code": 0, "working_dir": "/workspace"}}
    stamped = [{"id": n, "timestamp": f"2026-10-01T09:0{n}:00.5"} | each for n, each in enumerate(events)]
    path = written(tmp_path / "trajectory.json", stamped)
    assert [head.session for head in FORMATS["openhands"].read_heads(str(path))] == ["trajectory"]
    [turn] = turns("openhands", path)
    assert (turn.prompt, turn.final) == (ASKED, "All pass.")
    assert "PROMPT" not in told(turn)
    assert verdict(turn) == ("pass", "tests")


def test_openhands_commands_that_were_refused_or_still_run_are_no_evidence(tmp_path: Path) -> None:
    action = {"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "thought": []}
    result = {"kind": "ObservationEvent", "source": "environment", "tool_name": "terminal"}
    timed_out = {"kind": "TerminalObservation", "content": [], "exit_code": -1, "timeout": True, "is_error": False}
    refused = {"kind": "UserRejectObservation", "tool_name": "terminal", "rejection_reason": "not now"}
    events = [
        {"kind": "MessageEvent", "source": "user", "llm_message": {"content": [{"type": "text", "text": ASKED}]}},
        action | {"tool_call_id": "1", "action": {"kind": "TerminalAction", "command": "pytest"}},
        result | {"tool_call_id": "1", "observation": timed_out},
        action | {"tool_call_id": "2", "action": {"kind": "TerminalAction", "command": "pytest"}},
        refused | {"tool_call_id": "2", "source": "environment"},
    ]
    for number, event in enumerate(events):
        written(tmp_path / f"c/events/event-{number:05}-aaaaaaaa.json", event | {"timestamp": "2026-10-01T09:00:00"})
    path = written(tmp_path / "c/base_state.json", {"workspace": {"working_dir": "/home/ann"}})
    [head] = FORMATS["openhands"].read_heads(str(path))
    assert (head.session, head.cwd) == ("c", "/home/ann")
    [turn] = turns("openhands", path)
    assert verdict(turn) == ("", "")


def atif(*steps: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "mini-swe-agent", "version": "2", "model_name": "m"},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
    }


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": None}, "pass"),
        ({"verifier_result": {"rewards": {"reward": 0}}}, "fail"),
        ({"verifier_result": {"rewards": {"reward": 0.5}}}, ""),
        ({"verifier_result": {"rewards": {"reward": 0}}, "exception_info": {"exception_type": "TimeoutError"}}, ""),
        ({"verifier_result": None}, ""),
    ],
)
def test_the_reward_of_a_trial_is_a_verdict_where_it_is_plain(
    tmp_path: Path, result: dict[str, Any], expected: str
) -> None:
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}
    path = written(
        tmp_path / "trial/agent/trajectory.json",
        atif(
            {"source": "user", "message": "OLD", "is_copied_context": True},
            {"source": "user", "message": ASKED},
            {"source": "agent", "message": "", "tool_calls": [call], "observation": {"results": [{"content": None}]}},
            {"source": "agent", "message": "Done.", "reasoning_content": "THOUGHT"},
        ),
    )
    written(tmp_path / "trial/result.json", result)
    [turn] = turns("atif", path)
    assert (turn.prompt, turn.final, turn.model) == (ASKED, "Done.", "m")
    assert "THOUGHT" not in told(turn)
    assert verdict(turn) == ((expected, "tests") if expected else ("", ""))


def span(number: int, parent: int | None, **attributes: str) -> dict[str, Any]:
    """A span; the names of attributes are written with `__` for a dot."""
    values = {key.replace("__", "."): value for key, value in attributes.items()}
    return {
        "traceId": "t1",
        "spanId": f"{number}",
        "parentSpanId": "" if parent is None else f"{parent}",
        "startTimeUnixNano": f"{number}000000000",
        "endTimeUnixNano": f"{number}500000000",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in values.items()],
    }


def chat(number: int, parent: int, before: Sequence[Any], said: Any) -> dict[str, Any]:
    return span(
        number,
        parent,
        gen_ai__operation__name="chat",
        gen_ai__input__messages=json.dumps(before),
        gen_ai__output__messages=json.dumps([said | {"finish_reason": "stop"}]),
    )


def agent(number: int, parent: int | None) -> dict[str, Any]:
    return span(number, parent, gen_ai__operation__name="invoke_agent")


def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def test_spans_are_put_together_to_one_conversation_without_that_of_inner_agents(tmp_path: Path) -> None:
    def text(content: str) -> dict[str, Any]:
        return {"type": "text", "content": content}

    call = {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "cargo test"}}
    asked, calls = message("user", text(ASKED)), message("assistant", call)
    inner = chat(3, 4, [message("user", text("INNER"))], message("assistant", text("INNER")))
    printed = "test result: ok. 3 passed; 0 failed"
    tool = span(5, 0, gen_ai__tool__call__id="c2", gen_ai__tool__call__result=printed)
    response = message("tool", {"type": "tool_call_response", "id": "c1", "response": "test result: FAILED. 1 passed"})
    again = message("assistant", {"type": "reasoning", "content": "THOUGHT"}, call | {"id": "c2"})
    system = message("system", text("PROMPT"))
    lines = [
        {"resourceSpans": [{"scopeSpans": [{"spans": [chat(6, 0, [system, asked, calls, response], again), tool]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [inner, agent(4, 0), agent(0, None)]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [chat(2, 0, [system, asked], calls)]}]}]},
    ]
    path = written(tmp_path / "spans.jsonl", *lines)
    [head] = FORMATS["otel"].read_heads(str(path))
    [turn] = turns("otel", path, head.session)
    assert (head.session, turn.prompt, turn.ended) == ("t1", ASKED, 6.5)
    assert [each["role"] for each in turn.messages] == ["assistant", "user", "assistant", "user"]
    assert not {word for word in ("INNER", "PROMPT", "THOUGHT") if word in told(turn)}
    assert verdict(turn) == ("pass", "tests")


def test_cursors_transcripts_of_plain_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / ".cursor/projects/home-ann-my-project/agent-transcripts/s.txt"
    path.parent.mkdir(parents=True)
    path.write_text(
        "user:\n<user_query>\nDeploy it.\n</user_query>\n\nA:\nI deploy.\n[Tool call] Shell\n"
        "  command: npm run deploy\n  description: Deploy\n\n[Tool result] Shell\n\n"
        "[Thinking] THOUGHT\nA:\nDeployed.\n\nuser:\n<user_query>\nthat works, thanks\n</user_query>\n",
        encoding="utf-8",
    )
    first, _ = turns("cursor", path)
    assert (first.prompt, first.final) == ("Deploy it.", "Deployed.")
    assert '"command": "npm run deploy"' in told(first)
    assert "THOUGHT" not in told(first)
    assert verdict(first) == ("pass", "user")


def test_the_folder_in_a_cursor_projects_name_is_found_where_one_fits(tmp_path: Path) -> None:
    (tmp_path / "home/ann.b/my-project/src").mkdir(parents=True)
    assert find_project("home-ann-b-my-project", str(tmp_path)) == str(tmp_path / "home/ann.b/my-project")
    (tmp_path / "home/ann.b/my/project").mkdir(parents=True)
    assert find_project("home-ann-b-my-project", str(tmp_path)) == ""
    assert find_project("home-gone", str(tmp_path)) == ""


def test_what_is_no_session_is_named_with_the_reason(tmp_path: Path) -> None:
    written(tmp_path / "a/notes.json", {"steps": [], "messages": {}})
    (tmp_path / "a/broken.json").write_bytes(b'{"schema_version": "ATIF-v1.4", "steps": [\xff')
    (tmp_path / "a/opencode.db").write_bytes(b"SQLite format 3\0, but no more")
    (tmp_path / "a/read.me").write_text("not looked at", encoding="utf-8")
    os.truncate(written(tmp_path / "a/large.jsonl", {}), 200_000_000)
    found = list(find_named_sessions([str(tmp_path / "a"), str(tmp_path / "gone.json")], list(FORMATS)))
    reasons = {Path(each.path).name: each.reason for each in found if isinstance(each, Unreadable)}
    assert len(reasons) == len(found)
    assert reasons.pop("opencode.db").startswith("cannot be read (no database of this program")
    assert reasons == {
        "notes.json": "holds no session that can be read",
        "broken.json": "holds no session that can be read",
        "large.jsonl": "has more than 100 MB",
        "gone.json": "is not there",
    }


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
WORDS = st.sampled_from(
    [
        *(
            "ATIF-v1.6",
            "user",
            "agent",
            "assistant",
            "text",
            "tool",
            "tool_call",
            "tool_call_response",
            "run",
            "finish",
        ),
        *("MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation", "message"),
        *("session.start", "user.message", "assistant.message", "tool.execution_complete", "completed", "chat", "2026"),
    ]
)
KEYS = st.sampled_from(
    [
        *("schema_version", "steps", "source", "message", "tool_calls", "observation", "results", "content", "extra"),
        *("resourceSpans", "scopeSpans", "spans", "attributes", "key", "value", "stringValue", "arrayValue", "values"),
        *("kind", "action", "args", "extras", "cause", "timestamp", "llm_message", "thought", "tool_call", "workspace"),
        *("type", "data", "id", "context", "cwd", "toolRequests", "result", "error", "role", "parts", "state", "time"),
        *("directory", "exit", "metadata", "arguments", "arguments", "session_id", "agent", "rejection_reason"),
    ]
)
SHAPED = st.recursive(
    WORDS | SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)
NAMES = {
    "atif": "trajectory.json",
    "otel": "spans.json",
    "openhands": "base_state.json",
    "opencode": "ses_1.json",
    "copilot": "events.jsonl",
    "cursor": "s.jsonl",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(NAMES))
@given(values=st.lists(SHAPED, min_size=1, max_size=4))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_is_in_a_file_comes_out_as_runs_or_not_at_all(tmp_path: Path, name: str, values: list[Any]) -> None:
    path = tmp_path / "storage/session/p" / NAMES[name]
    if name == "openhands":
        for number, value in enumerate(values):
            written(path.parent / f"events/event-{number:05}-aaaaaaaa.json", value)
    if name == "opencode":
        for number, value in enumerate(values):
            record = {**(value if isinstance(value, dict) else {}), "id": f"msg_{number}", "role": "assistant"}
            written(tmp_path / f"storage/message/ses_1/{number}.json", record)
            written(tmp_path / f"storage/part/msg_{number}/{number}.json", {**record, "type": "tool"})
    head = {"schema_version": "ATIF-v1.6", "steps": values, "resourceSpans": values, "directory": "/", "id": "ses_1"}
    written(path, head) if path.suffix == ".json" else written(path, *values)
    for found in FORMATS[name].read_heads(str(path)):
        assert found.session == str(found.session)
    session = PastSession(name, str(path), "ses_1", "", 1.0, 1)
    for run in read_past_runs(session):
        assert run.arguments["task"]
