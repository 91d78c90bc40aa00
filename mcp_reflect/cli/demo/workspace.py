"""A small project with a real bug, and an agent's hands in it: commands are run, files are written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_COMMAND_TIMEOUT_S = 300

_STOCK = """\
class Stock:
    def __init__(self):
        self.items = {}

    def add(self, name, count):
        self.items[name] = self.items.get(name, 0) + count

    def remove(self, name, count):
        self.items[name] = self.items.get(name, 0) - count
"""

_MENDED = """\
        if count > self.items.get(name, 0):
            raise ValueError(f"only {self.items.get(name, 0)} of {name} in stock")
        self.items[name] -= count
"""

_TESTS = """\
import unittest

from inventory.stock import Stock


class StockTest(unittest.TestCase):
    def test_counts_add_up(self):
        stock = Stock()
        stock.add("bolt", 2)
        stock.add("bolt", 3)
        self.assertEqual(stock.items["bolt"], 5)

    def test_more_than_there_is_cannot_be_removed(self):
        with self.assertRaises(ValueError):
            Stock().remove("bolt", 1)
"""


def make_project(folder: Path) -> None:
    """Write the package `inventory` into a src folder, with tests of which one finds a bug."""
    files = {"src/inventory/__init__.py": "", "src/inventory/stock.py": _STOCK, "tests/test_stock.py": _TESTS}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@dataclass(frozen=True)
class CommandOutput:
    """The exit code and output of a command."""

    command: str
    exit_code: int
    output: str

    @property
    def last_line(self) -> str:
        """Return the last line of the output that is not blank; empty where there is none."""
        return next((line for line in reversed(self.output.splitlines()) if line.strip()), "")

    @property
    def tests_ran(self) -> bool:
        """Return whether the test runner got as far as running the tests, whatever they found."""
        return "Ran 2 tests" in self.output


@dataclass
class DemoRun:
    """The work of an agent on one task, kept as OpenAI chat messages."""

    task: str
    folder: Path
    messages: list[dict[str, Any]] = field(default_factory=list)

    def shell(self, command: str) -> CommandOutput:
        """Run a command in the folder, note it with its output as a tool call, and return the output."""
        # The workspace's `python` is this interpreter, whatever the reader's PATH says.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        done = subprocess.run(  # noqa: S602 - the commands are constants of this package
            command,
            shell=True,
            cwd=self.folder,
            env={"PATH": path, "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=_COMMAND_TIMEOUT_S,
            check=False,
        )
        ran = CommandOutput(command, done.returncode, done.stdout + done.stderr)
        self._call("shell", {"command": command}, f"{ran.output}\nexit code {ran.exit_code}")
        return ran

    def mend_the_bug(self) -> None:
        """Put a check where the tests found that one is missing."""
        path = "src/inventory/stock.py"
        source = (self.folder / path).read_text().splitlines(keepends=True)
        text = "".join(source[:-1]) + _MENDED
        (self.folder / path).write_text(text)
        self._call("write_file", {"path": path, "text": text}, "written")

    def _call(self, tool: str, arguments: dict[str, str], result: str) -> None:
        call_id = f"call_{len(self.messages) // 2 + 1}"
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"id": call_id, "type": "function", "function": function}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        self.messages.append({"role": "tool", "tool_call_id": call_id, "content": result})
