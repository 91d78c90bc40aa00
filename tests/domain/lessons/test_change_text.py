"""What an edit changed is told by the lines that tell most, in the room there is, and in no time however long it is."""

from __future__ import annotations

import time

import pytest

from mcp_reflect.domain.lessons.failures.change_text import describe_change
from mcp_reflect.domain.lessons.run.steps import Step


def edited(*change: tuple[str, str]) -> Step:
    return Step("edit", "Edit", "a.py", {}, change, file="a.py")


def alike(count: int) -> tuple[str, str]:
    """As many lines as `count` that are changed each, and are all like each other."""
    old = (f"    value_{number} = compute(alpha, beta, {number})" for number in range(count))
    new = (f"    value_{number} = compute(alpha, gamma, {number * 7 + 1})" for number in range(count))
    return "\n".join(old), "\n".join(new)


@pytest.mark.parametrize(
    "change",
    [
        [alike(400)],
        [alike(100)] * 20,
        [alike(20)] * 1_000,
        [("\n" * 480 + "a", "b\n" + "\n" * 480)] * 20,  # lines that are empty are compared with each other too
        [(f"{alike(20_000)[0]}\nend = 1", f"{alike(20_000)[0]}\nend = 2")],
    ],
    ids=["one long", "several long", "many short", "empty lines", "a whole file"],
)
@pytest.mark.parametrize("most", [30, 200])
def test_long_edits_take_no_time(change: list[tuple[str, str]], most: int) -> None:
    began = time.process_time()
    assert len(describe_change(edited(*change), most)) <= most
    assert time.process_time() - began < 2  # it took minutes


def test_of_a_long_file_the_lines_that_differ_are_told() -> None:
    same = "\n".join(f"row_{number}" for number in range(2_000))
    assert describe_change(edited((f"{same}\nlast = 1", f"{same}\nlast = 2")), 60) == "`last = 1` → `last = 2`"


def test_like_lines_stand_beside_each_other() -> None:
    change = ("read(path)\nopen_it()\nshut(path)", "read(path, 1)\nopen_it()\nshut(path, 1)")
    told = describe_change(edited(change), 120)
    assert told == "- `read(path)`; + `read(path, 1)`; - `shut(path)`; + `shut(path, 1)`"
