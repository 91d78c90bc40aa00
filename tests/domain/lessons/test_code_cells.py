"""Programs and queries that a tool ran are told by the lines that made the difference, without somebody's data."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.code_cells import (
    CODE_CHARS,
    asks_about_data,
    code_argument,
    code_in_one_line,
    code_lines,
    telling_lines,
    without_somebodys,
)
from mcp_reflect.domain.lessons.run.steps import find_steps, step_of
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.lessons.test_lessons import call, lesson, said

TASK = "Sum the net amount per cost centre"
READ = 'import pandas as pd\ndf = pd.read_csv("sap.csv")\ndf.head()'
READ_RIGHT = 'df = pd.read_csv("sap.csv", sep=";", decimal=",", encoding="cp1252")\nprint(df.shape)'
SUM = 'print(df.groupby("Kostenstelle").sum())'
ERROR = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe4 in position 58"


def test_a_cell_that_failed_is_told_with_the_lines_by_which_it_worked() -> None:
    found = lesson(
        [
            *call("ipython", {"code": READ}, ERROR, failed=True),
            *call("ipython", {"code": READ_RIGHT}, "(812, 5)"),
            *call("ipython", {"code": SUM}, "410010 9120"),
        ],
        task=TASK,
    )
    worked, _ = found.correct_action.split(" failed: ")
    assert worked == (
        '`ipython(code=df = pd.read_csv("sap.csv", sep=";", decimal=",", encoding="cp1252"))`. '
        '`ipython(code=df = pd.read_csv("sap.csv"))`'
    )


@pytest.mark.parametrize("tool", ["run_query", "mcp__postgres__query", "execute_sql"])
def test_a_query_is_told_whole_whatever_its_tool_is_called(tool: str) -> None:
    query = "select count(*)\nfrom orders final\nwhere is_deleted = 0 and zone = 'Europe/Berlin'"
    found = lesson([*call(tool, {"query": query}, "41977"), *said(("assistant", "There are 41,977."))], task=TASK)
    assert f"`{tool}(query={' '.join(query.split())})`" in found.correct_action


def test_what_shows_the_schema_is_no_way_of_doing_anything() -> None:
    run = [*call("execute_sql", {"sql": "describe orders"}, "id, state"), *said(("assistant", "Two columns."))]
    assert "describe" not in lesson(run, task=TASK).correct_action


def test_a_line_is_told_with_the_last_cell_that_has_it() -> None:
    first = 'des = design(ids="ea")\nfit = run(des, level=0.9)'
    second = 'des = design(ids="ea")\nset_option("lonely", "adjust")\nfit = run(des, level=0.9)'
    found = lesson([*call("run_r", {"code": first}, "ok"), *call("run_r", {"code": second}, "ok")], task=TASK)
    assert (
        found.correct_action
        == '`run_r(code=des = design(ids="ea"); set_option("lonely", "adjust"); fit = run(des, level=0.9))`'
    )


def test_lines_that_only_import_print_or_close_tell_nothing() -> None:
    code = "import io\nfrom a import b\n# why\nprint(x)\ndf.head()\nx = f(y)\n)\nfor a in b:\n    print(a)"
    assert telling_lines(code_lines(code)) == ["x = f(y)"]
    assert telling_lines(["print(sql(read('a', union_by_name=true)))"]), "what is printed was worked out there"


def test_a_text_over_several_lines_is_one() -> None:
    assert code_lines('q = """select a\n  from b"""\nrun(q)') == ['q = """select a from b"""', "run(q)"]


def test_words_that_begin_as_a_query_does_are_none() -> None:
    def argument(query: str) -> str:
        return code_argument(step_of("search", {"query": query}))

    assert argument("select a doctor from the list of the clinic") == ""
    assert argument("select name from doctors where city = 'Bonn'") == "query"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("where zone = 'Europe/Berlin'", "where zone = 'Europe/Berlin'"),
        ("where email = 'ann@example.org'", "where email = …"),
        ("where last_name = 'Berg'", "where last_name = …"),
        ("where note = 'sent to Maria'", "where note = …"),
        ("where id = 4711022", "where id = …"),
        ("where day = '2026-01-02' and kind = 'a'", "where day = … and kind = 'a'"),
        ("where note = 'it''s' -- Ann Berg", ""),
        ("phone = (49, 30, 12)", "phone = …"),
        ("load('offers.xlsx', sheet='Net Amount')", "load('offers.xlsx', sheet=…)"),
    ],
)
def test_what_may_be_somebodys_is_left_out(code: str, told: str) -> None:
    assert without_somebodys(code) == told


def test_of_a_long_program_the_last_lines_are_told() -> None:
    code = "\n".join(f"value_{number} = compute(number={number})" for number in range(40))
    told = code_in_one_line(code)
    assert told.startswith("…")
    assert told.endswith("value_39 = compute(number=39)")
    assert len(told) <= CODE_CHARS + 2


def test_of_a_long_program_that_line_is_told_too_that_does_again_what_had_failed() -> None:
    lines = [f"value_{number} = compute(number={number})  # step {number}" for number in range(40)]
    code = "\n".join(['df = read("a.csv", sep=";", decimal=",")', *lines])
    told = code_in_one_line(code, 'df = read("a.csv")')
    assert told.startswith('df = read("a.csv", sep=";", decimal=","); … value_')
    assert told.endswith("value_39 = compute(number=39)")
    assert "#" not in told
    assert len(told) <= CODE_CHARS + 4
    assert not code_in_one_line(code, code).startswith("df")


def test_who_has_queries_run_is_no_customer() -> None:
    cells = find_steps(parse([*call("execute_sql", {"sql": "select a from b where c = 1"}, "1")]))
    assert asks_about_data(cells)
    assert not asks_about_data(find_steps(parse([*call("cancel_order", {"id": "A1"}, "ok")])))
    assert not asks_about_data([])
    mixed = [
        *call("sql_or_shell", {"kind": "sql", "q": "ALTER SYSTEM SET work_mem = '64MB'"}, "ok"),
        *call("sql_or_shell", {"kind": "shell", "q": "df -h"}, "30%"),
    ]
    assert asks_about_data(find_steps(parse(mixed)))
    assert not asks_about_data(find_steps(parse([*call("ask", {"q": "select a doctor from the list"}, "ok")])))


def test_a_program_about_something_else_is_no_repair() -> None:
    found = lesson(
        [
            *call(
                "python",
                {"code": "chart = find('Sales')\nchart.replace_data(frame)"},
                "TypeError: numpy.int64",
                failed=True,
            ),
            *call("python", {"code": "chart = find('Sales')\nchart.replace_data(as_float(frame))"}, ""),
            *call("python", {"code": "run('soffice --convert-to pdf', shell=True)"}, "page-1.png"),
        ],
        task="Put the data of October into the charts",
    )
    assert found.correct_action.startswith(
        "`python(code=chart = find('Sales'); chart.replace_data(as_float(frame)))`. "
        "`python(code=chart.replace_data(frame))` failed: "
    )


@pytest.mark.parametrize("part", ["\n", "`", '"""x ', "'x ", "f((", "a='b\n", "select a from b "])
def test_the_time_for_a_program_grows_with_its_length(part: str) -> None:
    """A pattern that takes the square of it would not end here."""
    code = part * (400_000 // len(part))
    code_argument(step_of("python", {"code": code}))
    telling_lines(code_lines(code))
    without_somebodys(code)


def test_of_a_long_cell_those_lines_are_told_that_none_before_had() -> None:
    """The lesson of a notebook is what was changed in a cell, wherever it stands there."""
    same = "\n".join(f"value_{number} = compute(number={number})" for number in range(20))
    first = call("edit_cell", {"cell": "4", "source": same}, "ok")
    then = call("edit_cell", {"cell": "4", "source": f'tok.padding_side = "left"\n{same}'}, "ok")
    assert lesson([*first, *then], task=TASK).correct_action == '`edit_cell(source=tok.padding_side = "left")`'


def test_the_text_of_a_configuration_is_told_although_a_tool_of_somebodys_home_took_it() -> None:
    text = "mode: restart\naction:\n  - wait_for_trigger:\n      to: 'off'\n      for: '00:03:00'"
    run = [
        *said(("user", "The light goes out too early.")),
        *call("set_automation", {"id": "hall", "yaml": text}, "saved"),
    ]
    found = lesson([*run, *said(("user", "Right, the sensor is slow."))], task="Fix the light in the hall")
    assert "wait_for_trigger" in found.correct_action
    assert "for: '00:03:00'" in found.correct_action


def test_a_formula_is_told_whatever_the_argument_is_called() -> None:
    formula = '=SUMIFS(D:D;A:A;">="&DATE(2025;3;1))'
    found = lesson(call("cell_set", {"sheet": "x1", "range": "C5", "value": formula}, "ok"), task="Sum up March")
    assert formula in found.correct_action


@pytest.mark.parametrize(
    ("name", "value"), [("patch", "see the ticket"), ("value", "= 3"), ("template", "Dear customer")]
)
def test_words_are_no_configuration(name: str, value: str) -> None:
    assert not code_argument(step_of("update", {name: value}))
