"""Errors that a run fixed: a command that failed, and what it passed after."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.fixed_errors import find_fixed_errors
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.models.repairing_edit import RepairingEdit

DOXYGEN = "meson.build:6:0: ERROR: Program 'doxygen' not found or not executable"
CHOICE = 'meson.build:1:0: ERROR: Value "false" for combo option "docs" is not one of the choices'
NO_DOCUMENT = "ReferenceError: document is not defined"
NO_MODULE = "Error: Cannot find package 'jsdom' imported from /app/vitest.config.js"


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("command", "Bash", command, failed=failed, output=output)


def edited(old: str, new: str, file: str = "vitest.config.js") -> Step:
    return Step("edit", "Edit", f"/app/{file}", change=((old, new),), file=file)


def test_what_finally_worked_is_the_way_out_of_each_error_before_it() -> None:
    steps = [
        ran("meson setup build", DOXYGEN, failed=True),
        ran("meson setup build -Ddocs=false", CHOICE, failed=True),
        ran("meson setup build -Ddocs=disabled"),
    ]
    first, second = find_fixed_errors(steps)
    assert first.fix == "Run `meson setup build -Ddocs=disabled` instead of `meson setup build`"
    assert second.fix == "Run `meson setup build -Ddocs=disabled` instead of `meson setup build -Ddocs=false`"
    assert first.edits == ()  # the call itself has to be another one


def test_an_error_that_made_way_for_another_one_has_the_change_between_them_as_its_fix() -> None:
    steps = [
        ran("npm test", NO_DOCUMENT, failed=True),
        edited("test: {}", "test: { environment: 'jsdom' }"),
        ran("npm test", NO_MODULE, failed=True),
        ran("npm i -D jsdom"),
        ran("npm test"),
    ]
    first, second = find_fixed_errors(steps)
    assert first.fix.endswith("`test: {}` → `test: { environment: 'jsdom' }`")
    assert first.edits == (RepairingEdit("/app/vitest.config.js", "test: {}", "test: { environment: 'jsdom' }"),)
    assert second.fix == "Run `npm i -D jsdom`"


def test_a_change_after_which_the_same_error_came_again_is_no_fix() -> None:
    steps = [
        ran("npm test", NO_DOCUMENT, failed=True),
        edited("mode: 'a'", "mode: 'b'", "other.js"),
        ran("npm test", NO_DOCUMENT, failed=True),
        edited("test: {}", "test: { environment: 'jsdom' }"),
        ran("npm test"),
    ]
    [fixed] = find_fixed_errors(steps)
    assert "other.js" not in fixed.fix


def test_edits_that_passed_and_were_taken_back_are_no_fix_but_what_passed_in_the_end() -> None:
    error = "E       AssertionError: assert [1067] == ['01067']"
    steps = [
        ran("python -m pytest -q", error, failed=True),
        edited("    return frame", "    frame = pad(frame)\n    return frame", "importer.py"),
        ran("python -m pytest -q", "3 passed"),
        edited("    frame = pad(frame)\n", "", "importer.py"),
        edited("read_csv(path)", "read_csv(path, dtype=str)", "importer.py"),
        ran("python -m pytest -q", "3 passed"),
    ]
    [fixed] = find_fixed_errors(steps)
    assert "dtype=str" in fixed.fix
    assert "pad" not in fixed.fix


def test_a_command_that_fails_without_a_word_is_known_by_its_name() -> None:
    steps = [
        ran("sh check.sh", "Exit code 1", failed=True),
        edited("exit 1", "exit 0", "check.conf"),
        ran("sh check.sh"),
    ]
    [fixed] = find_fixed_errors([*steps, *steps])
    assert fixed.mistake == "`sh check.sh` failed"
    assert "check.conf" in fixed.fix


@pytest.mark.parametrize(("text", "needed"), [("a = 1\n", True), ("a = 2\n", False), ("b = 1\n", False), (None, False)])
def test_a_file_needs_an_edit_while_it_is_as_it_was(text: str | None, needed: bool) -> None:
    assert RepairingEdit("/app/x.py", "a = 1", "a = 2").is_needed_by(text) is needed


def test_an_edit_that_only_takes_out_is_in_place_where_the_rest_stands_alone() -> None:
    shorter = RepairingEdit("/app/report.py", "calculators", "calculator")
    assert shorter.is_needed_by("import calculators\n")
    assert not shorter.is_needed_by("import calculator\n")
    assert not shorter.is_needed_by("import calculator\n# not calculators\n")


def test_an_edit_that_adds_lines_is_in_place_where_they_stand_and_a_new_file_where_it_is() -> None:
    added = RepairingEdit("/app/tox.ini", "changedir = docs\n", "changedir = docs\nallow = make\n")
    assert added.is_needed_by("[docs]\nchangedir = docs\n")
    assert not added.is_needed_by("[docs]\nchangedir = docs\nallow = make\n")
    written = RepairingEdit("/app/conftest.py", "", "import app\n")
    assert written.is_needed_by(None)
    assert not written.is_needed_by("")
