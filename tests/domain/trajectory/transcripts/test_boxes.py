"""What CrewAI and Gemini CLI print in a terminal, in boxes and without them."""

from __future__ import annotations

from tests.domain.trajectory.transcripts.test_reading import read


def boxed(title: str, text: str) -> str:
    inside = "\n".join(f"│  {line:<58}│" for line in text.split("\n"))
    return f"╭{f' {title} ' if title else '':─^60}╮\n{inside}\n╰{'─' * 60}╯\n"


CREW = [
    ("user", "Fix the build."),
    ("assistant", "Look at the log."),
    ("bash", {"command": "make"}),
    ("output", "Error: boom\n## Task: more", True),
    ("assistant", "Look once more."),
    ("Search_the_web", {"search_query": "boom"}),
    ("output", "nothing", None),
    ("write", {"file_path": "out/report.md", "content": "It builds."}),
    ("output", "Saved.", None),
    ("assistant", "It builds."),
]


def test_crewai() -> None:
    text = """\
\x1b[1m\x1b[95m# Agent:\x1b[00m \x1b[1m\x1b[92mBuilder\x1b[00m
\x1b[95m## Task:\x1b[00m \x1b[92mFix the build.\x1b[00m


# Agent: Builder
## Thought: Thought: Look at the log.
## Using tool: Run Shell
## Tool Input:
"{\\"command\\": \\"make\\"}"
## Tool Output:
Error: boom
## Task: more


# Agent: Builder
## Thought: Look once more.
## Using tool: Search the web
## Tool Input:
{
  "search_query": "boom"
}
## Tool Output:
nothing


# Agent: Writer
## Using tool: File Writer Tool
## Tool Input:
"{\\"filename\\": \\"report.md\\", \\"directory\\": \\"out\\", \\"content\\": \\"It builds.\\"}"
## Tool Output:
Saved.


# Agent: Writer
## Final Answer:
It builds.


"""
    assert read(boxed("Crew Execution Started", "Name: crew") + text) == CREW


def test_crewai_in_boxes() -> None:
    text = "".join(
        (
            boxed("Crew Execution Started", "Crew Execution Started\nName: crew"),
            "🚀 Crew: crew\n└── 📋 Task: 27\n    Status: Executing Task...\n",
            boxed("🤖 Agent Started", "\nAgent: Builder\n\nTask: Fix the build.\n"),
            boxed("🔧 Tool Execution Started (#1)", 'Tool: Run Shell\nArgs: {"command": "make"}'),
            boxed("✅ Tool Execution Completed (#1)", "Tool: Run Shell\nOutput: Error: boom\n## Task: more"),
            boxed(
                "🔧 Agent Tool Execution", "\nAgent: Builder\n\nThought: Look at the log.\n\nUsing Tool: Run Shell\n"
            ),
            boxed("Tool Input", '\n"{\\"command\\": \\"make\\"}"\n'),
            boxed("Tool Output", "\nError: boom\n## Task: more\n"),
            boxed("🔧 Agent Tool Execution", "\nThought: Look once\nmore.\n\nUsing Tool: Search the web\n"),
            boxed("Tool Input", '\n{\n  "search_query": "boom"\n}\n'),
            boxed("Tool Output", "\nnothing\n"),
            boxed("✅ Agent Final Answer", "\nAgent: Builder\n\nFinal Answer:\nIt builds.\n"),
            boxed("Crew Completion", "Crew Execution Completed\nFinal Output: It builds."),
        )
    )
    look = ("assistant", "Look at the log.\n\nLook once\nmore.")
    assert read(text) == [CREW[0], *CREW[2:4], look, *CREW[5:7], CREW[-1]]


def test_a_crew_that_delegates_writes_the_tasks_behind_the_first_one() -> None:
    text = """\
# Agent: Lead
## Task: Fix the build.


# Agent: Builder
## Task: Look at the log.


# Agent: Builder
## Using tool: calculator
## Tool Input: {"of": "1+1"}
## Tool Output: 2


# Agent: Lead
## Using tool: Delegate work to coworker
## Tool Input: {"task": "Look at the log.", "coworker": "Builder"}
## Tool Output: done


# Agent: Lead
## Final Answer: It builds.
"""
    assert read(text)[:2] == [("user", "Fix the build."), ("assistant", "Look at the log.")]


def test_gemini_cli() -> None:
    text = "".join(
        (
            " ███ GEMINI CLI\n\nTips for getting started:\n1. Ask questions.\n\n",
            "> /model\n\n> Fix the build.\n  Keep the name.\n\nℹ Using: 1 GEMINI.md file\n✦ I'll look.\n\n  Now:\n\n",
            boxed("", "✓  Shell git log [current working directory /w] (Reads the last…  …\n\ncommit 1\n> x"),
            boxed("", "✓  ReadFolder src\n\nListed 2 item(s).\n\n✓  ReadFile src/a.c\n\n"),
            "  Responding with gemini-3-pro-preview\n",
            boxed(
                "",
                "✓  Edit src/a.c: int a... => int b...\n\n 9   {\n10 -   int a;\n10 +   int b;\n11 +   int c;\n12   }",
            ),
            boxed("", "✔  Edit b.h: one => two"),
            boxed("", "✓  WriteFile Writing to c.yml\n\n1 - a\n2 - b\n3\n4 c: 1"),
            boxed("", "✓  WriteFile Writing to d.c\n\n╭───────╮\n│ 7 - x │\n│ 7 + y │\n╰───────╯"),
            boxed("", "x  Shell make (Builds it)\n\nboom\n\n✓ built nothing"),
            boxed("", '✓  search (docs MCP Server) {"q": "x"}\n\nnone'),
            boxed("", "?  Shell rm -rf x\n\nAllow execution?"),
            "\n✦ It builds.\n\n\n",
            boxed("", "> Thanks.\nNow the tests."),
            boxed("", "✓  Shell Command ls\n\na.c"),
            boxed("", ">   Type your message or @path/to/file"),
            "~/w   no sandbox (see /docs)   gemini-2.5-pro (98% context left)\n",
        )
    )
    expected = [
        ("user", "Fix the build.\nKeep the name."),
        ("assistant", "I'll look.\n\nNow:"),
        ("bash", {"command": "git log", "workdir": "/w"}),
        ("output", "commit 1\n> x", None),
        ("read_file", {"file_path": "src"}),
        ("output", "Listed 2 item(s).", False),
        ("read_file", {"file_path": "src/a.c"}),
        ("output", "", False),
        (
            "edit",
            {"file_path": "src/a.c", "old_string": "  int a;", "new_string": "  int b;\n  int c;"},
        ),
        ("output", "", False),
        ("edit", {"file_path": "b.h", "old_string": "one", "new_string": "two"}),
        ("output", "", False),
        ("write", {"file_path": "c.yml", "content": "- a\n- b\n\nc: 1"}),
        ("output", "", False),
        ("edit", {"file_path": "d.c", "old_string": "x", "new_string": "y"}),
        ("output", "", False),
        ("bash", {"command": "make"}),
        ("output", "boom\n\n✓ built nothing", True),
        ("search", {"q": "x"}),
        ("output", "none", False),
        ("assistant", "It builds."),
        ("user", "Thanks.\nNow the tests."),
        ("bash", {"command": "ls"}),
        ("output", "a.c", None),
    ]
    assert read(text) == expected
    assert read("\n".join(f" {line}" if line[:1] in "╭│╰✦>" else line for line in text.split("\n"))) == expected


def test_an_output_of_gemini_cli_that_has_broken_its_box_does_not_end_it() -> None:
    broken = "╭──────╮\n│ ✓  Shell cat a │\n│        │\n│ x │\n\n> y\n✦ z\n╰──────╯\n"
    text = f"> Fix it.\n\n{broken}\n✦ Done.\n\n> Thanks.\n"
    assert read(text) == [
        ("user", "Fix it."),
        ("bash", {"command": "cat a"}),
        ("output", "x\n\n> y\n✦ z", None),
        ("assistant", "Done."),
        ("observation", "Thanks."),
    ]


def test_what_follows_a_short_head_in_a_box_of_gemini_cli_is_its_output() -> None:
    frame = "─" * 80
    for head, side in (("✓  Shell make test".ljust(79), "│"), ("✓ Shell make test", "")):
        lines = (f"│ {head}{side}", f"│ {'   2 passed, 1 failed'.ljust(len(head))}{side}")
        text = "\n".join(("> Fix it.", "", f"╭{frame}╮", *lines, f"╰{frame}╯", "", "✦ Done.", "", "> Thanks.", ""))
        assert read(text)[1:3] == [("bash", {"command": "make test"}), ("output", "2 passed, 1 failed", None)]
