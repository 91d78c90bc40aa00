"""Installs the programs that tests drive, from npm: `python tests/support/program_installation.py FOLDER`.

`make test` starts it in the background, as it takes half a minute. It installs nothing where npm is not here or cannot
reach its registry; then the folder holds the reason, which the tests that are skipped tell. It needs no package.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.330",
    "codex": "@openai/codex@0.169.0",
    "gemini": "@google/gemini-cli@0.61.0",
}
LIMIT_S = 180.0
STARTED_S = 60.0
STATE = "state.json"


def install(folder: Path) -> None:
    """Install every program below the folder, unless these versions are there; leaves the outcome in its STATE."""
    wanted = sorted(PACKAGES.values())
    if read_state(folder) == {"packages": wanted, "problem": ""}:
        return
    folder.mkdir(parents=True, exist_ok=True)
    _write_state(folder, {"packages": wanted, "until": time.time() + LIMIT_S})
    _write_state(folder, {"packages": wanted, "problem": _run_npm(folder, wanted)})


def _run_npm(folder: Path, packages: list[str]) -> str:
    """Install packages; why it could not be done, empty where it was."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not here"
    options = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--fetch-retries=1"]
    process = subprocess.Popen(
        [npm, "install", *options, "--prefix", str(folder), *packages],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=LIMIT_S - 5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"npm took more than {LIMIT_S:g} seconds"
    return _find_broken(folder) if process.returncode == 0 else f"npm failed: {' '.join(said.split())[:200]}"


def _find_broken(folder: Path) -> str:
    """Why a program does not start: npm says nothing of parts for this platform that it could not fetch."""
    with tempfile.TemporaryDirectory() as home:  # they leave files in it even where they only tell their version
        problems = (_problem_of_start(folder / "node_modules" / ".bin" / name, home) for name in PACKAGES)
        return next(filter(None, problems), "")


def _problem_of_start(program: Path, home: str) -> str:
    try:
        found = subprocess.run(
            [str(program), "--version"],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=STARTED_S,
            env=os.environ | {"HOME": home},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program.name} does not start: {error}"
    return f"{program.name} does not start: {' '.join(found.stderr.split())[:200]}" if found.returncode else ""


def read_state(folder: Path) -> dict[str, Any]:
    """Return what is known of the installation; empty where there was none."""
    try:
        state = json.loads((folder / STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def _write_state(folder: Path, state: dict[str, Any]) -> None:
    new = folder / f"{STATE}.new"
    new.write_text(json.dumps(state), encoding="utf-8")
    new.replace(folder / STATE)


if __name__ == "__main__":
    install(Path(sys.argv[1]))
