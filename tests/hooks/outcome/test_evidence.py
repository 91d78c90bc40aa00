from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.outcome.evidence import Evidence, find_evidence
from mcp_reflect.hooks.outcome.testing import detect_test_run, judge_test_output
from mcp_reflect.hooks.transcripts.clients import claude_code
from mcp_reflect.hooks.transcripts.turn import SessionTurn
from tests.support.claude import Transcript

UNITTEST = f"{sys.executable} -m unittest -q"
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"


def turn_of(transcript: Transcript) -> SessionTurn:
    return claude_code.read_turns(HookEvent("stop", "claude-code", "s", transcript=str(transcript.path)), 0)[-1]


def found(transcript: Transcript) -> Evidence | None:
    return find_evidence(turn_of(transcript))


@pytest.mark.parametrize("command", [UNITTEST, PYTEST, f"{PYTEST} 2>&1 | tail -5", f"cd . && {UNITTEST}"])
def test_the_last_tests_after_the_last_edit_count(transcript: Transcript, command: str) -> None:
    transcript.asks("make the tests pass")
    transcript.runs(command)
    failed = found(transcript)
    assert failed is not None
    assert (failed.result, failed.source) == ("fail", "tests")
    assert "add" in failed.words
    transcript.edits("calculator.py", "a - b", "a + b")
    assert found(transcript) is None
    transcript.runs(command)
    passed = found(transcript)
    assert passed is not None
    assert (passed.result, passed.source) == ("pass", "tests")
    assert passed.words.startswith(f"$ {command}\n")
    transcript.runs("git status --short; ls")
    assert found(transcript) == passed
    transcript.runs("sed -i.bak 's/a + b/a - b/' calculator.py")
    assert found(transcript) is None


def test_tests_that_passed_prove_nothing_where_the_user_may_object(transcript: Transcript) -> None:
    transcript.asks("make the tests pass")
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.runs(UNITTEST)
    assert found(transcript) is not None
    transcript.asks("tests are green but add(2.5) crashes in production")
    event = HookEvent("stop", "claude-code", "s", transcript=str(transcript.path))
    assert find_evidence(claude_code.read_turns(event, 0)[0]) is None


def test_the_users_word_counts_more_than_tests(transcript: Transcript) -> None:
    transcript.asks("make the tests pass")
    transcript.runs(UNITTEST)
    transcript.asks("that works, thanks")
    event = HookEvent("stop", "claude-code", "s", transcript=str(transcript.path))
    verdict = find_evidence(claude_code.read_turns(event, 0)[0])
    assert verdict == Evidence("pass", "user", "The user said next: that works, thanks")


@pytest.mark.parametrize(
    "command",
    [
        f"{PYTEST} -k nothing_matches",
        f"{PYTEST} --collect-only",
        "no-such-program test; pytest-of-no-such-name",
        f"{PYTEST} --version",
        "grep -rn pytest . ; echo '3 passed in 0.1s'",
        "git commit -m 'run pytest; all pass'",
    ],
)
def test_what_did_not_run_tests_is_no_evidence(transcript: Transcript, command: str) -> None:
    transcript.asks("look around")
    transcript.runs(command)
    assert found(transcript) is None


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_test_counts_by_its_exit_code(transcript: Transcript, project: Path) -> None:
    (project / "Makefile").write_text("test:\n\t@grep -q 'a + b' calculator.py\n", encoding="utf-8")
    transcript.asks("make the tests pass")
    transcript.runs("make test")
    assert getattr(found(transcript), "result", None) == "fail"
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.runs("make test")
    assert getattr(found(transcript), "result", None) == "pass"
    transcript.runs("make test; true")
    assert found(transcript) is None


def test_tests_that_the_user_stopped_are_no_evidence(transcript: Transcript) -> None:
    transcript.asks("make the tests pass")
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    transcript.results(transcript.uses("Bash", {"command": "pytest"}), refusal, failed=True)
    assert found(transcript) is None


OUTPUTS = [
    ("npm test", "Tests:       1 failed, 3 passed, 4 total", 1, "fail"),
    ("npm test", "Tests:       4 passed, 4 total", 0, "pass"),
    ("npx mocha", "  3 passing (12ms)\n  1 failing", 1, "fail"),
    ("go test ./...", "ok  \texample.org/a\t0.003s\n--- FAIL: TestB (0.00s)\nFAIL", 1, "fail"),
    ("go test ./...", "ok  \texample.org/a\t0.003s", 0, "pass"),
    ("cargo test", "test result: ok. 5 passed; 0 failed; 0 ignored", 0, "pass"),
    ("cargo test", "test result: FAILED. 4 passed; 1 failed; 0 ignored", 101, "fail"),
    ("bundle exec rspec", "5 examples, 1 failure", 1, "fail"),
    ("pytest | tail -1", "5 passed, 1 skipped in 0.32s", 0, "pass"),
    ("pytest | tail -1", "1 failed, 5 passed in 0.32s", 0, "fail"),
    ("pytest", "5 passed in 0.32s", 1, None),
    ("pytest", "no tests ran in 0.01s", 5, None),
    ("pytest", "sh: pytest: command not found", 127, None),
    ("pytest | tail -1", "", 0, None),
    ("pytest; echo", "", 0, None),
    ("pytest && ruff check .", "E501 too long", 1, None),
    ("cd nowhere && pytest", "cd: nowhere: No such file or directory", 1, None),
]


@pytest.mark.parametrize(("command", "output", "code", "wanted"), OUTPUTS)
def test_output_and_exit_code_speak_with_one_voice(command: str, output: str, code: int, wanted: str | None) -> None:
    run = detect_test_run(command)
    assert run is not None
    assert judge_test_output(run, output, code) == wanted


@given(st.text(alphabet="pytes \n;&|<>()'\"\\#$-=m"), st.text(), st.none() | st.integers(-10, 300))
def test_any_command_and_output_has_one_result_at_most(command: str, output: str, code: int | None) -> None:
    run = detect_test_run(command)
    assert run is None or judge_test_output(run, output, code) in {"pass", "fail", None}
