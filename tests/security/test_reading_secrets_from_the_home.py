"""An attacker who reads a home, its logs, exports, backups or a model's requests wants the secrets of its runs."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.secrets.random_text import fill
from mcp_reflect.wire.caller import Caller
from tests.support.forks import SHIM
from tests.support.home_files import contents
from tests.support.hubs import posix, run_command
from tests.support.llm_server import llm_server
from tests.support.servers import environment
from tests.support.waiting import HANG_S, until

pytestmark = posix


class Canaries:
    """Secrets, each used once, so that one that is found says where it came from."""

    def __init__(self) -> None:
        self._rng = Random(4)
        self.made: dict[str, str] = {}

    def token(self, where: str) -> str:
        """Return a token that is known by itself."""
        self.made[where] = fill("{a36}", self._rng)
        return f"ghp_{self.made[where]}"

    def password(self, where: str) -> str:
        """Return an assignment of a password."""
        self.made[where] = fill("{a14}", self._rng)
        return f"DB_PASSWORD={self.made[where]}"

    def bare(self, where: str) -> str:
        """Return what was made for a place already, as it is: nothing beside it tells that it is a secret."""
        return self.made[where]

    def found_in(self, content: bytes) -> list[str]:
        return [where for where, secret in self.made.items() if secret.encode() in content]


def messages(canaries: Canaries) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": f"Key: {canaries.token('system')}"},
        {"role": "user", "content": [{"type": "text", "text": f"Deploy with {canaries.password('user')}"}]},
        {
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": "call_1",
                    "name": f"deploy_{canaries.token('name of a tool')}",
                    "input": {canaries.token("name of an argument"): {"env": [canaries.password("argument")]}},
                }
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "call_1",
                    "is_error": True,
                    "content": f"Error: login refused\n{canaries.password('output')}\nat step 3",
                }
            ],
        },
    ]


def words(canaries: Canaries, prefix: str) -> dict[str, Any]:
    names = ("summary", "key_mistake", "correct_action", "guidance", "feedback")
    said = {name: f"The {name}: {canaries.password(f'{prefix} {name}')} is used." for name in names}
    return said | {
        "applicable_tools": [f"deploy {canaries.token(f'{prefix} tools')}"],
        "claims": [f"The deployment needs {canaries.password(f'{prefix} claim')} - or it fails"],
    }


def fill_home(caller: Caller, canaries: Canaries) -> None:
    """Hand in secrets through every argument of every tool that stores or searches."""
    run = {
        "task": f"Deploy the shop with {canaries.token('task')}",
        "trajectory": messages(canaries),
        "final_response": f"Done, {canaries.password('final')}",
        "model": f"m-{canaries.token('model')}",
        "metadata": {canaries.token("key of metadata"): "x", "db_password": [canaries.password("metadata")]},
        "reference_context": canaries.password("reference"),
        "trace_key": canaries.token("trace_key"),
    }
    run["final_response"] += f" I typed {canaries.bare('output')}."
    run["metadata"] |= {"note": canaries.bare("output"), canaries.bare("user"): "y"}
    caller.call("query_memories", {"task": canaries.password("query"), "metadata_filter": {"a": canaries.token("f")}})
    written = caller.call("submit_trace", run | {"review_result": "fail"} | words(canaries, "run"))
    pending = caller.call("submit_trace", run | {"trace_key": canaries.token("second key")})
    caller.call("review_trace", {"trace_id": pending["trace_id"], "result": "pass"} | words(canaries, "review"))
    # The model writes this one; what it is sent must not hold them either.
    asked = run | {"trace_key": canaries.token("third key"), "review_result": "fail"}
    by_model = caller.call("submit_trace", asked | {"feedback": canaries.password("feedback for the model")})
    # A key that is a secret is a key still.
    assert caller.call("submit_trace", asked)["trace_id"] == by_model["trace_id"] != pending["trace_id"]
    error = {
        name: f"{name} {canaries.password(f'error {name}')}" for name in ("task", "mistake", "fix", "evidence", "rule")
    }
    caller.call(
        "record_error_fix", error | {"tests": [canaries.password("test")], "metadata": {"k": canaries.token("em")}}
    )
    caller.call("find_error_fixes", {"error": f"Error: refused {canaries.password('searched error')}"})
    memory = written["memory"]["id"]
    caller.call("manage_memory", {"memory_id": memory, "action": "archive", "reason": canaries.password("reason")})


def unpacked(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file, and what is packed in it."""
    for file, content in contents(folder):
        yield file.name, content
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                yield from ((f"{file.name}/{name}", archive.read(name)) for name in archive.namelist())
        elif content[:2] == b"\x1f\x8b":
            yield f"{file.name} unpacked", gzip.decompress(content)


@pytest.mark.slow
def test_no_secret_of_a_run_is_written_sent_or_shown(home: Path, tmp_path: Path) -> None:
    canaries = Canaries()
    with llm_server() as server:
        more = {
            "MCP_REFLECT_REFLECTION__MODEL": "scripted",
            "MCP_REFLECT_REFLECTION__BASE_URL": server.base_url,
            "MCP_REFLECT_HUB__IDLE_EXIT_S": "60",
        }
        with Caller(environment(home, **more), str(home.parent)) as caller:
            fill_home(caller, canaries)
            prompt = {
                "session_id": "s1",
                "cwd": str(tmp_path),
                "hook_event_name": "UserPromptSubmit",
                "prompt": f"Deploy with {canaries.password('prompt of a hook')}",
            }
            hook = subprocess.run(
                [*SHIM, "hook", "claude-code"],
                env=environment(home, **more),
                input=json.dumps(prompt),
                capture_output=True,
                text=True,
                check=True,
                timeout=HANG_S,
            )
            until(lambda: server.requests)
            shown = [hook.stdout, hook.stderr]
            for command in (["memories"], ["traces"], ["stats"], ["query", "deploy"], ["doctor"], ["guide"]):
                done = run_command(home, *command, **more)
                shown += [done.stdout, done.stderr]
            for tool in ("memory_stats", "list_traces", "project_context"):
                shown.append(json.dumps(caller.call(tool, {})))
            out = tmp_path / "out"
            out.mkdir()
            assert run_command(home, "export", str(out / "all.jsonl"), **more).returncode == 0
            assert (
                run_command(home, "export", str(out / "errors.jsonl"), "--format", "reflexion", **more).returncode == 0
            )
            assert run_command(home, "backup", str(out / "backup.zip"), **more).returncode == 0
        sent = json.dumps([request.body for request in server.requests], ensure_ascii=False)
    assert len(canaries.made) > 40
    assert canaries.found_in(sent.encode()) == []
    assert canaries.found_in("\n".join(shown).encode()) == []
    files = [*unpacked(home), *unpacked(tmp_path / "out")]
    assert [(name, found) for name, content in files if (found := canaries.found_in(content))] == []
    # What was handed in is there but for the secrets.
    with sqlite3.connect(f"file:{home / 'ledger.db'}?mode=ro", uri=True) as ledger:
        (stored,) = ledger.execute(
            "SELECT count(*) FROM traces WHERE trajectory LIKE '%DB_PASSWORD=[redacted:%'"
        ).fetchone()
    assert stored == 4
