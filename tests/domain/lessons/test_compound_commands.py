"""Compound commands in parts, and the errors that a run fixed in the midst of them."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.fixed_errors import find_fixed_errors
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.run.compound_commands import separated_steps
from mcp_reflect.domain.lessons.run.step import Step


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("command", "Bash", command, failed=failed, output=output)


def parts(step: Step) -> list[tuple[str, bool | None]]:
    return [(part.subject, part.failed) for part in separated_steps([step])]


def test_every_part_of_what_worked_worked() -> None:
    step = ran("cd app && git mv a b && make gen; ls -l", "gen.py")
    assert parts(step) == [("cd app && git mv a b", None), ("cd app && make gen", None), ("cd app && ls -l", False)]
    assert parts(ran("git mv a b && make gen")) == [("git mv a b", False), ("make gen", False)]
    assert [part.output for part in separated_steps([step])] == ["", "", "gen.py"]


def test_a_command_in_the_place_of_a_file_is_no_part() -> None:
    joined = "join <(sort a.txt) <(sort b.txt) > c.txt"
    assert parts(ran(f"{joined} && wc -l c.txt")) == [(joined, False), ("wc -l c.txt", False)]


def test_what_failed_is_the_part_that_acts() -> None:
    assert parts(ran("cat load.sh && sh load.sh", failed=True)) == [("cat load.sh", False), ("sh load.sh", True)]
    assert parts(ran("rustc sum.rs && ./sum", failed=True)) == [("rustc sum.rs && ./sum", True)]
    found = parts(ran("ls; make gen 2>&1 | tail -5; exit ${PIPESTATUS[0]}", failed=True))
    assert found == [("ls", None), ("make gen", True)]


@pytest.mark.parametrize(
    "command",
    [
        "for f in *; do cat $f; done",
        "echo 'a && b; c'",
        "cat <<E\na && b\nE",
        "(a && b)",
        "a || b && c",
        "sleep 9 & make",
    ],
)
def test_a_script_is_one_step(command: str) -> None:
    assert parts(ran(command)) == [(command, False)]


def test_a_command_that_failed_as_a_whole_is_met_again_as_one() -> None:
    both = [ran("rustc sum.rs && ./sum", failed=True), ran("rustc sum.rs && ./sum")]
    assert [step.subject for step in separated_steps(both)] == ["rustc sum.rs && ./sum"] * 2


def test_what_failed_is_the_part_with_which_the_run_went_on() -> None:
    failed = ran("git rm -q old.cfg && git commit -m 'Remove old.cfg'", "commit-msg: ticket missing", failed=True)
    steps = list(separated_steps([failed, ran("git commit -m 'OPS-0: remove old.cfg'")]))
    assert [(step.subject, step.failed) for step in steps[:2]] == [
        ("git rm -q old.cfg", False),
        ("git commit -m 'Remove old.cfg'", True),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.triggers == ("run git commit -m 'Remove old.cfg'", f"run {failed.subject}")


def test_an_error_is_fixed_where_the_command_passes_within_another() -> None:
    failed = ran("php bin/send.php", 'PHP Fatal error: Class "App\\Mail\\Sender" not found', failed=True)
    steps = list(separated_steps([failed, ran("git mv src/mail src/Mail && php bin/send.php")]))
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.fix == "Run `git mv src/mail src/Mail`"
    assert fixed.triggers == ("run php bin/send.php",)


def test_a_variant_that_worked_but_did_not_do_is_no_fix() -> None:
    error = "FAILED: Multiple head revisions are present for given argument 'head'"
    steps = [
        ran("alembic upgrade head", error, failed=True),
        ran("alembic upgrade heads"),
        ran("alembic merge -m both heads && alembic upgrade head"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(list(separated_steps(steps))))
    assert fixed.fix == "Run `alembic merge -m both heads`"


def test_a_long_odd_command_takes_no_longer() -> None:
    for text in ("a && " * 20_000, "a;" * 40_000, "'" * 50_000, "cd x && " * 10_000):
        assert parts(ran(text))
        assert parts(ran(text, "failed", failed=True))


def test_a_compound_command_that_failed_as_a_whole_worked_in_another_form() -> None:
    shrink = "cd pictures && gm mogrify -resize {size} *.jpg && cd .. && ./check.sh"
    failed = ran(shrink.format(size="400x300"), "plaza.jpg: 400x225, 400x300 was expected", failed=True)
    worked = shrink.format(size="'400x300^' -extent 400x300")
    [fixed] = find_fixed_errors(ReadSteps(list(separated_steps([failed, ran(worked)]))))
    assert fixed.fix == f"Run `{worked}` instead of `{failed.subject}`"
