"""The clients whose hooks install knows: the file that holds them, the events, and the form of an entry.

Codex and Gemini CLI were driven with what is written here; for Claude Code it is what the plugin brings.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from mcp_reflect.cli.install.clients import ClientName, Machine
from mcp_reflect.cli.install.entry import PROGRAM, Launch

HOOKS_KEY = "hooks"
HOOKS_ACTIVE = "MCP_REFLECT_HOOKS__ACTIVE"
"""The variable that tells the server of a client to leave submitting to the hooks."""

_MODULE = "mcp_reflect"


@dataclass(frozen=True)
class HookEntry:
    """An event that calls a hook, for the tools that `matcher` matches (empty: all), at most `seconds` long."""

    seconds: int
    matcher: str = ""


@dataclass(frozen=True)
class HookTarget:
    """The hooks of one client. `file` holds them, of all projects of the user; `second` is the unit of time-outs.

    `next_step` is what the user has to do before the client calls them.
    """

    client: ClientName
    file: Callable[[Machine], Path]
    events: Mapping[str, HookEntry]
    second: int
    next_step: str


_SHELL_EVENTS = {
    "SessionStart": HookEntry(15),
    "UserPromptSubmit": HookEntry(15),
    "PreToolUse": HookEntry(10),
    "PostToolUse": HookEntry(10),
    "Stop": HookEntry(10),
    "SessionEnd": HookEntry(10),
}

_ALL = (
    HookTarget(
        ClientName.CLAUDE_CODE,
        lambda machine: machine.of("CLAUDE_CONFIG_DIR", machine.home / ".claude") / "settings.json",
        _SHELL_EVENTS
        | {
            "PreToolUse": HookEntry(10, "Bash|Edit|MultiEdit|Write|NotebookEdit"),
            "PostToolUse": HookEntry(10, "Bash"),
            "PostToolUseFailure": HookEntry(10, "Bash"),
        },
        1,
        "start `claude`; `/hooks` there lists them",
    ),
    HookTarget(
        ClientName.CODEX,
        lambda machine: machine.of("CODEX_HOME", machine.home / ".codex") / "hooks.json",
        _SHELL_EVENTS,
        1,
        "start `codex` and trust the hooks in `/hooks`; until then it skips them without a word",
    ),
    HookTarget(
        ClientName.GEMINI,
        lambda machine: machine.home / ".gemini" / "settings.json",
        {
            "SessionStart": HookEntry(15),
            "BeforeAgent": HookEntry(15),
            "AfterTool": HookEntry(10, "run_shell_command"),
            "AfterAgent": HookEntry(10),
            "SessionEnd": HookEntry(10),
        },
        1_000,
        "start `gemini`; `/hooks` there lists them",
    ),
)

HOOK_TARGETS: Mapping[ClientName, HookTarget] = {target.client: target for target in _ALL}


def hook_groups(target: HookTarget, how: Launch, variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return our entry for each event, as the client's file takes it. `variables` are set for the program."""
    groups = {}
    for event, entry in target.events.items():
        command = _command(how, variables, ("hook", target.client, event))
        hook = {"type": "command", "command": command, "timeout": entry.seconds * target.second}
        groups[event] = ({"matcher": entry.matcher} if entry.matcher else {}) | {"hooks": [hook]}
    return groups


def _command(how: Launch, variables: Mapping[str, str], words: tuple[str, ...]) -> str:
    program = (how.command, *how.args, *words)
    if sys.platform == "win32":  # no `env` there; a home of one's own has to be a variable of the user's
        return subprocess.list2cmdline(program)
    return shlex.join(
        (*(("env", *(f"{key}={value}" for key, value in variables.items())) if variables else ()), *program)
    )


def hooks_of(group: Any) -> list[Any]:
    """Return the hooks in an entry of an event, ours and others'."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def hook_program(hook: Any, client: ClientName) -> str:
    """Return the program that a hook starts as ours; empty where it is another's."""
    words = _words(hook.get("command")) if isinstance(hook, dict) else []
    for place, word in enumerate(words):
        # PureWindowsPath takes both kinds of slashes.
        ours = PureWindowsPath(word).stem in {PROGRAM, _MODULE}
        if ours and words[place + 1 : place + 3] == ["hook", client]:
            return next(each for each in words if each != "env" and "=" not in each)
    return ""


def _words(command: Any) -> list[str]:
    try:
        return shlex.split(command, posix=sys.platform != "win32") if isinstance(command, str) else []
    except ValueError:
        return []
