"""Errors by which a server answers a call, as this process raises them. Standard library only."""

from __future__ import annotations

from mcp_reflect.wire import request_meta
from mcp_reflect.wire.hub_errors import HubUnavailable, error_text
from mcp_reflect.wire.json_rpc import CONNECTION_LOST_CODE

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mcp_reflect.errors import ErrorData


class RemoteError(Exception):
    """The server refused the call, or could not carry it out; `data` is its error.

    A server that sends no data, an older one or one that crashed, has the code "unknown". As text it is the argument,
    where there is one, and the message.
    """

    def __init__(self, data: ErrorData) -> None:
        super().__init__(error_text(data))
        self.data = data

    @property
    def code(self) -> str:
        """The code of the error's class, as `mcp_reflect.errors` names it."""
        return self.data["code"]

    @property
    def argument(self) -> str:
        """The argument at fault; empty where it is none."""
        return self.data["argument"]

    @property
    def ids(self) -> list[str]:
        """The ids that the error is about."""
        return self.data["ids"]

    @property
    def message(self) -> str:
        """What is wrong and what is allowed, without the argument's name."""
        return self.data["message"]


def read_result(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result in an answer. Raises RemoteError, and HubUnavailable where no server could be started."""
    if "error" in answer:
        error = answer["error"] or {}
        message = str(error.get("message", "the memory answered with an error"))
        if error.get("code") == CONNECTION_LOST_CODE:  # said in place of a server that could not start
            raise HubUnavailable(message, data=error.get("data"))
        raise _remote_error(error.get("data"), message)
    result = answer.get("result") or {}
    if result.get("isError"):
        texts = [str(part.get("text", "")) for part in result.get("content") or [] if isinstance(part, dict)]
        message = "\n".join(text for text in texts if text) or "the call was refused"
        raise _remote_error((result.get("_meta") or {}).get(request_meta.ERROR), message)
    return dict(result)


def _remote_error(given: Any, message: str) -> RemoteError:
    from mcp_reflect.errors import read_error_data  # noqa: PLC0415 - hooks wait for imports, and most calls succeed

    return RemoteError(read_error_data(given, message))
