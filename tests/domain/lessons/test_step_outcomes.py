"""Whether a command failed where nothing but its output tells."""

from __future__ import annotations

import json
from typing import Any

from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse

ERROR = "org.apache.kafka.common.errors.InconsistentGroupProtocolException: not supported by existing members"


def outcomes(*commands: tuple[str, str, bool | None]) -> list[bool | None]:
    messages: list[dict[str, Any]] = []
    for number, (command, output, flag) in enumerate(commands):
        use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": command}}
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output}
        if flag is not None:
            result["is_error"] = flag
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return [step.failed for step in find_steps(parse(json.dumps(messages)))]


def test_errors_in_a_log_that_is_shown_first_are_not_those_of_what_follows() -> None:
    assert outcomes(("kubectl logs bs-0 | tail -2; ./deploy.sh --rollback", f"{ERROR}\nrolled back", None)) == [False]
    assert outcomes(("cat app.log; ./deploy.sh", "ok\nError: cannot deploy", None)) == [True]
    assert outcomes(("./deploy.sh", ERROR, None)) == [True]


def test_a_client_that_flags_failures_flags_each() -> None:
    grep = ("./report.sh", "Error: 3 of 900 rows have no region", None)
    assert outcomes(grep, ("make", "make: *** [all] Error 1", True)) == [False, True]
    assert outcomes(grep) == [True]


def test_a_pipe_that_hides_the_status_is_read_all_the_same() -> None:
    piped = ("pytest | tail -3", "E   AssertionError: assert 1 == 2\n1 failed", None)
    assert outcomes(piped, ("make", "boom", True)) == [True, True]
