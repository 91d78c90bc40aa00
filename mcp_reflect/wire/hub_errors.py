"""The errors of hubs that cannot be had. Standard library only: every shim imports this."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mcp_reflect.errors import ErrorData


def unavailable(message: str) -> ErrorData:
    """Return the data of a MemoryUnavailable, for processes that do not wait for the import of `mcp_reflect.errors`."""
    return {"code": "memory_unavailable", "argument": "", "ids": [], "message": message}


def error_text(data: Mapping[str, Any]) -> str:
    """Return the data of an error in words: the argument, where there is one, and the message."""
    return f"{data['argument']}: {data['message']}" if data["argument"] else str(data["message"])


class HubUnavailable(Exception):
    """No hub can be had; the message is one line.

    `exit_code` is what the process should end with. `alone`: this process may serve its client without a hub. `data` is
    the error of the hub, and `unavailable(message)` where no hub said anything.
    """

    def __init__(
        self, message: str, exit_code: int = 1, *, alone: bool = False, data: Mapping[str, Any] | None = None
    ) -> None:
        line = " ".join(message.split())
        super().__init__(line)
        self.exit_code = exit_code
        self.alone = alone
        self.data: Mapping[str, Any] = data or unavailable(line)


class HubCrashed(HubUnavailable):
    """A hub that was started ended without a word: the next one may well live."""


class HubSilent(HubUnavailable):
    """Something takes connections and does not answer."""


class HubFrozen(HubSilent):
    """The process that owns the home does nothing any more; `how` says it in two words."""

    def __init__(self, home: str, pid: int, how: str) -> None:
        goes_on = f" `kill -CONT {pid}` lets it go on;" if how == "is stopped" else ""
        super().__init__(
            f"the hub of {home}, process {pid}, {how} and does not answer;{goes_on} `kill -9 {pid}` ends it, and the "
            "next command starts another. What was stored is safe"
        )
        self.pid = pid
        self.how = how
