"""What commands print at 80 and 120 columns and through a pipe, as files that a person has read.

`WRITE_GOLDEN=1` writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mcp_reflect.cli import console
from mcp_reflect.cli.app import build_app
from mcp_reflect.cli.records import reading
from mcp_reflect.wire.caller import Caller
from tests.support.hubs import hubs_ended, posix
from tests.support.servers import environment

pytestmark = [posix, pytest.mark.process, pytest.mark.slow]

GOLDEN = Path(__file__).parent / "golden"

LAYOUTS = {"80": 80, "120": 120, "piped": None}

COMMANDS = {
    "traces": "traces --limit 3",
    "traces-pending": "traces --status pending",
    "memories": "memories --limit 3",
    "memories-errors": "memories --kind error",
    "projects": "projects",
    "stats": "stats",
    "query": "query run the billing tests --limit 3",
    "query-nothing": "query knit a scarf --filter area=wool",
    "augment": "augment run the billing tests --limit 1",
    "show-run": "show {run}",
    "show-memory": "show {memory}",
    "why-memory": "why {memory}",
    "why-run": "why {follower}",
    "guide": "guide",
    "prune": "prune",
    "merge": "merge",
    "purge": "purge",
    "verify": "verify",
    "memory-archive": "memory archive {memory} --reason outdated",
    "memory-restore": "memory restore {memory}",
    "nothing-here": "memories --project elsewhere",
    "stats-elsewhere": "stats --project elsewhere",
    "error-limit": "query run the tests --limit 500",
    "error-id": "show mem_zzzz",
    "error-kind": "why ret_zzzz",
    "error-restore": "restore mem_zzzz",
    "error-choice": "review {run} maybe",
    "error-file": "import /nowhere/export.jsonl",
    "error-missing": "review",
    "error-command": "statz",
    "help-query": "query --help",
    "help-learn": "learn --help",
    "help-memories": "memories --help",
}

NOT_WRAPPED = {"augment", "guide", *(name for name in COMMANDS if name.startswith("error-"))}
"""What is copied or piped on as it is, and messages in one line."""

LOG = 'Traceback (most recent call last):\n  File "tests/test_total.py", line 1, in <module>\n    import billing\n'
MISSING = f"Exit code 1\n{LOG}ModuleNotFoundError: No module named 'billing'"


def step(number: int, command: str, output: str) -> list[dict[str, Any]]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": "Bash", "arguments": {"command": command}}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


def fill(caller: Caller) -> dict[str, str]:
    """Three runs of which the first learns, the second follows and the third is not reviewed."""
    task = "Run the tests of the billing service and report every test that fails, with the reason it gives"
    run = [
        {"role": "user", "content": task},
        *step(1, "pytest tests", MISSING),
        *step(2, "PYTHONPATH=src pytest tests", "12 passed in 0.51s"),
        {"role": "assistant", "content": "All 12 tests pass once PYTHONPATH names src."},
    ]
    first = caller.call("submit_trace", {"task": task, "trajectory": run, "review_result": "pass", "model": "m-1"})
    memory = caller.call("get_trace", {"trace_id": first["trace_id"]})["memory"]["id"]
    given = caller.call("query_memories", {"task": "Run the billing tests"})
    second = {"task": "Run the billing tests after the upgrade", "retrieval_id": given["retrieval_id"]}
    follower = caller.call(
        "submit_trace",
        second | {"review_result": "pass", "feedback": "all green", "guidance": "Upgrade [bold]first[/bold]."},
    )
    caller.call("submit_trace", {"task": "Find out why the refund test is flaky", "trajectory": "$ pytest -k refund"})
    return {"run": first["trace_id"], "memory": memory, "follower": follower["trace_id"]}


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    home = tmp_path / "home"
    variables = environment(home, MCP_REFLECT_PROJECT="billing", MCP_REFLECT_USER="ann", TZ="UTC")
    with hubs_ended(home), Caller(variables, str(home.parent)) as caller:
        yield fill(caller), variables


def steady(text: str, known: dict[str, str]) -> str:
    """The text with ids, times and scores that are the same in every run, of their real width."""
    numbers: dict[str, str] = {}

    def same(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"{found[1]}_{len(numbers) + 1:012d}")

    for name, value in known.items():
        text = text.replace(value, f"{value.partition('_')[0]}_{name:0>12.12}")
    text = re.sub(r"\b(mem|trace|ret)_[0-9a-z]{12}\b", same, text)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d[+-]\d\d:\d\d", "2026-01-02 03:04+00:00", text)
    text = re.sub(r"(relevance|score) \d\.\d{3}", r"\1 0.900", text)
    return re.sub(r"last used: \S+", "last used: 2026-01-02", text)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_commands_print(
    layout: str, filled: tuple[dict[str, str], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known, variables = filled
    for name in [each for each in os.environ if each.startswith(("MCP_REFLECT_", "NO_COLOR"))]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    width = LAYOUTS[layout]
    monkeypatch.setenv("COLUMNS", str(width or 80))
    if width is not None:
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
    for each in (console.out, console.err):
        monkeypatch.setattr(each, "_width", width)
    different = []
    for name, words in COMMANDS.items():
        monkeypatch.setenv("MCP_REFLECT_PROJECT", "billing")  # a command with --project sets another
        arguments = [word.format(**known) for word in words.split()]
        done = CliRunner().invoke(build_app(), arguments)
        assert done.exception is None or isinstance(done.exception, SystemExit), (name, done.exception)
        text = steady(f"$ mcp-reflect {' '.join(arguments)}\n{done.output}exit code {done.exit_code}\n", known)
        file = GOLDEN / layout / f"{name}.txt"
        if os.environ.get("WRITE_GOLDEN"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            different.append(f"--- {file.name}\n{text}")
        if width is not None:
            wide = [line for line in text.splitlines() if len(line) > width]
            assert not wide or name in NOT_WRAPPED, (name, wide)
    assert not different, "\n".join(different)


READING = ("traces", "memories", "projects", "stats", "show-run", "show-memory", "why-memory", "why-run", "error-id")


def test_commands_that_read_print_the_same_without_a_hub(
    filled: tuple[dict[str, str], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known, variables = filled
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for name in READING:
        arguments = [word.format(**known) for word in COMMANDS[name].split()]
        by_hub = CliRunner().invoke(build_app(), arguments)
        with monkeypatch.context() as alone:
            alone.setenv("MCP_REFLECT_HUB__ENABLED", "false")
            assert CliRunner().invoke(build_app(), arguments).output == by_hub.output
        with monkeypatch.context() as no_ledger:
            no_ledger.setattr(reading, "_from_ledger", None)
            assert CliRunner().invoke(build_app(), arguments).output == by_hub.output, f"{name} was not read by the hub"
