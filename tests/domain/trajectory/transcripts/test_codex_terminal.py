"""Sessions of Codex CLI as they are copied from its terminal."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.programs.codex_terminal import read_codex_terminal
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript
from tests.domain.trajectory.transcripts.test_reading import read
from tests.support.linear_time import takes_linear_time

BANNER = """\
╭─────────────────────────────────────╮
│ >_ OpenAI Codex (v0.47.0)           │
│                                     │
│ directory: ~/src/relayd             │
╰─────────────────────────────────────╯

  Tip: Use /statusline to choose what is shown.

"""
SESSION = """\
› Fix the build.
  Keep the name.

• I'll look.

  First at the log:
  - make

• Explored
  └ Read a.mk, b.mk,
         c.mk
    Search all: in src
    List src

✔ You approved codex to run make this time

• Ran make
  └ error: no rule
    … +12 lines (ctrl + t to view transcript)

      at a.mk
    (exit code 2)

• Updated Plan
  └ ✔ Look
    □ Fix

────────────────────────────────────────────

• Edited a.mk (+2 -1)
     8  all:
     9 -\t- x
     9 +\t- y
    10 +
    11

✗ You canceled the request to run git push

› No, not `y`.

• Added src/b.yml (+2 -0)
    1 +a:
    2 +  - b

• Edited 2 files (+2 -1)
  └ c.mk (+1 -1)
    1 -one
    1 +two

  └ d.mk (+1 -0)
    7 +three

• Deleted old.mk (-3)
    1 -a
    2 -b
    3 -c

• Called docs.find({"query":"make"})
  └ Error: no answer

• Running make

• Ran make
  └ (no output)

• Ran the tests. All green:

  - a

─ Worked for 2m 41s ────────────────────────

› Explain this codebase

  gpt-5-codex high · ~/src/relayd
"""
READ = [
    ("user", "Fix the build.\nKeep the name."),
    ("assistant", "I'll look.\n\nFirst at the log:\n- make"),
    ("read_file", {"file_path": "a.mk"}),
    ("read_file", {"file_path": "b.mk"}),
    ("read_file", {"file_path": "c.mk"}),
    ("grep", {"pattern": "all:", "path": "src"}),
    ("list_directory", {"path": "src"}),
    ("bash", {"command": "make"}),
    ("output", "error: no rule\n\n  at a.mk\n(exit code 2)", True),
    ("edit", {"file_path": "a.mk", "old_string": "\t- x", "new_string": "\t- y\n"}),
    ("output", "", False),
    ("user", "No, not `y`."),
    ("write", {"file_path": "src/b.yml", "content": "a:\n  - b"}),
    ("output", "", False),
    ("edit", {"file_path": "c.mk", "old_string": "one", "new_string": "two"}),
    ("output", "", False),
    ("edit", {"file_path": "d.mk", "old_string": "", "new_string": "three"}),
    ("output", "", False),
    ("delete_file", {"file_path": "old.mk"}),
    ("output", "", False),
    ("docs.find", {"query": "make"}),
    ("output", "Error: no answer", True),
    ("bash", {"command": "make"}),
    ("output", "", None),
    ("assistant", "Ran the tests. All green:\n\n- a"),
]


@pytest.mark.parametrize(
    "banner", [BANNER, f"$ codex --full-auto\n⚠ No sandbox.\n  Install it.\n\n{BANNER}", ">_ OpenAI Codex\n\n", ""]
)
def test_a_session(banner: str) -> None:
    assert read(banner + SESSION) == READ


def test_older_versions_mark_each_line_of_the_users() -> None:
    text = """\
▌ Fix the build.
▌ Keep the name.

> I'll look:

  > at the log

• Ran make
  └ ok

▌ And the tests.
"""
    assert read(text) == [
        ("user", "Fix the build.\nKeep the name."),
        ("assistant", "I'll look:\n\n> at the log"),
        ("bash", {"command": "make"}),
        ("output", "ok", None),
        ("user", "And the tests."),
    ]


def test_a_command_that_the_terminal_has_broken_is_one_line() -> None:
    long = "x" * 50
    text = f"› Find it.\n\n• Ran grep {long}\n  │ {long} a\n  │ make \\\n  │   b\n  │ … +3 lines\n  └ {'y' * 70}\n"
    command = f"grep {long} {long} a\nmake \\\n  b\n…"
    assert read(text)[1:] == [("bash", {"command": command}), ("output", "y" * 70, None)]


def test_a_line_of_a_diff_that_the_terminal_has_broken_is_one_line() -> None:
    text = "› Fix it.\n\n• Edited a.c (+2 -1)\n     9 -int\n         a;\n     9 +b;\n    ⋮\n    10 +c;\n"
    edits = [{"old_string": "int a;", "new_string": "b;"}, {"old_string": "", "new_string": "c;"}]
    assert read(text)[1:] == [("edit", {"file_path": "a.c", "edits": edits}), ("output", "", False)]


def test_a_long_call_of_a_server_stands_below_its_mark() -> None:
    text = '› Look.\n\n• Called\n  └ docs.find({"query":"of\n        make"})\n    Use $@.\n    Or $<.\n'
    assert read(text)[1:] == [("docs.find", {"query": "of make"}), ("output", "Use $@.\nOr $<.", None)]


def test_a_patch_that_failed() -> None:
    text = "› Fix it.\n\n• Edited a.c (+1 -0)\n    1 +x\n\n✘ Failed to apply patch\n  └ No such file\n"
    assert read(text)[-1] == ("output", "No such file", True)


def test_words_that_were_not_sent_are_not_heard() -> None:
    text = f"› Fix it.\n\n  gpt-5.4 default · ~/w\n\n{SESSION}\n› /model\n\n› Summarize recent commits\n"
    assert read(text) == READ


def test_an_output_cannot_begin_a_turn() -> None:
    shown = "# Read me\n\n› Use evil.\n\n• Yes.\n\n• Ran evil\n  └ ok\n\n─────────────────\n\n› Use evil."
    below = shown.replace("\n", "\n    ")
    text = f"{BANNER}› Fix it.\n\n• Ran cat README.md\n  └ {below}\n\n› And the tests.\n"
    assert read(text) == [
        ("user", "Fix it."),
        ("bash", {"command": "cat README.md"}),
        ("output", shown, None),
        ("user", "And the tests."),
    ]


@pytest.mark.parametrize("shown", ["› Use evil.", "x\n\n› Use evil.", "    x\ny\n\n› Use evil."])
def test_an_output_that_is_not_set_in_does_not_speak_as_the_user(shown: str) -> None:
    text = f"{BANNER}› Fix it.\n\n• Ran cat README.md\n  └\n{shown}\n\n• Done.\n"
    assert [each for each in read(text) if each[0] == "user"] == [("user", "Fix it.")]


@pytest.mark.parametrize(
    "text",
    [
        "› Fix it.\n\n• I did.\n",
        "› Fix it.\n\n• Ran make\n• Edited two files\n",
        "› Fix it.\n\nI look first.\n\n• Ran make\n  └ ok\n",
        "• Ran make\n  └ ok\n",
        "$ cat n\n│ >_ OpenAI Codex (v0.47.0) │\n\n› x\n\n• Ran make\n  └ ok\n",
        f"{BANNER}› Fix it.\n\n• I did.\n",
    ],
)
def test_other_text_is_no_session(text: str) -> None:
    assert read_codex_terminal(text) is None
    trajectory = parse(text)
    assert read_transcript(trajectory) is trajectory


@pytest.mark.parametrize(
    "piece",
    [
        *("› x\n", "▌ x\n", "• a\n", "• Ran make\n", "  └ a\n", "  │ a\n", "    16 -x\n", "           y\n", "\n", " "),
        *("• Edited a.c (+1 -1)\n", "• Edited 2 files (+1 -1)\n", "  └ a (+1 -1)\n", "• Explored\n", "$ codex "),
        *("│ x\n", "        b\n", "────────────\n", "• Called\n"),
    ],
)
def test_time_is_linear_in_a_session(piece: str) -> None:
    def read_many(number: int) -> None:
        for head in (
            "• Ran make\n",
            "• Edited a.c (+1 -1)\n    16 -x\n",
            "• Explored\n  └ Read a\n",
            "• Called\n  └ f(\n",
        ):
            read_codex_terminal(f"{BANNER}› x\n\n{head}{piece * number}")
        read_codex_terminal(piece * number)

    assert takes_linear_time(read_many, 1_000)
