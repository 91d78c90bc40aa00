"""When the end of a turn asks the agent for a lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.lesson_request import find_occasion, is_wanted
from mcp_reflect.hooks.options import HookOptions
from mcp_reflect.hooks.transcripts.turn import SessionTurn
from tests.hooks.outcome.test_evidence import UNITTEST, turn_of
from tests.support.claude import Transcript

if TYPE_CHECKING:
    from mcp_reflect.hooks.event import HookEventKind


def test_what_failed_and_was_made_to_work_is_an_occasion(transcript: Transcript) -> None:
    transcript.asks("Run the importer")
    transcript.runs("python3 importer.py")
    assert find_occasion(turn_of(transcript)) == ""
    (transcript.folder / "importer.py").write_text("print('imported')\n", encoding="utf-8")
    transcript.results(transcript.uses("Write", {"file_path": "importer.py", "content": "print('imported')"}), "ok")
    transcript.runs("python3 importer.py")
    assert find_occasion(turn_of(transcript)) == "In this run something failed and was made to work."
    transcript.uses("mcp__reflect__record_error_fix", {"task": "t", "mistake": "m", "fix": "f"})
    assert find_occasion(turn_of(transcript)) == ""


def test_tests_that_turned_green_are_an_occasion_and_green_ones_are_not(transcript: Transcript) -> None:
    transcript.asks("Make the tests pass")
    transcript.edits("calculator.py", "a - b", "a + b")
    transcript.runs(UNITTEST)
    assert find_occasion(turn_of(transcript)) == ""
    transcript.edits("calculator.py", "a + b", "a + c")
    transcript.runs(UNITTEST)
    assert find_occasion(turn_of(transcript)) == ""
    transcript.edits("calculator.py", "a + c", "a + b")
    transcript.runs(UNITTEST)
    assert find_occasion(turn_of(transcript)) == "In this run tests failed and were made to pass."


def test_a_correction_is_an_occasion_once_it_is_acted_on(transcript: Transcript) -> None:
    transcript.asks("no, still broken: it subtracts")
    transcript.says("I see.")
    assert find_occasion(turn_of(transcript)) == ""
    transcript.edits("calculator.py", "a - b", "a + b")
    assert find_occasion(turn_of(transcript)).startswith("The user corrected")


@pytest.mark.parametrize(
    ("first", "then", "asks"),
    [
        ("prove -l t", "prove -lr t", True),
        ("git commit -m 'Add the importer'", "git commit -m 'Add the exporter'", False),
        ("pytest tests/test_prices.py", "pytest tests/test_stock.py", False),
        ("prove -l t", "prove -l t", False),
    ],
)
def test_work_done_over_at_the_users_word_is_an_occasion_whatever_the_word(first: str, then: str, asks: bool) -> None:
    def turn(prompt: str, command: str) -> SessionTurn:
        use = {"type": "tool_use", "id": command, "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": command, "content": "ok", "is_error": False}
        messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        return SessionTurn(prompt, prompt, messages)

    before, after = turn("Run the tests", first), turn("There are more below t/rounding", then)
    assert (find_occasion(after, before) != "") is asks
    assert find_occasion(after) == ""


@pytest.mark.parametrize(
    ("kind", "continued", "setting", "entrypoint", "asks"),
    [
        ("stop", False, "interactive", "cli", True),
        ("stop", False, "interactive", "", True),
        ("stop", False, "interactive", "sdk-cli", False),
        ("stop", False, "always", "sdk-cli", True),
        ("stop", False, "never", "cli", False),
        ("stop", True, "always", "cli", False),
        ("end", False, "always", "cli", False),
    ],
)
def test_who_is_asked(kind: HookEventKind, continued: bool, setting: str, entrypoint: str, asks: bool) -> None:
    event = HookEvent(kind, "claude-code", "s", continued=continued)
    environ = {"CLAUDE_CODE_ENTRYPOINT": entrypoint} if entrypoint else {}
    assert is_wanted(event, HookOptions(ask_for_lesson=setting), environ) is asks
