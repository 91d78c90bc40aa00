"""Files that a run removed or restored had no part in what worked."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undone_files import is_among, undone_files
from mcp_reflect.domain.lessons.run.working_tree import find_gone
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


HOOK = "hooks/pre-commit"


def gone(*commands: str) -> bool:
    """Whether an edit of the hook is gone behind these commands."""
    steps = [Step("edit", "Edit", HOOK, change=(("a", "b"),))]
    steps += [Step("command", "Bash", command, failed=False) for command in commands]
    return bool(find_gone(steps))


def test_another_worktree_takes_back_nothing_here() -> None:
    assert not gone("git commit -qam fix && cd ../next && git checkout -q main -- hooks")
    assert gone("git commit -qam fix && git checkout -q main -- hooks")
    assert gone("cd ../next && git commit -qam other", f"git checkout -- {HOOK}")
    assert not gone("git commit -qam mine", f"git checkout -- {HOOK}")


def test_a_file_without_an_extension_is_restored_that_the_run_had_edited() -> None:
    assert gone(f"git checkout -q {HOOK}; make")
    assert not gone("git checkout -q hooks/other; make")


MADE, DROPPED = "git switch -qc quick && git commit -qam quick && git push", "git switch main && git branch -qD quick"


def test_what_was_committed_on_a_branch_that_is_dropped_is_gone() -> None:
    assert gone(MADE, DROPPED)
    assert gone("git checkout -b quick", "git commit -am quick", DROPPED)
    assert not gone(MADE, "git switch main && git merge quick", DROPPED)
    assert not gone(MADE, "git branch -D stale")
    assert not gone("git commit -am first", MADE, DROPPED)


def test_what_came_to_nothing_is_not_told_by_its_commit() -> None:
    edit = ("Edit", PACKAGE, "ok", False)
    made, dropped = ran(MADE), ran(f"{DROPPED} && git push origin --delete quick")
    told = lesson(edit, made, ran("npm ci --prefer-offline"), dropped).correct_action
    assert "npm ci --prefer-offline" in told
    assert "git commit" not in told
    assert "vitest" in lesson(edit, made).correct_action
