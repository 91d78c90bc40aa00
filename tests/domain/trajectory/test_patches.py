"""Patches: the changes of each file that they name."""

from __future__ import annotations

from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch

DIFF = """diff --git a/app/web.ini b/app/web.ini
index 83db48f..bf2c1e4 100644
--- a/app/web.ini
+++ b/app/web.ini
@@ -1,5 +1,5 @@
 [web]
-port = 80
+port = 8080
 host = any
-workers = 1
+workers = 4
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-import sys
--- /dev/null
+++ b/new.py\t2026-11-28
@@ -0,0 +1 @@
+import os
"""

PATCH = """*** Begin Patch
*** Update File: web.ini
@@ [web]
-port = 80
+port = 8080
*** Add File: run.sh
+exec web
*** Delete File: start.sh
*** End Patch"""


def test_each_file_of_a_diff_has_its_blocks_of_changed_lines() -> None:
    assert read_patch(DIFF.splitlines()) == [
        FilePatch("app/web.ini", (("port = 80", "port = 8080"), ("workers = 1", "workers = 4"))),
        FilePatch("old.py", (("import sys", ""),)),
        FilePatch("new.py", (("", "import os"),)),
    ]


def test_a_call_with_a_patch_of_several_files_is_a_step_for_each() -> None:
    run = parse(
        [
            {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH, "call_id": "a"},
            {"type": "custom_tool_call_output", "call_id": "a", "output": "Success"},
            {"type": "message", "role": "user", "content": "Never start it by hand."},
        ]
    )
    steps = find_steps(run)
    assert [(step.subject, step.change) for step in steps] == [
        ("web.ini", (("port = 80", "port = 8080"),)),
        ("run.sh", (("", "exec web"),)),
        ("start.sh", ()),
    ]
    assert {step.output for step in steps} == {"Success"}
    assert [said.place for said in find_said(run)] == [3]


def test_a_unified_diff_that_an_editor_is_given_whatever_its_counts_say() -> None:
    body = "@@ -60,5 +60,9 @@\n case Div:\n-  if (r == 0) return none;\n+  if (r == 0 || r == -1) return none;\n"
    changed = (("  if (r == 0) return none;", "  if (r == 0 || r == -1) return none;"),)
    for given in (
        {"patch": f"--- a/src/fold.cpp\n+++ b/src/fold.cpp\n{body}"},
        {"path": "src/fold.cpp", "diff": body},
    ):
        call = {"type": "tool_use", "id": "e", "name": "apply_patch", "input": given}
        [step] = find_steps(parse([{"role": "assistant", "content": [call]}]))
        assert (step.kind, step.file, step.change) == ("edit", "src/fold.cpp", changed)
