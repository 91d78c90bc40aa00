"""What Python scripts replace in a file is read where they are plain, and nothing where they are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.trajectory.patches import FilePatch
from mcp_reflect.domain.trajectory.replacing_scripts import replacements_in

READ, WRITE = 's = open("app.py").read()\n', '\nopen("app.py", "w").write(s)'


def changes_of(script: str) -> list[tuple[str, str]]:
    found = replacements_in(script)
    assert all(each.path == "app.py" for each in found)
    return [change for each in found for change in each.changes]


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        (
            'old = "a1"; new = "b1"; s = s.replace(old, new)\nold, new = "a2", "b2"; s = s.replace(old, new)',
            [("a1", "b1"), ("a2", "b2")],  # names that are used again
        ),
        ('s = s.replace("a", "b").replace("b", "c")', [("a", "b"), ("b", "c")]),
        ('s = s.replace("a", "b")\nprint("replaced in " + "app")', [("a", "b")]),
        ('name = "my app".replace(" ", "-")\ns = s.replace("a", "b")', [("a", "b")]),
        ('s += "\\nend"', [("", "\nend")]),
        ('s = s.rstrip() + "\\nend"', [("", "\nend")]),
        ('if __name__ == "__main__":\n    s = s.replace("a", "b")', [("a", "b")]),
        ('assert "a" in s\nif "a" not in s:\n    raise SystemExit(1)\ns = s.replace("a", "b")', [("a", "b")]),
        ('if "a" in s:\n    s = s.replace("a", "b")\nelse:\n    print("not found")', [("a", "b")]),
        ('s = s.replace("a", "b")\nt = s.replace("b", "c")', [("a", "b")]),  # what was not written
    ],
)
def test_what_is_replaced_is_read_in_order(lines: str, changes: list[tuple[str, str]]) -> None:
    assert changes_of(READ + lines + WRITE) == changes


@pytest.mark.parametrize(
    "script",
    [
        'p = Path("src") / "app.py"; p.write_text(p.read_text().replace("a = 1", "a = 2"))',
        'p = pathlib.Path("src", "app.py")\nwith p.open("r+") as f: f.write(f.read().replace("a = 1", "a = 2"))',
        'folder = "src"\np = Path(folder + "/app.py"); p.write_text(p.read_text().replace("a = 1", "a = 2"))',
    ],
)
def test_a_path_of_several_parts_is_that_of_the_file(script: str) -> None:
    assert replacements_in(script) == [FilePatch("src/app.py", (("a = 1", "a = 2"),))]


@pytest.mark.parametrize(
    "lines",
    [
        's = s.replace("a", "b")\ns = re.sub("b+", "c", s)',
        's = s.replace("a", "b")\nfor old in ["b", "c"]:\n    s = s.replace(old, "")',
        's = s.replace("a", "b")\nif flag:\n    s = s.replace("b", "c")',
        'if "a" in s:\n    s = s.replace("a", "b")\nelse:\n    s = s.replace("c", "d")',
        'def fix(old, new):\n    global s\n    s = s.replace(old, new)\nfix("a", "b")\ns = s.replace("c", "d")',
        's = s.replace("a", "b")\nopen("b.py", "w").write(s)',  # of another file
        's = s.replace("a", name)',
        's = "a" + "b"',
        "x = 'ab'\n" + "x = x + x\n" * 200 + "s = s.replace('a', x)",
    ],
)
def test_nothing_is_told_of_a_script_that_is_not_plain(lines: str) -> None:
    assert changes_of(READ + lines + WRITE) == []


@pytest.mark.parametrize(
    "script",
    [
        'p = Path(folder) / "app.py"; p.write_text(p.read_text().replace("a", "b"))',
        'try:\n    open("a", "w").write(open("a").read().replace("b", "c"))\nexcept OSError:\n    pass',
        'for p in (Path("a"), Path("b")):\n    p.write_text(p.read_text().replace("a", "b"))',
        'open("a", "w").write("all of it")',
    ],
)
def test_nothing_is_told_where_the_file_or_its_text_is_not_certain(script: str) -> None:
    assert replacements_in(script) == []


def test_a_script_that_is_nested_too_deep_to_follow_is_left_alone() -> None:
    deep = "s" + ".replace('a', 'b')" * 390
    assert len(replacements_in(f"s = open('a').read()\ns = {deep}\nopen('a', 'w').write(s)")) <= 1


WORDS = ["s", "=", "+=", "+", "/", "'a'", "open('a')", ".read()", ".replace('a', 'b')", ".write(s)", "Path('a')", "\n"]


@given(st.lists(st.sampled_from([*WORDS, "if 'a' in s:\n ", "with open('a') as f:\n ", "(", ")", ","]), max_size=20))
def test_no_script_is_too_odd(words: list[str]) -> None:
    found = replacements_in(" ".join(words))
    assert all(each.path and each.changes for each in found)


def test_a_loop_over_files_replaces_in_each() -> None:
    script = """
for f in ("shop/cart.py", "shop/release.py"):
    s = open(f).read()
    s = s.replace("a", "b")
    open(f, "w").write(s)
"""
    changes = (("a", "b"),)
    assert replacements_in(script) == [FilePatch("shop/cart.py", changes), FilePatch("shop/release.py", changes)]
