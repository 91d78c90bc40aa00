"""How well a reading fits its transcript: how many lines it puts where they can't belong."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.messages import AGENT_ROLE, Message
from mcp_reflect.domain.trajectory.tools import arguments_of, command_line
from mcp_reflect.domain.trajectory.transcripts.induced.marks import exit_code_in

_MARKED = re.compile(r"(?:[A-Za-z][\w ]{0,20}:[ \t]|[^\w\s./~$({\"'`!:#-]{1,3}[ \t])")
"""What no command line begins with."""
_MOST_LINES = 400


def misplaced_lines(messages: Sequence[Message]) -> int:
    """Return how many lines are out of place.

    These are errors and exit codes among the words of the agent, and marks or exit codes in a command line. Words of
    somebody in an output are none: the output may have printed them.
    """
    return sum(map(_misplaced, messages))


def count_calls(messages: Sequence[Message]) -> int:
    """Return how many calls of tools a reading has."""
    return sum(message.get("type") == "function_call" for message in messages)


def _misplaced(message: Message) -> int:
    if message.get("type") == "function_call":
        lines = command_line(str(message["name"]), arguments_of(message["arguments"])).split("\n", _MOST_LINES)
        is_quoted = len(lines[0]) > 1 and lines[0][0] == lines[0][-1] == "`"
        return bool(_MARKED.match(lines[0]) or is_quoted) + any(exit_code_in(line) is not None for line in lines[1:])
    if message.get("role") == AGENT_ROLE:
        lines = str(message.get("content", "")).split("\n", _MOST_LINES)
        return sum(exit_code_in(line) is not None or any(errors_in_text(line)) for line in lines)
    return 0
