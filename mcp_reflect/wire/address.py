"""Locates a home and connects to the socket of its hub. Standard library only: every shim imports this.

A hub listens on `<home>/hub.sock`. Where that path is too long for a Unix socket, the socket stands in a private
folder of its own; where there are no Unix sockets, the hub listens on a loopback port. Both are written to
`<home>/hub.address`, which only the owner can read; for a port it holds the token that the hello must show.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from mcp_reflect import own_files
from mcp_reflect.wire import light_json

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SOCKET_NAME = "hub.sock"
ADDRESS_NAME = "hub.address"
MAX_SOCKET_PATH_BYTES = 100
"""Bytes; `sun_path` holds 104 with its closing NUL on macOS and the BSDs, 108 on Linux."""

DEFAULT_START_TIMEOUT_S = 60.0
MAX_START_TIMEOUT_S = 3600.0

_PATIENCE_S = 5.0
_POLL_S = 0.01
_FALSE = {"false", "0", "no", "off", "f", "n"}
_TRUE = {"true", "1", "yes", "on", "t", "y"}
"""What the settings take for false."""


def home_folder(environ: Mapping[str, str], cwd: str) -> str:
    """Return the home that `settings.load_settings` finds for the same environment and folder, as an absolute path."""
    return absolute_path(environ.get("MCP_REFLECT_HOME", "").strip() or _data_folder(environ), cwd)


def current_folder() -> str:
    """Return the working directory, or the user's own where it was deleted."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted under the process
        return os.path.expanduser("~")


def absolute_path(path: str, cwd: str) -> str:
    """Return a path as absolute, relative ones below `cwd`; `~` is expanded, links are not followed."""
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))


def _data_folder(environ: Mapping[str, str]) -> str:
    """Return platformdirs' user_data_dir; its import would cost a third of the shim's time."""
    if sys.platform == "win32":
        # The registry knows, and platformdirs knows how to ask it.
        from platformdirs import user_data_dir  # noqa: PLC0415 - not needed elsewhere

        return user_data_dir("mcp-reflect", appauthor=False)
    given = environ.get("XDG_DATA_HOME", "").strip()
    if given and os.path.isabs(given):
        base = given
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.path.expanduser("~/.local/share")
    return os.path.join(base, "mcp-reflect")


def hub_enabled(environ: Mapping[str, str], home: str, cwd: str) -> bool:
    """Return whether clients share a hub; also for a value that is neither true nor false, which settings refuse."""
    given: object = environ.get("MCP_REFLECT_HUB__ENABLED", "").strip()
    if not given:
        given = config_section(environ, home, cwd, "hub").get("enabled", True)
    return str(given).lower() not in _FALSE


def hooks_active(environ: Mapping[str, str], home: str, cwd: str) -> bool:
    """Return whether the client runs our hooks, as `hooks.active` says. A wrong value is left for the hub to refuse."""
    given: object = environ.get("MCP_REFLECT_HOOKS__ACTIVE", "").strip()
    if not given:
        given = config_section(environ, home, cwd, "hooks").get("active", False)
    return str(given).lower() in _TRUE


def config_content(environ: Mapping[str, str], home: str, cwd: str) -> bytes | None:
    """Return the bytes of the client's config.toml; None where there is none, empty where it cannot be read.

    In a home of another user it is not read.
    """
    named = environ.get("MCP_REFLECT_CONFIG", "").strip()
    try:
        if not named:
            own_files.refuse_foreign(home)
        return own_files.read_plain(absolute_path(named, cwd) if named else os.path.join(home, "config.toml"))
    except FileNotFoundError:
        return b"" if named else None
    except OSError:
        return b""


def config_section(environ: Mapping[str, str], home: str, cwd: str, name: str) -> Mapping[str, Any]:
    """Return a section of config.toml as it stands there; empty where there is none or it cannot be read."""
    content = config_content(environ, home, cwd)
    if not content:
        return {}
    import tomllib  # noqa: PLC0415 - most homes have no config.toml

    try:
        section = tomllib.loads(content.decode("utf-8-sig")).get(name)
    except ValueError:  # no UTF-8, or no TOML
        return {}
    return section if isinstance(section, dict) else {}


def start_timeout_s(environ: Mapping[str, str], home: str, cwd: str) -> float:
    """Return the seconds to wait for a hub that is starting. A wrong value is left for the hub to refuse."""
    return _hub_seconds("start_timeout_s", environ, home, cwd) or DEFAULT_START_TIMEOUT_S


def answer_within_s(environ: Mapping[str, str], home: str, cwd: str) -> float | None:
    """Return the seconds within which a call is answered while no hub does; None where they are not set."""
    return _hub_seconds("answer_within_s", environ, home, cwd)


def _hub_seconds(name: str, environ: Mapping[str, str], home: str, cwd: str) -> float | None:
    """A time of the section `hub`; None where none is set, or no right one."""
    given: object = environ.get(f"MCP_REFLECT_HUB__{name.upper()}", "").strip()
    if not given:
        given = config_section(environ, home, cwd, "hub").get(name, "")
    try:
        seconds = float(str(given))
    except ValueError:
        return None
    return seconds if 0 < seconds <= MAX_START_TIMEOUT_S else None


def connect_socket(home: str) -> tuple[_socket.socket, str]:
    """Return a connection to the home's hub and the token to show it (empty on a Unix socket).

    Raises OSError where no hub listens, and PermissionError where the home or what listens belongs to somebody else.
    """
    if own_files.foreign_owner(home) is not None:
        raise PermissionError(f"{home} belongs to another user")
    address = _read(home)
    port = address.get("port")
    if isinstance(port, int):
        import socket  # noqa: PLC0415 - see below; a port is for systems without Unix sockets

        found = socket.create_connection(("127.0.0.1", port), _PATIENCE_S)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found, str(address.get("token", ""))
    path = os.path.join(home, str(address.get("unix", SOCKET_NAME)))
    if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
        raise FileNotFoundError(path)
    if os.lstat(path).st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")
    # The class below `socket.socket`: that module builds enumerations of all constants, which takes half as long as the
    # start of the interpreter.
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        link.settimeout(_PATIENCE_S)
        _connect(link, path)
    except BaseException:  # whatever it was, nobody else can close the link; raised on
        link.close()
        raise
    return link, ""


def _connect(link: _socket.socket, path: str) -> None:
    """Connect, and wait for a moment where more connect at once than the hub has room for."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            link.connect(path)
        except BlockingIOError:  # its queue is full
            if time.monotonic() >= until:
                raise
            time.sleep(_POLL_S)
        else:
            return


def _read(home: str) -> dict[str, Any]:
    try:
        found = light_json.loads(own_files.read_own(os.path.join(home, ADDRESS_NAME)).decode("utf-8"))
    except PermissionError as error:
        raise PermissionError(f"{error.filename} {error.strerror}") from error
    except OSError:  # there is none, or a link, pipe or folder in its place, which a hub does without
        return {}
    except ValueError:  # half written by a hub that was killed
        return {}
    return found if isinstance(found, dict) else {}
