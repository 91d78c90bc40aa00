"""A call that led to an error before brings the fix before it is made again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.known_errors.search import ErrorSearch
from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.requests import ErrorFix, PlannedCall, Submission
from mcp_reflect.domain.lessons.failures.fix_wording import commands_of_fix
from mcp_reflect.domain.models import ErrorMemory
from tests.application.known_errors.test_errors_from_runs import (
    ELSEWHERE,
    FAILED,
    NEW,
    OLD,
    OUTPUT,
    called,
    submit,
    trajectory,
)
from tests.support.composition import PROJECT, Parts

COMMAND = "python export.py"


def told(parts: Parts, command: str = COMMAND) -> list[str]:
    planned = PlannedCall(tool="Bash", arguments={"command": command})
    return [fix.memory.correct_action for fix in parts.memory.errors.expect(planned, 5).fixes]


def worked(parts: Parts) -> str:
    return submit(parts, json.dumps(called(1, "Bash", {"command": COMMAND}, "3 rows written")))


def test_a_failed_command_is_warned_of_and_no_other(parts: Parts) -> None:
    assert told(parts) == []
    submit(parts, trajectory())
    assert NEW in told(parts)[0]
    assert NEW in told(parts, f"cd /builds/42/shop && {COMMAND} 2>&1 | tail -5")[0]
    assert told(parts, f"{COMMAND} --all") == []


def test_the_edit_that_had_to_be_corrected_is_warned_of(parts: Parts) -> None:
    edit = {"file_path": "/home/ann/shop/export.py", "old_string": "pass", "new_string": OLD}
    run = json.loads(trajectory())
    submit(parts, json.dumps([*called(0, "Edit", edit, "The file has been updated."), *run]))
    again = {**edit, "file_path": "/builds/42/shop/export.py"}
    planned = PlannedCall(tool="Edit", arguments=again, folder="/builds/42/shop")
    (fix,) = parts.memory.errors.expect(planned, 5).fixes
    assert NEW in fix.memory.reflection
    other = planned.model_copy(update={"arguments": {**again, "new_string": NEW}})
    assert parts.memory.errors.expect(other, 5).fixes == []


def test_a_call_that_has_mostly_worked_since_is_not_warned_of_until_it_fails_again(parts: Parts) -> None:
    submit(parts, trajectory())
    worked(parts)
    assert told(parts) != []
    last = worked(parts)
    assert told(parts) == []
    submit(parts, trajectory(error=ELSEWHERE))
    assert told(parts) != []
    worked(parts)
    assert told(parts) == []
    erase_record(parts.ledger, PROJECT, last)
    parts.tables.reload(PROJECT)
    assert told(parts) != []


def installing(parts: Parts, *commands: str, failed: bool = False) -> None:
    run = [*called(0, "Bash", {"command": COMMAND}, FAILED, failed=True)] if failed else []
    for number, command in enumerate(commands, 1):
        run += called(number, "Bash", {"command": command}, "done")
    submit(parts, json.dumps(run))


def test_a_warning_stays_where_later_runs_make_the_call_in_the_form_that_works(parts: Parts) -> None:
    failed = called(0, "Bash", {"command": COMMAND}, FAILED, failed=True)
    submit(parts, json.dumps([*failed, *called(1, "Bash", {"command": f"PYTHONPATH=src {COMMAND}"}, "done")]))
    assert told(parts) != []
    assert told(parts, f"cd src && {COMMAND}") == []
    for _ in range(3):
        installing(parts, f"PYTHONPATH=src {COMMAND} --all", f"env PYTHONPATH=src timeout 9 {COMMAND}")
    assert told(parts, f"uv run {COMMAND} -v > log.txt") != []
    for _ in range(2):
        installing(parts, f"{COMMAND} --all", f"uv run {COMMAND}")
    assert told(parts) == []


def test_a_wrong_word_is_warned_of_beside_further_options(parts: Parts) -> None:
    error = "make: *** No rule to make target 'tests'.  Stop."
    failed = called(0, "Bash", {"command": "make tests"}, error, failed=True)
    submit(parts, json.dumps([*failed, *called(1, "Bash", {"command": "make check"}, "4 passed")]))
    assert told(parts, "make -C /builds/42/shop -j8 tests V=1") == ["Run `make check` instead of `make tests`"]
    assert told(parts, "make check V=1") == []
    assert told(parts, "make tests-report") == []


def fails_then(parts: Parts, command: str, output: str, *later: str) -> None:
    failed = called(0, "Bash", {"command": command}, output, failed=True)
    passed = [
        each for number, other in enumerate(later, 1) for each in called(number, "Bash", {"command": other}, "ok")
    ]
    submit(parts, json.dumps([*failed, *passed]))


LOST = "Can't locate Net/Label.pm in @INC"


def test_a_part_of_what_failed_is_warned_of_where_another_form_mends_it(parts: Parts) -> None:
    fails_then(parts, "prove t/unit", LOST, "prove -l t/unit")
    assert told(parts, "prove -v t/unit/label.t") == ["Run `prove -l t/unit` instead of `prove t/unit`"]
    assert told(parts, "prove t/web/label.t") == []
    assert told(parts, "prove -l t/unit/label.t") == []


def test_a_part_of_what_failed_is_not_warned_of_where_something_else_mends_it(parts: Parts) -> None:
    fails_then(parts, "prove t/unit", LOST, "cpanm --installdeps .", "prove t/unit")
    assert told(parts, "prove t/unit") == ["Run `cpanm --installdeps .`"]
    assert told(parts, "prove t/unit/label.t") == []


@pytest.mark.parametrize(
    ("command", "output", "form"),
    [
        ("dotnet test", "MSBUILD : error MSB1011: Specify which project or solution file to use", "dotnet test A.sln"),
        ("git push", "fatal: The current branch has no upstream branch.", "git push -u origin HEAD"),
        ("lein test :only a.b", "Could not locate a/fixtures.clj on classpath", "lein with-profile +it test :only a.b"),
        ("./gradlew :app:test", "./gradlew: Permission denied", "sh gradlew :app:test"),
        ("pytest a.py", "ModuleNotFoundError: No module named 'freezegun'", "uv run pytest a.py"),
    ],
)
def test_a_command_with_what_its_error_asks_for_or_around_it_is_a_form_that_mends(
    parts: Parts, command: str, output: str, form: str
) -> None:
    fails_then(parts, command, output, form)
    assert told(parts, command) == [f"Run `{form}` instead of `{command}`"]
    assert told(parts, form) == []


def test_tests_that_are_chosen_from_those_that_failed_are_warned_of(parts: Parts) -> None:
    fails_then(parts, "go test ./store/...", "go-sqlite3 requires cgo to work", "CGO_ENABLED=1 go test ./store/...")
    assert told(parts, "go test ./store/... -run TestList")
    assert told(parts, "CGO_ENABLED=1 go test ./store/... -run TestList") == []
    assert told(parts, "go test ./web/... -run TestList") == []


def test_the_command_on_something_else_that_came_first_is_a_step_of_the_fix(parts: Parts) -> None:
    fails_then(parts, "flask db upgrade", "no such table: users", "flask db upgrade base", "flask db upgrade")
    assert told(parts, "flask db upgrade") == ["Run `flask db upgrade base`"]


def test_a_run_that_did_first_what_the_fix_says_does_not_silence_the_warning(parts: Parts) -> None:
    installing(parts, "pip install -r requirements.txt", COMMAND, failed=True)
    assert told(parts) == ["Run `pip install -r requirements.txt`"]
    for _ in range(3):
        installing(parts, "pip install -r requirements.txt", COMMAND)
    assert told(parts) != []
    for _ in range(2):
        installing(parts, COMMAND)
    assert told(parts) == []


def test_a_run_that_made_the_edit_first_does_not_silence_the_warning(parts: Parts) -> None:
    submit(parts, trajectory())
    for _ in range(3):
        submit(parts, json.dumps(json.loads(trajectory())[2:]))  # all but the failure
    assert told(parts) != []


def test_of_a_fix_with_a_withheld_step_another_form_of_the_command_is_left(parts: Parts) -> None:
    submit(parts, partly_told())
    assert told(parts) == [f"Run `{COMMAND} --lazy` instead of `{COMMAND}`"]


def test_a_fix_of_which_a_step_is_withheld_goes_with_the_run_that_brought_it(parts: Parts) -> None:
    parts.memory.record_error(ErrorFix(task="Export", mistake="No price", evidence=FAILED, fix=""))
    taught = submit(parts, partly_told())
    assert told(parts) == [f"Run `{COMMAND} --lazy` instead of `{COMMAND}`"]
    erase_record(parts.ledger, PROJECT, taught)
    parts.tables.reload(PROJECT)
    assert told(parts) == []


@pytest.mark.parametrize(
    ("change", "fixes"),
    [("sed -i 's/^URL/KITPACK_URL/' .env", ["Edit .env: `URL` → `KITPACK_URL`"]), ("sh rename.sh URL KITPACK_URL", [])],
)
def test_an_edit_by_a_command_is_told_as_any_other(parts: Parts, change: str, fixes: list[str]) -> None:
    run = [
        *called(
            1, "Bash", {"command": COMMAND}, "> kitpack build\n\nthe bundle does not know the address", failed=True
        ),
        *called(2, "Bash", {"command": change}, ""),
        *called(3, "Bash", {"command": COMMAND}, "smoke ok"),
    ]
    submit(parts, json.dumps(run))
    assert told(parts) == fixes


def test_a_step_of_the_failed_program_to_which_an_output_led_is_told_with_that_source(parts: Parts) -> None:
    error = "FAILED: Multiple head revisions are present for given argument 'head'; specify 'heads' for all heads"
    merge = "alembic merge -m 'merge invoices' heads"
    run = [
        *called(1, "Bash", {"command": "alembic upgrade head"}, error, failed=True),
        *called(2, "Bash", {"command": "alembic heads && ls"}, "77c0 (head)\na4e2 (head)\n77c0_invoices.py"),
        *called(3, "Bash", {"command": merge}, "done"),
        *called(4, "Bash", {"command": "alembic upgrade head"}, ""),
    ]
    taught = submit(parts, json.dumps(run))
    [fix] = told(parts, "alembic upgrade head")
    assert fix.startswith("Based on a ")
    assert f'"Run `{merge}`"' in fix
    assert commands_of_fix(fix) == [merge]
    submit(parts, json.dumps(run[4:]))
    assert told(parts, "alembic upgrade head") == [fix]  # a run that did first what it says shows nothing
    erase_record(parts.ledger, PROJECT, taught)
    parts.tables.reload(PROJECT)
    assert told(parts, "alembic upgrade head") == []


def partly_told() -> str:
    """A run that removed a file which only the output named before the command passed."""
    return json.dumps(
        [
            *called(1, "Bash", {"command": COMMAND}, f"wrote cache.db\n{FAILED}", failed=True),
            *called(2, "Bash", {"command": "rm -rf cache.db"}, ""),
            *called(3, "Bash", {"command": f"{COMMAND} --lazy"}, "3 rows written"),
        ]
    )


def test_a_command_that_fails_with_another_error_each_time_is_not_warned_of(parts: Parts) -> None:
    for key in ("price", "owner", "stock"):
        submit(parts, trajectory(error=OUTPUT.format(line=7, key=key)))
    assert told(parts) == []


def test_a_warning_goes_with_the_run_that_taught_it(parts: Parts) -> None:
    recorded = submit(parts, trajectory())
    submit(parts, trajectory(error=ELSEWHERE).replace(COMMAND, "python -X dev export.py"))
    assert told(parts, "python -X dev export.py") != []
    erase_record(parts.ledger, PROJECT, recorded)
    parts.tables.reload(PROJECT)
    assert told(parts) == []


def test_projects_and_users_are_kept_apart(parts: Parts) -> None:
    submit(parts, trajectory(error=FAILED))
    memory = parts.memory

    def seen_by(**profile: str) -> int:
        context = ConnectionContext(
            parts.ledger,
            parts.embedder,
            replace(memory.profile, **profile),
            clock=lambda: memory.traces(None, 1)[0].created_at,
            on_saved=parts.tables.reload,
        )
        errors = ErrorFixes(context, ErrorSearch(parts.tables, parts.embedder), memory.errors.mirror)
        return len(errors.expect(PlannedCall(tool="Bash", arguments={"command": COMMAND}), 5).fixes)

    assert seen_by(scope="user") == 1
    assert seen_by(user="bob") == 1
    assert seen_by(user="bob", scope="user") == 0
    assert seen_by(project="beta") == 0


def test_what_is_warned_of_counts_as_retrieved(parts: Parts) -> None:
    submit(parts, trajectory())
    (warned,) = parts.memory.errors.expect(PlannedCall(tool="Bash", arguments={"command": COMMAND}), 5).fixes
    follower = submit(parts, "")
    assert parts.memory.trace(follower).retrieved_memory_ids == (warned.memory.id,)


@pytest.mark.parametrize(("content", "warned"), [(OLD, 1), (NEW, 0), ("import prices", 0), (None, 0)])
def test_an_edit_is_told_while_the_file_is_as_it_was(
    parts: Parts, tmp_path: Path, content: str | None, warned: int
) -> None:
    submit(parts, trajectory())
    clone, inner = tmp_path / "clone", tmp_path / "clone" / "inner"
    inner.mkdir(parents=True)
    (clone / ".git").mkdir()
    if content is not None:
        (clone / "export.py").write_text(f"    {content}\n", encoding="utf-8")
    for folder in (clone, inner):
        planned = PlannedCall(tool="Bash", arguments={"command": COMMAND}, folder=str(folder))
        assert len(parts.memory.errors.expect(planned, 5).fixes) == warned


def test_without_the_folder_its_record_tells_whether_an_edit_is_needed(parts: Parts) -> None:
    submit(parts, trajectory())
    planned = PlannedCall(tool="Bash", arguments={"command": COMMAND}, folder="/builds/42/gone")
    assert len(parts.memory.errors.expect(planned, 5).fixes) == 1


@pytest.mark.parametrize(
    ("error", "mistake"),
    [
        (
            "docs: failed with make is not allowed, use allowlist_externals to allow it",
            "docs: failed with make is not allowed",
        ),
        ("FEHLER: keine Berechtigung für das Schema", f"`{COMMAND}` failed"),
        ("psycopg.errors.UniqueViolation: FEHLER: Wert der Spalte", f"`{COMMAND}` failed: UniqueViolation"),
        ("FEHLER ERROR 1142: keine Berechtigung", f"`{COMMAND}` failed"),
    ],
)
def test_of_a_mistake_as_much_is_told_as_no_output_wanted(parts: Parts, error: str, mistake: str) -> None:
    submit(parts, trajectory(error=error))
    again = submit(parts, trajectory(error=error))
    planned = PlannedCall(tool="Bash", arguments={"command": COMMAND})
    (fix,) = parts.memory.errors.expect(planned, 5).fixes
    assert isinstance(fix.memory, ErrorMemory)
    assert (fix.memory.key_mistake, fix.memory.seen_in) == (mistake, (again,))
    assert NEW in fix.memory.correct_action


def test_a_fix_that_the_user_rejected_is_not_advised_and_the_correction_is(parts: Parts) -> None:
    asked, rejected = "Export the rows", f"Not in export.py. Use `{COMMAND} --strict`."
    said = [{"role": "user", "content": asked}, *json.loads(trajectory()), {"role": "user", "content": rejected}]
    parts.memory.submit(Submission(task="Export the rows", trajectory=json.dumps(said), review_result="fail"))
    [advice] = told(parts)
    assert NEW not in advice
    assert f"`{COMMAND} --strict` instead of `{COMMAND}`" in advice


def test_a_fix_that_the_reviewer_rejected_is_not_advised(parts: Parts) -> None:
    run = Submission(task="Export", trajectory=trajectory(), review_result="fail", feedback="`export.py` is generated")
    parts.memory.submit(run)
    assert all(NEW not in advice for advice in told(parts))
