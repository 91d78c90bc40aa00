"""Exchanges of words that an output has printed: a user's turn directly behind it, an answer, and the user's consent.

An agent tells what it saw, or acts on it. Its user may break in between, which is answered by acting; a talk by words
alone that begins in the middle of the agent's work is the output's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain.trajectory.messages import AGENT_ROLE, Message

_OUTPUT = "function_call_output"


def without_printed_exchanges(messages: Sequence[Message]) -> list[Message]:
    """Return the messages of a run with the exchanges that an output has printed as parts of that output."""
    found: list[Message] = []
    parts = list(_between_calls(messages))
    for number, part in enumerate(parts):
        told = _printed(part, is_last=number + 1 == len(parts))
        texts = [each.get("output", each.get("content", "")) for each in part[:told]]
        found.extend([{**part[0], "output": "\n\n".join(filter(None, map(str, texts)))}] if told else part[:1])
        found.extend(part[max(told, 1) :])
    return found


def _between_calls(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages in parts that begin with each call and with each output."""
    part: list[Message] = []
    for each in messages:
        if each.get("type") and part:
            yield part
            part = []
        part.append(each)
    if part:
        yield part


def _printed(part: Sequence[Message], *, is_last: bool) -> int:
    """How many of the messages from an output on are its own; 0 where it has printed none.

    What the agent says at the end of the run tells what came of it.
    """
    roles = [each.get("role") for each in part]
    if part[0].get("type") != _OUTPUT or not str(part[0].get("output", "")).strip() or roles[1:2] != ["user"]:
        return 0
    if roles.count("user") < 2:  # noqa: PLR2004 (the user speaks, and consents)
        return 0
    return len(part) - (is_last and roles[-1] == AGENT_ROLE)
