"""Edits that a transcript shows by the name of a file and lines with signs below it, beside what the editor answers."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript
from tests.domain.trajectory.transcripts.test_reading import read
from tests.support.linear_time import takes_linear_time

EDIT = ("edit", {"file_path": "web/app.conf", "old_string": "retries = 1", "new_string": "retries = 5"})
SIGNED = "-retries = 1\n+retries = 5"
BOXES = (
    "[user]\nUploads fail.\n\n[agent] Look.\n\n[tool:run_command] {}\n{}\n\n[tool:edit_file] {}\n\n[agent] Mended.\n"
)
RUNS = {
    "boxes": BOXES.format("cat web/app.conf", "retries = 1", f"web/app.conf  replace line 3\n{SIGNED}\nok"),
    "boxes with results": (
        "[user]\nUploads fail.\n\n[agent] Look.\n\n[tool:run_command] cat web/app.conf\n[result]\nretries = 1\n\n"
        f"[tool:fs.patch] web/app.conf (line 3)\n{SIGNED}\n[result] ok\n\n[agent] Mended.\n"
    ),
    "turns": (
        "User: Uploads fail.\n\nAssistant: Look.\n\nTool call (bash): cat web/app.conf\nretries = 1\n\n"
        f"Tool call (edit_file): web/app.conf at 3\n{SIGNED}\nok\n\nAssistant: Mended.\n"
    ),
    "steps": (
        "[step 1] user:\nUploads fail.\n[step 2] thought:\nlook\n[step 2] action: edit_file\n"
        f"web/app.conf replace line 3\n{SIGNED}\n[step 2] observation:\nok\n[step 3] thought: Mended.\n"
    ),
    "a ReAct agent": (
        f"Question: Uploads fail.\nThought: Few.\nAction: write_patch\nAction Input: web/app.conf\n x = 1\n{SIGNED}\n"
        "Observation: ok\n\nFinal Answer: Mended.\n"
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_lines_with_signs_below_the_file_of_an_editor_are_its_edit(name: str) -> None:
    shown = read(RUNS[name])
    assert shown[shown.index(EDIT) + 1 :] == [("output", "ok", None), ("assistant", "Mended.")]


def test_hunks_between_the_tags_of_an_editor_are_its_edit() -> None:
    text = (
        '<user>\nUploads fail.\n</user>\n<call tool="shell">ls</call>\n<result>\nweb\n</result>\n'
        f'<call tool="edit" path="web/app.conf">\n@@ -1,2 +1,2 @@\n a = 1\n{SIGNED}\n</call>\n<result>ok</result>\n'
        "<final>Mended.</final>\n"
    )
    assert EDIT in read(text)


@pytest.mark.parametrize("answer", ["- one place\n- saved", "saved web/app.conf\n+ 1 line", "a note\n- retries\n- 5"])
def test_what_an_editor_answers_is_no_edit(answer: str) -> None:
    run = BOXES.format("ls", "web", f"web/app.conf\n{answer}")
    *_, call, printed, _ = read_transcript(parse(run)).events
    assert call == ToolCall("edit_file", "web/app.conf", "2")
    assert printed == ToolResult("2", "", answer)


def test_lines_with_signs_in_another_output_are_no_edit() -> None:
    printed = f"web/app.conf  replace line 3\n{SIGNED}"
    shown = read(BOXES.format("cat notes.txt", printed, "web/other.conf\n+x"))
    assert shown[3] == ("output", printed, None)


def test_the_time_for_lines_with_signs_grows_with_them() -> None:
    lines = "+a\n b\n-c\n\n"
    assert takes_linear_time(
        lambda many: read_transcript(parse(BOXES.format("ls", "", f"a.py\n{lines * many}"))), 2_000
    )
