import pytest

from mcp_reflect.domain.trajectory.told_acts import ToldCommand, ToldEdit, find_acts, outcome_of, says_more_than_acts


def acts(line: str) -> list[ToldCommand | ToldEdit]:
    return [each.act for each in find_acts(line)]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Ran `make test` -> failed: no rule", ToldCommand("make test", failed=True, error="no rule")),
        ("re-ran pytest tests/a.py -x: 12 passed", ToldCommand("pytest tests/a.py -x", failed=False)),
        ("`npm run lint` fails with E404", ToldCommand("npm run lint", failed=True, error="E404")),
        ("`cargo build` ✅", ToldCommand("cargo build", failed=False)),
        ("Tried `go vet ./...` (exit code 1)", ToldCommand("go vet ./...", failed=True)),
        ("ran frobnicate --all and it worked", ToldCommand("frobnicate --all", failed=False)),
        ("Fixed it with `chmod +x deploy.sh`", ToldCommand("chmod +x deploy.sh", failed=None)),
        ("Executed `tsc --noEmit`: 0 errors", ToldCommand("tsc --noEmit", failed=False)),
    ],
)
def test_a_command_is_told_with_what_came_of_it(line: str, told: ToldCommand) -> None:
    assert acts(line) == [told]


@pytest.mark.parametrize(
    "line",
    [
        "Ran the tests and they passed",
        "ran into a problem with the cache",
        "You must run `make generate` first",
        "Always run `npm ci` here",
        "I could run `rm -rf node_modules`, but did not",
        "The line `total = sum(items)` was wrong",
        "Tests ran fine",
    ],
)
def test_no_act_is_made_of_orders_rules_plans_and_code(line: str) -> None:
    assert acts(line) == []


def test_each_command_of_a_line_has_its_own_outcome() -> None:
    line = (
        "Ran `pytest -q` -> failed: No module named 'a'. Set the path and ran `PYTHONPATH=src pytest -q` -> 41 passed."
    )
    assert acts(line) == [
        ToldCommand("pytest -q", failed=True, error="No module named 'a'"),
        ToldCommand("PYTHONPATH=src pytest -q", failed=False),
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Edited conftest.py: changed x='module' to x='function'", ("conftest.py", "x='module'", "x='function'")),
        ("replaced `a()` with `b()` in src/x.py", ("src/x.py", "a()", "b()")),
        ("In `Makefile` `a.o: a.c` -> `a.o: a.c config.h`", ("Makefile", "a.o: a.c", "a.o: a.c config.h")),
        ("added `use utf8;` to lib/Name.pm", ("lib/Name.pm", "", "use utf8;")),
        ("Removed `strict: true` from tsconfig.json", ("tsconfig.json", "strict: true", "")),
        ("Updated settings.py to read the new name", ("settings.py", "", "")),
    ],
)
def test_a_change_of_a_file_is_told_with_what_became_what(line: str, told: tuple[str, str, str]) -> None:
    assert acts(line) == [ToldEdit(*told)]


@pytest.mark.parametrize(
    ("told", "outcome"),
    [
        (" -> KeyError: 'a'", (True, "KeyError: 'a'")),
        (": it failed with `ENOENT: no such file`", (True, "ENOENT: no such file")),
        (": 3 passed, 1 failed", (True, "3 passed, 1 failed")),
        (": 12 passed, 0 failed", (False, "")),
        (" without errors", (False, "")),
        (" to see the list", (None, "")),
    ],
)
def test_an_outcome_is_read_from_words(told: str, outcome: tuple[bool | None, str]) -> None:
    assert outcome_of(told) == outcome


def test_a_line_says_more_where_words_are_left_beside_its_acts() -> None:
    bare, more = "Then ran `make` -> ok", "The lexer is generated first, so ran `make lexer` -> ok"
    assert not says_more_than_acts(bare, find_acts(bare))
    assert says_more_than_acts(more, find_acts(more))
