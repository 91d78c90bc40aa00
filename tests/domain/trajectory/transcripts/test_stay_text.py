"""Texts that are no transcripts stay as they are; none makes the reading fail or slow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.trajectory.messages import ToolCall
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import looks_recorded, read_transcript
from tests.support.linear_time import takes_linear_time

PLAIN = {
    "prose": "I looked at the parser. Then I changed one line, and the tests passed.",
    "a log": "$ make test\nerror: boom\n\n$ make test CC=gcc\nok\n",
    "a log that shows labels": "$ cat n\nThought: x\nAction: shell\nAction Input: rm -rf /\nObservation: gone\n",
    "a log that shows a session": "$ cat s.txt\n> hi\n⏺ Bash(ls)\n  ⎿  a\n",
    "a log with levels": "[INFO] starting\n[WARN] slow\n$ make\nok\n\n[INFO] done\n",
    "a report": "Task: fix the build\n\nI ran `make`: it failed.\nResult: it works now.\n",
    "a report with turns": "User: fix it\nAssistant: I ran `make`.\nUser: thanks\n",
    "a report with a fence": "## Request\nFix it.\n\n```\n$ make\nok\n```\n\nObservation: same.\nAction: none\n",
    "a report with results": "User: fix it\n\nAssistant: I did.\n\nTool: none\nResult: it works.\nOutput: 3 files\n",
    "a report with arrows": "User: rename it\n\n-> a.py (renamed)\n-> done\n\nAssistant: done (all).\n",
    "a quoted session": "Logs:\n```\nUser: x\nTool call (bash): ls\nTool result:\na\n```\n",
    "a log that shows turns": "$ cat n\nUser: x\n\nTool call (bash): ls\nTool result:\na\n",
    "a plan": "Question: which way?\nThought: the first.\nAnswer: the first.\n",
    "a quoted transcript": "It printed this:\n```\nThought: x\nAction: shell\nAction Input: ls\nObservation: a\n```\n",
    "a log of numbered steps": "[1/3] Fetching packages...\n[2/3] Linking: ok\n[3/3] run: done\n",
    "numbered logs": "[task] build\n[step 1] compile: ok\n[step 2] link: ok\n[step 3] result: done\n",
    "a document": "## User\nNames and roles.\n\n## Command\nUse it so:\n```\n$ tool add\nok\n```\n\n## Tool\nx\n",
    "a manual": "# Guide\n\n## Request\nA body.\n\n## Response\nA status.\n\n### Example: curl\n```\n$ curl x\n```\n",
    "a session of Python": ">>> user = 1\n>>> print(user)\n1\n>>> agent\nNameError: name 'agent' is not defined\n",
    "aligned settings": "USER     : bob\nSHELL    : /bin/sh\nRESULT   : ok\nHOME     : /home/bob\n",
    "aligned logs": "TASK     : nightly\nSTATUS   : ok\nRESULT   : 3 files\n",
    "a web page": "<html>\n<head><title>x</title></head>\n<body><output>1</output><code>make</code></body>\n</html>\n",
    "xml": "<user><name>bob</name></user>\n<user><name>eve</name></user>\n<result>2</result>\n",
    "elements without a user": "<run>make</run>\n<output>ok</output>\n<assistant>Done.</assistant>\n",
    "a log with levels and labels": "INFO     THOUGHT\nx\nINFO     done\n2025-03-15 17:32:16 - INFO - a - ACTION due\n",
    "a log with actions": "21:14:06 - ACTION\nx\n21:14:07 - OBSERVATION\ny\n",
    "a log with events": "12:00:01 - app:INFO: a.py:1 - **SaveAction** done\n12:00:02 - app:INFO: a.py:2 - ok\n",
    "a page of agents": "# Agent: x\n## Task: y\n\n## Tool Output: z\n\n## Final Answer: none\n",
    "boxes": "╭── Summary ──╮\n│ ✓ built     │\n│ > next      │\n╰─────────────╯\n✦ done\n",
    "an export without calls": "**User:**\n\nFix it.\n\n**Assistant:**\n\nI did.\n\n**User:**\n\nThanks.\n",
    "a log that shows an export": (
        "$ cat n\n**User:**\n\nx\n\n**Assistant:**\n\n<read_file>\n<path>a</path>\n</read_file>\n\n"
        "**User:**\n\n[read_file for 'a'] Result:\nx\n"
    ),
    "a log that starts aider": "$ aider --version\naider 0.86.1\n$ make\nok\n",
    "a diff": "--- a/f\n+++ b/f\n@@\n-x\n+y\n",
    "yaml": "user: bob\nagent: smith\ncommand: make\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", PLAIN)
def test_other_text_stays_as_it_is(name: str) -> None:
    trajectory = parse(PLAIN[name])
    assert read_transcript(trajectory) is trajectory


def test_messages_stay_as_they_are() -> None:
    trajectory = parse([{"role": "user", "content": "Thought: x\nAction: shell\nAction Input: ls\nObservation: a"}])
    assert read_transcript(trajectory) is trajectory


MARKS = [
    *(
        "[FunctionCall(id='x', name='f', arguments='{'})]",
        "FunctionCall(arguments='{}'} ",
        "  Would you like to run this code? (y/n)\n\n  y\n",
        "INSTRUCTIONS:",
        "THOUGHT:",
        "ACTION:",
        "OBSERVATION:",
        "Question: x",
        "Thought: x",
        "Action: shell",
        "Action: x[y]",
    ),
    *("Action Input: ls", 'Action Input: {"a": "\\ud800", "b": NaN}', "Observation: a", "Final Answer: x", "COMMAND"),
    *(
        "edit 1:999999999\nx\nend_of_edit",
        "[File: a (3 lines total)]",
        "   1:x",
        "str_replace_editor create a --file_text 'x",
    ),
    *("USER:", "ASSISTANT:", "EXECUTION RESULT of [bash]:", "<function=bash>", "<parameter=command>", "</function>"),
    *("<execute_bash>", "</execute_bash>", "[2025-10-14T12:20:58] User instructions:", "[2025-10-14T12:20:59] codex"),
    *('[2025-10-14T12:21:00] exec bash -lc "x" in /d', "[2025-10-14T12:22:00] bash exited 1 in 3ms:", "user", "exec"),
    *(
        "bash -lc 'ls' in /d succeeded in 12ms:",
        "*** Begin Patch",
        "#### x",
        "> /run ls",
        "Aider v0.1",
        "```",
        "<<<<<<< SEARCH",
    ),
    *(
        "=======",
        ">>>>>>> REPLACE",
        "> Applied edit to a.py",
        "a.py",
        "a (to b):",
        "-" * 80,
        "exitcode: 1 (execution failed)",
    ),
    *(
        "Code output:",
        "━━━━ Step 1 ━━━━",
        " ─ Executing parsed code: ────",
        " ──────────────",
        "Execution logs:",
        "│ x │",
    ),
    *(
        "user> x",
        "bot> y",
        "$ make",
        "--- a/f",
        "+++ b/f",
        "@@",
        "-x",
        "+y",
        "( O)> x",
        "─── shell | developer ───────",
    ),
    *("command: ls", "path: a", "old_str: x", "new_str: y", "> x", "⏺ Bash(ls)", "  ⎿  a", "⏺ Update(a)", "   12 - x"),
    *(
        "   12 + y",
        "Cell 1 — request",
        "Cell 2",
        "In:  x = 1",
        "Out: 1",
        "In [3]: f(",
        "Out[3]: 1",
        "final_answer(",
        '<call tool="exec">',
        "</call>",
        "<tool_call>{",
        "</tool_call>",
        '<invoke name="a"><parameter name="b">',
        "Tool call (bash): ls",
        "Tool call: bash {",
        "Tool: Bash",
        "Input: {",
        "-> f({",
        "-> f({'a': 1})",
        "→ f(a=1)",
        "Calling tool `f` with {",
        "> Bash: ls",
        "Tool result:",
        "<tool_response>",
        "### TOOL",
        "[task] x",
        "[step 1] thought: x",
        "[step 1] action: shell",
        "[step 1] observation: x",
        "[step 1] action: edit a.py\n- x\n+ y",
        "## User",
        "## Assistant",
        "### Tool: ssh a\n```\n$ ls\na\n```",
        "### Tool: x",
        ">>> human",
        ">>> agent / python",
        ">>> stdout",
        "REQUEST  : x",
        "ACTION   : x(1)",
        "RESULT   : x",
        "WRITE    : a.py",
        "Action: patch\nAction Input: a: + x",
        "<user>x</user>",
        "<user>",
        "<assistant><run>ls</run></assistant>",
        "<assistant><say>",
        "</assistant>",
        '<output code="1">x</output>',
        "<output>",
        "<turn role='user'>",
        "</turn>",
        "<step><turn>",
        "<run>",
        "~~~",
        "```python",
        "### ASSISTANT",
        "[agent] <call tool='x'>",
        "08:15:01 user x",
        '08:15:02 agent tool=f args="x',
        "08:15:02 agent tool=edit file=a",
        "08:15:02 agent exec> ls",
        "08:15:03 tool exit=1 x",
        "[09:30] Ann (x): y",
        "[09:30] Bot → f.g(1, a=",
        "[09:30] f: x",
        "[09:30] bot [tool ssh: ls]",
        "[09:30] [result]",
        "**Ann** 10:02",
        "**bot** 10:02",
        "[write_file a] x",
        "USER>> x",
        "BOT>> note=[x cmd=[y",
        "OUT<< x",
        'ev=task text="x y z"',
        'ev=call tool=f args={"a": 1',
        'ev=return data="a=b" c="d\\n',
        "result=x y=[",
        "tool=f a='",
        "From: a",
        "To: (tool) b",
        "--",
        "INFO     💭 THOUGHT",
        "🤖 INFO     🎬 ACTION (primary)",
        "INFO     🤖 MODEL INPUT",
        "2025-03-15 17:32:16,813 - INFO - swea-agent - ===== STEP 1 =====",
        "bash-$",
        "21:14:06 - ACTION",
        "21:14:06 - OBSERVATION",
        "21:14:02 - USER_ACTION",
        "**CmdRunAction (source=EventSource.AGENT)**",
        "**CmdOutputObservation (source=X, exit code=0, metadata={",
        "COMMAND:",
        "--BEGIN AGENT OBSERVATION--",
        "--- BEGIN AGENT OBSERVATION ---",
        "--END AGENT OBSERVATION--",
        "[Current working directory: /w]",
        "**FileEditAction**",
        "Old String: ```",
        "**MessageAction** (source=EventSource.USER)",
        "CONTENT: x",
        "AgentFinishAction(final_thought='x', a=<B>)",
        "# Agent: x",
        "## Task: x",
        "## Using tool: x",
        "## Tool Input:",
        '"{\\"a\\": \\"b',
        "## Tool Output:",
        "╭── 🔧 Agent Tool Execution ──╮",
        "╭──── Tool Output ────╮",
        "│  Using Tool: x │",
        "╭──────╮",
        "╰──────╯",
        "│ ✓  Shell ls (Lists) │",
        "│ ✓  WriteFile Writing to a │",
        "│ 1 + x │",
        "│ > x │",
        "✦ x",
        "**User:**",
        "**Assistant:**\n",
        "<task>",
        "<feedback>",
        "<environment_details>",
        "</environment_details>",
        "[read_file for 'a'] Result:",
        "The user said:\n<feedback>",
        "<execute_command><command>",
        "<replace_in_file>\n<path>a</path>\n<diff>",
        "<write_to_file><path>a</path><content>",
        "</content>",
        "<read_file><args><file>",
        "[Tool Use: x]",
        "A: b",
        "[Tool]",
        "$ aider",
        "Invoking: `f` with `{'a': 1}`",
        "> Entering new x chain...",
        "> Finished chain.",
        "user instructions: x",
        "exec bash -lc 'x' in /w",
        "<details><summary>🔧 bash</summary>",
        "<summary>Tool: f</summary>",
        "</details>",
        "[Assistente → f.g] {}",
        "[f.g] x",
        "用户：x",
        "[09:30] opsbot: ```df -h\nx",
        "[09:30] opsbot: x ```",
        "### Step 1 — shell",
        "### Step 2 — edit a",
        "- role: user",
        "  content: |",
        "  content: fix it now",
        "- role: tool",
        "  cmd: ls",
        "**@bot** commented",
        "**@ida** commented",
        "[you] x",
        "[bot] x",
        "  · bash: ls",
        "    a",
        '   ⚙ f.g(a="x")',
        "   ↳ x",
        "【ユーザー】",
        "【エージェント】",
        ">>> shell",
        "<<< 終了コード 0",
        "[call] ls -a",
        "[result]",
        "Customer> x",
        "[tool] f(x)",
        "TOOL CALL [sh] ls",
        "TOOL RESULT:",
        "<|user|>",
        "<|call|>f({})",
        "<|tool|>",
        "[[sh ls",
        "[[sh ls]]",
        "[[result]]",
        "[[/result]]",
        "08:15:02 [tool:shell] ls",
        "08:15:02 [tool:shell:out] a",
        "**User request**",
        "**Step 1 — bash**",
        "Result:",
        "Tool call wiki: x",
        "Bot -> f(x)",
        "So it is, they say.",
        "a=(" * 50,
        "ToolCallPart('x', (",
        "",
        "x",
    ),
]


@given(st.lists(st.sampled_from(MARKS) | st.text(max_size=12), max_size=30).map("\n".join))
def test_any_mixture_of_marks_is_read_into_messages_that_can_be_kept(text: str) -> None:
    try:
        given = parse(text)
    except ValueError:  # broken JSON, NUL, lone surrogates
        return
    read = read_transcript(given)
    if read is not given:
        assert any(isinstance(event, ToolCall) for event in read.events)
        assert parse(read.text).messages == read.messages


@given(st.text(alphabet="abc .,\n'()", max_size=200))
def test_text_without_a_mark_stays_as_it_is(text: str) -> None:
    trajectory = parse(text)
    assert read_transcript(trajectory) is trajectory


def test_time_for_the_words_of_an_agent_is_linear() -> None:
    def read_many(number: int) -> None:
        text = "USER> x\nBOT> y\nTOOL> f(1)\nOUT> a\n" + "BOT> y\nOUT> a\n" * number
        read = read_transcript(parse(text))
        assert any(isinstance(event, ToolCall) for event in read.events)

    assert takes_linear_time(read_many, 4_000)


_EVERY = 3
"""Of the beginnings, each mark meets every third one, and its neighbours the others: all pairs take minutes."""


@pytest.mark.parametrize(("number_of_mark", "mark"), list(enumerate(MARKS)))
def test_time_is_linear_in_the_text(number_of_mark: int, mark: str) -> None:
    heads = ["Question: x\nThought: x\nAction: shell\nAction Input: ls\nObservation: a", "user> x\n$ make", "USER:\nx"]
    heads += [
        "Aider v0.1\n> x\n> /run ls",
        "( O)> x",
        "> x\n⏺ Bash(ls)\n  ⎿  a",
        "Cell 1 — request\n",
        "#### x",
        "user\nx",
        "### USER\nx\n### ASSISTANT\n<call tool='exec'>ls</call>\n### TOOL\nx\n",
        "User: x\n\nTool call (bash): ls\nTool result:\na\n",
        "[user] x\n-> f({})\n",
        "USER: x\n\nTOOL CALL wiki: x\n\nTOOL RESULT:\na\n",
        "User: x\nBot -> f(x)\na\nBot: x",
        '08:15:01 user x\n08:15:02 agent tool=f args="x"\n08:15:03 tool x',
        "[09:30] Ann: x\n[09:30] Bot → f.g(1)\n[09:30] f: x",
        "USER>> x\nBOT>> cmd=[y]\nOUT<< x",
        "**Ann** 10:02\nx\n\n**bot** 10:02\n[write_file a] x",
        'ev=task text="x y z"\nev=call tool=f args={}\nev=return data=x',
        'q="x y z"\ntool=f a=b\nresult=x',
        "From: a\nTo: b\n\nx\n\nFrom: b\nTo: (tool) c\n\nFrom: (tool) c\nTo: b\n\nx\n",
        "[task] x\n[step 1] thought: x\n[step 1] action: shell\nls\n[step 1] observation: x\n",
        "## User\nx\n\n## Assistant\nx\n\n### Tool: ssh a\n```\n$ ls\na\n```\n",
        "**User**\nx\n\n**Agent**\n> 🔧 `sh`\n> ```\n> ls\n> ```\n> a\n",
        '08:15:01 INFO user "x"\n08:15:02 INFO tool.call name=f args={}\n08:15:02 INFO tool.ret x\n',
        "---------- user ----------\nx\n[FunctionCall(name='f', arguments={})]\n---------- tool (f) ----------\na",
        ">>> human\nx\n\n>>> agent\nx\n\n>>> agent / python\nx()\n>>> stdout\nx\n",
        "REQUEST  : x\nPLAN     : x\nACTION   : x\nRESULT   : x\n",
        "<user>x</user>\n<assistant>x<run>ls</run></assistant>\n<output>x</output>\n<assistant>",
        "INFO     🎬 ACTION\nls\nINFO     🤖 MODEL INPUT\nx",
        "21:14:06 - ACTION\n**CmdRunAction**\nCOMMAND:\nls\n21:14:07 - OBSERVATION\n**CmdOutputObservation**\nx",
        "12:00:09 - step 1\n**CmdRunAction**\nCOMMAND: ls\n**CmdOutputObservation (exit code=0)**\nx",
        "# Agent: x\n## Task: x\n## Using tool: x\n## Tool Input: {}\n## Tool Output:\nx",
        "## Task\nx\n### Step 1 — shell\n```\n$ ls\na\n```\n### Step 2 — shell\n```\nx",
        "## User\nx\n## Assistant\n<details><summary>🔧 bash</summary>\n```\n$ ls\na\n```",
        "[09:30] Ann: x\n[09:30] opsbot: ```df -h\nx",
        "- role: user\n  content: fix it now\n- role: assistant\n  cmd: ls\n- role: tool\n  content: |\n    x",
        "[you] x\n[bot] x\n  · bash: ls\n    a",
        "【ユーザー】\nx\n【エージェント】\n>>> shell\nls\n<<< 0\na",
        "HUMAN: x\nAI: x\n[call] ls -a\n[result]\na",
        "Customer> x\n[tool] f(x)\na\nAgent> x",
        "USER: x\nASSISTANT: x\nTOOL CALL [sh] ls\nTOOL RESULT:\na",
        "Human: x\n\nAssistant: x\n[[sh ls]]\n[[result]]\na\n[[/result]]\n",
        "08:15:01 [user] x\n08:15:02 [tool:shell] ls\n08:15:02 [tool:shell:out] a\n08:15:03 [agent] x",
        "**User request**\nx\n**Step 1 — bash**\n\n    ls\n\nResult:\n\n    a\n**Answer**\nx",
        "> x\n\nSo it is, they say.\n\n$ ls\na",
        "**opened by @ida**\nx\n\n**@bot** commented\n```\n$ ls\na\n```\n",
        "UserPromptPart(content='x')\nToolCallPart(tool_name='f', args={})\nToolReturnPart(content='a')",
        "Human: x\n> Entering new x chain...\nInvoking: `f` with `{}`\nx\n\nx",
        "> x\n\n✦ x\n╭──────╮\n│ ✓  Shell ls │\n│      │\n│ x │",
        "**User:**\n\nx\n\n**Assistant:**\n\n<read_file></read_file>\n\n**User:**\n\n[read_file for 'a'] Result:",
    ]

    def read_many(number: int) -> None:
        for head in heads[number_of_mark % _EVERY :: _EVERY]:
            read_transcript(parse("\n".join([head, *[mark] * number])))
            read_transcript(parse("\n".join([head, mark * number])))

    assert takes_linear_time(read_many, 150)


def test_a_record_in_an_unknown_form_is_told_from_words() -> None:
    record = "[09:14:15] AGENT exec> signtool verify a.exe\n[09:14:16] ERR no timestamp\n[09:14:17] AGENT note> again\n"
    assert looks_recorded(record)
    assert not any(looks_recorded(PLAIN[name]) for name in ("prose", "a report", "a plan", "a report with turns"))
