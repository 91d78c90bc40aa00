"""The plugin for Claude Code: what it consists of, and that it works where the program is not there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mcp_reflect import __version__
from mcp_reflect.config.load import load_settings
from mcp_reflect.hooks.events import claude_code
from mcp_reflect.server.instructions import HOOKED_INSTRUCTIONS
from mcp_reflect.server.tools.all_tools import TOOLS
from tests.conftest import REPOSITORY
from tests.support.hubs import posix
from tests.support.waiting import HANG_S

PLUGIN = REPOSITORY / "plugin"
CLAUDE = os.environ.get("MCP_REFLECT_TEST_CLAUDE") or shutil.which("claude") or ""


@pytest.mark.skipif(not CLAUDE, reason="claude (npm @anthropic-ai/claude-code) is neither on PATH nor named")
@pytest.mark.parametrize("folder", [PLUGIN, REPOSITORY], ids=["plugin", "marketplace"])
def test_claude_code_finds_nothing_wrong(folder: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [CLAUDE, "plugin", "validate", "--strict", str(folder)],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DISABLE_AUTOUPDATER": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_hook_calls_the_program_with_an_event_it_knows() -> None:
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    for event, (entry,) in hooks.items():
        (hook,) = entry["hooks"]
        assert hook["command"] == f'sh "${{CLAUDE_PLUGIN_ROOT}}/hooks/run.sh" {event}'
        assert claude_code.parse_event(event, {}) is not None
        assert hook["timeout"] >= 10


def test_the_plugin_has_the_version_of_the_package() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    assert manifest["version"] == __version__


def test_tools_named_in_commands_exist() -> None:
    names = {tool.name for tool in TOOLS}
    for file in PLUGIN.glob("commands/*.md"):
        text = file.read_text(encoding="utf-8")
        named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+|reflect)`", text))
        assert named & names
        assert named <= names | {
            "key_mistake",
            "correct_action",
            "helpful_memory_ids",
            "harmful_memory_ids",
            "your_turn",
        }


def test_skill_and_instructions_are_one_text_under_a_name_that_no_command_has() -> None:
    (skill,) = PLUGIN.glob("skills/*/SKILL.md")
    assert HOOKED_INSTRUCTIONS.strip() in skill.read_text(encoding="utf-8")
    # Claude Code hides a skill that has the name of a command.
    assert skill.parent.name not in {file.stem for file in PLUGIN.glob("commands/*.md")}
    server = json.loads((PLUGIN / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["reflect"]
    assert load_settings({"MCP_REFLECT_HOME": "/nowhere", **server["env"]}).hooks.active


def run_sh(event: str, path: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(PLUGIN / "hooks" / "run.sh"), event],
        input="{}",
        env={"PATH": path, "HOME": "/nonexistent", **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


@posix
def test_without_the_program_a_session_gets_one_hint_and_goes_on() -> None:
    hint = run_sh("SessionStart", "/usr/bin:/bin")
    assert hint.returncode == 0
    assert "not on PATH" in json.loads(hint.stdout)["systemMessage"]
    for event in ("UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
        done = run_sh(event, "/usr/bin:/bin")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@posix
@pytest.mark.parametrize("place", ["home/.local/bin/mcp-reflect", "data/mcp-reflect/launch", "memory/launch"])
def test_the_program_is_found_off_the_path(tmp_path: Path, place: str) -> None:
    program = tmp_path / place
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "started $*"\n', encoding="utf-8")
    program.chmod(0o755)
    folders = {"HOME": "home", "XDG_DATA_HOME": "data", "MCP_REFLECT_HOME": "memory"}
    variables = {name: str(tmp_path / folder) for name, folder in folders.items()}
    assert run_sh("Stop", "/usr/bin:/bin", **variables).stdout == "started hook claude-code Stop\n"
    served = subprocess.run(
        ["sh", str(PLUGIN / "server.sh")],
        env={"PATH": "/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert served.stdout == "started \n"


@posix
def test_a_program_that_knows_no_hooks_does_not_block_the_session(tmp_path: Path) -> None:
    older = tmp_path / "mcp-reflect"
    older.write_text("#!/bin/sh\necho usage >&2\nexit 2\n", encoding="utf-8")
    older.chmod(0o755)
    for given in ({"path": f"{tmp_path}:/usr/bin:/bin"}, {"path": "/usr/bin:/bin", "REFLECT_PROGRAM": str(older)}):
        done = run_sh("UserPromptSubmit", **given)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
