"""The first line of a connection to the hub, and its answer. Standard library only: every shim imports this.

The hello is a JSON object in one line:

- `mcp-reflect`: 1, the version of this protocol; `version`: that of the package; `token`: see `address`;
- `command`: empty for a client's session, otherwise what the hub is asked to do;
- `records`, `arguments`: what a command that reads records wants, see `hub.record_reading`;
- `environ`, `cwd`: what the client's settings are read from; `pid`, `connection`: who it is.

The answer is `{"ok": true, …}` or `{"error": "one line", "exit": code, "error_data": ErrorData}`. A session then
speaks JSON-RPC; a line that begins with RETIRING is the hub's own word: send nothing more, the answers that are due
still come.
"""

from __future__ import annotations

import os

from mcp_reflect.wire import light_json
from mcp_reflect.wire.address import absolute_path

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    import _socket
    from collections.abc import Mapping
    from typing import Any

HUB_PROTOCOL = 1
MAX_HELLO_BYTES = 1_000_000
READ_COMMAND = "read"
"""Answered by two lines: the hub's version at once, then the reading."""

RETIRING = b'{"mcp-reflect": "retiring"}'

_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""As in `mcp_reflect.domain.ids`, whose import would cost more than everything here."""

_PREFIX = "MCP_REFLECT_"
_SHARED = (
    "Q_LEARNING_ALPHA", "OPENAI_BASE_URL", "OPENAI_API_KEY", "CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS",
    "LOGNAME", "USER", "LNAME", "USERNAME",
)  # fmt: skip
"""Variables of other names that settings and the detection of the project read."""


def is_setting(name: str) -> bool:
    """Return whether the settings of a client depend on that variable."""
    return name.startswith(_PREFIX) or name in _SHARED


def select_settings_environ(environ: Mapping[str, str], home: str, cwd: str) -> dict[str, str]:
    """Return the variables that a client's settings depend on, with absolute paths, as `~` is the client's."""
    chosen = {name: value for name, value in environ.items() if is_setting(name)}
    config = chosen.get("MCP_REFLECT_CONFIG", "").strip()
    if config:
        chosen["MCP_REFLECT_CONFIG"] = absolute_path(config, cwd)
    chosen["MCP_REFLECT_HOME"] = home
    return chosen


def new_connection_id() -> str:
    """Return a name that a client keeps when it comes back after a hub was lost."""
    return "con_" + "".join(_ID_LETTERS[byte & 31] for byte in os.urandom(12))


def build_hello(version: str, home: str, environ: Mapping[str, str], cwd: str, connection: str) -> dict[str, Any]:
    """Return the hello of a client's session."""
    return {
        "mcp-reflect": HUB_PROTOCOL,
        "version": version,
        "command": "",
        "environ": select_settings_environ(environ, home, cwd),
        "cwd": cwd,
        "pid": os.getpid(),
        "connection": connection,
    }


def encode_line(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line of JSON."""
    # ASCII with escapes, so that bytes of the environment that are no UTF-8 (lone surrogates) travel too.
    return light_json.dumps(message).encode("ascii") + b"\n"


class LineReader:
    """Lines out of a socket. Not thread-safe; one reader at a time."""

    def __init__(self, link: _socket.socket) -> None:
        self._link = link
        self._ready: list[bytes] = []
        self._rest: list[bytes] = []

    def next(self) -> bytes | None:
        """Return the next line with its newline, None at the end; an unfinished line is dropped. Raises OSError."""
        while not self._ready:
            chunk = self._link.recv(1 << 16)
            if not chunk:
                return None
            head, newline, tail = chunk.rpartition(b"\n")
            if not newline:
                self._rest.append(chunk)
                continue
            # Not `splitlines`, which would split at carriage returns too.
            lines = b"".join([*self._rest, head]).split(b"\n")
            self._rest = [tail] if tail else []
            self._ready = [line + newline for line in reversed(lines)]
        return self._ready.pop()


def exchange_hello(link: _socket.socket, lines: LineReader, message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Send a hello and read its answer; None where the hub left instead. Raises TimeoutError."""
    try:
        link.sendall(encode_line(message))
    except TimeoutError:
        raise
    except OSError:
        return None
    return receive_answer(lines)


def receive_answer(lines: LineReader) -> dict[str, Any] | None:
    """Read the answer to a hello; None where the hub left instead. May be called again after a TimeoutError."""
    try:
        line = lines.next()
    except TimeoutError:
        raise
    except OSError:
        return None
    if line is None:
        return None
    answer = light_json.loads(line)
    return answer if isinstance(answer, dict) else None


def is_newer(version: str, than: str) -> bool:
    """Return whether a version number is above another; parts that are no numbers are left out."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    numbers = []
    for part in version.split("."):
        digits = ""
        for character in part:
            if not character.isdigit():
                break
            digits += character
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
