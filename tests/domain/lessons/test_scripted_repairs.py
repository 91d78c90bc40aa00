"""Lessons of runs that edit by scripts, edit one file in several places, or do what was done already."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps, steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.lessons.test_fixed_errors import as_called, ran
from tests.domain.lessons.test_rework import lesson

NO_SUCH = "error TS2307: Cannot find module './parse' or its corresponding type declarations"


def told(*steps: Step) -> str:
    return lesson(*map(as_called, steps)).correct_action


def test_what_a_script_wrote_first_and_another_replaced_is_told_as_it_ended() -> None:
    action = told(
        ran("npx tsc", NO_SUCH, failed=True),
        ran("sed -i \"s#'./parse'#'./lib/parse'#\" src/main.ts && npx tsc"),
        ran("node dist/main.js", "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/w/dist/lib/parse'", failed=True),
        ran("sed -i \"s#'./lib/parse'#'./lib/parse.js'#\" src/main.ts && npx tsc && node dist/main.js"),
    )
    assert "`'./parse'` → `'./lib/parse.js'`" in action
    assert "'./lib/parse'`" not in action


def test_what_was_there_already_mended_nothing() -> None:
    action = told(
        ran("pytest -q", "E   ModuleNotFoundError: No module named 'yaml'", failed=True),
        ran("pip install pyyaml", "Requirement already satisfied: pyyaml in ./.venv/lib (6.0.1)"),
        ran("python -m pytest -q", "8 passed"),
    )
    assert "pip install" not in action
    assert action.startswith("`python -m pytest -q`. `pytest -q` failed")


def test_a_package_after_which_the_same_error_came_again_mended_nothing() -> None:
    missing = "ext-gd is missing from your system"
    action = told(
        ran("composer install", f"{missing}. Install or enable PHP's gd extension.", failed=True),
        ran("composer install --ignore-platform-req=ext-gd", 'PHP Fatal error: Class "GdImage" not found', failed=True),
        ran("apt-get install -y php8.1-gd", "Setting up php8.1-gd"),
        ran("composer install", missing, failed=True),
        ran("apt-get install -y php8.3-gd && composer install", "Setting up php8.3-gd"),
    )
    assert action.startswith("`apt-get install -y php8.3-gd && composer install`. `composer install` failed")
    assert "php8.1-gd" not in action


def test_all_places_of_a_file_that_were_changed_are_told() -> None:
    changes = [("n int", "n atomic.Int64"), ("return c.n", "return c.n.Load()"), ("c.n--", "c.n.Add(-1)")]
    action = lesson(
        as_called(ran("go test -race ./...", "WARNING: DATA RACE", failed=True)),
        *(
            ("Edit", {"file_path": "/app/cache.go", "old_string": old, "new_string": new}, "updated", False)
            for old, new in changes
        ),
        as_called(ran("go test -race ./...", "ok")),
    ).correct_action
    assert all(f"`{old}` → `{new}`" in action for old, new in changes)
    assert action.count("cache.go") == 1


def test_a_line_that_only_goes_on_is_no_change() -> None:
    old, new = "cmake -S lib -B build -G Ninja", "cmake -S lib -B build -G Ninja \\\n  -DPOLICY_MINIMUM=3.5"
    action = lesson(
        ("Edit", {"file_path": "/app/ci.sh", "old_string": old, "new_string": new}, "updated", False),
        as_called(ran("bash ci.sh", "done")),
    ).correct_action
    assert "(+ `-DPOLICY_MINIMUM=3.5`)" in action


def test_of_several_queries_the_last_is_told_which_gave_the_answer() -> None:
    def asked(sql: str, output: str, *, failed: bool = False) -> tuple[str, dict[str, str], str, bool]:
        return "run_sql", {"sql": sql}, output, failed

    action = lesson(
        asked("SELECT count(*) FROM ships WHERE sunk_on > '2024-01-01'", "ERROR: no column sunk_on", failed=True),
        asked("SELECT column_name FROM information_schema.columns WHERE table_name = 'ships'", "id, state, day"),
        asked("SELECT count(*) FROM ships s WHERE s.state = 'sunk' AND s.day >= '2024-01-01'", "12"),
    ).correct_action
    assert action.startswith(
        "`run_sql(sql=SELECT count(*) FROM ships s WHERE s.state = 'sunk' AND s.day >= '2024-01-01')`."
    )
    assert "information_schema" not in action


def test_calls_of_small_numbers_tell_nothing() -> None:
    told = lesson(("click", {"id": "12"}, "page 2", False), ("click", {"id": "3"}, "saved", False))
    assert told.correct_action == ""


@pytest.mark.parametrize(
    "command",
    [
        "sed -Ei 's/a/b/' f && pytest -q",
        "perl -0pi -e 's/a/b/' f && pytest -q",
        "cat > f.py <<'EOF'\nx = 1\nEOF\npytest -q",
        "echo 'x = 1' >> f.py && pytest -q",
    ],
)
def test_turns_have_their_place_behind_all_steps_of_a_command_line(command: str) -> None:
    arguments = json.dumps({"command": command}).replace("<", "\\u003c").replace(">", "\\u003e")  # as Go writes them
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": arguments}}
    run = parse(
        [
            {"role": "user", "content": "fix the tests"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
            {"role": "user", "content": "That is wrong."},
        ]
    )
    steps = find_steps(run)
    assert [step.kind for step in steps] == ["edit", "command"]
    assert [said.place for said in find_said(run)] == [0, 2]
    assert steps_before(run, steps) == 0
    assert steps_before(run, steps[1:]) == 1
