"""The clients that install knows: where each keeps its MCP servers, and the form of an entry.

Places and shapes are those that the clients' own documents give; for Claude Code 2.1 they were also observed.

| client | said in |
|---|---|
| Claude Code | code.claude.com/docs/en/mcp: `mcpServers` in ~/.claude.json, or .mcp.json of a project |
| Claude Desktop | modelcontextprotocol.io, "Connect to local MCP servers" |
| Cursor | cursor.com/docs/mcp |
| VS Code | code.visualstudio.com/docs/copilot/reference/mcp-configuration: `servers`, in a file of their own |
| Codex | developers.openai.com/codex/mcp and /codex/config-reference |
| Gemini CLI | geminicli.com/docs/tools/mcp-server and /docs/get-started/configuration |
| Windsurf | docs.windsurf.com, "Cascade MCP integration" |
| Zed | zed.dev/docs/ai/mcp and /docs/configuring-zed: settings.json, comments allowed |
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

ConfigFormat = Literal["json", "jsonc", "toml"]
"""`jsonc` is JSON with comments and trailing commas."""


class ClientName(StrEnum):
    """The name of a client on the command line."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"
    GEMINI = "gemini"
    WINDSURF = "windsurf"
    ZED = "zed"


@dataclass(frozen=True)
class Machine:
    """The places where a client looks for its files: the environment, the user's folder, and `sys.platform`."""

    environ: Mapping[str, str]
    home: Path
    platform: str = sys.platform

    def of(self, variable: str, default: Path) -> Path:
        """Return the folder that a variable names; blank counts as not set."""
        given = self.environ.get(variable, "").strip()
        return Path(given) if given else default

    @property
    def config(self) -> Path:
        """The folder in which programs with windows keep their settings (what Electron calls appData)."""
        if self.platform == "win32":
            return self.of("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.xdg_config

    @property
    def xdg_config(self) -> Path:
        """Return XDG_CONFIG_HOME, or `.config` in the user's folder where it is not set."""
        return self.of("XDG_CONFIG_HOME", self.home / ".config")


@dataclass(frozen=True)
class InstallTarget:
    """`user_file` holds the servers of every project; `project_file`, inside a repository, those of one, if any.

    `root` is the key that holds the servers, `fixed` what every entry says there besides its command, `passed` the
    variables that the client hands on only if it is told their names. `next_step` is what to do once it is installed.
    """

    name: ClientName
    title: str
    format: ConfigFormat
    root: str
    user_file: Callable[[Machine], Path]
    project_file: str
    next_step: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    passed: tuple[str, ...] = ()


def _zed(machine: Machine) -> Path:
    if machine.platform == "win32":
        return machine.config / "Zed" / "settings.json"
    # Not Application Support on macOS, and XDG_CONFIG_HOME counts on Linux only.
    folder = machine.home / ".config" if machine.platform == "darwin" else machine.xdg_config
    return folder / "zed" / "settings.json"


_STDIO = {"type": "stdio"}

CODEX_VARIABLES = (
    "MCP_REFLECT_HOME",
    "MCP_REFLECT_CONFIG",
    "MCP_REFLECT_PROJECT",
    "MCP_REFLECT_USER",
    "XDG_DATA_HOME",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)
"""Codex starts servers with a short list of variables (HOME, PATH, USER and the like) and those named in `env_vars`."""

CODEX_START_S = 60
"""Codex gives a server 10 s (30 s in later versions); the first start on a cold disk may need more."""

_ALL = (
    InstallTarget(
        ClientName.CLAUDE_CODE,
        "Claude Code",
        "json",
        "mcpServers",
        # Observed: with CLAUDE_CONFIG_DIR set the file stands inside that folder.
        lambda machine: machine.of("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json",
        ".mcp.json",
        "start `claude` in a project; `/mcp` there shows the server as connected",
        _STDIO,
    ),
    InstallTarget(
        ClientName.CLAUDE_DESKTOP,
        "Claude Desktop",
        "json",
        "mcpServers",
        lambda machine: machine.config / "Claude" / "claude_desktop_config.json",
        "",
        "quit Claude Desktop (closing its window is not enough) and start it again",
    ),
    InstallTarget(
        ClientName.CURSOR,
        "Cursor",
        "jsonc",
        "mcpServers",
        lambda machine: machine.home / ".cursor" / "mcp.json",
        ".cursor/mcp.json",
        "look at the MCP servers in Cursor's settings, and switch this one on",
        _STDIO,
    ),
    InstallTarget(
        ClientName.VSCODE,
        "VS Code",
        "jsonc",
        "servers",
        lambda machine: machine.config / "Code" / "User" / "mcp.json",
        ".vscode/mcp.json",
        "run `MCP: List Servers` in VS Code and start it",
        _STDIO,
    ),
    InstallTarget(
        ClientName.CODEX,
        "Codex",
        "toml",
        "mcp_servers",
        lambda machine: machine.of("CODEX_HOME", machine.home / ".codex") / "config.toml",
        ".codex/config.toml",
        "start `codex`; `/mcp` there shows the server",
        {"startup_timeout_sec": CODEX_START_S},
        CODEX_VARIABLES,
    ),
    InstallTarget(
        ClientName.GEMINI,
        "Gemini CLI",
        "jsonc",
        "mcpServers",
        lambda machine: machine.home / ".gemini" / "settings.json",
        ".gemini/settings.json",
        "start `gemini`; `/mcp` there shows the server",
    ),
    InstallTarget(
        ClientName.WINDSURF,
        "Windsurf",
        "jsonc",
        "mcpServers",
        lambda machine: machine.home / ".codeium" / "windsurf" / "mcp_config.json",
        "",
        "refresh the MCP servers in Windsurf's Cascade panel",
    ),
    InstallTarget(
        ClientName.ZED,
        "Zed",
        "jsonc",
        "context_servers",
        _zed,
        ".zed/settings.json",
        "look for a green dot beside the server in the settings of Zed's agent panel",
        {"source": "custom"},
    ),
)

CLIENTS: Mapping[ClientName, InstallTarget] = {client.name: client for client in _ALL}
