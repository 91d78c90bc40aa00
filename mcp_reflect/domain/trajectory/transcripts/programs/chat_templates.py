"""Runs in the templates of chat models: ChatML (`<|im_start|>`), Llama's headers, harmony (`<|start|>`), and `[INST]`.

A tool's call is JSON in the words of the agent, in a tag, behind a mark, or alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import add_tool_call, read_object
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CHATML = re.compile(
    r"<\|im_start\|>(?P<role>\w{1,20})(?: name=\S{1,80})?\n(?P<text>.*?)(?:<\|im_end\|>|\Z)", re.DOTALL
)
_LLAMA = re.compile(
    r"<\|start_header_id\|>(?P<role>\w{1,20})<\|end_header_id\|>\s{0,4}(?P<text>.*?)(?:<\|e(?:ot|om)_id\|>|\Z)",
    re.DOTALL,
)
_HARMONY = re.compile(
    r"<\|start\|>(?P<role>[\w.:-]{1,120})(?P<to>[^<\n]{0,200})(?:<\|channel\|>(?P<channel>[^<\n]{0,200}))?"
    r"(?:<\|constrain\|>[^<\n]{0,40})?<\|message\|>(?P<text>.*?)(?:<\|(?:end|call|return)\|>|\Z)",
    re.DOTALL,
)
_MISTRAL = re.compile(
    r"\[INST\](?P<user>.*?)\[/INST\]|\[TOOL_CALLS\](?P<calls>.*?)(?:</s>|(?=\[(?:TOOL_RESULTS|INST)\])|\Z)"
    r"|\[TOOL_RESULTS\](?P<result>.*?)\[/TOOL_RESULTS\]|(?P<said>(?:(?!\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS)\]).)+)",
    re.DOTALL,
)
_FUNCTION_TAG = re.compile(
    r"<function_(?P<kind>call|result|response)>(?P<text>.*?)(?:</function_\w{4,8}>|\Z)", re.DOTALL
)
_SYSTEM = re.compile(r"<<SYS>>.*?<</SYS>>", re.DOTALL)
_CALL_TAG = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_RESULT_TAG = re.compile(r"</?tool_response>")
_PYTHON_TAG = "<|python_tag|>"
_SPECIAL = re.compile(r"<\|[a-z_]{2,20}\|>|</?s>")
_TO = re.compile(r"\bto=(?:functions\.)?(?P<tool>[\w.:-]{1,120})")
_USERS = frozenset({"user", "human"})
_AGENTS = frozenset({"assistant", "model", "ai"})
_TOOLS = frozenset({"tool", "ipython", "function", "observation"})


class _Part(NamedTuple):
    role: str
    text: str
    tool: str = ""


def read_chat_template(text: str) -> list[Message] | None:
    """Return the messages of a run in the template of a chat model; None for any other text."""
    found = CollectedMessages()
    for part in _with_whole_results([*_parts(text)]):
        if part.role in _USERS and not _RESULT_TAG.search(part.text):  # Qwen's results stand in the user's turns
            found.hear(_SPECIAL.sub("", part.text))
        elif part.role in _TOOLS | _USERS:
            found.answer(_result(_RESULT_TAG.sub("", part.text).strip()))
        elif part.role in _AGENTS and part.tool:
            add_tool_call(found, part.tool, read_object(part.text.strip()) or part.text.strip())
        elif part.role == "noted call":
            add_noted_call(found, "", part.text)
        elif part.role in _AGENTS and _SPECIAL.sub("", part.text).strip():
            _add_words(found, part.text)
    return found.messages if found.calls else None


def _with_whole_results(parts: Sequence[_Part]) -> Iterator[_Part]:
    """The parts; a result goes on up to the end of its tag, whatever marks of turns it has printed."""
    tags = [_RESULT_TAG.findall(part.text) for part in parts]
    following, ends = len(parts), [0] * len(parts)
    for number in range(len(parts) - 1, -1, -1):
        is_open = parts[number].role in _USERS and tags[number][-1:] == ["<tool_response>"]
        is_closed = following < len(parts) and tags[following][0] == "</tool_response>"
        ends[number] = following + 1 if is_open and is_closed else number + 1
        following = number if tags[number] else following
    number = 0
    while number < len(parts):
        held = parts[number : ends[number]]
        yield held[0]._replace(text="\n".join(part.text for part in held)) if len(held) > 1 else held[0]
        number = ends[number]


def _parts(text: str) -> Iterator[_Part]:
    if "<|im_start|>" in text:
        yield from (_Part(each["role"].lower(), each["text"]) for each in _CHATML.finditer(text))
    elif "<|start_header_id|>" in text:
        yield from (_Part(each["role"].lower(), each["text"]) for each in _LLAMA.finditer(text))
    elif "<|start|>" in text:
        for each in _HARMONY.finditer(text):
            to = _TO.search(f"{each['to']} {each['channel'] or ''}")
            is_tool = each["role"] not in _USERS | _AGENTS | {"system", "developer"}
            tool = to["tool"] if to and to["tool"] not in _AGENTS else ""
            yield _Part("tool" if is_tool else each["role"], each["text"], tool)
    else:
        yield from _mistral_parts(text)


def _mistral_parts(text: str) -> Iterator[_Part]:
    for each in _MISTRAL.finditer(text):
        if each["user"] is not None:
            yield _Part("user", _SYSTEM.sub("", each["user"]))
        elif each["result"] is not None:
            yield _Part("tool", each["result"])
        elif each["calls"] is not None:
            yield from (_Part("assistant", json.dumps(call)) for call in _listed(each["calls"]))
        else:
            yield from _said_parts(each["said"])


def _said_parts(text: str) -> Iterator[_Part]:
    """The words of an agent, with the calls in tags among them, and their results."""
    place = 0
    for tag in _FUNCTION_TAG.finditer(text):
        yield _Part("assistant", text[place : tag.start()])
        yield _Part("noted call" if tag["kind"] == "call" else "tool", tag["text"].strip())
        place = tag.end()
    yield _Part("assistant", text[place:])


def _listed(text: str) -> list[Any]:
    try:
        told = json.loads(text.strip())
    except (ValueError, RecursionError):
        return []
    return told if isinstance(told, list) else [told]


def _add_words(found: CollectedMessages, text: str) -> None:
    """Add what an agent says, and the calls in tags, behind Llama's mark, or as the whole of it."""
    code = text.partition(_PYTHON_TAG)[2].strip() if _PYTHON_TAG in text else ""
    found.say(
        _SPECIAL.sub("", _CALL_TAG.sub("", text.partition(_PYTHON_TAG)[0] if code else text))
        if not _is_call(text)
        else ""
    )
    for call in _CALL_TAG.findall(text) or [code or text]:
        if not _add_call(found, call.strip()) and code:
            found.run_code(code)


def _is_call(text: str) -> bool:
    told = read_object(text.strip())
    return told is not None and _tool_of(told) is not None


def _add_call(found: CollectedMessages, text: str) -> bool:
    told = read_object(text)
    tool = _tool_of(told) if told else None
    if told is None or tool is None:
        return False
    given = told.get("arguments", told.get("parameters", {}))
    add_tool_call(
        found,
        tool,
        (read_object(given) or given) if isinstance(given, str) else given if isinstance(given, dict) else {},
    )
    return True


def _tool_of(told: dict[str, Any]) -> str | None:
    name = told.get("name")
    return name if isinstance(name, str) and ("arguments" in told or "parameters" in told) else None


def _result(text: str) -> str:
    """The output of a tool, out of an object that holds it beside the id of its call."""
    told = read_object(text)
    if told is None or not set(told) <= {"content", "call_id", "name", "id"}:
        return text
    content = told.get("content", "")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


CHAT_TEMPLATE = TranscriptFormat(
    re.compile(r"\A\s{0,99}(?:<s>\s{0,9})?(?:<\|(?:im_start|start_header_id|begin_of_text|start)\|>|\[INST\])"),
    read_chat_template,
)
