"""What people see and what programs read, beside a running hub and without one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.wire.caller import Caller
from tests.support.forks import SHIM
from tests.support.home_files import files_with
from tests.support.hubs import posix, run_command, status
from tests.support.servers import environment
from tests.support.waiting import HANG_S

pytestmark = posix

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}


@pytest.fixture
def caller(home: Path) -> Iterator[Caller]:
    assert run_command(home, "hub", "restart", **LASTING).returncode == 0
    with Caller(environment(home, **LASTING), str(home.parent)) as opened:
        yield opened


def run(caller: Caller, number: int, **more: Any) -> dict[str, Any]:
    caller.call("query_memories", {"task": "Deploy the service", "limit": 3})
    arguments = {"task": f"Deploy the service to region {number}", "guidance": f"Use flag {number}."}
    outcome: dict[str, Any] = caller.call("submit_trace", arguments | more)
    return outcome


def document(home: Path, *words: str) -> Any:
    done = run_command(home, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_memory_is_asked_for_and_shown(home: Path, caller: Caller) -> None:
    run(caller, 1, review_result="pass", metadata={"tool": "shell", "n": 1})
    run(caller, 2, review_result="pass", metadata={"tool": "browser", "n": 2})
    text = run_command(home, "query", "deploy the service", "--limit", "1").stdout
    assert "Use flag" in text
    assert "q_value 0." in text
    assert text.count("mem_") == 1
    for condition, wanted in (("tool=shell", "Use flag 1."), ("n=2", "Use flag 2.")):
        (found,) = document(home, "query", "deploy the service", "--filter", condition)["memories"]
        assert found["guidance"] == wanted
    assert document(home, "query", "deploy the service", "--filter", 'n="2"')["memories"] == []
    assert document(home, "query", "deploy the service", "--filter", "n=" + "[" * 9_000)["memories"] == []
    empty = run_command(home, "query", "deploy", "--filter", "tool=none").stdout
    assert empty == "No memory of project test-project fits.\n"


def test_a_task_comes_back_as_a_prompt_from_stdin_too(home: Path, caller: Caller) -> None:
    run(caller, 1, review_result="pass")
    done = subprocess.run(
        [*SHIM, "augment", "-"],
        env=environment(home),
        input="Deploy the service, schöne Grüße",
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert done.stdout.startswith("Deploy the service, schöne Grüße\n\nRelevant memories:\n")
    assert document(home, "augment", "Deploy the service")["augmented_task"].endswith("Use flag 1.")


def test_runs_are_listed_shown_and_reviewed_by_the_beginning_of_their_ids(home: Path, caller: Caller) -> None:
    first, second = run(caller, 1), run(caller, 2)
    assert run_command(home, "traces").stdout.count("not reviewed") == 2
    reviewed = run_command(home, "review", first["trace_id"][6:14], "fail", "--feedback", "no such region")
    assert "fail" in reviewed.stdout, reviewed.stderr
    pending = document(home, "traces", "--status", "pending")["traces"]
    assert [trace["trace_id"] for trace in pending] == [second["trace_id"]]
    shown = document(home, "show", first["trace_id"][:14])
    assert shown["review"]["feedback"] == "no such region"
    assert shown == caller.call("get_trace", {"trace_id": first["trace_id"]})
    assert "no such region" in run_command(home, "show", first["trace_id"]).stdout


def test_a_retrieval_can_be_shown(home: Path, caller: Caller) -> None:
    memory = run(caller, 1, review_result="pass")["memory"]
    given = caller.call("query_memories", {"task": "Deploy the service"})
    shown = document(home, "show", given["retrieval_id"])
    assert [each["id"] for each in shown["memories"]] == [memory["id"]]


def test_why_tells_every_review_that_moved_a_memory(home: Path, caller: Caller) -> None:
    memory = run(caller, 0, review_result="pass")["memory"]
    outcomes = [run(caller, n, review_result=result) for n, result in enumerate(("pass", "fail", "pass"), 1)]
    caller.call("manage_memory", {"memory_id": memory["id"], "action": "adopt", "reason": "it works"})
    found = document(home, "why", memory["id"][:12])
    assert [move["trace_id"] for move in found["moves"]] == [outcome["trace_id"] for outcome in outcomes]
    assert [move["reward"] for move in found["moves"]] == [1, 0, 1]
    assert found["q_values"] == [0.5, *(move["q_after"] for move in found["moves"])]
    assert found["q_values"][-1] == found["memory"]["q_value"]
    assert found["origins"][0]["trace_id"] == memory["source_trace_id"]
    assert [(entry["action"], entry["reason"]) for entry in found["log"]] == [("adopt", "it works")]
    text = run_command(home, "why", memory["id"]).stdout
    assert "0.500 → 0.650" in text
    assert "▅▆▄▅" in text
    assert "adopt, was active: it works" in text


def test_memories_come_in_the_order_asked_for(home: Path, caller: Caller) -> None:
    ids = [run(caller, n, review_result=result)["memory"]["id"] for n, result in enumerate(("pass", "pass", "fail"))]
    caller.call("record_error_fix", {"task": "build", "mistake": "Disk quota exceeded", "fix": "Clean the cache"})
    listed = {
        order: [each["id"] for each in document(home, "memories", "--sort", order, "--kind", "reflection")["memories"]]
        for order in ("q_value", "use", "age")
    }
    assert listed["age"] == ids[::-1]
    assert listed["use"][-1] == ids[-1]
    values = [each["q_value"] for each in document(home, "memories", "--sort", "q_value")["memories"]]
    assert values == sorted(values, reverse=True)
    (error,) = document(home, "memories", "--kind", "error")["memories"]
    caller.call("manage_memory", {"memory_id": error["id"], "action": "archive"})
    assert document(home, "memories", "--kind", "error")["memories"] == []
    assert len(document(home, "memories", "--kind", "error", "--status", "archived")["memories"]) == 1
    assert len(document(home, "memories", "--status", "all", "--limit", "2")["memories"]) == 2


def test_figures_are_those_of_the_tool(home: Path, caller: Caller) -> None:
    run(caller, 1, review_result="pass")
    assert document(home, "stats") == caller.call("memory_stats", {})
    assert "q_value: 0.50 on average" in run_command(home, "stats").stdout


def test_the_guide_is_written_as_markdown_and_json_and_for_another_project(home: Path, caller: Caller) -> None:
    stored = run(caller, 1, review_result="pass")
    text = run_command(home, "guide").stdout
    assert f"- **Deploy the service to region 1** — Use flag 1.\n  (1 passed: {stored['trace_id']})" in text
    file = home.parent / "guide.md"
    assert run_command(home, "guide", "--output", str(file)).returncode == 0
    assert file.read_text(encoding="utf-8") == text
    (line,) = document(home, "guide")["works"]
    assert (line["text"], line["evidence"]) == ("Use flag 1.", [stored["trace_id"]])
    assert "There is no lesson yet." in run_command(home, "guide", "--project", "another").stdout
    refused = run_command(home, "guide", "--output", str(home / "ledger.db"))
    assert (refused.returncode, "belongs to the memory itself" in refused.stderr) == (2, True)


def test_reading_needs_no_hub_and_starts_none(home: Path) -> None:
    for words in (("traces",), ("memories",), ("stats",)):
        assert run_command(home, *words).returncode == 0
    assert run_command(home, "hub", "status").returncode == 1


def test_asking_works_where_hubs_are_switched_off(home: Path) -> None:
    done = run_command(home, "query", "anything", MCP_REFLECT_HUB__ENABLED="false")
    assert (done.returncode, done.stdout) == (0, "No memory of project test-project fits.\n")
    assert run_command(home, "hub", "status").returncode == 1


def test_programs_that_stop_reading_cause_no_traceback(home: Path, caller: Caller) -> None:
    run(caller, 1, trajectory="line\n" * 200_000)
    (trace,) = document(home, "traces")["traces"]
    process = subprocess.Popen(
        [*SHIM, "show", trace["trace_id"], "--json"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(HANG_S)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("show", "nothing"),
            "ID: unknown nothing. Allowed: ids of project test-project, as issued by",
        ),
        (("why", "trace_0"), "unknown trace_0"),
        (("review", "zzz", "pass"), "unknown zzz"),
        (("forget", "mem_zzz", "--yes"), "unknown mem_zzz"),
        (("query", "x", "--limit", "500"), "mcp-reflect: --limit: got 500. Allowed: a whole number from 1 to 100.\n"),
        (
            ("query", "x", "--filter", "colour"),
            "mcp-reflect: --filter: 'colour' has no key or no =",
        ),
        (("show", "_"), "got '_'"),
    ],
)
def test_a_mistake_is_told_in_one_line(home: Path, words: tuple[str, ...], told: str) -> None:
    done = run_command(home, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_what_is_changed_of_a_memory_is_told_by_what_was_typed(home: Path, caller: Caller) -> None:
    known = run(caller, 1, review_result="pass")["memory"]["id"]
    for words, told in (
        (
            ("edit", known, "--guidance", " "),
            "--guidance: the memory would have no words left. Allowed: some; or forget",
        ),
        (("restore", known), f"ID: {known} is active, and no change of its status is left to undo. Allowed: "),
    ):
        done = run_command(home, "memory", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"mcp-reflect: {told}")
    for words in (("--correct-action", "   "), ("--guidance", " Use flag 1.\n"), ("--summary", "")):
        assert run_command(home, "memory", "edit", known, *words).stdout.startswith("Nothing was changed.\n")
    changed = run_command(home, "memory", "edit", known, "--summary", "Short.").stdout
    assert changed.startswith("Changed:\n")
    changed = run_command(home, "memory", "edit", known, "--guidance", "").stdout
    assert changed.startswith("Changed:\n")
    assert document(home, "show", known)["reflection"] == "Short."


def test_several_ids_with_one_beginning_are_listed(home: Path, caller: Caller) -> None:
    run(caller, 1), run(caller, 2)
    done = run_command(home, "show", "trace_")
    assert done.returncode == 2
    assert done.stderr.count("trace_") == 3


def test_each_shell_is_offered_the_commands(home: Path) -> None:
    asked = {"_MCP_REFLECT_COMPLETE": "complete_bash", "COMP_WORDS": "mcp-reflect forg", "COMP_CWORD": "1"}
    code = (
        "import sys; sys.argv = ['mcp-reflect']; from mcp_reflect.cli.app import run_command_line; run_command_line()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(home, **asked),
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.stdout.strip() == "forget"


def test_forgotten_words_are_in_no_file_of_the_home_and_the_hub_goes_on(home: Path, caller: Caller) -> None:
    first = run(caller, 1, review_result="pass")
    verdict = {"review_result": "pass", "summary": "quixotic", "claims": ["zephyr needs a flag"], "feedback": "fizzle"}
    second = run(caller, 2, trajectory="$ xylograph", **verdict)
    pid = status(home)["pid"]
    foretold = run_command(home, "forget", second["trace_id"])
    assert foretold.returncode == 1
    assert f"q_value of {first['memory']['id']}: 0.650 → 0.500" in foretold.stdout
    assert document(home, "show", first["memory"]["id"])["q_value"] == 0.65

    done = run_command(home, "forget", second["trace_id"], "--yes")
    assert done.returncode == 0, done.stderr
    assert "1 trace and 2 memories forgotten" in done.stdout
    assert "forgotten, but" not in done.stdout
    words = (b"quixotic", b"zephyr", b"fizzle", b"xylograph", second["memory"]["id"].encode())
    assert files_with(home, *words) == []
    found = caller.call("query_memories", {"task": "Deploy the service", "limit": 10})["memories"]
    assert [(memory["id"], memory["q_value"]) for memory in found] == [(first["memory"]["id"], 0.5)]
    assert run_command(home, "verify").returncode == 0
    assert status(home)["pid"] == pid


def test_a_forgotten_error_leaves_the_file_in_the_repository_too(home: Path, tmp_path: Path) -> None:
    mirrored = {"MCP_REFLECT_ERRORS__MIRROR": "errors.jsonl", "CLAUDE_PROJECT_DIR": str(tmp_path)}
    file = tmp_path / "errors.jsonl"
    assert run_command(home, "hub", "restart", **LASTING).returncode == 0
    with Caller(environment(home, **LASTING, **mirrored), str(tmp_path)) as caller:
        for word in ("quixotic", "ordinary"):
            fix = {"task": "build", "mistake": f"The {word} host has no space left", "fix": "Clean the cache"}
            caller.call("record_error_fix", fix)
        known = caller.call("find_error_fixes", {"error": "The quixotic host has no space left"})["fixes"]
        assert "quixotic" in file.read_text()
        done = run_command(home, "forget", known[0]["memory_id"], "--yes", **mirrored)
        assert done.returncode == 0, done.stderr
        assert caller.call("find_error_fixes", {"error": "quixotic host"})["warnings"] == []
    assert "quixotic" not in file.read_text()
    assert "ordinary" in file.read_text()
    assert files_with(home, b"quixotic") == []


def test_what_is_imported_beside_a_hub_is_found_by_its_clients(home: Path, caller: Caller, tmp_path: Path) -> None:
    outcome = run(caller, 1, review_result="pass")
    file = tmp_path / "export.jsonl"
    assert run_command(home, "export", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    elsewhere = {"MCP_REFLECT_PROJECT": "another"}
    with Caller(environment(home, **LASTING, **elsewhere), str(tmp_path)) as other:
        assert other.call("query_memories", {"task": "Deploy the service"})["memories"] == []
        taken = run_command(home, "import", str(file), "--here", **elsewhere)
        assert taken.returncode == 2
        assert outcome["trace_id"] in taken.stderr
        run_command(home, "forget", outcome["trace_id"], "--yes")
        taken = run_command(home, "import", str(file), "--here", **elsewhere)
        assert taken.returncode == 0, taken.stderr
        (found,) = other.call("query_memories", {"task": "Deploy the service"})["memories"]
        assert found["id"] == outcome["memory"]["id"]
        assert run_command(home, "verify", "--all").returncode == 0


def test_a_frozen_hub_is_told_by_what_needs_it_and_done_without_by_what_reads(home: Path, caller: Caller) -> None:
    stored = run(caller, 1)
    pid = int(status(home)["pid"])
    os.kill(pid, signal.SIGSTOP)
    try:
        for command in ("query anything", "hub status", "hub restart", "verify"):
            done = run_command(home, *command.split())
            assert done.returncode == 1 + (command == "verify"), command
            assert done.stderr.startswith(f"mcp-reflect: the hub of {home}, process {pid}, is stopped"), command
        assert stored["trace_id"] in run_command(home, "traces").stdout
    finally:
        os.kill(pid, signal.SIGCONT)
