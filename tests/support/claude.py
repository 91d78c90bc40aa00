"""Claude Code as its hooks see it: transcripts in the shape that version 2.1.197 writes, and calls of the hooks.

What tools return comes from really running them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.forks import forks
from tests.support.servers import environment
from tests.support.waiting import HANG_S


class Transcript:
    """A session's file, and the calls of hooks that go with it."""

    def __init__(self, folder: Path, home: Path, session: str = "") -> None:
        self.session = session or str(uuid.uuid4())
        self.folder = folder
        self.home = home
        self.path = folder / f"{self.session}.jsonl"
        self.prompt_id = ""
        self.variables: dict[str, str] = {}
        self._last_uuid: str | None = None
        self._calls = 0

    # -- what is written

    def raw(self, line: dict[str, Any] | str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line if isinstance(line, str) else json.dumps(line) + "\n")

    def line(self, kind: str, message: dict[str, Any] | None = None, **more: Any) -> None:
        own = str(uuid.uuid4())
        head = {"parentUuid": self._last_uuid, "isSidechain": False, "type": kind}
        tail = {"uuid": own, "sessionId": self.session, "cwd": str(self.folder), "version": "2.1.197"}
        self.raw({**head, **({"message": message} if message else {}), **tail, **more})
        self._last_uuid = own

    def asks(self, prompt: str, **more: Any) -> None:
        """The user's prompt."""
        self.prompt_id = str(uuid.uuid4())
        self.line("user", {"role": "user", "content": prompt}, promptId=self.prompt_id, **more)

    def says(self, text: str, **more: Any) -> None:
        self._assistant({"type": "text", "text": text}, **more)

    def runs(self, command: str) -> str:
        """A Bash call and its result; gives back the call's id."""
        call = self.uses("Bash", {"command": command})
        # No bytecode: an edit within the same second and of the same length would not be noticed.
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
        )
        output = (done.stdout + done.stderr).rstrip("\n")
        if done.returncode:
            self.results(call, f"Exit code {done.returncode}\n{output}", failed=True)
        else:
            self.results(call, output or "(Bash completed with no output)", failed=False)
        return call

    def edits(self, name: str, old: str, new: str) -> None:
        file = self.folder / name
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        call = self.uses("Edit", {"file_path": str(file), "old_string": old, "new_string": new, "replace_all": False})
        self.results(call, f"The file {file} has been updated successfully.")

    def uses(self, tool: str, arguments: dict[str, Any]) -> str:
        self._calls += 1
        call = f"toolu_{self._calls:04}"
        self._assistant({"type": "tool_use", "name": tool, "input": arguments, "id": call})
        return call

    def results(self, call: str, content: Any, *, failed: bool | None = None) -> None:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": content}
        block |= {} if failed is None else {"is_error": failed}
        self.line("user", {"role": "user", "content": [block]}, promptId=self.prompt_id, toolUseResult=content)

    def attaches(self, context: str) -> None:
        """What Claude Code writes of a text that a hook added."""
        added = {"type": "hook_additional_context", "content": [context], "hookEvent": "UserPromptSubmit"}
        self.line("attachment", attachment=added)

    def _assistant(self, block: dict[str, Any], **more: Any) -> None:
        self._calls += 1
        message = {"id": f"msg_{self._calls}", "type": "message", "role": "assistant", "model": "claude-opus-4-8"}
        self.line("assistant", {**message, "content": [block], "usage": {"output_tokens": 5}}, **more)

    # -- what is called

    def hook(self, name: str, **more: Any) -> str:
        """The text that a hook adds to the conversation; empty for none. Also attached to the transcript."""
        base = {"session_id": self.session, "transcript_path": str(self.path), "cwd": str(self.folder)}
        payload = {**base, "prompt_id": self.prompt_id, "hook_event_name": name, **more}
        done = call_hook(self.home, json.dumps(payload).encode(), "claude-code", name, **self.variables)
        assert (done.returncode, done.stderr) == (0, b"")
        if not done.stdout:
            return ""
        answer = json.loads(done.stdout)
        if answer.get("decision") == "block":
            told = f"Stop hook feedback:\n{answer['reason']}"
            self.line("user", {"role": "user", "content": told}, isMeta=True, promptId=self.prompt_id)
            return str(answer["reason"])
        answer = answer["hookSpecificOutput"]
        assert answer["hookEventName"] == name
        self.attaches(answer["additionalContext"])
        return str(answer["additionalContext"])

    def prompt(self, text: str) -> str:
        """The user's prompt with its hook; what the hook added."""
        self.asks(text)
        return self.hook("UserPromptSubmit", prompt=text)

    def stops(self, last: str = "", *, continued: bool = False) -> str:
        """The agent's last words with the hook at the end of the turn; what the hook asks for."""
        if last:
            self.says(last)
        return self.hook("Stop", stop_hook_active=continued, last_assistant_message=last)


def failing_run(command: str) -> str:
    """A trajectory in which a command fails for want of a module that is then installed."""
    error = "Exit code 1\nModuleNotFoundError: No module named 'nosuchmodule'"
    steps = [(command, error), ("pip install such-module", "Successfully installed"), (command, "done")]
    messages: list[dict[str, Any]] = []
    for number, (line, output) in enumerate(steps):
        use = {"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"command": line}}
        failed = output.startswith("Exit code")
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": output, "is_error": failed}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return json.dumps(messages)


_PATIENTLY = (
    "from mcp_reflect.hooks import command; "
    f"command.HOOK_TIMEOUTS_S = dict.fromkeys(command.HOOK_TIMEOUTS_S, {HANG_S}); "
    "import sys; sys.argv[0] = 'mcp-reflect'; from mcp_reflect.__main__ import main; main()"
)
_FORKING = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r}); "
    "from tests.support.forking import hubs_forked; del sys.path[0]; "
    "server = sys.argv.pop(1); forked = hubs_forked(lambda: server); forked.__enter__(); "
)


def patient_shim() -> list[str]:
    """Return a shim whose hubs are forked where the test allows it.

    A hook gives up after seconds that a busy machine needs for less; this one does not.
    """
    if forks.allowed:
        return [sys.executable, "-c", _FORKING + _PATIENTLY, forks.socket()]
    return [sys.executable, "-c", _PATIENTLY]


def call_hook(
    home: Path, stdin: bytes, *words: str, program: Sequence[str] = (), **more: str
) -> subprocess.CompletedProcess[bytes]:
    """`mcp-reflect hook` as a client starts it."""
    return subprocess.run(
        [*(program or patient_shim()), "hook", *words],
        input=stdin,
        env=environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30", **more),
        capture_output=True,
        check=False,
        timeout=HANG_S,
    )


CALCULATOR = """
def add(a, b):
    return a - b
"""
ITS_TESTS = """
import unittest

from calculator import add


class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


def a_project(folder: Path) -> Path:
    """A folder with a program that has a bug, and the tests that show it."""
    folder.mkdir(parents=True)
    (folder / "calculator.py").write_text(CALCULATOR, encoding="utf-8")
    (folder / "test_calculator.py").write_text(ITS_TESTS, encoding="utf-8")
    return folder
