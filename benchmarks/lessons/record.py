"""Runs the scenarios with real tools and records what they print: `python -m benchmarks.lessons.record`.

One file per scenario in `recorded/` or a folder of `held_out/`, in the shape of its client's messages (`shapes.py`).
The folder that it ran in is replaced, so that recording again changes nothing but times and versions.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.lessons.held_out import FIRST, FRESH, LATER
from benchmarks.lessons.scenario import Hear, Run, Say, Scenario, Step, Write
from benchmarks.lessons.scenarios import SCENARIOS
from benchmarks.lessons.shapes import FOLDER, log_of, messages_of
from benchmarks.shell import run_line

RECORDED = Path(__file__).parent / "recorded"
FIRST_RECORDED = Path(__file__).parent / "held_out" / "recorded"
LATER_RECORDED = Path(__file__).parent / "held_out" / "later_recorded"
FRESH_RECORDED = Path(__file__).parent / "held_out" / "fresh_recorded"
_LIMIT_S = 120
_MOST_OUTPUT = 6_000


def record(scenario: Scenario) -> dict[str, Any]:
    """Run a scenario in a folder of its own; the task, the messages and what must be found again."""
    failed, code = 0, 0
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "project"
        folder.mkdir()
        for name, content in scenario.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
        if scenario.setup:
            subprocess.run(
                ["/bin/bash", "-c", scenario.setup], cwd=folder, check=True, env=_environment(), timeout=_LIMIT_S
            )
        messages: list[dict[str, Any]] = []
        log: list[str] = []
        for number, step in enumerate(scenario.steps):
            output, ended = _done(step, folder)
            if isinstance(step, Run):
                failed, code = failed + bool(ended), ended
            if scenario.client == "log":
                log.append(log_of(step, output))
            else:
                messages += messages_of(scenario.client, step, f"call_{number}", output, ended)
    assert failed, f"{scenario.name}: nothing failed"
    assert not code, f"{scenario.name}: the last command failed: {output}"
    return {
        "name": scenario.name,
        "ecosystem": scenario.ecosystem,
        "task": scenario.task,
        "reworded": scenario.reworded,
        "decisive": scenario.decisive,
        **({"log": "\n".join(log)} if log else {"messages": messages}),
    }


def _done(step: Step, folder: Path) -> tuple[str, int]:
    """Do a step; the text that its tool answers with, and its exit code."""
    if isinstance(step, Run):
        done = run_line(step.command, folder / step.folder, _environment(), _LIMIT_S)
        return _shown(done.stdout, folder), done.returncode
    if isinstance(step, Say | Hear):
        return "", 0
    file = folder / step.path
    if isinstance(step, Write):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(step.content, encoding="utf-8")
        return f"The file {FOLDER}/{step.path} has been written.", 0
    text = file.read_text(encoding="utf-8")
    assert step.old in text, (step.path, step.old)
    file.write_text(text.replace(step.old, step.new, 1), encoding="utf-8")
    return f"The file {FOLDER}/{step.path} has been updated.", 0


def _shown(output: str, folder: Path) -> str:
    """Output without the folders of the machine that recorded it."""
    places = {
        folder: FOLDER,
        folder.parent: "/home/dev",
        Path(sys.prefix): "/home/dev/.venv",
        Path(sys.base_prefix): "/usr",
        Path.home(): "/home/dev",
    }
    for place, name in places.items():
        output = output.replace(str(place), name)
    return re.sub(r"/tmp/cc\w+", "/tmp/ccobject", output)[:_MOST_OUTPUT]  # the names that gcc gives


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="the scenarios to record (default: all)")
    chosen = parser.parse_args().only
    for folder, scenarios in (
        (RECORDED, SCENARIOS),
        (FIRST_RECORDED, FIRST),
        (LATER_RECORDED, LATER),
        (FRESH_RECORDED, FRESH),
    ):
        folder.mkdir(exist_ok=True)
        for scenario in scenarios:
            if chosen and scenario.name not in chosen:
                continue
            text = json.dumps(record(scenario), indent=1, ensure_ascii=False)
            (folder / f"{scenario.name}.json").write_text(f"{text}\n", encoding="utf-8")
            print(f"{scenario.name}: {len(text)} characters")


if __name__ == "__main__":
    main()
