"""Tells whether Claude Code has the plugin, which brings the server itself, and shows it where the program is."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from mcp_reflect.cli.install.clients import Machine
from mcp_reflect.cli.install.entry import PROGRAM, Launch

LAUNCH_NAME = "launch"
"""The file in the home by which the plugin finds a program that is not on the PATH; see plugin/find_program.sh."""


def find_enabled_plugin(machine: Machine, repository: Path) -> Path | None:
    """Return the file of settings that switches the plugin on, None where it is off.

    A project's own settings outweigh the project's, and those the user's (observed in Claude Code 2.1).
    """
    project = repository / ".claude"
    user = machine.of("CLAUDE_CONFIG_DIR", machine.home / ".claude")
    for file in (project / "settings.local.json", project / "settings.json", user / "settings.json"):
        for enabled in _plugin_switches(file):
            return file if enabled else None
    return None


def _plugin_switches(file: Path) -> Iterator[bool]:
    """Yield what a file says of our plugin, whichever marketplace it came from; nothing where it cannot be read."""
    try:
        plugins = json.loads(file.read_text(encoding="utf-8-sig"))["enabledPlugins"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    if isinstance(plugins, dict):
        switches = [value for name, value in plugins.items() if str(name).partition("@")[0] == PROGRAM]
        yield from (any(value is True for value in switches),) if switches else ()


def write_launch(home: Path, how: Launch) -> Path:
    """Write the file by which the plugin starts this installation, and return it. Raises OSError."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = home / LAUNCH_NAME
    words = " ".join(shlex.quote(word) for word in (how.command, *how.args))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o700)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(f'#!/bin/sh\n# Written by `mcp-reflect install`, for the plugin.\nexec {words} "$@"\n')
    return file
