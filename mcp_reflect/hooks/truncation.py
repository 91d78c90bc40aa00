"""A trajectory that is too long: what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from mcp_reflect.domain.truncate import truncate_middle

MAX_TURN_CHARS = 1_000_000
"""Characters. submit_trace allows four times as much, but whoever looks at the recent runs reads them
all: 20 ms each at this length, and the start of a session waits for it."""
MAX_TRUNCATED_TEXT_CHARS = 60_000
"""Characters of a single text in a trajectory that is too long."""
_MARGIN = 1_000

TurnMessage = dict[str, Any]


def truncate_messages(messages: list[TurnMessage], longest: int = MAX_TURN_CHARS) -> str:
    """Return the messages as a JSON array of at most `longest` characters.

    Long texts lose their middle first. Then whole messages go, out of the middle: the end stays, it tells how the run
    came out, and so do the beginning and, as far as there is room, results that report an error.
    """
    text = _dump(messages)
    if len(text) <= longest:
        return text
    short = [_truncated(message, min(MAX_TRUNCATED_TEXT_CHARS, longest // 8)) for message in messages]
    text = _dump(short)
    return text if len(text) <= longest else _dump(_chosen(short, longest - _MARGIN))


def _chosen(messages: list[TurnMessage], room: int) -> list[TurnMessage]:
    sizes = [len(_dump([message])) for message in messages]
    order = range(len(messages))
    last = set(_within(reversed(order), sizes, room * 6 // 10))
    first = set(_within((n for n in order if n not in last), sizes, room * 2 // 10))
    middle = (n for n in order if n not in last | first and _failed(messages[n]))
    kept = last | first | set(_within(middle, sizes, room * 2 // 10))
    chosen: list[TurnMessage] = []
    gap = 0
    for n in order:
        if n not in kept:
            gap += 1
            continue
        if gap:
            chosen.append({"role": "user", "content": f"[… {gap} messages left out …]"})
            gap = 0
        chosen.append(messages[n])
    return chosen


def _within(candidates: Iterable[int], sizes: list[int], room: int) -> Iterable[int]:
    for n in candidates:
        # Room for the note about a gap before it.
        room -= sizes[n] + 70
        if room < 0:
            return
        yield n


def _failed(message: TurnMessage) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(b, dict) and b.get("is_error") is True for b in content)


def _truncated(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return truncate_middle(value, longest)
    if isinstance(value, list):
        return [_truncated(item, longest) for item in value]
    if isinstance(value, dict):
        return {key: _truncated(item, longest) for key, item in value.items()}
    return value


def _dump(messages: list[TurnMessage]) -> str:
    return json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
