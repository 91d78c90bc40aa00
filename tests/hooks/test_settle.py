"""What is handed in of a session, and when: against a real hub, with the worker in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.hooks import worker
from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.wire.caller import Caller
from tests.hooks.outcome.test_evidence import UNITTEST
from tests.support.claude import Transcript
from tests.support.home_files import files_with
from tests.support.hubs import posix
from tests.support.servers import environment

pytestmark = posix

SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


@pytest.fixture
def end(home: Path, transcript: Transcript, caller: Caller, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Does what the end of a turn does, at once."""
    for name, value in environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(worker, "_QUIET_S", 0.0)

    def run(final: str = "", turn: str = "") -> None:
        worker.submit_session(
            HookEvent(
                "stop",
                "claude-code",
                transcript.session,
                str(transcript.folder),
                str(transcript.path),
                turn=turn,
                final=final,
            )
        )

    return run


def traces(caller: Caller) -> list[dict[str, Any]]:
    """Oldest first, whole."""
    listed = caller.call("list_traces", {"review_status": "all"})["traces"]
    return [caller.call("get_trace", {"trace_id": each["trace_id"]}) for each in reversed(listed)]


def test_each_turn_is_stored_once_however_often_its_end_is_told(
    transcript: Transcript, caller: Caller, end: Any
) -> None:
    transcript.asks("What is in here?")
    transcript.runs("ls")
    transcript.says("A calculator.")
    end()
    end()
    transcript.asks("And what does it do?")
    transcript.runs("cat calculator.py")
    transcript.says("It adds.")
    end("It adds.")
    end()
    one, two = traces(caller)
    assert (one["task"], one["final_response"]) == ("What is in here?", "A calculator.")
    assert (two["task"], two["final_response"], two["tools_used"]) == ("And what does it do?", "It adds.", ["Bash"])
    assert (one["review_status"], two["review_status"]) == ("pending", "pending")
    assert (two["model"], two["metadata"]["client"]) == ("claude-opus-4-8", "claude-code")


def test_nothing_is_stored_twice_where_the_sessions_file_is_lost(
    transcript: Transcript, caller: Caller, home: Path, end: Any
) -> None:
    transcript.asks("What is in here?")
    transcript.runs("ls")
    end()
    for file in (home / "sessions").iterdir():
        file.unlink()
    end()
    assert len(traces(caller)) == 1


def test_tests_review_the_run_and_the_user_overrules_them(transcript: Transcript, caller: Caller, end: Any) -> None:
    transcript.asks("Make the tests pass")
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.runs(UNITTEST)
    transcript.says("They pass.")
    end()
    (first,) = traces(caller)
    assert (first["review"]["result"], first["review"]["source"]) == ("pass", "tests")
    assert "OK" in first["review"]["feedback"]
    transcript.asks("No, still broken: add(2.5) crashes")
    transcript.runs("cat calculator.py")
    transcript.says("I see.")
    end()
    first, second = traces(caller)
    assert (first["review"]["result"], first["review"]["source"]) == ("fail", "user")
    assert "still broken" in first["review"]["feedback"]
    assert second["task"] == "Make the tests pass\n\nNo, still broken: add(2.5) crashes"
    transcript.asks("that works, thanks")
    transcript.says("You are welcome.")
    end()
    first, second = traces(caller)
    assert (first["review"]["result"], second["review"]["result"], second["review"]["source"]) == (
        "fail",
        "pass",
        "user",
    )


def test_praise_that_is_taken_back_fails_the_run_and_is_no_task(
    transcript: Transcript, caller: Caller, end: Any
) -> None:
    transcript.asks("Make the tests pass")
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.says("Done.")
    end()
    transcript.asks("that works, thanks")
    call = transcript.uses("mcp__reflect__memory_stats", {})
    transcript.results(call, "{}")
    transcript.says("You are welcome.")
    end()
    (praised,) = traces(caller)
    assert (praised["review"]["result"], praised["review"]["source"]) == ("pass", "user")
    transcript.asks("no, still broken: add(2.5) crashes")
    transcript.edits("calculator.py", "a + b", "int(a) + b")
    transcript.says("And now?")
    end()
    end()
    first, second = traces(caller)
    assert (first["review"]["result"], first["review"]["source"]) == ("fail", "user")
    assert first["review"]["feedback"].endswith("no, still broken: add(2.5) crashes")
    assert (first["memory"]["id"], first["memory"]["success"]) == (praised["memory"]["id"], False)
    assert second["task"] == "Make the tests pass\n\nno, still broken: add(2.5) crashes"
    transcript.asks("that works, thanks")
    transcript.runs("ls")
    transcript.says("I looked once more.")
    end()
    first, second, third = traces(caller)
    assert [trace["review"] and trace["review"]["result"] for trace in (first, second, third)] == ["fail", "pass", None]
    assert third["task"].startswith("Make the tests pass\n\n")


def test_a_turn_that_goes_on_is_handed_in_further(transcript: Transcript, caller: Caller, end: Any) -> None:
    transcript.asks("Make the tests pass")
    transcript.runs(UNITTEST)
    transcript.says("They fail.")
    end()
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.runs(UNITTEST)
    transcript.says("They pass.")
    end()
    end()
    first, rest = traces(caller)
    assert (first["review"]["result"], rest["review"]["result"]) == ("fail", "pass")
    assert rest["trace_key"] == f"{first['trace_key']}#2"
    assert "They fail." not in rest["trajectory"]


def test_what_the_agent_handed_in_itself_is_only_reviewed(transcript: Transcript, caller: Caller, end: Any) -> None:
    trace = caller.call("submit_trace", {"task": "Make the tests pass"})["trace_id"]
    transcript.asks("Make the tests pass")
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.runs(UNITTEST)
    call = transcript.uses("mcp__reflect__submit_trace", {"task": "Make the tests pass"})
    transcript.results(call, [{"type": "text", "text": f'{{"trace_id":"{trace}"}}'}])
    end()
    (stored,) = traces(caller)
    assert stored["trace_id"] == trace
    assert (stored["review"]["result"], stored["review"]["source"]) == ("pass", "tests")


def test_the_turn_after_the_one_that_ended_waits_for_its_own_end(
    transcript: Transcript, caller: Caller, end: Any
) -> None:
    transcript.asks("one")
    transcript.runs("ls")
    turn = transcript.prompt_id
    transcript.asks("two")
    transcript.runs("ls")
    end(turn=turn)
    assert [trace["task"] for trace in traces(caller)] == ["one"]


def test_secrets_and_recalled_text_are_not_kept(transcript: Transcript, caller: Caller, home: Path, end: Any) -> None:
    transcript.asks(f"Use the token {SECRET} to push")
    transcript.runs(f"echo {SECRET}")
    transcript.attaches("<mcp-reflect-recall>RECALLED</mcp-reflect-recall>")
    transcript.says(f"Pushed with {SECRET}.")
    end()
    (stored,) = traces(caller)
    assert "[redacted:" in stored["trajectory"]
    caller.close()
    assert files_with(home, SECRET.encode(), b"RECALLED") == []


def test_a_run_is_kept_even_if_a_memory_it_was_given_is_gone(
    transcript: Transcript, caller: Caller, home: Path, end: Any
) -> None:
    from mcp_reflect.hooks.session_state import SessionState  # noqa: PLC0415

    transcript.asks("one")
    SessionState(str(home), "claude-code", transcript.session).show(transcript.prompt_id, ["mem_000000000000"], [])
    transcript.runs("ls")
    end()
    (stored,) = traces(caller)
    assert stored["retrieved_memory_ids"] == []


def test_a_session_without_a_transcript_costs_nothing(transcript: Transcript, caller: Caller, end: Any) -> None:
    with pytest.raises(OSError, match="No such file"):
        end()
    assert traces(caller) == []
