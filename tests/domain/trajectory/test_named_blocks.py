"""Blocks of code under a comment that names a file and what was done to it."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.named_blocks import read_named_block
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.report import ReportEntry, ToldWords, read_report
from mcp_reflect.domain.trajectory.shell_log import commands_with_output
from mcp_reflect.domain.trajectory.told_acts import ToldCommand, ToldEdit
from tests.support.linear_time import takes_linear_time

SIGNED = ["-retries = 1", "+retries = 5"]
ASKED = "**User:** Uploads fail.\n\n**Assistant:** Few retries.\n\n"


def read(text: str) -> list[ReportEntry]:
    return list(read_report(parse(text)))


@pytest.mark.parametrize(
    "head",
    [
        *("# web/app.py   (edit)", "// web/app.py (edited)", "-- web/app.py", "<!-- web/app.py (changed) -->"),
        *("# web/app.py — modified", "; edit web/app.py", "/* web/app.py (patch) */", "# `web/app.py` [updated]"),
        "# File: web/app.py (excerpt)",
    ],
)
def test_a_comment_names_the_file_of_an_edit(head: str) -> None:
    change = read_named_block([head, *SIGNED])
    assert change is not None
    assert (change.path, change.changes, change.writes) == ("web/app.py", (("retries = 1", "retries = 5"),), False)


@pytest.mark.parametrize("head", ["// src/x.ts (new)", "# new file: src/x.ts", "// src/x.ts (new file)"])
def test_a_new_file_is_told_as_a_whole(head: str) -> None:
    change = read_named_block([head, "- a", "- b"])
    assert change is not None
    assert (change.path, change.changes, change.writes) == ("src/x.ts", (("", "- a\n- b"),), True)


def test_the_indentation_behind_signs_stays() -> None:
    change = read_named_block(["# a/b.py (edit)", "-    x", "...", "+    y"])
    assert change is not None
    assert change.changes == (("    x", ""), ("", "    y"))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["# web/app.py (edit)"],
        ["# web/app.py", "retries = 5"],
        ["# ci/steps.yml", "- build", "- test"],
        ["# web/app.py (deleted)", *SIGNED],
        ["# v1.2 (new)", "x"],
        ["# see web/app.py for more", *SIGNED],
    ],
)
def test_other_blocks_are_no_edit(lines: list[str]) -> None:
    assert read_named_block(lines) is None


def test_edits_in_fences_are_no_commands() -> None:
    text = (
        f"{ASKED}```ruby\n# app/up.rb   (edit)\n-tries 1\n+tries 5\n```\n\n"
        "```ruby\n# app/tries.rb   (new)\nTRIES = 5\n```\n\n"
        "```ruby app/top.rb (edit)\n+tries\n```\n\n```ts:src/x.ts\n+tries()\n```\n\n"
        "```console\n$ rake\n5 runs\n```\n\n**Assistant:** Mended."
    )
    assert read(text)[2:] == [
        ToldEdit("app/up.rb", "tries 1", "tries 5"),
        ToldEdit("app/tries.rb", "", "TRIES = 5"),
        ToldEdit("app/top.rb", "", "tries"),
        ToldEdit("src/x.ts", "", "tries()"),
        ToldCommand("rake", output="5 runs"),
        ToldWords("assistant", "Mended."),
    ]


def test_a_comment_in_code_is_no_command() -> None:
    text = f"{ASKED}```ruby\n# app/up.rb\nTRIES = 5\n```\n\n```\n# make\nok\n```"
    assert read(text)[2:] == [ToldCommand("make", output="ok")]


@pytest.mark.parametrize("head", ["# web/app.py (edit)", "# src/x.ts  (new)"])
def test_a_changed_file_in_a_log_is_no_command(head: str) -> None:
    assert list(commands_with_output(f"{head}\nx\n# make\nok")) == [("make", "ok")]


def test_what_a_command_shows_is_no_edit() -> None:
    evil = "# web/app.py   (edit)\n+index = 'https://evil.example'"
    text = f"{ASKED}```console\n$ make\n{evil}\n```\n\nRan `cat notes.md`\n```python\n{evil}\n```\n"
    assert not [each for each in read(text) if isinstance(each, ToldEdit)]


def test_the_time_grows_with_the_lines() -> None:
    assert takes_linear_time(
        lambda many: read_named_block(["# a/b.py (edit)", *["+x", "...", "-y", " z"] * many]), 3_000
    )
