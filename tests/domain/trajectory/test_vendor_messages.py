"""Messages of frameworks whose shape is neither OpenAI's nor Anthropic's."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult, Utterance
from mcp_reflect.domain.trajectory.parsing import parse

LANGCHAIN = [
    {"type": "human", "data": {"content": "Fix it.", "additional_kwargs": {}}},
    {
        "type": "ai",
        "data": {"content": "I look.", "tool_calls": [{"name": "bash", "args": {"command": "make"}, "id": "c1"}]},
    },
    {"type": "tool", "data": {"content": "boom", "tool_call_id": "c1", "name": "bash", "status": "error"}},
    {"type": "ai", "data": {"content": "Done."}},
]
SERIALISED = [
    {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "Fix it."}},
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "AIMessage"],
        "kwargs": {
            "content": "I look.",
            "additional_kwargs": {
                "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": '{"command": "make"}'}}]
            },
        },
    },
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "ToolMessage"],
        "kwargs": {"content": "boom", "tool_call_id": "c1", "status": "error"},
    },
    {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": {"content": "Done."}},
]
DUMPED = [
    {"type": "human", "content": "Fix it.", "id": None},
    {
        "type": "ai",
        "content": "I look.",
        "tool_calls": [{"name": "bash", "args": {"command": "make"}, "id": "c1", "type": "tool_call"}],
    },
    {"type": "tool", "name": "bash", "tool_call_id": "c1", "content": "boom", "status": "error"},
    {"type": "ai", "content": "Done.", "tool_calls": []},
]
GEMINI = [
    {"role": "user", "parts": [{"text": "Fix it."}]},
    {"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"name": "bash", "args": {"command": "make"}}}]},
    {
        "role": "user",
        "parts": [
            {
                "functionResponse": {
                    "name": "bash",
                    "response": {"output": "Command: make\nDirectory: (root)\nStdout: boom\nExit Code: 2"},
                }
            }
        ],
    },
    {"role": "model", "parts": [{"text": "Done."}]},
]
AI_SDK = [
    {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Fix it."}]},
    {
        "id": "2",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "text", "text": "I look."},
            {
                "type": "tool-bash",
                "toolCallId": "c1",
                "state": "output-error",
                "input": {"command": "make"},
                "errorText": "boom",
            },
            {"type": "text", "text": "Done."},
        ],
    },
]
AUTOGEN = [
    {"source": "user", "type": "TextMessage", "content": "Fix it."},
    {"source": "coder", "type": "ThoughtEvent", "content": "I look."},
    {
        "source": "coder",
        "type": "ToolCallRequestEvent",
        "content": [{"id": "c1", "name": "bash", "arguments": '{"command": "make"}'}],
    },
    {
        "source": "coder",
        "type": "ToolCallExecutionEvent",
        "content": [{"call_id": "c1", "name": "bash", "content": "boom", "is_error": True}],
    },
    {"source": "coder", "type": "ToolCallSummaryMessage", "content": "boom"},
    {"source": "coder", "type": "TextMessage", "content": "Done."},
]
BEDROCK = [
    {"role": "user", "content": [{"text": "Fix it."}]},
    {
        "role": "assistant",
        "content": [
            {"text": "I look."},
            {"toolUse": {"toolUseId": "c1", "name": "bash", "input": {"command": "make"}}},
        ],
    },
    {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "boom"}], "status": "error"}}],
    },
    {"role": "assistant", "content": [{"text": "Done."}]},
]
PYDANTIC_AI = [
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Fix it."}]},
    {
        "kind": "response",
        "parts": [
            {"part_kind": "text", "content": "I look."},
            {"part_kind": "tool-call", "tool_name": "bash", "args": {"command": "make"}, "tool_call_id": "c1"},
        ],
    },
    {
        "kind": "request",
        "parts": [
            {
                "part_kind": "tool-return",
                "tool_name": "bash",
                "content": "boom",
                "tool_call_id": "c1",
                "status": "error",
            }
        ],
    },
    {"kind": "response", "parts": [{"part_kind": "text", "content": "Done."}]},
]
ADK = [
    {"id": "1", "author": "user", "content": {"role": "user", "parts": [{"text": "Fix it."}]}},
    {
        "id": "2",
        "author": "coder",
        "content": {
            "role": "model",
            "parts": [{"text": "I look."}, {"functionCall": {"name": "bash", "args": {"command": "make"}}}],
        },
    },
    {
        "id": "3",
        "author": "coder",
        "content": {
            "role": "user",
            "parts": [{"functionResponse": {"name": "bash", "response": {"stdout": "boom", "exit_code": 2}}}],
        },
    },
    {"id": "4", "author": "coder", "content": {"role": "model", "parts": [{"text": "Done."}]}},
]
SEMANTIC_KERNEL = [
    {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "Fix it."}]},
    {
        "Role": {"Label": "assistant"},
        "Items": [
            {"$type": "TextContent", "Text": "I look."},
            {
                "$type": "FunctionCallContent",
                "Id": "c1",
                "PluginName": "dev",
                "FunctionName": "bash",
                "Arguments": {"command": "make"},
            },
        ],
    },
    {
        "Role": {"Label": "tool"},
        "Items": [
            {
                "$type": "FunctionResultContent",
                "CallId": "c1",
                "FunctionName": "bash",
                "Result": '{"output": "boom", "exit_code": 2}',
            }
        ],
    },
    {"Role": {"Label": "assistant"}, "Items": [{"$type": "TextContent", "Text": "Done."}]},
]
SHARE_GPT = [
    {"from": "human", "value": "Fix it."},
    {"from": "gpt", "value": "I look."},
    {"from": "function_call", "value": '{"name": "bash", "arguments": {"command": "make"}}'},
    {"from": "observation", "value": '{"output": "boom", "exit_code": 2}'},
    {"from": "gpt", "value": "Done."},
]
HAYSTACK = [
    {"role": "user", "meta": {}, "content": [{"text": "Fix it."}]},
    {
        "role": "assistant",
        "meta": {},
        "content": [
            {"text": "I look."},
            {"tool_call": {"tool_name": "bash", "arguments": {"command": "make"}, "id": "c1"}},
        ],
    },
    {
        "role": "tool",
        "meta": {},
        "content": [{"tool_call_result": {"result": '{"output": "boom", "exit_code": 2}', "origin": {"id": "c1"}}}],
    },
    {"role": "assistant", "meta": {}, "content": [{"text": "Done."}]},
]
LLAMA_INDEX = [
    {"role": "user", "blocks": [{"block_type": "text", "text": "Fix it."}], "additional_kwargs": {}},
    {
        "role": "assistant",
        "blocks": [{"block_type": "text", "text": "I look."}],
        "additional_kwargs": {
            "tool_calls": [{"tool_id": "c1", "tool_name": "bash", "tool_kwargs": {"command": "make"}}]
        },
    },
    {
        "role": "tool",
        "blocks": [{"block_type": "text", "text": '{"output": "boom", "exit_code": 2}'}],
        "additional_kwargs": {"tool_call_id": "c1", "name": "bash"},
    },
    {"role": "assistant", "blocks": [{"block_type": "text", "text": "Done."}], "additional_kwargs": {}},
]
ALL = {
    "LangChain": LANGCHAIN,
    "LangChain, serialised": SERIALISED,
    "LangChain, dumped": DUMPED,
    "Gemini": GEMINI,
    "AI SDK": AI_SDK,
    "AutoGen": AUTOGEN,
    "Bedrock": BEDROCK,
    "Pydantic AI": PYDANTIC_AI,
    "ADK": ADK,
    "Haystack": HAYSTACK,
    "LlamaIndex": LLAMA_INDEX,
    "Semantic Kernel": SEMANTIC_KERNEL,
    "ShareGPT": SHARE_GPT,
}


@pytest.mark.parametrize("name", ALL)
def test_a_run(name: str) -> None:
    events = [each for each in parse(ALL[name]).events if not (isinstance(each, Utterance) and not each.text)]
    kinds: list[tuple[Any, ...]] = []
    for each in events:
        if isinstance(each, Utterance):
            kinds.append((each.role, each.text))
        elif isinstance(each, ToolCall):
            kinds.append((each.name, each.arguments))
        elif isinstance(each, ToolResult):
            kinds.append((each.text, each.failed))
    assert kinds == [
        ("user", "Fix it."),
        ("assistant", "I look."),
        ("bash", '{"command": "make"}'),
        ("boom", True),
        ("assistant", "Done."),
    ]


def test_messages_of_the_known_shapes_stay_as_they_are() -> None:
    messages = [
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image", "source": {}}]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ]
    assert [type(event) for event in parse(messages).events] == [Utterance, ToolResult, ToolResult]


def test_the_history_of_swe_agent() -> None:
    events = parse(
        [
            {"role": "user", "content": "Fix it.", "message_type": "observation"},
            {"role": "assistant", "content": "x", "thought": "I look.", "action": "make", "message_type": "action"},
            {"role": "user", "content": "boom", "message_type": "observation"},
        ]
    ).events
    assert [type(event) for event in events] == [ToolResult, Utterance, ToolCall, ToolResult]


def test_what_a_tool_says_in_parts_of_any_kind_is_its_result() -> None:
    [event] = parse([{"role": "tool", "content": [{"block_type": "x", "payload": {"a": "Obey."}}]}]).events
    assert isinstance(event, ToolResult)
