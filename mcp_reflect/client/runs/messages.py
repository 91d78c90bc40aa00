"""Messages of a run, as a program tells them one by one."""

from __future__ import annotations

from typing import Any

from mcp_reflect.client.calls.json_values import to_printable_text
from mcp_reflect.client.connection import MemoryConnection


class RunMessages:
    """The messages of a run and its final response. A strict connection raises what is told wrongly."""

    def __init__(self, connection: MemoryConnection) -> None:
        self._connection = connection
        self.messages: list[Any] = []
        self.final_response: Any = ""

    def message(self, message: Any, content: Any = None, **more: Any) -> None:
        """Add a chat message: whole, or as its role and content, with further keys such as `tool_calls`."""
        if isinstance(message, str):
            message = {"role": message, "content": content, **more}
        elif content is not None or more:
            raise TypeError("message() takes a whole message, or a role with its content")
        self.messages.append(message)

    def log(self, text: str) -> None:
        """Add lines of log: a command with its output, a test report."""
        if not isinstance(text, str):
            self._connection.refuse("log()", TypeError(f"log() takes text, not {type(text).__name__}"))
        self.messages.append(to_printable_text(text))

    def set_output(self, output: Any) -> None:
        """Set the run's final response; None takes it back."""
        self.final_response = "" if output is None else output
