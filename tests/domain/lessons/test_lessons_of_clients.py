"""What other clients write around an output is no part of a lesson, and what they tell beside it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.repairs import find_repairs
from mcp_reflect.domain.lessons.failures.wording import describe_repair
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.tool_output import ToolText, unwrap
from tests.domain.lessons.test_lessons import bash, lesson

Messages = list[dict[str, Any]]

WRAPPED = [
    json.dumps({"output": "no rule", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}),
    json.dumps({"stdout": "", "stderr": "no rule", "returncode": 2}),
    "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno rule",
    "Command: make x\nDirectory: (root)\nOutput: no rule\nError: (none)\nExit Code: 2\nSignal: (none)",
    (
        "no rule\n[The command completed with exit code 2.]\n[Current working directory: /w]\n"
        "[Python interpreter: /usr/bin/python]\n[Command finished with exit code 2]"
    ),
    "<returncode>2</returncode>\n<output>\nno rule\n</output>",
]


@pytest.mark.parametrize("text", WRAPPED)
def test_an_output_is_taken_out_of_what_its_client_wrote_around_it(text: str) -> None:
    assert unwrap(text) == ToolText("no rule", 2)


@pytest.mark.parametrize(
    "text",
    ['{"output": "three"}', '{"status": 3}', "Output: three", "{broken", "Command: do it", "[a list]\n[of two]", ""],
)
def test_another_text_is_left_as_it_is(text: str) -> None:
    assert unwrap(text) == ToolText(text)


def shell(command: str, output: str, code: int, folder: str = "/w") -> Messages:
    given = json.dumps({"command": ["bash", "-lc", command], "workdir": folder})
    told = json.dumps({"output": output, "metadata": {"exit_code": code}})
    return [
        {"type": "function_call", "name": "shell", "arguments": given, "call_id": f"{command}{folder}{code}"},
        {"type": "function_call_output", "call_id": f"{command}{folder}{code}", "output": told},
    ]


def edit(old: str, new: str) -> Messages:
    given = {"file_path": "/w/a.ini", "old_string": old, "new_string": new}
    return [{"role": "assistant", "content": [{"type": "tool_use", "id": old + new, "name": "Edit", "input": given}]}]


def patch(*lines: str) -> Messages:
    text = "\n".join(["*** Begin Patch", "*** Update File: a.ini", "@@", *lines, "*** End Patch"])
    return [{"type": "custom_tool_call", "name": "apply_patch", "input": text, "call_id": text}]


def told(messages: Messages) -> list[str]:
    return [describe_repair(repair) for repair in find_repairs(find_steps(parse(messages)))]


def test_a_command_that_works_in_another_folder_is_told_with_the_folder() -> None:
    run = [*shell("cargo test", "error: could not find Cargo.toml", 101), *shell("cargo test", "ok", 0, "/w/api/core")]
    (line,) = told(run)
    assert line.startswith("`cd api/core && cargo test`. `cargo test` failed: error: could not find Cargo.toml")


def test_one_folder_for_all_commands_is_not_told() -> None:
    run = [*shell("make x", "make: no rule", 2), *patch("+x:"), *shell("make x", "", 0)]
    assert [step.subject for step in find_steps(parse(run)) if step.kind == "command"] == ["make x", "make x"]


def test_lines_that_a_patch_adds_are_told() -> None:
    (line,) = told(
        [*shell("make x", "error: no x", 2), *patch(" b", "+    x: needs a database"), *shell("make x", "", 0)]
    )
    assert "editing a.ini (+ `x: needs a database`)" in line


def test_what_was_tried_in_vain_is_not_told_as_part_of_the_repair() -> None:
    failing = shell("make x", "error: no x", 2)
    (line,) = told([*failing, *shell("npm install", "", 0), *failing, *edit("b = 1", "b = 2"), *shell("make x", "", 0)])
    assert "npm install" not in line
    assert "`b = 1` → `b = 2`" in line


def test_a_change_that_brought_another_error_is_part_of_the_repair() -> None:
    first, second = shell("make x", "error: no x", 2), shell("make x", "error: no y", 1)
    (line,) = told([*first, *shell("npm install", "", 0), *second, *edit("b = 1", "b = 2"), *shell("make x", "", 0)])
    assert "npm install" in line
    assert "`b = 1` → `b = 2`" in line


def test_an_edit_is_told_as_it_ended() -> None:
    run = [
        *shell("make x", "error: no x", 2),
        *edit("round = none", "round = up"),
        *shell("make x", "", 0),
        *edit("round = up", "round = even"),
    ]
    (line,) = told(run)
    assert "`round = none` → `round = even`" in line


def test_an_edit_that_was_taken_back_mended_nothing() -> None:
    edits = [*edit("import a", "import a  # ignored"), *edit("import a  # ignored", "import a")]
    assert not told([*shell("make x", "error: no x", 2), *edits, *shell("make x", "", 0)])


def test_edits_of_other_places_stay_apart() -> None:
    one, other = (Step("edit", "Edit", "a", change=((old, f"{old}!"),)) for old in ("one", "other"))
    assert NetChanges([one, other]).of([one, other]) == [one, other]


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("ls -l | sort", True),
        ("cat a.txt | grep -v 'x; make'", True),
        ("find . -name '*.py' | xargs grep todo", True),
        ("cat a.sql | sqlite3 lib.db", False),
        ("ls; make", False),
        ("find . -name '*.o' | xargs rm", False),
        ("grep -c x log 2>&1", True),
    ],
)
def test_a_line_of_commands_reads_only_where_each_of_them_does(command: str, reads: bool) -> None:
    assert is_inspection(Step("command", "shell", command)) is reads


def test_all_edits_that_change_a_name_in_the_error_are_told() -> None:
    run = [
        *shell("run x", "ModuleNotFoundError: No module named 'toml_reader'", 1),
        *edit("import toml_reader", "import tomllib"),
        *edit("open(f)", "open(f, 'rb')"),
        *edit("toml_reader.load(f)", "tomllib.load(f)"),
        *shell("run x", "", 0),
    ]
    (line,) = told(run)
    assert "`import toml_reader` → `import tomllib`" in line
    assert "`toml_reader.load(f)` → `tomllib.load(f)`" in line


@pytest.mark.parametrize("label", ["Thought: ", "Final Answer: ", "REASONING:\n"])
def test_labels_before_an_agents_words_are_left_out(label: str) -> None:
    words = {"role": "assistant", "content": f"{label}On arm64 the build only passes with `-DNO_SIMD=1`."}
    told = lesson([*bash("make -DNO_SIMD=1", "ok"), words])
    assert "On arm64 the build only passes" in told.guidance + told.summary
    assert label.strip() not in told.guidance + told.summary
