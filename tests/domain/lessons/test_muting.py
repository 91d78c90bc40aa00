"""A failure that went away because less was looked at is not mended; one that a real change mended is."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.fixed_errors import find_fixed_errors
from mcp_reflect.domain.lessons.failures.muting import looks_less
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.run.run_again import is_another_form, narrows
from mcp_reflect.domain.lessons.run.step import Step
from tests.support.linear_time import takes_linear_time


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("command", "Bash", command, failed=failed, output=output)


@pytest.mark.parametrize(
    ("failed", "fix"),
    [
        ("pytest -q", "rm -rf .pytest_cache"),
        ("pytest -q", "rm -f data/test.db"),
        ("dotnet build", "dotnet add package Newtonsoft.Json --version 13.0.1"),
        ("pnpm build", "pnpm --filter web add zod"),
        ("pnpm test", "pnpm --filter shared build"),
    ],
)
def test_what_was_brought_or_cleaned_up_is_the_fix(failed: str, fix: str) -> None:
    steps = [ran(failed, "Error: Cannot find module 'zod'", failed=True), ran(fix, "done"), ran(failed, "ok")]
    (found,) = find_fixed_errors(ReadSteps(steps))
    assert fix in found.fix


@pytest.mark.parametrize(
    "command",
    [
        "rm dist/latest.json",
        "rm -rf build/test tests/__pycache__",
        "rm -rf test-results",
        "rm -rf tests/tmp",
        "rm tests/data/out.db",
        "rm -f /tmp/test.py",
        "rm specimen.py",
        "helm upgrade x y --version 2",
        "helm upgrade x y --version=2",
        "cargo install wasm-bindgen-cli --version 0.2.87",
        "poetry install --only main",
        "npm ci --only=production",
        "git clone --filter=blob:none https://git.example/x",
        "pnpm --filter test-utils add zod",
    ],
)
def test_commands_that_do_all_they_are_to_do(command: str) -> None:
    assert not looks_less(ran(command))


@pytest.mark.parametrize(
    "command",
    [
        "rm tests/test_api.py",
        "git rm -q tests/test_api.py tests/helpers.py",
        "rm -rf src/__tests__",
        "rm -rf ./tests/",
        "rm -r tests/unit",
        "rm tests/*",
        "rm src/price.spec.ts",
        "rm src/test/java/PriceTest.java PriceSpec.scala",
        "rm pkg/price_test.go",
        "rm t/../spec/models/price_spec.rb",
        "pnpm --filter web test",
        "dotnet test --filter Price",
        "npx playwright test --only=login",
        "cargo build --version",
        "cargo build --version 2>&1",
        "dotnet --version; true",
    ],
)
def test_commands_that_have_less_looked_at(command: str) -> None:
    assert looks_less(ran(command))


@pytest.mark.parametrize(
    ("command", "less"),
    [
        ("./gradlew build -x test", True),
        ("gradle build -q -x :app:integrationTest", True),
        ("gradlew.bat build --exclude-task test", True),
        ("pytest -q -m 'not slow'", True),
        ("pytest -x test/unit", False),
        ("python -m pytest -x tests", False),
        ("bash -x test.sh", False),
        ("xargs -x test -f", False),
        ("./gradlew build -x lint", False),
    ],
)
def test_an_option_that_leaves_tests_out_is_one_of_its_program(command: str, less: bool) -> None:
    assert narrows(command) is less


def test_a_part_of_what_was_to_be_built_is_no_other_form_of_it() -> None:
    assert not is_another_form("pnpm build", "pnpm --filter web build", "error TS2307")
    assert is_another_form("pnpm add zod", "pnpm --filter web add zod", "ERR_PNPM_ADDING_TO_ROOT")


@pytest.mark.parametrize("unit", ["test", "a.", "test-", "a/"])
@pytest.mark.parametrize("command", ["rm '{}\n!.py'", "x --version {} --filter"])
def test_the_time_for_a_path_grows_with_its_length(command: str, unit: str) -> None:
    # The words of a longer one are found by shlex, whose time grows faster.
    assert takes_linear_time(lambda number: looks_less(ran(command.format(unit * number))), 10_000 // len(unit))


@pytest.mark.parametrize(("start", "unit"), [("", "gradle -x "), ("", "pytest "), ("-x ", " "), ("gradle", " -x  ")])
def test_the_time_for_a_command_grows_with_its_length(start: str, unit: str) -> None:
    assert takes_linear_time(lambda number: narrows(start + unit * number), 20_000 // len(unit))
