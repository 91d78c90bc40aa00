"""The command that is written down, the environment beside it, and whose an entry is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.cli.install import entry
from mcp_reflect.cli.install.clients import CLIENTS, CODEX_VARIABLES, ClientName, Machine
from mcp_reflect.cli.install.entry import Launch, entry_for, find_launch, is_ours, merge_entry, portable_launch

HOW = Launch("/opt/bin/mcp-reflect")


def program(folder: Path, name: str = "mcp-reflect") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_the_entrance_on_the_path_is_written_where_it_leads_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(tmp_path / "venvs" / "mcp-reflect" / "bin")
    (tmp_path / "local").mkdir()
    (tmp_path / "local" / "mcp-reflect").symlink_to(own)
    monkeypatch.setattr(sys, "argv", [str(own)])
    assert find_launch({"PATH": str(tmp_path / "local")}) == Launch(str(tmp_path / "local" / "mcp-reflect"))


def test_another_installation_on_the_path_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = program(tmp_path / "own"), program(tmp_path / "other")
    monkeypatch.setattr(sys, "argv", [str(own)])
    assert find_launch({"PATH": str(other.parent)}) == Launch(str(own))


def test_a_relative_start_gives_an_absolute_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bin/mcp-reflect"])
    assert find_launch({"PATH": "bin"}) == Launch(str(own))
    assert find_launch({}) == Launch(str(own))


def test_without_a_program_the_interpreter_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["-m"])
    monkeypatch.setattr(entry.sysconfig, "get_path", lambda _: str(tmp_path))
    assert find_launch({}) == Launch(sys.executable, ("-P", "-m", "mcp_reflect"))


@pytest.mark.parametrize("cache", [("uv", "archive-v0", "Xy3"), ("pipx", ".cache", "ab12")])
def test_a_program_in_a_cache_is_known_to_be_temporary(
    cache: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(tmp_path.joinpath(*cache, "bin"))
    monkeypatch.setattr(sys, "argv", [str(own)])
    assert find_launch({}).temporary


@pytest.mark.parametrize("name", CLIENTS)
def test_an_entry_is_recognised_as_ours(name: ClientName) -> None:
    assert is_ours(entry_for(CLIENTS[name], HOW, {}, "/", shared=False))
    assert is_ours(entry_for(CLIENTS[name], portable_launch(), {}, "/", shared=True))


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ({"command": "mcp-reflect"}, True),
        ({"command": "C:\\Users\\ann\\bin\\mcp-reflect.exe"}, True),
        ({"command": "uvx", "args": ["mcp-reflect"]}, True),
        ({"command": "/usr/bin/python3", "args": ["-m", "mcp_reflect"]}, True),
        ({"command": "mcp-reflector"}, False),
        ({"command": "npx", "args": ["-y", "reflect-mcp"]}, False),
        ({"url": "https://example.org/mcp-reflect-server"}, False),
        ({"command": 1, "args": "mcp-reflect"}, False),
        ("mcp-reflect", False),
        (None, False),
    ],
)
def test_whose_an_entry_is(given: Any, ours: bool) -> None:
    assert is_ours(given) is ours


def test_an_ordinary_home_is_not_written_down() -> None:
    written = entry_for(CLIENTS[ClientName.CURSOR], HOW, {"HOME": "/home/ann"}, "/src", shared=False)
    assert written == {"type": "stdio", "command": "/opt/bin/mcp-reflect"}


@pytest.mark.skipif(sys.platform != "linux", reason="folders of Linux")
def test_a_home_that_only_this_shell_knows_is_written_down() -> None:
    client = CLIENTS[ClientName.CLAUDE_DESKTOP]
    for given, home in (
        ({"MCP_REFLECT_HOME": "memory"}, "/src/memory"),
        ({"XDG_DATA_HOME": "/data"}, "/data/mcp-reflect"),
    ):
        written = entry_for(client, HOW, {**given, "OPENAI_API_KEY": "sk-secret"}, "/src", shared=False)
        assert written["env"] == {"MCP_REFLECT_HOME": home}
    written = entry_for(client, HOW, {"MCP_REFLECT_CONFIG": "reflect.toml"}, "/src", shared=False)
    assert written["env"] == {"MCP_REFLECT_CONFIG": "/src/reflect.toml"}


def test_codex_is_told_which_variables_to_hand_on_but_never_a_value_of_a_key() -> None:
    environ = {"HOME": "/home/ann", "MCP_REFLECT_HOME": "/m", "OPENAI_API_KEY": "sk-secret"}
    written = entry_for(CLIENTS[ClientName.CODEX], HOW, environ, "/", shared=False)
    assert written["env"] == {"MCP_REFLECT_HOME": "/m"}
    assert written["env_vars"] == [name for name in CODEX_VARIABLES if name != "MCP_REFLECT_HOME"]
    assert written["startup_timeout_sec"] > 30
    assert "sk-secret" not in str(written)


def test_a_shared_entry_holds_nothing_of_this_machine() -> None:
    environ = {"MCP_REFLECT_HOME": "/m", "MCP_REFLECT_CONFIG": "/c"}
    written = entry_for(CLIENTS[ClientName.CLAUDE_CODE], portable_launch(), environ, "/", shared=True)
    assert written == {"type": "stdio", "command": "mcp-reflect"}


def test_what_the_user_added_stays_when_the_entry_is_brought_up_to_date() -> None:
    old = {
        "command": "uvx",
        "args": ["mcp-reflect"],
        "env": {"MCP_REFLECT_PROJECT": "p"},
        "disabled": True,
        "env_vars": ["X", {"name": "Y", "source": "remote"}],
        "startup_timeout_sec": 90,
    }
    new = {
        "command": "/b/mcp-reflect",
        "env": {"MCP_REFLECT_HOME": "/m"},
        "env_vars": ["X", "Z"],
        "startup_timeout_sec": 60,
    }
    assert merge_entry(old, new) == {
        "command": "/b/mcp-reflect",
        "args": [],
        "env": {"MCP_REFLECT_PROJECT": "p", "MCP_REFLECT_HOME": "/m"},
        "disabled": True,
        "env_vars": ["X", {"name": "Y", "source": "remote"}, "Z"],
        "startup_timeout_sec": 90,
    }


HOME = Path("/home/ann")


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
@pytest.mark.parametrize(
    ("name", "linux", "darwin"),
    [
        ("claude-code", "/home/ann/.claude.json", "/home/ann/.claude.json"),
        (
            "claude-desktop",
            "/home/ann/.config/Claude/claude_desktop_config.json",
            "/home/ann/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("cursor", "/home/ann/.cursor/mcp.json", "/home/ann/.cursor/mcp.json"),
        (
            "vscode",
            "/home/ann/.config/Code/User/mcp.json",
            "/home/ann/Library/Application Support/Code/User/mcp.json",
        ),
        ("codex", "/home/ann/.codex/config.toml", "/home/ann/.codex/config.toml"),
        ("gemini", "/home/ann/.gemini/settings.json", "/home/ann/.gemini/settings.json"),
        ("windsurf", "/home/ann/.codeium/windsurf/mcp_config.json", "/home/ann/.codeium/windsurf/mcp_config.json"),
        ("zed", "/home/ann/.config/zed/settings.json", "/home/ann/.config/zed/settings.json"),
    ],
)
def test_each_client_has_its_file(name: str, linux: str, darwin: str) -> None:
    client = CLIENTS[ClientName(name)]
    assert str(client.user_file(Machine({}, HOME, "linux"))) == linux
    assert str(client.user_file(Machine({}, HOME, "darwin"))) == darwin


@pytest.mark.parametrize(
    ("name", "platform", "variable", "file"),
    [
        ("claude-code", "linux", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("claude-desktop", "linux", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "APPDATA", "Claude/claude_desktop_config.json"),
        ("vscode", "win32", "APPDATA", "Code/User/mcp.json"),
        ("codex", "darwin", "CODEX_HOME", "config.toml"),
        ("zed", "linux", "XDG_CONFIG_HOME", "zed/settings.json"),
        ("zed", "win32", "APPDATA", "Zed/settings.json"),
    ],
)
def test_a_variable_moves_the_file(name: str, platform: str, variable: str, file: str) -> None:
    client = CLIENTS[ClientName(name)]
    assert client.user_file(Machine({variable: "/elsewhere"}, HOME, platform)) == Path("/elsewhere") / file
    assert client.user_file(Machine({variable: " "}, HOME, platform)) == client.user_file(Machine({}, HOME, platform))


def test_every_name_has_a_client() -> None:
    assert set(CLIENTS) == set(ClientName)
