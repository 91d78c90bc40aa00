"""Files that a run removed or restored had no part in what worked."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.undone_files import is_among, undone_files
from tests.domain.lessons.test_rework import lesson, ran

CONFIG = {"file_path": "jest.config.js", "content": "export default { transform: {} };"}
PACKAGE = {"file_path": "package.json", "old_string": '"jest"', "new_string": '"vitest"'}
BROKEN = ran("npm test", "SyntaxError: Cannot use import statement outside a module", failed=True)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("rm -f ./a.txt 'b c.txt' && make", ("a.txt", "b c.txt")),
        ("cd shop; git rm -q old.cfg | tee log", ("old.cfg",)),
        ("git checkout -- src", ("src",)),
        ("git checkout src/a.py", ("src/a.py",)),
        ("git reset --hard", (".",)),
        ("git checkout main", ()),
        ("git checkout Dockerfile && git status", ("Dockerfile",)),
        ("git restore --staged a.py", ()),
        ("git rm --cached a.py", ()),
        ("git commit -m 'drop a; rm b'", ()),
        ("echo 'rm a", ()),
        ("grep x <<< hello\ngit checkout -- a.py", ("a.py",)),
        ("rm " * 5_000, ()),  # too long to be read
    ],
)
def test_a_command_tells_which_files_it_takes_back(command: str, files: tuple[str, ...]) -> None:
    assert undone_files(command) == files


@pytest.mark.parametrize(
    ("path", "undone", "is_undone"),
    [
        ("/home/dev/shop/a.txt", ("a.txt",), True),
        ("src/deep/a.py", ("src/",), True),
        ("src/a.py", (".",), True),
        ("src/data.txt", ("a.txt",), False),
    ],
)
def test_a_file_is_undone_with_its_folder(path: str, undone: tuple[str, ...], is_undone: bool) -> None:
    assert is_among(path, undone) == is_undone


def test_a_file_that_was_removed_again_had_no_part_in_the_repair() -> None:
    tried = ("Write", CONFIG, "ok", False)
    mended = ("Edit", PACKAGE, "ok", False)
    told = lesson(BROKEN, tried, BROKEN, mended, ran("rm jest.config.js"), ran("npm test"))
    assert told.correct_action.startswith("`npm test` after editing package.json")
    assert "jest.config.js" not in told.correct_action


def test_a_file_that_stayed_is_told() -> None:
    told = lesson(BROKEN, ("Write", CONFIG, "ok", False), ran("rm other.config.js"), ran("npm test"))
    assert "editing jest.config.js" in told.correct_action
