"""Exports of Cline and Roo Code, and chats of Aider that were copied from the terminal."""

from __future__ import annotations

import pytest

from tests.domain.trajectory.transcripts.test_reading import read

CLINE = """\
# Cline Task Export

**User:**

<task>
Fix the build.
</task>
<environment_details>
# VSCode Visible Files
a.c
</environment_details>

---

**Assistant:**

<thinking>Look first.</thinking>
<execute_command>
<command>make && echo ok</command>
<requires_approval>false</requires_approval>
</execute_command>

---

**User:**

[execute_command for 'make && echo ok'] Result:

Command executed in terminal  within working directory '/w'. Command execution was not successful.
Exit code: 2
Output:
error: boom
**User:**
<feedback>x</feedback>

The user provided the following feedback:
<feedback>
Do not touch the cache.
</feedback>
<environment_details>
x
</environment_details>

---

**Assistant:**

The name is wrong.

<replace_in_file>
<path>a.c</path>
<diff>
------- SEARCH
x
=======
y
+++++++ REPLACE
<<<<<<< SEARCH
:start_line:7
-------
1
=======
2
>>>>>>> REPLACE
</diff>
</replace_in_file>

---

**User:**

[replace_in_file for 'a.c'] Result:
The content was successfully saved to a.c.

---

**Assistant:**

<write_to_file>
<path>b.xml</path>
<content>
<content>b</content>
</content>
</write_to_file>

---

**User:**

[write_to_file for 'b.xml'] Result:
The content was successfully saved to b.xml.

---

**Assistant:**

<read_file>
<args>
<file>
<path>c.c</path>
</file>
</args>
</read_file>
<use_mcp_tool>
<server_name>docs</server_name>
<tool_name>lookup</tool_name>
<arguments>
{"q": "x"}
</arguments>
</use_mcp_tool>
<ask_followup_question>
<question>Which name?</question>
</ask_followup_question>

---

**User:**

[ask_followup_question for 'Which name?'] Result:

<answer>
y
</answer>

---

**User:**

[ERROR] You did not use a tool in your previous response!

---

**Assistant:**

<attempt_completion>
<result>
It builds.
</result>
</attempt_completion>

---

**User:**

[attempt_completion] Result:
The user has provided feedback on the results.
<feedback>
Thanks.
</feedback>
"""


def test_cline() -> None:
    words = read(CLINE)
    failed = words[3]
    assert words == [
        ("user", "Fix the build."),
        ("assistant", "Look first."),
        ("bash", {"command": "make && echo ok"}),
        ("output", failed[1], True),
        ("user", "Do not touch the cache."),
        ("assistant", "The name is wrong."),
        (
            "edit",
            {
                "file_path": "a.c",
                "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "1", "new_string": "2"}],
            },
        ),
        ("output", "The content was successfully saved to a.c.", None),
        ("write", {"file_path": "b.xml", "content": "<content>b</content>"}),
        ("output", "The content was successfully saved to b.xml.", None),
        ("read_file", {"path": "c.c"}),
        ("lookup", {"q": "x"}),
        ("assistant", "Which name?"),
        ("user", "y"),
        ("assistant", "It builds."),
        ("user", "Thanks."),
    ]
    shown = "error: boom\n**User:**\n<feedback>x</feedback>\n\nThe user provided the following feedback:"
    assert failed[1].endswith(shown)


def test_cline_with_calls_that_the_export_names() -> None:
    text = """\
**User:**

Fix the build.

---

**Assistant:**

Look first.
[Tool Use: execute_command]
Command: make
Requires_approval: false

---

**User:**

[Tool (Error)]
error: boom

---

**Assistant:**

[Tool Use: write_to_file]
Path: a.c
Content: int a;
int b;

---

**User:**

[Tool]
Saved.
"""
    assert read(text) == [
        ("user", "Fix the build."),
        ("assistant", "Look first."),
        ("bash", {"command": "make"}),
        ("output", "error: boom", True),
        ("write", {"file_path": "a.c", "content": "int a;\nint b;"}),
        ("output", "Saved.", None),
    ]


@pytest.mark.parametrize("start", ["$ aider --model big", "$ aider\nAider v0.64.1\nModel: x", "❯ aider a.c"])
def test_aider_behind_its_command_line(start: str) -> None:
    text = f"""\
{start}
Repo: w   Added a.c to the chat

> Fix the build.

Could you run it?

> /run make
error: boom
Command exited 2. Add output to chat? y

I'd remove the cache.

> No, keep it.

Then only the name.

> /run make
cc a.c

> /run ./a
ok

It builds, and prints what it should.
"""
    assert read(text) == [
        ("user", "Fix the build."),
        ("assistant", "Could you run it?"),
        ("bash", {"command": "make"}),
        ("output", "error: boom", None),
        ("assistant", "I'd remove the cache."),
        ("user", "No, keep it."),
        ("assistant", "Then only the name."),
        ("bash", {"command": "make"}),
        ("output", "cc a.c", None),
        ("bash", {"command": "./a"}),
        ("output", "ok", None),
        ("assistant", "It builds, and prints what it should."),
    ]


def test_a_chat_of_aider_that_does_not_name_it() -> None:
    text = """\
# chat started at 2025-03-31 08:51:20

> Model: main gpt-4.1 with diff edit format
> Git repo: .git with 412 files

#### The job runs an hour late.

It needs a time zone.

settings.py
```python
<<<<<<< SEARCH
TZ = 1
=======
TZ = 2
>>>>>>> REPLACE
```

> Applied edit to settings.py
"""
    assert read(text)[:2] == [("user", "The job runs an hour late."), ("assistant", "It needs a time zone.")]


def test_an_export_with_calls_in_block_quotes() -> None:
    text = """\
# 对话导出 · 2025-05-18

**用户**

导入脚本报错 1366。

---

**助手**

先看一下表结构。

> 🔧 `run_sql`
> ```sql
> SHOW CREATE TABLE t;
> ```
> 结果:
> ```
> CREATE TABLE t (
>   **用户**
> )
> ```

> 🔧 `set_cell` · `{"cell": "D2", "value": "1"}`
>
> D2 = 1

列仍然是 utf8mb3。

**用户**

可以了
"""
    assert read(text) == [
        ("user", "导入脚本报错 1366。"),
        ("assistant", "先看一下表结构。"),
        ("run_sql", {"query": "SHOW CREATE TABLE t;"}),
        ("output", "CREATE TABLE t (\n  **用户**\n)", None),
        ("set_cell", {"cell": "D2", "value": "1"}),
        ("output", "D2 = 1", None),
        ("assistant", "列仍然是 utf8mb3。"),
        ("user", "可以了"),
    ]


@pytest.mark.parametrize(
    ("banner", "prompt"),
    [
        ("aider v0.61.0\nMain model: some-model with diff edit format\nGit repo: .git with 212 files\n", "> "),
        ("──────\npair 0.7  ·  Main model: some-model  ·  Git repo: .git with 118 files\n──────\n", "app/db.py> "),
    ],
)
def test_a_chat_of_aider_with_another_banner_and_the_files_before_its_prompt(banner: str, prompt: str) -> None:
    text = (
        f"{banner}{prompt}The first request fails.\n\nThe pool is stale.\n\napp/db.py\n<<<<<<< SEARCH\na = 1\n=======\n"
        f"a = 2\n>>>>>>> REPLACE\n\nApplied edit to app/db.py\n\n{prompt}/run make\n\n200\n"
    )
    assert read(text) == [
        ("user", "The first request fails."),
        ("assistant", "The pool is stale."),
        ("edit", {"file_path": "app/db.py", "old_string": "a = 1", "new_string": "a = 2"}),
        ("bash", {"command": "make"}),
        ("output", "200", None),
    ]


def test_the_head_of_an_export_and_its_rules_are_nobodys_words() -> None:
    text = (
        "# Discount\n_Exported on 9/10/2025 at 14:44:31 GMT+2 from Cursor (1.5.9)_\n\n---\n\n"
        "**User**\n\nAdd it.\n\n---\n\n"
        "**Cursor**\n\n```bash\ncat > a.ts <<'TS'\nx\nTS\nnpm test\n```\n\n```text\nfail 1\n```\n\nOne off.\n\n---\n\n"
        "**User**\n\nAmounts never go through number.\n\n---\n\n"
        "**Cursor**\n\n```bash\nnpm test\n```\n\n```text\nok\n```\n\nDone.\n"
    )
    found = read(text)
    assert [each[1] for each in found if each[0] == "user"] == ["Add it.", "Amounts never go through number."]
    assert [each[1] for each in found if each[0] == "assistant"] == ["One off.", "Done."]


def test_arguments_in_small_letters_in_an_export_of_roo_code() -> None:
    text = (
        "**User:**\n\n<task>\nFix it.\n</task>\n\n---\n\n**Assistant:**\n\nRun it.\n\n[Tool Use: execute_command]\n"
        "command: make\n\n---\n\n**User:**\n\n[Tool]\n[execute_command for 'make'] Result:\nExit code: 2\nno rule"
        "\n\n---\n\n"
        "**Assistant:**\n\n[Tool Use: write_to_file]\npath: a.yml\ncontent: on:\n  path: x\ncommand: y\n\n---\n\n"
        "**User:**\n\n[Tool]\n[write_to_file for 'a.yml'] Result:\nok\n\n---\n\n"
        "**Assistant:**\n\n[Tool Use: attempt_completion]\nresult: It builds.\n"
    )
    assert [each for each in read(text) if each[0] != "output"] == [
        ("user", "Fix it."),
        ("assistant", "Run it."),
        ("bash", {"command": "make"}),
        ("write", {"file_path": "a.yml", "content": "on:\n  path: x\ncommand: y"}),
        ("assistant", "It builds."),
    ]
