"""Makes the entry for a client's configuration: a command that lasts, and the environment that it needs."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any

from mcp_reflect.cli.install.clients import InstallTarget
from mcp_reflect.wire.address import absolute_path, home_folder

SERVER_NAME = "reflect"
"""What the server is called in a client."""

PROGRAM = "mcp-reflect"
_MODULE = "mcp_reflect"


@dataclass(frozen=True)
class Launch:
    """The command that starts this installation. `temporary`: it stands in a cache and may be gone tomorrow."""

    command: str
    args: tuple[str, ...] = ()
    temporary: bool = False


def find_launch(environ: Mapping[str, str]) -> Launch:
    """Return the command that starts this installation whatever the PATH: clients with windows lack the shell's.

    The entrance that the user's PATH has is preferred where it leads here: pipx and `uv tool` keep it in place when
    they build the environment behind it anew. Then the program beside this interpreter, then the interpreter itself.
    """
    own = _own_program()
    if own is None:
        return Launch(sys.executable, ("-P", "-m", _MODULE), temporary=_is_temporary(Path(sys.executable)))
    found = shutil.which(PROGRAM, path=environ.get("PATH"))
    entrance = Path(absolute_path(found, str(Path.cwd()))) if found and Path(found).samefile(own) else own
    return Launch(str(entrance), temporary=_is_temporary(entrance.resolve()))


def portable_launch() -> Launch:
    """Return the launch for files that are shared with others, on whose machines the program stands elsewhere."""
    return Launch(PROGRAM)


def _own_program() -> Path | None:
    suffix = ".exe" if sys.platform == "win32" else ""
    started = Path(sys.argv[0])
    candidates = [started] if started.stem == PROGRAM else []
    candidates.append(Path(sysconfig.get_path("scripts")) / f"{PROGRAM}{suffix}")
    return next((Path(absolute_path(str(path), str(Path.cwd()))) for path in candidates if path.is_file()), None)


def _is_temporary(program: PurePath) -> bool:
    """Return whether `uvx` or `pipx run` put it into their cache, which they empty when they like."""
    parts = program.parts
    in_uv = any(part.startswith(("archive-v", "environments-v", "builds-v")) for part in parts)
    return in_uv or ("pipx", ".cache") in pairwise(parts)


def entry_for(
    client: InstallTarget, how: Launch, environ: Mapping[str, str], cwd: str, *, shared: bool
) -> dict[str, Any]:
    """Return the entry of this installation for a client. `shared` entries hold nothing of this machine.

    The home is named where it is not the one that a client without this shell's variables would find, so that all
    clients and the command line mean the same memory. Keys and tokens are never written.
    """
    entry: dict[str, Any] = {key: value for key, value in client.fixed.items() if key in {"type", "source"}}
    entry["command"] = how.command
    if how.args:
        entry["args"] = list(how.args)
    variables: dict[str, str] = {}
    if not shared:
        home = home_folder(environ, cwd)
        without = {name: value for name, value in environ.items() if name not in {"MCP_REFLECT_HOME", "XDG_DATA_HOME"}}
        if home != home_folder(without, cwd):
            variables["MCP_REFLECT_HOME"] = home
        if config := environ.get("MCP_REFLECT_CONFIG", "").strip():
            variables["MCP_REFLECT_CONFIG"] = absolute_path(config, cwd)
    if variables:
        entry["env"] = variables
    if client.passed:
        entry["env_vars"] = [name for name in client.passed if name not in variables]
    return entry | {key: value for key, value in client.fixed.items() if key not in entry}


def is_ours(entry: Any) -> bool:
    """Return whether an entry starts mcp-reflect, however it does that."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    words = [entry.get("command"), *(args if isinstance(args, list) else ())]
    # PureWindowsPath takes both kinds of slashes.
    return any(isinstance(word, str) and PureWindowsPath(word).stem in {PROGRAM, _MODULE} for word in words)


def merge_entry(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """Return our entry brought up to date: what the user added to it (variables, switches, approvals) stays.

    A server that is reached another way now (by an address, with other arguments) loses what belonged to that way.
    """
    if not isinstance(old, dict):
        return dict(new)
    kept = {key: value for key, value in old.items() if key not in {"url", "serverUrl", "httpUrl"}}
    result = {**kept, **new}
    if "args" in kept and "args" not in new:
        result["args"] = []
    if isinstance(kept.get("env"), dict):
        result["env"] = {**kept["env"], **new.get("env", {})}
    if isinstance(kept.get("env_vars"), list):
        result["env_vars"] = kept["env_vars"] + [
            name for name in new.get("env_vars", ()) if name not in kept["env_vars"]
        ]
    if "startup_timeout_sec" in kept:
        result["startup_timeout_sec"] = kept["startup_timeout_sec"]
    return result
