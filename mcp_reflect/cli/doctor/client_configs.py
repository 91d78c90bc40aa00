"""Checks that the clients' configurations name mcp-reflect, and that what they would start is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp_reflect.cli.doctor.report import DoctorFinding
from mcp_reflect.cli.install.claude_plugin import find_enabled_plugin
from mcp_reflect.cli.install.clients import CLIENTS, ClientName, InstallTarget, Machine
from mcp_reflect.cli.install.entry import SERVER_NAME, is_ours
from mcp_reflect.cli.install.plan import read_entries
from mcp_reflect.errors import ConfigurationError
from mcp_reflect.wire.address import home_folder


def check_client_configs(
    environ: Mapping[str, str], user_home: Path, repository: Path, cwd: str
) -> Iterator[DoctorFinding]:
    """Check the clients that have a configuration here, the user's and the repository's."""
    machine = Machine(environ, user_home)
    plugin = find_enabled_plugin(machine, repository)
    found_any = plugin is not None
    for client in CLIENTS.values():
        brought = plugin is not None and client.name is ClientName.CLAUDE_CODE
        if brought:
            yield DoctorFinding(f"client {client.name}", "ok", f"the plugin, which {plugin} switches on")
        for file, option in _config_files(client, machine, repository):
            install = f"mcp-reflect install {client.name}{option}"
            try:
                servers = read_entries(client, file, confined=bool(option))
            except ConfigurationError as error:
                yield DoctorFinding(f"client {client.name}", "wrong", str(error), f"correct {file}")
                continue
            ours = {name: entry for name, entry in servers.items() if is_ours(entry)}
            found_any = found_any or bool(ours)
            for name, entry in ours.items():
                judge = _second_one if brought else _judged
                yield judge(client, file, name, entry, install, environ, cwd)
            if not ours and not option and not brought:
                yield DoctorFinding(f"client {client.name}", "ok", f"{file} does not name mcp-reflect", install)
    if not found_any:
        yield DoctorFinding("clients", "warning", "no client is configured", "mcp-reflect install claude-code")


def _config_files(client: InstallTarget, machine: Machine, repository: Path) -> Iterator[tuple[Path, str]]:
    """The files of a client that are there, each with the option by which `install` means it."""
    files = [(client.user_file(machine), "")]
    if client.project_file:
        files.append((Path(os.path.realpath(repository)) / client.project_file, " --project"))
    yield from ((file, option) for file, option in files if file.exists() or file.is_symlink())


def _second_one(client: InstallTarget, file: Path, name: str, entry: Any, install: str, *_: object) -> DoctorFinding:
    del entry
    told = f"{name} in {file} is the server a second time, beside the plugin"
    return DoctorFinding(f"client {client.name}", "warning", told, f"{_named(install, name)} --uninstall")


def _judged(
    client: InstallTarget, file: Path, name: str, entry: Any, install: str, environ: Mapping[str, str], cwd: str
) -> DoctorFinding:
    check = f"client {client.name}"
    where = f"{name} in {file}"
    command = entry.get("command")
    again = _named(install, name)
    if not isinstance(command, str) or shutil.which(command, path=environ.get("PATH")) is None:
        return DoctorFinding(check, "wrong", f"{where} starts {command}, which is not there", again)
    if entry.get("disabled") is True or entry.get("enabled") is False:
        return DoctorFinding(check, "warning", f"{where} is switched off", f"switch it on in {client.title}")
    variables = entry.get("env") if isinstance(entry.get("env"), dict) else {}
    given = {key: str(value) for key, value in variables.items() if key in {"MCP_REFLECT_HOME", "XDG_DATA_HOME"}}
    # What a client without this shell's variables finds.
    theirs = home_folder({key: value for key, value in environ.items() if key not in _OF_THE_SHELL} | given, cwd)
    ours = home_folder(environ, cwd)
    if theirs != ours and not _hands_on(client, entry):
        remedy = "take MCP_REFLECT_HOME out of its env, or export the same" if given else again
        return DoctorFinding(check, "warning", f"{where} uses the home {theirs}, this shell {ours}", remedy)
    return DoctorFinding(check, "ok", f"{where} starts {command}")


def _named(install: str, name: str) -> str:
    """The command to install under a name."""
    return install if name == SERVER_NAME else f"{install} --name {name}"


_OF_THE_SHELL = frozenset({"MCP_REFLECT_HOME", "XDG_DATA_HOME"})


def _hands_on(client: InstallTarget, entry: Mapping[str, Any]) -> bool:
    return bool(client.passed) and _OF_THE_SHELL.issubset(map(str, entry.get("env_vars") or ()))
