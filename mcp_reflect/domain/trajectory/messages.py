"""Parsing of one chat message of any vendor's shape into text, tool calls and tool results.

Shapes: OpenAI Chat Completions (`tool_calls`, the older `function_call`, `role: tool`), OpenAI Responses items
(`function_call`, `function_call_output`, built-in `…_call` items), Anthropic Messages (content blocks `tool_use`,
`server_tool_use`, `mcp_tool_use`, `…tool_result`, `thinking`), lines of a transcript that wrap one in `message`, and
those of further frameworks (`vendor_messages.py`). Unknown blocks are skipped, so that a new kind of block never makes
a run unreadable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_reflect.domain.trajectory.error_lines import errors_in_result
from mcp_reflect.domain.trajectory.step_records import StepRecord, read_record
from mcp_reflect.domain.trajectory.tool_output import unwrap
from mcp_reflect.domain.trajectory.vendor_messages import read_vendor_message

Message = dict[str, Any]


@dataclass(frozen=True)
class Utterance:
    """A text in a message; `role` is the message's role or type, empty where it has neither."""

    role: str
    text: str


@dataclass(frozen=True)
class ToolCall:
    """A tool call. `arguments` is JSON, or other text as the model wrote it; `id` is empty where the shape has none."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True)
class ToolResult:
    """A tool's result, without what its client wrote around it.

    `failed` is the error flag of the message, or tells of its exit code; None where its shape has neither.
    """

    call_id: str
    name: str
    text: str
    failed: bool | None = None

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """Return the errors that it reports, in order."""
        return tuple(errors_in_result(self.text, failed=self.failed))


TrajectoryEvent = Utterance | ToolCall | ToolResult

_NOT_CALLERS = frozenset({"user", "system", "developer", "tool", "function"})
"""Roles whose messages quote calls only as examples or results."""
_TOOL_ROLES = frozenset({"tool", "function"})
OPERATOR_ROLES = frozenset({"system", "developer"})
"""The roles of whoever runs the agent."""
AGENT_ROLE, OBSERVATION_ROLE = "assistant", "observation"
"""The roles of what a record of a step says (`step_records.py`): its words, and what came of an act told in words."""
_SAID_KEYS = frozenset({"content", "tool_calls", "function_call", "summary", "message"})
"""Keys of messages; an object without any of them may be the record of a step."""
_TEXT_KEYS = ("text", "thinking", "refusal", "output", "content")


def iter_events(message: Message) -> Iterator[TrajectoryEvent]:
    """Yield the events of one message in order: its text, then its calls, or its results."""
    inner = message.get("message")
    if isinstance(inner, dict) and "content" in inner:
        message = {"role": message.get("type"), **inner}
    message = read_vendor_message(message) or message
    role = _text_of(message.get("role"))
    kind = _text_of(message.get("type"))
    if role in _TOOL_ROLES:
        yield _result(message, message.get("content"))
    elif _is_call(kind) or _is_result(kind):
        yield from _from_block(message, kind, caller=role not in _NOT_CALLERS)
    elif message.keys().isdisjoint(_SAID_KEYS) and (record := read_record(message)):
        yield from _from_record(record)
    else:
        yield from _from_content(message.get("content"), role or kind)
        if kind == "reasoning":
            yield from _from_content(message.get("summary"), kind)
        if role not in _NOT_CALLERS:
            yield from _from_tool_calls(message)


def _from_record(record: StepRecord) -> Iterator[TrajectoryEvent]:
    if record.words:
        yield Utterance(AGENT_ROLE, record.words)
    if record.tool:
        yield ToolCall(record.tool, _as_text(record.arguments))
    if record.tool and (record.outcome or record.failed is not None):
        yield _result({"is_error": record.failed}, record.outcome)
    elif record.outcome:
        yield Utterance(OBSERVATION_ROLE, record.outcome)


def _from_content(content: Any, role: str) -> Iterator[TrajectoryEvent]:
    blocks = content if isinstance(content, list) else [content]
    said: list[str] = []
    for block in blocks:
        kind = _text_of(block.get("type")) if isinstance(block, dict) else ""
        if _is_call(kind) or _is_result(kind):
            if said:
                yield Utterance(role, "\n".join(said))
                said = []
            yield from _from_block(block, kind, caller=role not in _NOT_CALLERS)
        elif text := text_of_content(block):
            said.append(text)
    if said:
        yield Utterance(role, "\n".join(said))


def _is_call(kind: str) -> bool:
    return kind.endswith(("tool_use", "_call"))


def _is_result(kind: str) -> bool:
    return kind.endswith(("tool_result", "_call_output"))


def _from_block(block: Message, kind: str, *, caller: bool) -> Iterator[TrajectoryEvent]:
    if _is_result(kind):
        yield _result(block, block.get("content", block.get("output")))
        return
    if not caller:
        return
    # Built-in tools of the Responses API have no name of their own: web_search_call, file_search_call, …
    name = _text_of(block.get("name"))
    if not name and kind not in {"function_call", "custom_tool_call", "mcp_call"} and kind.endswith("_call"):
        name = kind.removesuffix("_call")
    yield from _call(name, _first(block, "arguments", "input", "action"), _first(block, "call_id", "id"))
    if block.get("error") or block.get("output"):  # an MCP call of the Responses API carries its own result
        yield _result(block, block.get("error") or block.get("output"))


def _from_tool_calls(message: Message) -> Iterator[TrajectoryEvent]:
    tool_calls = message.get("tool_calls")
    for call in tool_calls if isinstance(tool_calls, list) else ():
        if not isinstance(call, dict):
            continue
        body = call.get("function", call.get("custom", call))
        if isinstance(body, dict):
            yield from _call(body.get("name"), _first(body, "arguments", "input", "args"), call.get("id"))
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield from _call(legacy.get("name"), legacy.get("arguments"), None)


def _call(name: Any, arguments: Any, call_id: Any) -> Iterator[ToolCall]:
    if _text_of(name).strip():
        yield ToolCall(name.strip(), "" if arguments is None else _as_text(arguments), _text_of(call_id))


def _result(block: Message, content: Any) -> ToolResult:
    failed = _first(block, "is_error", "isError")
    if block.get("error"):
        failed = True
    output = unwrap(text_of_content(content))
    if not isinstance(failed, bool):
        failed = None if output.exit_code is None else output.exit_code != 0
    return ToolResult(
        _text_of(_first(block, "tool_use_id", "tool_call_id", "call_id", "id")),
        _text_of(block.get("name")),
        output.text,
        failed,
    )


def text_of_content(content: Any) -> str:
    """Return the text of a string, a part or a list of parts; media as `[type]`, other data as JSON."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of_content, content)))
    if not isinstance(content, dict):
        return _as_text(content)
    for key in _TEXT_KEYS:
        if content.get(key):
            return text_of_content(content[key])
    kind = _text_of(content.get("type"))
    if kind in {"text", "thinking", "redacted_thinking"}:
        return ""
    return f"[{kind}]" if kind else _as_text(content)


def _first(block: Message, *keys: str) -> Any:
    return next((block[key] for key in keys if block.get(key) is not None), None)


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
