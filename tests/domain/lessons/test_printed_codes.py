"""A command line that prints the exit code of its command says by that whether the command failed."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.printed_codes import printed_codes
from tests.domain.lessons.test_lessons import bash, edit, lesson
from tests.domain.lessons.test_step_outcomes import outcomes
from tests.support.linear_time import takes_linear_time


@pytest.mark.parametrize(
    ("command", "output", "codes", "plain"),
    [
        ('make check; echo "make rc=$?"', "FAIL a\nmake rc=2", [2], "make check"),
        ("pytest -q 2>&1 | tail -3; echo rc=${PIPESTATUS[0]}", "1 failed\nrc=1", [1], "pytest -q"),
        ("npm test\necho exit: $?", "ok\nexit: 0", [0], "npm test"),
        ("ls /data; echo $?", "a.csv\n0", [0], "ls /data"),
        ('for i in 1 2; do ./x; echo "rc=$? n=$i"; done', "rc=1 n=1\nrc=0 n=2", [1, 0], "for i in 1 2; do ./x; done"),
        ("echo $HOME; make", "/root\n12", [], "echo $HOME; make"),
        ("make check", "rc=2", [], "make check"),
    ],
)
def test_the_codes_that_a_command_line_prints(command: str, output: str, codes: list[int], plain: str) -> None:
    assert list(printed_codes(command, output)) == codes
    assert normalised(command) == plain


def test_a_code_beside_an_error_and_one_of_a_signal_are_failures() -> None:
    assert outcomes(("./app; echo rc=$?", "error: cannot open app.db\nrc=1", False)) == [True]
    assert outcomes(("./app; echo rc=$?", "started\nrc=139", False)) == [True]
    assert outcomes(("./check bad.csv; echo rc=$?", "row 3 has no date\nrc=1", False)) == [False]


def test_a_code_is_a_failure_where_the_same_command_passed_in_the_end() -> None:
    broken, fixed = ('./check a.csv; echo "rc=$?"', "row 3 has no date\nrc=1", False), ("./check a.csv", "", False)
    assert outcomes(broken, fixed) == [True, False]
    assert outcomes(fixed, broken) == [False, False]
    run = [*bash(*broken[:2]), *edit("a.csv", "3;", "3;2026-01-04"), *bash('./check a.csv; echo "rc=$?"', "rc=0")]
    told = lesson(run).correct_action
    assert "failed: row 3 has no date" in told
    assert "after editing a.csv (`3;` → `3;2026-01-04`)" in told


@pytest.mark.parametrize("gap", ["\n", " ", "; ", "\n ; "])
def test_a_long_gap_before_what_prints_a_code_takes_linear_time(gap: str) -> None:
    assert takes_linear_time(lambda times: printed_codes(f"make{gap * times}$?", ""), 1_000)
