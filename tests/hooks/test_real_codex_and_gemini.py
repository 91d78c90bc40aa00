"""The hooks in the real Codex and Gemini CLI, with a scripted model behind them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_reflect.wire.caller import Caller
from tests.hooks.outcome.test_evidence import UNITTEST
from tests.hooks.test_recorded import WRAPPING
from tests.hooks.test_sessions import TASK, handed_in
from tests.support.claude import failing_run
from tests.support.hubs import posix
from tests.support.real_clients import CLIENTS, PROGRAMS, require_program, run_client
from tests.support.scripted_models import Step, responses_answer, scripted_model
from tests.support.waiting import until

pytestmark = [posix, pytest.mark.slow]


def lesson(request: str) -> Step:
    """Answers the hook's request for a lesson."""
    (trace_id,) = set(re.findall(r"It is stored as (trace_\w+)", request))
    arguments = {"trace_id": trace_id, "result": "", "guidance": "The sign in add() decides."}
    return Step(tool="review_trace", arguments=arguments)


@pytest.mark.parametrize("name", list(CLIENTS))
def test_a_session_is_one_run_with_the_agents_lesson_and_brings_a_known_fix(
    name: str, tmp_path: Path, project: Path, home: Path, caller: Caller
) -> None:
    require_program(name)
    error = "ModuleNotFoundError: No module named 'nosuchmodule'"
    fix = {"task": "run the importer", "mistake": error, "evidence": error, "fix": "pip install such-module"}
    caller.call("record_error_fix", fix)
    script = [
        Step(command=UNITTEST),
        Step(command="python3 -c 'import nosuchmodule'"),
        Step(command="sed -i.bak 's/a - b/a + b/' calculator.py"),
        Step(command=UNITTEST),
        Step("They pass."),
        lesson,
        Step("Written."),
    ]
    with scripted_model(script, CLIENTS[name].answer) as model:
        run_client(name, TASK, project, home, model)
        assert model.script == []
        assert any("This error was met here before" in request for request in model.asked)
    until(lambda: [trace["memory"]["author"] for trace in handed_in(caller, 1)] == ["agent"])
    (stored,) = handed_in(caller, 1)
    assert (stored["task"], stored["final_response"]) == (TASK, "They pass.")
    assert (stored["review"]["result"], stored["review"]["source"]) == ("pass", "tests")
    assert stored["memory"]["guidance"] == "The sign in add() decides."
    assert [words for words in WRAPPING if words in stored["trajectory"]] == []


@pytest.mark.skipif(not PROGRAMS["codex"], reason="codex is neither on PATH nor named by MCP_REFLECT_TEST_CODEX")
def test_codex_brings_the_fix_before_a_command_that_failed_in_an_earlier_run(
    tmp_path: Path, project: Path, home: Path, caller: Caller
) -> None:
    command = "python3 -c 'import nosuchmodule'"
    caller.call("submit_trace", {"task": "Run the importer", "trajectory": failing_run(command)})
    with scripted_model([Step(command=command), Step("It is not there.")], responses_answer) as model:
        run_client("codex", TASK, project, home, model)
        told = [request for request in model.asked if "This call failed here before" in request]
    assert told
    assert all("pip install such-module" in request for request in told)
    assert any("Process exited with code 1" in request for request in told)  # it ran all the same
