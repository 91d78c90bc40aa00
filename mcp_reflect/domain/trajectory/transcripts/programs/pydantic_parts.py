"""The messages of Pydantic AI as Python shows them: `UserPromptPart(content='…')`, `ToolCallPart(tool_name='x', …)`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import add_tool_call, given_values
from mcp_reflect.domain.trajectory.transcripts.elements.shown_objects import ShownObject, read_shown_objects
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_NAMES = r"\b(?:UserPrompt|SystemPrompt|Text|Thinking|ToolCall|ToolReturn|RetryPrompt)Part\("
_PART = re.compile(_NAMES)
_TOKEN = re.compile(rf"'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|[()]|{_NAMES}", re.DOTALL)
_MOST_OF_PART = 60_000


def read_pydantic_parts(text: str) -> list[Message] | None:
    """Return the messages that the parts tell; None for any other text."""
    found = CollectedMessages()
    for name, fields in _parts(text):
        content = fields.get("content", "")
        told = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        tool = fields.get("tool_name")
        if name == "UserPromptPart":
            found.hear(told)
        elif name in {"TextPart", "ThinkingPart"}:
            found.say(told)
        elif name == "ToolCallPart" and isinstance(tool, str):
            given = fields.get("args", {})
            add_tool_call(found, tool, given_values(given) if isinstance(given, str) else given or {})
        elif name in {"ToolReturnPart", "RetryPromptPart"}:
            found.answer(told, True if name == "RetryPromptPart" else None)
    return found.messages if found.calls else None


def _parts(text: str) -> Iterator[ShownObject]:
    """The parts that Python can read, none inside of another's text."""
    place = 0
    while part := _PART.search(text, place):
        end = _end_of_call(text, part.end())
        if end > 0:
            yield from read_shown_objects(text[part.start() : end]) or [ShownObject(part[0].rstrip("("), {})]
        place = max(end, part.end())


def _end_of_call(text: str, place: int) -> int:
    """Where a part ends whose parenthesis stands before a place; 0 for one without an end, as none holds another."""
    depth = 1
    for token in _TOKEN.finditer(text, place, place + _MOST_OF_PART):
        if token[0].endswith("Part("):
            return 0
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return 0


PYDANTIC_PARTS = TranscriptFormat(
    re.compile(r"\A\s{0,99}\[?\s{0,9}(?:ModelRequest\(parts=\[)?(?:System|User)PromptPart\("), read_pydantic_parts
)
