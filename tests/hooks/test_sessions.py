"""Whole sessions, with each hook a process, against a real hub in an empty home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.wire.caller import Caller
from tests.hooks.outcome.test_evidence import UNITTEST
from tests.hooks.test_settle import traces
from tests.support.claude import Transcript
from tests.support.hubs import hub_pids, posix
from tests.support.waiting import until

pytestmark = posix

TASK = "Make the calculator's tests pass"


def handed_in(caller: Caller, count: int) -> list[dict[str, Any]]:
    """The traces, once there are so many and each is reviewed: a worker hands them in."""

    def there() -> list[dict[str, Any]] | None:
        found = traces(caller)
        return found if len(found) == count and all(each["review"] for each in found) else None

    return list(until(there))


def test_the_second_session_is_given_what_the_first_one_learned(project: Path, home: Path, caller: Caller) -> None:
    first = Transcript(project, home)
    assert first.hook("SessionStart", source="startup") == ""
    assert first.prompt(TASK) == ""
    first.runs(UNITTEST)
    first.edits("calculator.py", "a - b", "a + c")
    first.runs(UNITTEST)
    first.stops("I could not make them pass.")
    first.hook("SessionEnd", reason="other")
    (failed,) = handed_in(caller, 1)
    assert (failed["review"]["result"], failed["review"]["source"]) == ("fail", "tests")
    assert "NameError" in failed["review"]["feedback"]
    lesson = failed["memory"]
    assert (lesson["success"], lesson["q_value"]) == (False, 0.5)

    second = Transcript(project, home)
    assert TASK in second.hook("SessionStart", source="startup")
    told = second.prompt("The tests of the calculator must pass, please mend it")
    assert TASK in told
    assert "NameError" in told
    assert "failed" in told
    second.edits("calculator.py", "a + c", "a + b")
    second.runs(UNITTEST)
    second.stops("They pass.")
    handed_in(caller, 2)
    # Neither is the same lesson told twice in a session, nor what the session itself did; but the credit goes on.
    assert second.prompt("Now make the calculator's tests pass once more") == ""
    second.runs(UNITTEST)
    second.stops("They still pass.")
    second.hook("SessionEnd", reason="other")

    _, passed, again = handed_in(caller, 3)
    assert passed["review"]["result"] == again["review"]["result"] == "pass"
    assert passed["retrieved_memory_ids"] == [lesson["id"]]
    assert lesson["id"] in again["retrieved_memory_ids"]
    assert "mcp-reflect-recall" not in passed["trajectory"]
    memories = caller.call("query_memories", {"task": TASK})["memories"]
    moved = next(memory for memory in memories if memory["id"] == lesson["id"])
    assert moved["q_value"] == pytest.approx(0.5 + 0.3 * 0.5 + 0.3 * 0.35)
    assert moved["reviews"] == 2


def test_the_agent_is_asked_once_for_the_lesson_of_a_run_that_taught_something(
    project: Path, home: Path, caller: Caller
) -> None:
    session = Transcript(project, home)
    session.prompt(TASK)
    session.runs(UNITTEST)
    session.edits("calculator.py", "a - b", "a + b")
    session.runs(UNITTEST)
    asked = session.stops("They pass.")
    (stored,) = handed_in(caller, 1)
    assert f'trace_id="{stored["trace_id"]}"' in asked
    assert stored["memory"]["author"] == "extractive"
    lesson = {"trace_id": stored["trace_id"], "result": "", "guidance": "The sign in add() decides."}
    call = session.uses("mcp__plugin_mcp-reflect_reflect__review_trace", lesson)
    session.results(call, json.dumps(caller.call("review_trace", lesson)))
    assert session.stops("Written.", continued=True) == ""
    assert session.stops("Written.") == ""
    session.hook("SessionEnd", reason="other")
    session.prompt("What is in here?")
    session.runs("ls")
    assert session.stops("A calculator.") == ""
    taught, _ = until(lambda: found if len(found := traces(caller)) == 2 else None)
    assert (taught["memory"]["id"], taught["memory"]["author"]) == (stored["memory"]["id"], "agent")
    assert (taught["review"]["result"], taught["review"]["source"]) == ("pass", "tests")


def test_a_failing_command_is_offered_the_fix_that_is_known(project: Path, home: Path, caller: Caller) -> None:
    error = "ModuleNotFoundError: No module named 'nosuchmodule'"
    fix = {"task": "run the importer", "mistake": error, "evidence": error, "fix": "pip install such-module"}
    caller.call("record_error_fix", fix)
    session = Transcript(project, home)
    session.prompt("Paint the bicycle shed green")
    failing = {"tool_name": "Bash", "tool_input": {"command": "python3 -c 'import nosuchmodule'"}}
    shown = f'Exit code 1\nTraceback (most recent call last):\n  File "<string>", line 1, in <module>\n{error}'
    assert "pip install such-module" in session.hook("PostToolUseFailure", **failing, error=shown, is_interrupt=False)
    assert session.hook("PostToolUseFailure", **failing, error=shown, is_interrupt=False) == ""
    other = Transcript(project, home)
    response = {"stdout": "", "stderr": f"Traceback\n{error}", "exit_code": 1}
    assert "pip install such-module" in other.hook("PostToolUse", **failing, tool_response=response)
    third = Transcript(project, home)
    assert third.hook("PostToolUse", **failing, tool_response={"stdout": error, "stderr": ""}) == ""
    assert third.hook("PostToolUseFailure", **failing, error="Exit code 1\nls: cannot access 'x'") == ""


def test_nothing_is_added_where_nothing_fits_or_it_is_switched_off(project: Path, home: Path, caller: Caller) -> None:
    lesson = {"task": TASK, "review_result": "pass", "guidance": "Look at the sign."}
    caller.call("submit_trace", lesson)
    session = Transcript(project, home)
    assert session.prompt("Translate this poem about the sea into Finnish") == ""
    assert session.prompt("/clear") == ""
    assert session.prompt("that works, thanks") == ""
    session.variables = {"MCP_REFLECT_HOOKS__MEMORIES": "0"}
    assert session.prompt(TASK) == ""
    session.variables = {}
    assert "Look at the sign." in session.prompt(TASK)


def test_a_session_that_is_not_to_be_handed_in_is_not(project: Path, home: Path, caller: Caller) -> None:
    silent, other = Transcript(project, home), Transcript(project, home)
    silent.variables = {"MCP_REFLECT_HOOKS__SUBMIT": "false"}
    for session, task in ((silent, "What is in here?"), (other, "What is the second task?")):
        session.prompt(task)
        session.runs("ls")
        session.stops("A calculator.")
    # Had the first been handed in, that would have begun before.
    until(lambda: bool(traces(caller)))
    assert [trace["task"] for trace in traces(caller)] == ["What is the second task?"]


def test_a_later_stop_hands_in_what_an_earlier_one_did_not(project: Path, home: Path, caller: Caller) -> None:
    session = Transcript(project, home)
    session.variables = {"MCP_REFLECT_HOOKS__SUBMIT": "false"}
    session.prompt("What is in here?")
    session.runs("ls")
    session.stops("A calculator.")
    session.variables = {}
    session.prompt("What is the second task?")
    session.runs("ls")
    session.stops("The second.")
    # Both are in the transcript; the second stop hands in what the first one did not.
    until(lambda: len(traces(caller)) == 2)


def test_a_command_that_failed_in_an_earlier_session_brings_its_fix_before_it_runs(
    project: Path, home: Path, caller: Caller
) -> None:
    (project / "report.py").write_text("import calculators\n", encoding="utf-8")
    first = Transcript(project, home)
    first.prompt("Run the report")
    first.runs("python3 report.py")
    first.edits("report.py", "calculators", "calculator")
    first.runs("python3 report.py")
    first.stops("It runs.")
    until(lambda: caller.call("list_traces", {"review_status": "all"})["traces"])
    second = Transcript(project, home)
    failing = {"tool_name": "Bash", "tool_input": {"command": f"cd {project} && python3 report.py"}}
    assert second.hook("PreToolUse", **failing) == ""  # the edit that mended it is in place
    (project / "report.py").write_text("import calculators\n", encoding="utf-8")  # as in a branch that lacks it
    told = second.hook("PreToolUse", **failing)
    assert "`calculators` → `calculator`" in told
    assert second.hook("PreToolUse", **failing) == ""  # once in a session
    other = {"tool_name": "Bash", "tool_input": {"command": "python3 report.py --all"}}
    assert Transcript(project, home).hook("PreToolUse", **other) == ""
    assert Transcript(project, home).hook("PreToolUse", **{**failing, "tool_name": "Read"}) == ""
    silent = Transcript(project, home)
    silent.variables = {"MCP_REFLECT_HOOKS__MEMORIES": "0"}
    assert silent.hook("PreToolUse", **failing) == ""


def test_no_command_waits_for_a_hub(project: Path, home: Path) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    assert Transcript(project, home).hook("PreToolUse", **call) == ""
    assert hub_pids(home) == []
    assert not (home / "hooks.log").exists()
