"""A shell is known by its argument, under many names; a tool that is one program takes what stands behind its name."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.domain.lessons.run.steps import step_of
from mcp_reflect.domain.trajectory.editor_arguments import edits_of
from mcp_reflect.domain.trajectory.patches import FilePatch
from mcp_reflect.domain.trajectory.tools import command_line, is_edit


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("Bash", {"command": "make test"}, "make test"),
        ("run_command", {"cmd": "make test"}, "make test"),
        ("mcp__box__execute_command", {"command": "make test"}, "make test"),
        ("run_shell", {"script": "set -e\nmake test"}, "set -e\nmake test"),
        ("exec", {"cmd": ["bash", "-lc", "make test"]}, "make test"),
        ("shell", {"command": ["git", "commit", "-m", "two words"]}, 'git commit -m "two words"'),
        ("kubectl", {"command": "-n fin get pods"}, "kubectl -n fin get pods"),
        ("kubectl", {"command": "kubectl get pods"}, "kubectl get pods"),
        ("aws_cli", {"args": ["s3", "ls"]}, "aws s3 ls"),
        ("terminal", {"input": "make test", "timeout": 60}, "make test"),
        ("run_remote", {"host": "web-1", "cmd": "nginx -t"}, "nginx -t"),
        ("Terminal Tool", {"cmd": "make test"}, "make test"),
        ("terminal", {"orden": "make test"}, "make test"),
        ("kube", {"comando": "get pods"}, "kubectl get pods"),
        ("bash", {"file_path": "a"}, ""),
        ("run_tests", {"path": "tests"}, ""),
        ("send_command", {"command": "reboot"}, ""),
        ("run", {"name": "nightly"}, ""),
    ],
)
def test_the_command_line_of_a_call(tool: str, arguments: dict[str, Any], command: str) -> None:
    assert command_line(tool, arguments) == command
    assert step_of(tool, arguments).kind == ("command" if command else "call")


@pytest.mark.parametrize(
    ("arguments", "change", "writes"),
    [
        ({"path": "a", "old": "x = 1", "new": "x = 2"}, ("x = 1", "x = 2"), False),
        ({"file": "a", "find": "x", "replacement": "y"}, ("x", "y"), False),
        ({"file": "a", "insert_after": "name:", "text": "- acl"}, ("", "- acl"), False),
        ({"path": "a", "text": "whole"}, ("", "whole"), True),
        ({"filePath": "a", "oldString": "x = 1", "newString": "x = 2"}, ("x = 1", "x = 2"), False),
        ({"path": "a", "old_str_1": "x = 1", "new_str_1": "x = 2"}, ("x = 1", "x = 2"), False),
        ({"TargetFile": "a", "CodeContent": "whole"}, ("", "whole"), True),
        ({"filepath": "a", "contents": "whole"}, ("", "whole"), True),
        ({"filePath": "a", "code": "x = 2\n// ...existing code...\n"}, ("", "x = 2\n"), False),
    ],
)
def test_editors_are_given_texts_under_many_names(
    arguments: dict[str, Any], change: tuple[str, str], *, writes: bool
) -> None:
    [found] = edits_of(arguments, "")
    assert (found.path, found.changes, found.writes) == ("a", (change,), writes)


def test_an_editor_may_be_given_what_comes_behind_a_file() -> None:
    [told] = edits_of({"file": "a", "append": "x"}, "")
    [asked] = edits_of({"path": "a", "content": "x", "append": True}, "")
    assert told == asked == FilePatch("a", (("", "x"),), writes=False)


def test_an_editor_may_be_given_replacements_in_several_files() -> None:
    pairs = [("a.py", "x = 1", "x = 2"), ("b.py", "y", "z"), ("a.py", "p", "q")]
    replacements = [{"filePath": path, "oldString": old, "newString": new} for path, old, new in pairs]
    arguments = {"explanation": "both", "replacements": replacements}
    assert [(each.path, each.changes) for each in edits_of(arguments, "")] == [
        ("a.py", (("x = 1", "x = 2"), ("p", "q"))),
        ("b.py", (("y", "z"),)),
    ]
    chunks = {"TargetFile": "a", "ReplacementChunks": [{"TargetContent": "x", "ReplacementContent": "y"}]}
    assert edits_of(chunks, "")[0].changes == (("x", "y"),)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("insert_edit_into_file", {"filePath": "a.ts", "code": "x"}),
        ("replace_string_in_file", {"filePath": "a.ts", "oldString": "x", "newString": "y"}),
        ("multi_replace_string_in_file", {"replacements": [{"filePath": "a.ts", "oldString": "x", "newString": "y"}]}),
        ("replace_file_content", {"TargetFile": "a.ts", "ReplacementChunks": []}),
        ("str-replace-editor", {"command": "str_replace", "path": "a.ts", "old_str_1": "x", "new_str_1": "y"}),
        ("save-file", {"path": "a.ts", "file_content": "x"}),
        ("developer__text_editor", {"command": "write", "path": "a.ts", "file_text": "x"}),
        ("fs_write", {"command": "create", "path": "a.ts", "file_text": "x"}),
        ("edit_existing_file", {"filepath": "a.ts", "changes": "x"}),
        ("apply_diff", {"path": "a.ts", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}),
    ],
)
def test_the_editors_of_clients_are_known(tool: str, arguments: dict[str, Any]) -> None:
    step = step_of(tool, arguments)
    assert (step.kind, step.subject) == ("edit", "a.ts")


def test_an_editor_may_be_given_what_it_replaces_in_one_text() -> None:
    diff = (
        "------- SEARCH\nport = 1\n=======\nport = 2\n+++++++ REPLACE\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
    )
    [found] = edits_of({"path": "app.toml", "diff": diff}, "")
    assert found.changes == (("port = 1", "port = 2"), ("a", "b"))


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("terminal", {"commands": ["make test", "git status"]}, "make test\ngit status"),
        ("execute_code", {"lang": "bash", "script": "make test"}, "make test"),
        ("run_code", {"language": "sh", "code": "make test"}, "make test"),
        ("run_code", {"language": "python", "code": "print(1)"}, ""),
    ],
)
def test_command_lines_under_other_names(tool: str, arguments: dict[str, Any], command: str) -> None:
    assert command_line(tool, arguments) == command


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("substitute", {"name": "a.py", "before": "x", "after": "y"}, True),
        ("replace_text", {"filename": "a.py", "search": "x", "replacement": "y"}, True),
        ("put_file", {"path": "a.py", "contents": "x\n"}, True),
        ("editFile", {"path": "a.py", "from": "x", "to": "y"}, True),
        ("rename", {"path": "src", "old": "a.py", "new": "b.py"}, False),
        ("grep_file", {"path": "a.py", "search": "x", "replacement": ""}, False),
        ("find_order", {"name": "Ann Lee", "before": "x", "after": "y"}, False),
        ("read_file", {"path": "a.py", "text": "x"}, False),
    ],
)
def test_edits_by_their_arguments(tool: str, arguments: dict[str, Any], expected: bool) -> None:
    assert is_edit(tool, arguments) is expected
