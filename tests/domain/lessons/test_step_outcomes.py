"""Whether a command failed where nothing but its output tells."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.lessons.run.commands.effects import hides_status
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse

ERROR = "org.apache.kafka.common.errors.InconsistentGroupProtocolException: not supported by existing members"
REPORT = ("./report.sh", "Error: 3 of 900 rows have no region\n\n\nwritten to out.html", None)
BROKEN = ("python go.py", "Traceback (most recent call last):\nKeyError: 'id'", None)


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
    rolled_back = ("kubectl logs bs-0 | tail -2; ./deploy.sh --rollback", f"{ERROR}\nrolled back", None)
    assert outcomes(rolled_back) == [None]  # nor is it known that this ended well
    assert outcomes(("kubectl logs bs-0; ./deploy.sh --rollback", "ready\nrolled back", None)) == [False]
    assert outcomes(("./deploy.sh", ERROR, None)) == [True]


def test_a_code_in_an_answer_tells_that_a_command_failed() -> None:
    for answer in ({"rc": 1, "stderr": "renewal is off"}, {"code": 2, "output": "no"}, {"exit_status": 1, "out": ""}):
        assert outcomes(("step ca renew", json.dumps(answer), None)) == [True]
    assert outcomes(("step ca renew", json.dumps({"rc": 0, "stdout": "Error codes: none"}), None)) == [False]


def test_an_error_behind_a_file_that_is_shown_first_is_one() -> None:
    output = "Error: creating bucket: AccessDenied\n\n  on main.tf line 3"
    assert outcomes(("cat main.tf; terraform apply", output, None)) == [True]


def test_a_client_that_flags_failures_flags_each() -> None:
    assert outcomes(REPORT, BROKEN, ("make", "boom", True)) == [False, None, True]
    assert outcomes(REPORT, BROKEN) == [True, True]


def test_what_a_client_did_not_run_flags_no_failure() -> None:
    assert outcomes(REPORT, ("rm -rf /", "Permission to use Bash has been denied.", True)) == [True, True]


def test_a_pipe_that_hides_the_status_is_read_all_the_same() -> None:
    piped = ("pytest | tail -3", "E   AssertionError: assert 1 == 2\n1 failed", None)
    assert outcomes(piped, ("make", "boom", True)) == [True, True]


@pytest.mark.parametrize(
    ("command", "is_hidden"),
    [
        ("git submodule update 2>&1; git status -sb", True),
        ("make\nls -la", True),
        ("cat a.log; make; ls", False),
        ("cd app && make && ls", False),
        ("ls; pwd", False),
    ],
)
def test_a_look_behind_a_command_has_a_status_of_its_own(command: str, is_hidden: bool) -> None:
    assert hides_status(command) is is_hidden
    assert outcomes((command, "fatal: transport 'file' not allowed\n M theme", False)) == [is_hidden]


@pytest.mark.parametrize("name", ["read_file", "view", "str_replace_editor", "mcp__files__readFile", "open_file"])
def test_what_looks_like_an_error_in_a_file_that_is_shown_is_a_line_of_it(name: str) -> None:
    key = "absolute_path" if name == "read_file" else "path"
    given = {key: "src/hook.js", **({"command": "view"} if name == "str_replace_editor" else {})}
    shown = '1  const x = 1;\n2  if (!ok) {\n3    return res.status(401).json({ error: "bad signature" })\n4  }'
    use = {"type": "tool_use", "id": "1", "name": name, "input": given}

    def outcome(output: str) -> bool | None:
        result = {"type": "tool_result", "tool_use_id": "1", "content": output}
        said = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        return find_steps(parse(json.dumps(said)))[0].failed

    assert outcome(shown) is False
    assert outcome("Error: no such file: src/hook.js") is True


@pytest.mark.parametrize(
    "mark",
    [
        "[Request interrupted by user for tool use]",
        "[Request interrupted by user]",
        "aborted by user after 3.2s",
        "Interrupted · What should Claude do instead?",
    ],
)
def test_a_command_that_its_user_stopped_did_not_work(mark: str) -> None:
    assert outcomes(("git push --force-with-lease", mark, None)) == [True]
    assert outcomes(("cat session.log", f"{mark}\nthe next line", None)) == [False]
