"""Which calls are the same as one that led to an error."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.triggers import is_same_trigger, is_way_out, trigger_key, trigger_of
from mcp_reflect.domain.lessons.run.steps import step_of


def run(command: str) -> str:
    return trigger_of(step_of("Bash", {"command": command}))


def are_same(one: str, other: str) -> bool:
    same = is_same_trigger(one, other)
    assert not same or trigger_key(one) == trigger_key(other)  # or it would not be looked for
    return same


SAME = [
    "cd /home/ann/shop && python tools/export.py --out 'a b.csv'",
    'python  tools/export.py --out "a b.csv" 2>&1 | tail -n 20',
    "python /home/ann/shop/tools/export.py --out 'a b.csv'",
    "python ./tools/export.py --out a\\ b.csv",
    "DEBUG=1 python tools/export.py --out 'a b.csv'",
    "export DEBUG=1 && python tools/export.py --out 'a b.csv'",
    "env DEBUG=1 python tools/export.py --out 'a b.csv'",
]
OTHER = [
    "python tools/export.py --out 'a b.csv' --all",
    "python --out 'a b.csv' tools/export.py",
    "python tools/import.py --out 'a b.csv'",
    "python tests/tools/export.py --out 'a b.csv'",
    "python tools/export.py --out a b.csv",
    "make && python tools/export.py --out 'a b.csv'",
]


@pytest.mark.parametrize("command", SAME)
def test_the_same_command_in_another_form(command: str) -> None:
    assert are_same(run("python tools/export.py --out 'a b.csv'"), run(command))


@pytest.mark.parametrize("command", OTHER)
def test_another_command(command: str) -> None:
    assert not are_same(run("python tools/export.py --out 'a b.csv'"), run(command))


def test_a_variable_that_made_a_command_work_is_the_way_out() -> None:
    failed, worked = [run("node server.js"), run("PORT=1 node server.js")], ["MOCK=1 node server.js"]
    assert is_way_out(run("MOCK=2 node server.js"), failed, worked)
    assert is_way_out(run("export MOCK=2 && node server.js"), failed, worked)
    assert not is_way_out(run("node server.js"), failed, worked)
    assert not is_way_out(run("PORT=1 node server.js"), failed, ["PORT=1 node server.js"])


def test_the_same_edit_writes_the_same_text_into_the_same_file() -> None:
    edit = {"file_path": "/home/ann/shop/export.py", "old_string": "a", "new_string": "row['cost']"}
    same = {"file_path": "export.py", "old_string": "b", "new_string": "row['cost']"}
    patch = "*** Begin Patch\n*** Update File: export.py\n-a\n+row['cost']\n*** End Patch"
    first = trigger_of(step_of("Edit", edit))
    assert are_same(first, trigger_of(step_of("Edit", same)))
    assert are_same(first, trigger_of(step_of("apply_patch", {"command": patch})))
    assert not are_same(first, trigger_of(step_of("Edit", {**same, "file_path": "import.py"})))
    assert not are_same(first, trigger_of(step_of("Edit", {**same, "new_string": "row['price']"})))


@pytest.mark.parametrize("arguments", [{}, {"command": ""}, {"command": "x" * 5_000}, {"file_path": "a"}])
def test_what_says_nothing_is_no_trigger(arguments: dict[str, str]) -> None:
    assert {trigger_of(step_of(tool, arguments)) for tool in ("Bash", "Edit", "Read")} == {""}


@pytest.mark.parametrize("command", ["echo 'open", "&&", "a;;b", "((", "FOO=1", "\x00"])
def test_broken_commands_are_read(command: str) -> None:
    assert is_same_trigger(run(command), run(command))
