"""Shell commands in a plain log."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.shell_log import commands_with_output, lines_with_commands


def test_each_command_comes_with_the_lines_up_to_the_next() -> None:
    log = "Starting\n$ make\ncc -c a.c\nok\nwriter@host:~/src$ make test\n"
    assert list(commands_with_output(log)) == [("make", "cc -c a.c\nok"), ("make test", "")]


def test_every_line_is_given_so_that_a_reader_may_find_more_in_it() -> None:
    log = "Observation: two files\n$ ls\na b"
    assert list(lines_with_commands(log)) == [("Observation: two files", ""), ("$ ls", "ls"), ("a b", "")]


@pytest.mark.parametrize(
    ("log", "commands"),
    [
        ("# systemctl restart nginx\nok", ["systemctl restart nginx"]),
        ("# NOTE: agents must run kit-sync first\nrotate 7", []),
        ("#!/bin/sh\n# kit-sync before each release\ncp a b", []),
        ("# make\nok\n# make test", ["make", "make test"]),
        ("$ cat notes\n# make test", ["cat notes"]),
        ("# cat README\n# Handbook of tests\ntext", ["cat README"]),
        ("> quoted text of a mail\n> $ make", ["make"]),
        ("no prompt at all", []),
        ("# 对话导出 · 2025-05-18", []),
    ],
)
def test_only_what_stands_behind_a_prompt_is_a_command(log: str, commands: list[str]) -> None:
    assert [command for command, _ in commands_with_output(log)] == commands


@pytest.mark.parametrize("opening", ["cat >> tox.ini <<'EOF'", 'cat <<-"EOF" > tox.ini', "tee -a tox.ini <<EOF"])
def test_a_here_document_belongs_to_its_command(opening: str) -> None:
    log = f"$ {opening}\nallow = make\n$ no command\nEOF\nwritten\n$ tox -e docs\nOK"
    document = f"{opening}\nallow = make\n$ no command\nEOF"
    assert list(commands_with_output(log)) == [(document, "written"), ("tox -e docs", "OK")]


def test_a_here_document_without_its_end_is_output() -> None:
    log = "$ cat >> tox.ini <<'EOF'\nallow = make\n$ tox -e docs\nOK"
    assert list(commands_with_output(log)) == [("cat >> tox.ini <<'EOF'", "allow = make"), ("tox -e docs", "OK")]
