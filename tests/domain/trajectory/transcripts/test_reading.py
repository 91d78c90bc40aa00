"""Plain-text transcripts as agent frameworks print them, one example of each format."""

from __future__ import annotations

import json
from typing import Any

from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult, Utterance
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript


def read(text: str) -> list[tuple[Any, ...]]:
    """What a transcript shows: words with their role, calls with arguments, outputs with what came of the call."""
    found: list[tuple[Any, ...]] = []
    for event in read_transcript(parse(text)).events:
        if isinstance(event, Utterance):
            found.append((event.role, event.text))
        elif isinstance(event, ToolCall):
            found.append((event.name, json.loads(event.arguments)))
        elif isinstance(event, ToolResult):
            found.append(("output", event.text, event.failed))
    return found


SWE_AGENT = """\
INSTRUCTIONS:
The parser drops the last row.

THOUGHT:
Look at it.

ACTION:
open "csv/parse.py" 10

OBSERVATION:
[File: /repo/csv/parse.py (12 lines total)]
(8 more lines above)
     9:def rows(text):
    10:    lines = text.split("\\n")
    11:    for line in lines[:-1]:
    12:        yield line

THOUGHT:
The slice is wrong.

ACTION:
edit 11:11
    for line in lines:
end_of_edit

OBSERVATION:
[File: /repo/csv/parse.py (12 lines total)]
    11:    for line in lines:

ACTION:
pytest -q

OBSERVATION:
FAILED tests/test_parse.py::test_empty
(exit status 1)

THOUGHT:
An empty line at the end has to go.

ACTION:
str_replace_editor str_replace /repo/csv/parse.py --old_str 'in lines:' --new_str 'in filter(None, lines):'

OBSERVATION:
The file has been edited.

THOUGHT:
Rows are complete now.

ACTION:
submit
"""


def test_swe_agent() -> None:
    found = read(SWE_AGENT)
    assert found[0] == ("user", "The parser drops the last row.")
    assert found[2] == ("view_open", {"path": "csv/parse.py"})
    old, new = "    for line in lines[:-1]:", "    for line in lines:"
    assert found[5] == ("edit", {"file_path": "/repo/csv/parse.py", "old_string": old, "new_string": new})
    assert found[7:9] == [
        ("bash", {"command": "pytest -q"}),
        ("output", "FAILED tests/test_parse.py::test_empty", True),
    ]
    assert found[10] == (
        "str_replace_editor",
        {
            "command": "str_replace",
            "path": "/repo/csv/parse.py",
            "old_str": "in lines:",
            "new_str": "in filter(None, lines):",
        },
    )
    assert found[-1] == ("assistant", "Rows are complete now.")


def test_swe_agent_with_a_command_in_a_fence() -> None:
    text = """\
DISCUSSION
List the files.

COMMAND
```
ls -F
```

OBSERVATION
setup.py

DISCUSSION
Run it.

COMMAND
```bash
python setup.py check
```

OBSERVATION
ok
"""
    assert read(text) == [
        ("assistant", "List the files."),
        ("bash", {"command": "ls -F"}),
        ("output", "setup.py", None),
        ("assistant", "Run it."),
        ("bash", {"command": "python setup.py check"}),
        ("output", "ok", None),
    ]


def test_react() -> None:
    text = """\
Question: Why is the nightly job slow?

Thought: Ask the database.
Action: sql_db_query
Action Input: SELECT count(*)
FROM jobs WHERE state = 'stuck'
Observation: [(4012,)]

Thought: Look at the plan.
Action: shell
Action Input: {"command": "psql -c 'explain select 1'"}
Observation: ERROR:  no such table

Thought: I know enough.
Final Answer: An index on jobs.state is missing.
"""
    assert read(text) == [
        ("user", "Why is the nightly job slow?"),
        ("assistant", "Ask the database."),
        ("sql_db_query", {"query": "SELECT count(*)\nFROM jobs WHERE state = 'stuck'"}),
        ("output", "[(4012,)]", None),
        ("assistant", "Look at the plan."),
        ("shell", {"command": "psql -c 'explain select 1'"}),
        ("output", "ERROR:  no such table", None),
        ("assistant", "I know enough.\n\nAn index on jobs.state is missing."),
    ]


def test_react_with_numbers_and_brackets() -> None:
    text = """\
Question: Who wrote it?
Thought 1: Search it.
Action 1: Search[The Sea, the Sea]
Observation 1: A novel of 1978.
Thought 2: Look closer.
Action 2: lookup(term="author", page=2)
Observation 2: Iris Murdoch
Thought 3: Done.
Action 3: Finish[Iris Murdoch]
"""
    assert read(text)[2:] == [
        ("Search", {"input": "The Sea, the Sea"}),
        ("output", "A novel of 1978.", None),
        ("assistant", "Look closer."),
        ("lookup", {"term": "author", "page": 2}),
        ("output", "Iris Murdoch", None),
        ("assistant", "Done.\n\nIris Murdoch"),
    ]


def test_react_with_an_object_as_the_action() -> None:
    text = """\
Question: Is it up?
Thought: Ping it.
Action:
```json
{"action": "bash", "action_input": "ping -c1 db"}
```
Observation: 1 received
Thought: Yes.
Action:
```
{"action": "Final Answer", "action_input": "It is up."}
```
"""
    assert read(text) == [
        ("user", "Is it up?"),
        ("assistant", "Ping it."),
        ("bash", {"command": "ping -c1 db"}),
        ("output", "1 received", None),
        ("assistant", "Yes.\n\nIt is up."),
    ]


def test_openhands() -> None:
    text = """\
USER:
The build fails.

ASSISTANT:
Run it.

<function=execute_bash>
<parameter=command>
cd /workspace && make
</parameter>
</function>

EXECUTION RESULT of [execute_bash]:
make: *** No rule to make target 'x'.
[The command completed with exit code 2.]
[Current working directory: /workspace]

ASSISTANT:
<function=str_replace_editor>
<parameter=command>str_replace</parameter>
<parameter=path>/workspace/Makefile</parameter>
<parameter=old_str>all: x</parameter>
<parameter=new_str>all: y</parameter>
</function>

EXECUTION RESULT of [str_replace_editor]:
The file has been edited.

USER:
And keep the old target.

ASSISTANT:
<execute_bash>make x</execute_bash>

OBSERVATION:
ok

ASSISTANT:
Both work.
<function=finish>
</function>
"""
    assert read(text) == [
        ("user", "The build fails."),
        ("assistant", "Run it."),
        ("execute_bash", {"command": "cd /workspace && make"}),
        ("output", "make: *** No rule to make target 'x'.", True),
        (
            "str_replace_editor",
            {"command": "str_replace", "path": "/workspace/Makefile", "old_str": "all: x", "new_str": "all: y"},
        ),
        ("output", "The file has been edited.", None),
        ("user", "And keep the old target."),
        ("bash", {"command": "make x"}),
        ("output", "ok", None),
        ("assistant", "Both work."),
    ]


def test_codex_log() -> None:
    text = """\
[2025-05-02T09:00:00] OpenAI Codex v0.20.0 (research preview)
--------
workdir: /w
model: gpt-5
--------
[2025-05-02T09:00:01] User instructions:
fix the lint
[2025-05-02T09:00:05] thinking

**Looking at the lint**
[2025-05-02T09:00:06] exec bash -lc "npm run lint" in /w
[2025-05-02T09:00:09] bash -lc "npm run lint" exited 1 in 2.9s:
src/a.ts: Unexpected console statement

[2025-05-02T09:00:20] apply_patch(auto_approved=true)
*** Begin Patch
*** Update File: src/a.ts
@@
-console.log(x)
+log.debug(x)
*** End Patch
[2025-05-02T09:00:21] apply_patch(exit 0)
[2025-05-02T09:00:22] exec bash -lc 'npm run lint' in /w
[2025-05-02T09:00:25] bash -lc 'npm run lint' succeeded in 12ms:
[2025-05-02T09:00:26] tokens used: 1200
[2025-05-02T09:00:30] codex
The lint passes.
"""
    assert read(text) == [
        ("user", "fix the lint"),
        ("assistant", "**Looking at the lint**"),
        ("bash", {"command": "npm run lint", "workdir": "/w"}),
        ("output", "src/a.ts: Unexpected console statement", True),
        ("edit", {"file_path": "src/a.ts", "old_string": "console.log(x)", "new_string": "log.debug(x)"}),
        ("output", "", False),
        ("bash", {"command": "npm run lint", "workdir": "/w"}),
        ("output", "", False),
        ("assistant", "The lint passes."),
    ]


def test_codex_log_without_time_stamps() -> None:
    text = """\
OpenAI Codex v0.46.0 (research preview)
--------
workdir: /w
--------
user
fix the lint
thinking
**Running the lint**
exec
bash -lc 'npm run lint' in /w exited 1 in 2.9s:
codex
user
Unexpected console statement
codex
I replace the call.
exec
bash -lc "sed -i 's/console.log/log.debug/' src/a.ts && npm run lint" in /w succeeded in 12ms:
done
tokens used
1,200
"""
    assert read(text) == [
        ("user", "fix the lint"),
        ("assistant", "**Running the lint**"),
        ("bash", {"command": "npm run lint", "workdir": "/w"}),
        ("output", "codex\nuser\nUnexpected console statement", True),
        ("assistant", "I replace the call."),
        ("bash", {"command": "sed -i 's/console.log/log.debug/' src/a.ts && npm run lint", "workdir": "/w"}),
        ("output", "done", False),
    ]


def test_aider_history() -> None:
    text = """\
# aider chat started at 2025-03-01 10:00:00

> Aider v0.75.1
> Main model: sonnet with diff edit format

#### Add a timeout to the client.
#### Ten seconds.

I set it.

client.py
```python
<<<<<<< SEARCH
    return get(url)
=======
    return get(url, timeout=10)
>>>>>>> REPLACE
```

> Tokens: 2.1k sent, 90 received.
> Applied edit to client.py
> Commit 1a2b3c4 feat: timeout

> /run pytest -q
E   TypeError: get() got an unexpected keyword

1 failed
> Add 0.1k tokens of command output to the chat? (Y)es/(N)o [Yes]: y

#### use httpx, never requests

The whole file then:

client.py
```python
import httpx
```

> Applied edit to client.py
"""
    assert read(text) == [
        ("user", "Add a timeout to the client.\n\nTen seconds."),
        ("assistant", "I set it."),
        (
            "edit",
            {
                "file_path": "client.py",
                "old_string": "    return get(url)",
                "new_string": "    return get(url, timeout=10)",
            },
        ),
        ("bash", {"command": "pytest -q"}),
        ("output", "E   TypeError: get() got an unexpected keyword\n\n1 failed", None),
        ("user", "use httpx, never requests"),
        ("assistant", "The whole file then:"),
        ("write", {"file_path": "client.py", "content": "import httpx"}),
    ]


def test_aider_in_the_terminal() -> None:
    text = """\
Aider v0.64.1
Main model: claude with diff edit format
Added a.py to the chat.

> Rename f to g.

a.py
<<<<<<< SEARCH
def f():
=======
def g():
>>>>>>> REPLACE

Applied edit to a.py
Commit 3e90d1a refactor

> /run python a.py

NameError: name 'f' is not defined

> Add the output to the chat? y

The call has the old name.
"""
    assert read(text) == [
        ("user", "Rename f to g."),
        ("edit", {"file_path": "a.py", "old_string": "def f():", "new_string": "def g():"}),
        ("bash", {"command": "python a.py"}),
        ("output", "NameError: name 'f' is not defined", None),
        ("assistant", "The call has the old name."),
    ]


RULE = "-" * 80


def test_autogen() -> None:
    text = f"""\
user_proxy (to coder):

How large is the table?

{RULE}
coder (to user_proxy):

Count it.

```sh
sqlite3 a.db 'select count(*) from t'
```

{RULE}

>>>>>>>> EXECUTING CODE BLOCK 0 (inferred language is sh)...
user_proxy (to coder):

exitcode: 1 (execution failed)
Code output:
Error: no such table: t

{RULE}
coder (to user_proxy):

```python
p = "q.sql"
s = open(p).read()
s = s.replace("from t", "from tt")
open(p, "w").write(s)
```

{RULE}

>>>>>>>> EXECUTING CODE BLOCK 0 (inferred language is python)...
user_proxy (to coder):

exitcode: 0 (execution succeeded)
Code output:
ok

{RULE}
coder (to user_proxy):

The table is tt. TERMINATE

{RULE}
"""
    found = read(text)
    assert found[:4] == [
        ("user", "How large is the table?"),
        ("assistant", "Count it."),
        ("bash", {"command": "sqlite3 a.db 'select count(*) from t'"}),
        ("output", "Error: no such table: t", True),
    ]
    assert found[4][1]["command"].startswith("python - <<'PY'\np = ")
    assert found[5:] == [("output", "ok", False), ("assistant", "The table is tt.")]


def test_smolagents() -> None:
    text = """\
╭──────────── New run ────────────╮
│                                 │
│ How many rows has a.csv?        │
│                                 │
╰─ LiteLLMModel - gpt-4o ─────────╯
━━━━━━━━━━━━━ Step 1 ━━━━━━━━━━━━━
Thought: Load it.
 ─ Executing parsed code: ───────────────
  import pandas as pd
  for name in ["a.csv"]:
      print(len(pd.read_csv(name, sep=";")))
 ────────────────────────────────────────
Execution logs:
━━━ Step 9 ━━━
411

Out: None
[Step 1: Duration 2.1 seconds| Input tokens: 2,018 | Output tokens: 120]
━━━━━━━━━━━━━ Step 2 ━━━━━━━━━━━━━
 ─ Executing parsed code: ───────────────
  final_answer("a.csv has 411 rows.")
 ────────────────────────────────────────
Out - Final answer: a.csv has 411 rows.
"""
    found = read(text)
    code = 'import pandas as pd\nfor name in ["a.csv"]:\n    print(len(pd.read_csv(name, sep=";")))'
    assert found[:3] == [("user", "How many rows has a.csv?"), ("assistant", "Load it."), ("python", {"code": code})]
    assert found[3][1].startswith("━━━ Step 9 ━━━\n411")
    assert ("assistant", "a.csv has 411 rows.") in found


def test_speakers_in_a_shell_log() -> None:
    text = """\
user> Port 80 has to work.

bot> Look first.

$ ss -ltn | grep :80
LISTEN 0 511 0.0.0.0:8080

user: this line is the log's

$ systemctl cat web \\
  | grep Exec
ExecStart=/bin/web --port 8080

bot> I change the unit.

--- a/etc/web.service
+++ b/etc/web.service
@@ -1,2 +1,2 @@
 [Service]
-ExecStart=/bin/web --port 8080
+ExecStart=/bin/web --port 80

$ cat > /etc/web.env <<'E'
A=1

user> a line of the file
E
$ systemctl restart web
user> a line of the log

user> Good. Never use setcap here.
"""
    assert read(text) == [
        ("user", "Port 80 has to work."),
        ("assistant", "Look first."),
        ("bash", {"command": "ss -ltn | grep :80"}),
        ("output", "LISTEN 0 511 0.0.0.0:8080\n\nuser: this line is the log's", None),
        ("bash", {"command": "systemctl cat web \\\n  | grep Exec"}),
        ("output", "ExecStart=/bin/web --port 8080", None),
        ("assistant", "I change the unit."),
        (
            "edit",
            {
                "file_path": "etc/web.service",
                "old_string": "ExecStart=/bin/web --port 8080",
                "new_string": "ExecStart=/bin/web --port 80",
            },
        ),
        ("bash", {"command": "cat > /etc/web.env <<'E'\nA=1\n\nuser> a line of the file\nE"}),
        ("output", "", None),
        ("bash", {"command": "systemctl restart web"}),
        ("output", "user> a line of the log", None),
        ("user", "Good. Never use setcap here."),
    ]


def test_goose() -> None:
    text = """\
starting session | provider: openai model: gpt-4o
    session id: 20250602_1
    working directory: /w

( O)> Make the tests pass.

─── shell | developer ──────────────────────────
command: pytest -q

FAILED test_a.py

1 failed

The name is wrong in a.py.

─── text_editor | developer ────────────────────
path: a.py
command: str_replace
old_str: x = 1

y = 2
new_str: x = 2

─── shell | developer ──────────────────────────
command: pytest -q

1 passed

( O)> Thanks, keep y.

It stays.
"""
    assert read(text) == [
        ("user", "Make the tests pass."),
        ("bash", {"command": "pytest -q"}),
        ("output", "FAILED test_a.py\n\n1 failed", None),
        ("assistant", "The name is wrong in a.py."),
        (
            "str_replace_editor",
            {"path": "a.py", "command": "str_replace", "old_str": "x = 1\n\ny = 2", "new_str": "x = 2"},
        ),
        ("output", "", None),
        ("bash", {"command": "pytest -q"}),
        ("output", "1 passed", None),
        ("user", "Thanks, keep y."),
        ("assistant", "It stays."),
    ]


def test_claude_code_in_the_terminal() -> None:
    text = """\
╭───────────────────────────╮
│ ✻ Welcome to Claude Code! │
╰───────────────────────────╯

> the test of the parser fails

⏺ I run it.

⏺ Bash(npm test -- parser)
  ⎿  Error: Exit code 1
     FAIL src/parser.test.ts
     > user words
     … +12 lines (ctrl+o to expand)

⏺ Update(src/parser.ts)
  ⎿  Updated src/parser.ts with 1 addition and 1 removal
        11    const a = 1
        12 -  return text
        12 +  return text.trim()
        13    }

● Read(src/index.ts)
  ⎿  Read 40 lines (ctrl+r to expand)

> use trimEnd, leading blanks matter

⏺ It keeps leading blanks
  now.
"""
    assert read(text) == [
        ("user", "the test of the parser fails"),
        ("assistant", "I run it."),
        ("bash", {"command": "npm test -- parser"}),
        ("output", "Error: Exit code 1\nFAIL src/parser.test.ts\n> user words", True),
        (
            "edit",
            {"file_path": "src/parser.ts", "old_string": "  return text", "new_string": "  return text.trim()"},
        ),
        ("output", "Updated src/parser.ts with 1 addition and 1 removal", False),
        ("Read", {"file_path": "src/index.ts"}),
        ("output", "Read 40 lines (ctrl+r to expand)", None),
        ("user", "use trimEnd, leading blanks matter"),
        ("assistant", "It keeps leading blanks\nnow."),
    ]


def test_notebook_cells() -> None:
    text = """\
Cell 1 — the user's request
Sum the orders by month.

Cell 2 — overview
In:  import pandas as pd
     for name in names:
         print(name)
Out: a.csv
     b.csv

Cell 3 — note
Dates are texts.

Cell 4 — run the importer
In:  !python load.py --all
Out: done
"""
    assert read(text) == [
        ("user", "Sum the orders by month."),
        ("python", {"code": "import pandas as pd\nfor name in names:\n    print(name)"}),
        ("output", "a.csv\nb.csv", None),
        ("assistant", "Dates are texts."),
        ("bash", {"command": "python load.py --all"}),
        ("output", "done", None),
    ]


def test_cells_of_ipython() -> None:
    text = """\
In [1]: import pandas as pd

In [2]: for n in (1, 2):
   ...:     print(n)
1
2

In [3]: df.sum()
Out[3]:
a    1
b    2
"""
    assert read(text) == [
        ("python", {"code": "import pandas as pd"}),
        ("python", {"code": "for n in (1, 2):\n    print(n)"}),
        ("output", "1\n2", None),
        ("python", {"code": "df.sum()"}),
        ("output", "a    1\nb    2", None),
    ]


def test_a_reported_action_in_words_is_no_command() -> None:
    text = "Task: Fix it.\nThought: It hangs.\nAction: I restarted the service.\nObservation: It works.\n"
    assert read(text) == []


def test_a_chain_of_langchain_begins_with_words() -> None:
    text = """\
> Entering new AgentExecutor chain...
The disk may be full.
Action: terminal
Action Input: "df -h"
Observation: /dev/sda1 100%
Thought: It is.
Final Answer: The disk is full.

> Finished chain.
"""
    assert read(text) == [
        ("assistant", "The disk may be full."),
        ("terminal", {"command": "df -h"}),
        ("output", "/dev/sda1 100%", None),
        ("assistant", "It is.\n\nThe disk is full."),
    ]


def test_autogen_with_an_executor() -> None:
    text = """\
---------- user ----------
How many rows?
---------- coder ----------
Count them.
```bash
wc -l a.csv
```
---------- code_executor ----------
12 a.csv
---------- coder ----------
It has 12. TERMINATE
"""
    assert read(text) == [
        ("user", "How many rows?"),
        ("assistant", "Count them."),
        ("bash", {"command": "wc -l a.csv"}),
        ("output", "12 a.csv", None),
        ("assistant", "It has 12."),
    ]


def test_aider_shows_an_output_where_the_users_words_stand() -> None:
    text = """\
#### Make it pass.

#### I ran this command:
####
#### pytest
####
#### And got this output:
####
#### E  ValueError

src/a.py
```
<<<<<<< SEARCH
a
=======
b
>>>>>>> REPLACE
```
"""
    assert read(text) == [
        ("user", "Make it pass."),
        ("bash", {"command": "pytest"}),
        ("output", "E  ValueError", None),
        ("edit", {"file_path": "src/a.py", "old_string": "a", "new_string": "b"}),
    ]


def test_a_log_in_steps_with_the_tool_before_each_prompt() -> None:
    assert read(
        "[user] Mend the modeline.\n"
        "--- step 1 ---\n"
        "[shell] $ vim -es notes.txt\n"
        "E518: Unknown option: foldmth\n"
        "[exit 1]\n"
        "--- step 2 ---\n"
        "[agent] A typo.\n"
        "[shell] $ sed -i 's/foldmth/foldmethod/' notes.txt && vim -es notes.txt\n"
        "[exit 0]\n"
        "--- done ---\n"
        "[agent] It opens.\n"
    ) == [
        ("user", "Mend the modeline."),
        ("bash", {"command": "vim -es notes.txt"}),
        ("output", "E518: Unknown option: foldmth", True),
        ("assistant", "A typo."),
        ("bash", {"command": "sed -i 's/foldmth/foldmethod/' notes.txt && vim -es notes.txt"}),
        ("output", "", False),
        ("assistant", "It opens."),
    ]
