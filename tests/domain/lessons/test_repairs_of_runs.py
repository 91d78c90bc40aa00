"""A lesson tells the command that mended the task, as it ended, with what failed first; not what was tried in vain."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.lessons.failures.failure_text import short_error
from mcp_reflect.domain.lessons.run.commands.effects import hides_status, shows_text
from mcp_reflect.domain.lessons.run.commands.lines import normalised
from mcp_reflect.domain.lessons.run.commands.variants import parts_of, repeats
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.lessons.test_lessons import bash, edit, lesson, said

WRONG = "Error: cannot find module './dist/index.js'"


def test_a_command_among_others_repeats_the_one_that_failed() -> None:
    told = lesson([*bash("php bin/send.php", WRONG, failed=True), *bash("git mv a A && php bin/send.php", "sent")])
    assert told.correct_action.startswith("`git mv a A && php bin/send.php`. `php bin/send.php` failed: Error: cannot")


def test_the_command_on_something_else_before_the_very_command_worked_is_told_as_the_step_before() -> None:
    failed = bash("flask db upgrade", "OperationalError: no such table: users", failed=True)
    told = lesson([*failed, *bash("flask db upgrade base"), *bash("flask db upgrade")])
    assert told.correct_action.startswith("`flask db upgrade` after `flask db upgrade base`; before that it failed:")


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("python app.py", "python3.11 app.py"),
        ("npx jest a.test.ts", "node --max-old-space-size=4096 node_modules/.bin/jest a.test.ts"),
    ],
)
def test_a_form_with_few_words_in_common_is_told_with_what_failed(command: str, form: str) -> None:
    told = lesson([*bash(command, "Error: it broke", failed=True), *bash(form)])
    assert told.correct_action == f"`{form}`. `{command}` failed: Error: it broke"


def test_a_form_that_worked_but_did_not_do_is_not_told_as_what_worked() -> None:
    run = [
        *bash(
            "alembic upgrade head 2>&1 | tail -5; exit ${PIPESTATUS[0]}", "FAILED: Multiple head revisions", failed=True
        ),
        *bash("alembic upgrade heads"),
        *bash("python -m pytest -q", "AssertionError: two heads", failed=True),
        *bash("alembic merge -m both heads"),
        *bash("alembic upgrade head && python -m pytest -q", "1 passed"),
    ]
    told = lesson(run).correct_action
    assert told == (
        "`alembic upgrade head && python -m pytest -q` after `alembic merge -m both heads`. `alembic upgrade head` "
        "failed: FAILED: Multiple head revisions. `python -m pytest -q` failed: AssertionError: two heads"
    )


def test_the_first_failure_is_told_where_it_was_another_than_the_last() -> None:
    run = [
        *bash("python monthly.py", "ConversionError: cannot convert string K-100 to BIGINT", failed=True),
        *edit("monthly.py", "read(path)", "read(path, skip=True)"),
        *bash("python monthly.py", "ValueError: report has 39999 rows, the export has 40000", failed=True),
        *edit("monthly.py", "skip=True", "sample=-1"),
        *bash("python monthly.py", "40000 orders"),
    ]
    told = lesson(run).correct_action
    assert "(`read(path)` → `read(path, sample=-1)`); before that it failed: ValueError" in told
    assert told.endswith(". At first it failed: ConversionError: cannot convert string K-100 to BIGINT")


def test_what_was_thought_before_an_edit_that_was_taken_back_is_left_out() -> None:
    run = [
        *bash("python monthly.py", "ConversionError: cannot convert string K-100 to BIGINT", failed=True),
        *said(("assistant", "The cure for `read()` is that it must always skip bad rows.")),
        *edit("monthly.py", "read(path)", "read(path, skip=True)"),
        *bash("python monthly.py", "ValueError: report has 39999 rows, the export has 40000", failed=True),
        *said(("assistant", "The type is guessed from the first rows only, so `read()` must see all of them.")),
        *edit("monthly.py", "skip=True", "sample=-1"),
        *bash("python monthly.py", "40000 orders"),
    ]
    reason, vain = lesson(run).guidance.splitlines()
    assert reason == "The type is guessed from the first rows only, so `read()` must see all of them."
    assert vain.startswith(
        "`python monthly.py` failed: ValueError: report has 39999 rows, the export has 40000, after editing"
    )
    assert vain.endswith("editing monthly.py (`read(path)` → `read(path, skip=True)`), which was taken back.")


def test_an_edit_that_was_only_refined_is_not_taken_back() -> None:
    steps = find_steps(
        parse(
            [*edit("a.py", "x = 1", "x = read(path, sample=-1)"), *edit("a.py", "sample=-1", "sample=-1, header=True")]
        )
    )
    assert NetChanges(steps).taken_back() == []
    assert [step.change for step in NetChanges(steps).of(steps)] == [
        (("x = 1", "x = read(path, sample=-1, header=True)"),)
    ]


def test_a_new_file_is_told_as_it_ended() -> None:
    run = [
        *edit("publish.sh", "", "rsync -a media srv/media\n"),
        *bash("sh publish.sh"),
        *edit("publish.sh", "media srv/media", "media/ srv/media/"),
        *bash("sh publish.sh && find srv"),
    ]
    assert "editing publish.sh (+ `rsync -a media/ srv/media/`)" in lesson(run).correct_action


def test_a_test_run_whose_status_a_pipe_hides_is_judged_by_its_output() -> None:
    (step,) = find_steps(parse(bash("npm test | grep -E 'Error|Tests'", "ReferenceError: document is not defined")))
    assert step.failed
    (step,) = find_steps(parse(bash("npm test | grep -E 'Error|Tests'", "Tests 3 passed")))
    assert step.failed is False


@pytest.mark.parametrize(
    ("command", "hides"),
    [
        ("npm test 2>&1 | grep -E 'Error|Tests'", True),
        ("make all || true", True),
        ("for i in 1 2; do mix test a | tail -1; done", True),
        ("for i in 1 2; do mix test a; done", False),
        ("set -o pipefail; make all | tail -3", False),
        ("make all | tail -3; exit ${PIPESTATUS[0]}", False),
        ("cat app.log | grep Error", False),
        ("make all", False),
    ],
)
def test_a_pipe_hides_the_status_of_what_it_shortens(command: str, hides: bool) -> None:
    assert hides_status(command) is hides


def test_the_parts_of_a_command_line_are_those_that_do_something() -> None:
    assert parts_of("cat a.sql && sh load.sh && echo 'a && b'") == ("sh load.sh",)
    assert parts_of("ls && pwd") == ("ls && pwd",)
    assert normalised("npm test 2>&1 | grep -E 'Error|Tests' | head -3") == "npm test"
    assert repeats("cat a.sql && sh load.sh", "sh load.sh && psql -c 'select 1'")
    assert not repeats("sh load.sh", "sh load.sh --force")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("2026/11/23 07:03:38 [emerg] 30008#30008: could not build the hash", "could not build the hash"),
        ('E1123 04:15:52.716498   22206 run.go:72] "command failed" err="no match"', '"command failed" err="no match"'),
        ("2026-11-23T07:03:38Z connection refused", "connection refused"),
    ],
)
def test_an_error_is_told_without_the_time_it_was_logged_at(line: str, told: str) -> None:
    assert short_error(line) == told


def test_of_a_long_error_the_last_one_in_it_is_told() -> None:
    goal = "org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project shop"
    told = "error: invalid target release: 21"
    line = f"[ERROR] Failed to execute goal {goal} of a build with many modules: Fatal error compiling: {told}"
    assert short_error(line) == told


def test_a_line_that_only_sums_up_gives_way_to_what_failed() -> None:
    output = (
        "docs: failed with make is not allowed, use allowlist_externals to allow it\n"
        "  docs: FAIL code 1 (0.31 seconds)\n  evaluation failed :( (0.58 seconds)"
    )
    run = [
        *bash("tox -e docs", output, failed=True),
        *edit("tox.ini", "a = 1", "a = 1\nallowlist_externals = make"),
        *bash("tox -e docs", "docs: OK"),
    ]
    assert "failed: docs: failed with make is not allowed" in lesson(run).correct_action


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        ("kubectl logs deploy/checkout --tail=100 -n shop", True),
        ("cd /srv/app && docker compose logs api | tail -20", True),
        ("cat build.log", True),
        ("kubectl get pods", False),
        ("make logs", False),
        ("cat a.sql | psql shop", False),
    ],
)
def test_what_shows_a_log_is_told_from_what_fails_itself(command: str, shows: bool) -> None:
    assert shows_text(command) is shows


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("INFO starting checkout\nERROR redis: i/o timeout\nFATAL cannot renew the lock, exiting", False),
        ('Error from server (NotFound): deployments.apps "checkout" not found', True),
    ],
)
def test_errors_in_a_log_are_not_those_of_the_command_that_shows_it(output: str, failed: bool) -> None:
    use = {"type": "tool_use", "id": "c0", "name": "Bash", "input": {"command": "kubectl logs deploy/checkout"}}
    result = {"type": "tool_result", "tool_use_id": "c0", "content": output}
    messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    (step,) = find_steps(parse(json.dumps(messages)))
    assert step.failed is failed


def test_a_form_that_does_less_is_not_what_worked_where_the_whole_worked_later() -> None:
    failing = "./mvnw -pl service verify -Dit.test=OrderIT"
    run = [
        *bash(failing, "[ERROR] No tests matching pattern OrderIT", failed=True),
        *bash(f"{failing} -DskipTests", "BUILD SUCCESS"),
        *bash(f"{failing} -Dtest=NONE -DfailIfNoSpecifiedTests=false", "Tests run: 6, BUILD SUCCESS"),
    ]
    told = lesson(run).correct_action
    assert told.startswith(f"`{failing} -Dtest=NONE -DfailIfNoSpecifiedTests=false`")


def test_thanks_are_no_objection_to_what_was_done_whatever_is_asked_next() -> None:
    run = [
        *bash("python compact.py feb", "ArrowTypeError: int64 vs double", failed=True),
        *edit("compact.py", "concat(tables)", 'concat(tables, promote="permissive")'),
        *bash("python compact.py feb && python -c 'print(meter_id)'", "15 rows"),
        *said(("user", "Nice, thanks. Now January: there meter_id was text, that must NOT be merged but stop.")),
        *bash("python compact.py jan", "meter_id is text", failed=True),
    ]
    assert 'promote="permissive"' in lesson(run).correct_action
