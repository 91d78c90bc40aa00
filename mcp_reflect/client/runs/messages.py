"""Messages of a run, as a program tells them one by one."""

from __future__ import annotations

from typing import Any

from mcp_reflect.client.calls.json_values import to_printable_text
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.errors import UsageError


class RunMessages:
    """The messages of a run and its final response. A strict connection raises what comes when the run is over."""

    def __init__(self, connection: MemoryConnection) -> None:
        self._connection = connection
        self._is_over = False
        self.messages: list[Any] = []
        self.final_response: Any = ""

    def message(self, message: Any = None, content: Any = None, **more: Any) -> None:
        """Add a chat message: whole, or as its role and content, with further keys such as `tool_calls`."""
        if message is None and "role" in more:
            message = more.pop("role")
        if isinstance(message, str):
            message = {"role": message, "content": content, **more}
        elif message is None or content is not None or more:
            raise TypeError("message() takes a whole message, or a role with its content")
        self._expect_open("message()")
        self.messages.append(message)

    def log(self, *values: object, sep: str | None = " ") -> None:
        """Add lines of log: a command with its output, a test report. Values are written and joined as `print` does."""
        self._expect_open("log()")
        self.messages.append((" " if sep is None else sep).join(map(to_printable_text, values)))

    def set_output(self, output: Any) -> None:
        """Set the run's final response; None takes it back."""
        self._expect_open("set_output()")
        self.final_response = "" if output is None else output

    def _expect_open(self, what: str) -> None:
        """Refuse what is told of a run that has been stored: nobody would see it."""
        if self._is_over:
            told = "the run's block has ended, and it was stored without this; review_trace() changes its verdict"
            self._connection.refuse(what, UsageError(told))
