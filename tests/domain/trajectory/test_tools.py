"""A shell is known by its argument, under many names; a tool that is one program takes what stands behind its name."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.domain.lessons.run.steps import step_of
from mcp_reflect.domain.trajectory.editor_arguments import edits_of
from mcp_reflect.domain.trajectory.tools import command_line


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
    ],
)
def test_editors_are_given_texts_under_many_names(
    arguments: dict[str, Any], change: tuple[str, str], *, writes: bool
) -> None:
    [found] = edits_of(arguments, "")
    assert (found.path, found.changes, found.writes) == ("a", (change,), writes)


def test_an_editor_may_be_given_what_it_replaces_in_one_text() -> None:
    diff = (
        "------- SEARCH\nport = 1\n=======\nport = 2\n+++++++ REPLACE\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
    )
    [found] = edits_of({"path": "app.toml", "diff": diff}, "")
    assert found.changes == (("port = 1", "port = 2"), ("a", "b"))
