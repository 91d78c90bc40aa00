"""What an edit changed is told by the lines that tell most, in the room there is, and in time however long it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mcp_reflect.domain.lessons.failures import change_text
from mcp_reflect.domain.lessons.failures.change_text import describe_change, edits_by_file
from mcp_reflect.domain.lessons.run.step import Step
from tests.support.linear_time import takes_linear_time


def edited(*change: tuple[str, str]) -> Step:
    return Step("edit", "Edit", "a.py", {}, change, file="a.py")


def alike(count: int) -> tuple[str, str]:
    """As many lines as `count` that are changed each, and are all like each other."""
    old = (f"    value_{number} = compute(alpha, beta, {number})" for number in range(count))
    new = (f"    value_{number} = compute(alpha, gamma, {number * 7 + 1})" for number in range(count))
    return "\n".join(old), "\n".join(new)


@pytest.mark.parametrize(
    ("change", "few"),
    [
        (lambda count: [alike(count)], 100),
        (lambda count: [alike(count)] * 20, 25),
        # lines that are empty are compared with each other too
        (lambda count: [("\n" * count + "a", "b\n" + "\n" * count)] * 20, 120),
        (lambda count: [(f"{alike(count)[0]}\nend = 1", f"{alike(count)[0]}\nend = 2")], 5_000),
    ],
    ids=["one long", "several long", "empty lines", "a whole file"],
)
@pytest.mark.parametrize("most", [30, 200])
def test_the_time_for_an_edit_grows_with_its_length(
    change: Callable[[int], list[tuple[str, str]]], few: int, most: int
) -> None:
    def describe(count: int) -> None:
        assert len(describe_change(edited(*change(count)), most)) <= most

    assert takes_linear_time(describe, few)


def test_of_very_many_places_the_last_ones_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def nothing_told(old: str, _new: str, _most: int) -> str:
        compared.append(old)
        return ""

    monkeypatch.setattr(change_text, "_describe_pair", nothing_told)
    described = describe_change(edited(*((f"old {number}", f"new {number}") for number in range(1_000))), 200)
    assert not described
    assert len(compared) < 100
    assert compared[0] == "old 999"


def test_of_a_long_file_the_lines_that_differ_are_told() -> None:
    same = "\n".join(f"row_{number}" for number in range(2_000))
    assert describe_change(edited((f"{same}\nlast = 1", f"{same}\nlast = 2")), 60) == "`last = 1` → `last = 2`"


def test_like_lines_stand_beside_each_other() -> None:
    change = ("read(path)\nopen_it()\nshut(path)", "read(path, 1)\nopen_it()\nshut(path, 1)")
    told = describe_change(edited(change), 120)
    assert told == "- `read(path)`; + `read(path, 1)`; - `shut(path)`; + `shut(path, 1)`"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("import a\nimport b\nimport c", "import b\nimport c\nimport a", "moving `import a` down"),
        ("import b\nimport c\nimport a", "import a\nimport b\nimport c", "moving `import a` up"),
        ("run_it()\nif ready:\n", "if ready:\n    run_it()\n", "moving `run_it()` down"),
        # put in twice is not moved
        ("open_it()\n", "wait()\nopen_it()\nwait()\n", "+ `wait()`; + `wait()`"),
    ],
)
def test_a_line_that_stays_as_it_is_is_no_change_to_itself(old: str, new: str, told: str) -> None:
    assert describe_change(edited((old, new)), 120) == told


def test_a_line_that_is_put_in_at_two_places_is_told() -> None:
    old = "def up():\n    make(\n        name,\n    )\ndef down():\n    drop(name)"
    new = "def up():\n    with block():\n        make(\n        )\ndef down():\n    with block():\n        drop(name)"
    assert describe_change(edited((old, new)), 60).startswith("+ `with block():`")


def test_brackets_alone_are_not_told() -> None:
    assert describe_change(edited(("a(\n  1\n)\nb", "a({\n  1\n},\n{\n})\nb = 2")), 120).count("}") == 0


def test_what_is_told_of_several_places_has_the_room_there_is() -> None:
    change = (
        (f"{'a' * 40}\nfoo\n", f"{'b' * 40}\nfoo"),
        ("  foobarbaz", "foobarbaz"),
        ("import a\nimport b", "import b\nimport a"),
        ("c" * 20, "d" * 20),
    )
    for places in (change, change[:3], change[2:], change[1:2], change[2:3], change[3:]):
        for most in range(300):
            told = describe_change(edited(*places), most)
            assert len(told) <= most
            assert "``" not in told
    assert describe_change(edited(*change[2:]), 52) == f"`{'c' * 20}` → `{'d' * 20}`; …"


def test_blanks_that_the_room_does_not_show_are_not_told() -> None:
    line = "value = compute(alpha, beta, gamma)"
    assert describe_change(edited((f"{line} ", line)), 40) == ""


def test_what_a_later_edit_of_the_file_replaced_is_told_as_it_ended() -> None:
    first = Step("edit", "MultiEdit", "form.php", change=(("echo 'Book';", "echo __('Book', 'a');"), ("x", "y")))
    then = Step("edit", "MultiEdit", "form.php", change=(("echo __('Book', 'a');", "esc_html_e('Book', 'ab');"),))
    assert edits_by_file([first, then])[0].change == (("echo 'Book';", "esc_html_e('Book', 'ab');"), ("x", "y"))
    back = Step("edit", "Edit", "form.php", change=(("y", "x"),))
    assert edits_by_file([first, back])[0].change == (("echo 'Book';", "echo __('Book', 'a');"),)


def test_where_not_all_lines_have_room_comments_go_first_and_a_sign_says_that_lines_are_left_out() -> None:
    rules = "-keep class first.Rule\n# R8 strips the signature of what is not kept\n-keep class second.Rule"
    assert describe_change(edited(("", rules)), 120) == (
        "+ `-keep class first.Rule`; + `# R8 strips the signature of what is not kept`; + `-keep class second.Rule`"
    )
    old = "-dontwarn x"
    kept = "+ `-keep class first.Rule`; + `-keep class second.Rule`"
    assert describe_change(edited((old, f"{old}\n{rules}")), 80) == kept
    assert describe_change(edited((old, f"{old}\n{rules}")), 50) == "+ `-keep class first.Rule`; …"


def test_of_several_places_the_one_that_only_brings_something_in_comes_last() -> None:
    work = ("now = datetime.now(timezone.utc)", 'now = now or datetime.now(ZoneInfo("Europe/Oslo"))')
    brings_in = ("import os", "import os\nfrom datetime import datetime\nfrom zoneinfo import ZoneInfo")
    told = describe_change(edited(work, brings_in), 110)
    assert told == '`now = datetime.now(timezone.utc)` → `now = now or datetime.now(ZoneInfo("Europe/Oslo"))`; …'
