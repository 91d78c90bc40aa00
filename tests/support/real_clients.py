"""The real Claude Code, Codex and Gemini CLI, with a scripted model behind them and what `install` writes for them.

A program is the one that MCP_REFLECT_TEST_CLAUDE, _CODEX or _GEMINI names, or that of the PATH; for one test of each
also the one that `make test` installs from npm.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.program_installation import read_state
from tests.support.scripted_models import ScriptedModel, Step, gemini_answer, responses_answer
from tests.support.waiting import HANG_S

PROGRAMS = {
    name: os.environ.get(f"MCP_REFLECT_TEST_{name.upper()}") or shutil.which(name) or ""
    for name in ("claude", "codex", "gemini")
}


INSTALLED = Path(sys.prefix) / "clients"


def require_program(name: str) -> str:
    """Return a program that is here; waits where it is being installed, and skips the test where it is not here."""
    if PROGRAMS[name]:
        return PROGRAMS[name]
    state = read_state(INSTALLED)
    while "problem" not in state and time.time() < state.get("until", 0.0):
        time.sleep(0.2)
        state = read_state(INSTALLED)
    program = INSTALLED / "node_modules" / ".bin" / name
    if state.get("problem") == "" and program.exists():
        return str(program)
    why = state.get("problem") or "`make test` installs it"
    pytest.skip(f"{name} is neither on PATH nor named by MCP_REFLECT_TEST_{name.upper()}, nor installed: {why}")


class ScriptedClient(NamedTuple):
    """A client of a model that `answer` speaks for.

    `prepare`, given a folder for the user, the model's address and a prompt, writes settings and returns the arguments.
    """

    answer: Callable[[Step, int], bytes]
    prepare: Callable[[Path, str, str], list[str]]


def _codex(user: Path, url: str, prompt: str) -> list[str]:
    home = user / ".codex"
    home.mkdir()
    (home / "config.toml").write_text(
        'model = "gpt-5"\nmodel_provider = "scripted"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    )
    return ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt]


def _gemini(user: Path, url: str, prompt: str) -> list[str]:
    del url  # by GOOGLE_GEMINI_BASE_URL
    home = user / ".gemini"
    home.mkdir()
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True},
    }
    (home / "settings.json").write_text(json.dumps(settings))
    return ["--yolo", "-m", "gemini-2.5-pro", "-p", prompt]


CLIENTS = {"codex": ScriptedClient(responses_answer, _codex), "gemini": ScriptedClient(gemini_answer, _gemini)}

SETTINGS = """
project = "test-project"
user = "ann"
[hub]
idle_exit_s = 30
[hooks]
ask_for_lesson = "{asking}"
"""


def run_client(
    name: str,
    prompt: str,
    project: Path,
    home: Path,
    model: ScriptedModel,
    *,
    hooks: bool = True,
    asking: str = "always",
) -> None:
    """Install the server in the client `name`, and let it work on a prompt; beside `home` its user has a folder."""
    user = home.parent / "user"
    user.mkdir()
    command = [require_program(name), *CLIENTS[name].prepare(user, model.base_url, prompt)]
    variables = {"PATH": os.environ["PATH"], "HOME": str(user)}
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(SETTINGS.format(asking=asking))
    subprocess.run(
        [sys.executable, "-P", "-m", "mcp_reflect", "install", name, "--yes", *(["--hooks"] if hooks else [])],
        cwd=project,
        env=variables | {"MCP_REFLECT_HOME": str(home)},
        capture_output=True,
        check=True,
        timeout=HANG_S,
    )
    done = subprocess.run(
        command,
        cwd=project,
        env={
            **variables,
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": model.base_url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
