"""Runs the scenarios with real tools and records what they print: `python -m benchmarks.lessons.record`.

One file per scenario in `recorded/`, in the shape of Claude Code's messages. A step fails where its exit code is not 0.
The folder that it ran in is replaced, so that recording again changes nothing but times and versions.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.lessons.scenarios import SCENARIOS, Edit, Run, Say, Scenario
from benchmarks.shell import run_line

RECORDED = Path(__file__).parent / "recorded"
_SHOWN_FOLDER = "/home/dev/project"
_LIMIT_S = 120
_MOST_OUTPUT = 6_000


def record(scenario: Scenario) -> dict[str, Any]:
    """Run a scenario in a folder of its own; the task, the messages and what must be found again."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "project"
        folder.mkdir()
        for name, content in scenario.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
        if scenario.setup:
            subprocess.run(scenario.setup, shell=True, cwd=folder, check=True, env=_environment(), timeout=_LIMIT_S)
        messages: list[dict[str, Any]] = []
        for number, step in enumerate(scenario.steps):
            messages += _done(step, number, folder)
    return {
        "name": scenario.name,
        "ecosystem": scenario.ecosystem,
        "task": scenario.task,
        "reworded": scenario.reworded,
        "decisive": scenario.decisive,
        "messages": messages,
    }


def _done(step: Run | Edit | Say, number: int, folder: Path) -> list[dict[str, Any]]:
    if isinstance(step, Say):
        return [{"role": "assistant", "content": [{"type": "text", "text": step.text}]}]
    if isinstance(step, Edit):
        file = folder / step.path
        text = file.read_text(encoding="utf-8")
        assert step.old in text, (step.path, step.old)
        file.write_text(text.replace(step.old, step.new, 1), encoding="utf-8")
        given = {"file_path": f"{_SHOWN_FOLDER}/{step.path}", "old_string": step.old, "new_string": step.new}
        return _exchange(f"call_{number}", "Edit", given, f"The file {_SHOWN_FOLDER}/{step.path} has been updated.", 0)
    done = run_line(step.command, folder, _environment(), _LIMIT_S)
    return _exchange(f"call_{number}", "Bash", {"command": step.command}, _shown(done.stdout, folder), done.returncode)


def _shown(output: str, folder: Path) -> str:
    """Output without the folders of the machine that recorded it."""
    places = {
        folder: _SHOWN_FOLDER,
        folder.parent: "/home/dev",
        Path(sys.base_prefix): "/usr",
        Path.home(): "/home/dev",
    }
    for place, name in places.items():
        output = output.replace(str(place), name)
    return re.sub(r"/tmp/cc\w+", "/tmp/ccobject", output)[:_MOST_OUTPUT]  # the names that gcc gives


def _exchange(call_id: str, tool: str, given: dict[str, Any], output: str, code: int) -> list[dict[str, Any]]:
    text = f"Exit code {code}\n{output}" if code else output
    result = {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": text.rstrip() or "(no output)",
        "is_error": code != 0,
    }
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": tool, "input": given}]},
        {"role": "user", "content": [result]},
    ]


def _environment() -> dict[str, str]:
    """The tools of this machine, the Python that runs this first, and no colours."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME") if name in os.environ}
    return kept | {
        "PATH": path,
        "NO_COLOR": "1",
        "TERM": "dumb",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "NO_UPDATE_NOTIFIER": "1",
    }


def main() -> None:
    RECORDED.mkdir(exist_ok=True)
    for scenario in SCENARIOS:
        session = record(scenario)
        results = [
            b for m in session["messages"] for b in m["content"] if isinstance(b, dict) and b["type"] == "tool_result"
        ]
        failed = sum(result["is_error"] for result in results)
        assert failed, f"{scenario.name}: nothing failed"
        assert not results[-1]["is_error"], f"{scenario.name}: the last step failed: {results[-1]['content']}"
        (RECORDED / f"{scenario.name}.json").write_text(
            json.dumps(session, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        print(f"{scenario.name}: {len(session['messages'])} messages, {failed} failed")


if __name__ == "__main__":
    main()
