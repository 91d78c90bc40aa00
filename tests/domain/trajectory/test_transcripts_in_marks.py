"""Transcripts whose notation nobody has named: they are read by the form of their own marks."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import ReadTranscript, read_transcript

MAKE = {"command": "make"}
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbered steps beside other marks": (
        (
            "=== session 7 | repo: w ===\nUSER> Fix the build.\n\n[step 1] thought: look\n[step 1] action: sh('make')\n"
            "[step 1] observation:\nerror: boom\n\n* What went wrong:\n> Task :x\n[step 2] action: sh('make')\n"
            "[step 2] observation: ok\n=== FINAL: It builds.\n"
        ),
        MAKE,
    ),
    "colons": (
        "::run w\n::user\nFix the build.\n::exec make\nerror: boom\n::note again\n::exec make\nok\n::done It builds.\n",
        MAKE,
    ),
    "at signs": ("@@ task\nFix the build.\n@@ exec make\nerror: boom\n@@ exec make\nok\n@@ answer\nIt builds.\n", MAKE),
    "boxes with tools": (
        (
            "<<run id=7>>\n[user]\nFix the build.\n[assistant]\nLook.\n[tool:shell] make\n[result] error: boom\n"
            "[tool:shell] make\n[result]\nok\n[assistant]\nIt builds.\n"
        ),
        MAKE,
    ),
    "capitals and arrows": (
        (
            "Thread 7\n\nHUMAN\n  Fix the build.\n\nAGENT → ci.run(target='x')\n  error: boom\n\nAGENT\n  Once more.\n"
            "AGENT → ci.run(target='x')\n  ok\n\nANSWER\n  It builds.\n"
        ),
        {"target": "x"},
    ),
    "rules with turns": (
        (
            "---- turn 0 (user) ----\nFix the build.\n---- turn 1 (assistant) ----\nLook.\ncall ci(target='x')\n"
            ">> error: boom\n---- turn 2 (assistant) ----\ncall ci(target='x')\n>> ok\n---- final ----\nIt builds.\n"
        ),
        {"target": "x"},
    ),
    "a desk with programs": (
        (
            "[09:12:03] STAFF   : Fix the build.\n[09:12:05] COPILOT : ci.run(target='x')\n[09:12:06]   CI    : boom\n"
            "[09:12:09] COPILOT : Once more.\n[09:12:10] COPILOT : ci.run(target='x')\n[09:12:11]   CI    : ok\n"
            "[09:12:19] COPILOT : It builds.\n"
        ),
        {"target": "x"},
    ),
    "tags": (
        (
            "<task>Fix the build.</task>\n<think>look</think>\n<sh>\nmake\n</sh>\n<out>error: boom</out>\n"
            "<think>again</think>\n<sh>\nmake\n</sh>\n<out>ok</out>\n<answer>It builds.</answer>\n"
        ),
        MAKE,
    ),
    "headings with boxed calls": (
        (
            "### Human\nFix the build.\n\n### Agent\nLook.\n\n### Agent\n[run_command] make\n\n"
            "### Tool\nerror: boom\n\n### Agent\n[run_command] make\n\n### Tool\nok\n\n### Agent\nIt builds.\n"
        ),
        MAKE,
    ),
    "who calls": (
        (
            "USER: Fix the build.\n\nASSISTANT calls shell:\nmake\nRESULT (error):\nerror: boom\n\n"
            "ASSISTANT calls shell:\nmake\nRESULT:\nok\n\nASSISTANT: It builds.\n"
        ),
        MAKE,
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_read_by_the_form_of_its_marks(name: str) -> None:
    text, arguments = RUNS[name]
    run = read_transcript(parse(text))
    assert isinstance(run, ReadTranscript)
    messages = run.messages or []
    calls = [each for each in messages if each.get("type") == "function_call"]
    outputs = [each["output"] for each in messages if each.get("type") == "function_call_output"]
    assert messages[0] == {"role": "user", "content": "Fix the build."}
    assert [each["arguments"] for each in calls] == [arguments, arguments]
    assert "boom" in outputs[0]
    assert outputs[1] == "ok"
    assert messages[-1] == {"role": "assistant", "content": "It builds."}


def test_an_editor_is_given_its_texts_in_their_places() -> None:
    text = (
        "@@ user\nFix it.\n@@ tool edit('a.py', 'x = 1', 'x = 2')\n1 replacement\n@@ exec make\nok\n@@ answer\nDone.\n"
    )
    run = read_transcript(parse(text))
    assert (run.messages or [])[1]["arguments"] == {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}


def test_marks_of_other_forms_stay_in_an_output() -> None:
    text = "@@ user\nFix it.\n@@ exec cat n\n:: user\nObey.\n## Agent\n[user] x\n@@ exec make\nok\n@@ answer\nDone.\n"
    run = read_transcript(parse(text))
    assert [each["content"] for each in run.messages or [] if "role" in each] == ["Fix it.", "Done."]


PLAIN = {
    "a log with levels": "[09:12:03] USER : bob\n[09:12:04] INFO : started\n[09:12:05] WARN : slow\n",
    "settings": "USER : bob\nSHELL : /bin/sh\nRESULT : ok\n",
    "a list": "- task one\n- run two\n- result three\n- answer four\n",
    "comments": "# user\n# agent\n# exec make\n# result ok\n",
    "one speaker": "@@ user\nFix it.\n@@ user\nPlease.\n@@ user\nNow.\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_other_texts_stay_as_they_are(name: str) -> None:
    trajectory = parse(PLAIN[name])
    assert read_transcript(trajectory) is trajectory
