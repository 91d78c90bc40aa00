"""Calls by which an agent asks its user something: the question is the agent's turn, and the answer the user's.

So is what the user said when they rejected a call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult, TrajectoryEvent, Utterance
from mcp_reflect.domain.trajectory.rejected_calls import words_of_rejection

_ASKS_PEOPLE = re.compile(
    r"(?:ask|prompt)_?(?:the_?)?(?:human|user|person)(?:_?(?:question|input|confirmation))?s?"
    r"|ask_?follow_?up_?questions?|(?:request|get|wait_for)_?(?:human|user)_?(?:input|answer|feedback|confirmation)"
    r"|human(?:_input)?|user_input|ask_?questions?",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r'"(?P<question>[^"\n]{1,2000})"="(?P<answer>[^"\n]{1,4000})"')
"""A question with its answer, as Claude Code reports them."""
_ANSWER_KEYS = ("answer", "answers", "response", "reply", "text", "input", "content")
_QUESTION_KEYS = ("question", "questions", "prompt", "message", "query", "text", "header")
_MOST_LEVELS = 4


def asks_people(tool: str) -> bool:
    """Return true for the name of a tool by which an agent asks its user."""
    return _ASKS_PEOPLE.fullmatch(tool.rpartition("__")[2]) is not None


def with_answers(events: Iterable[TrajectoryEvent]) -> Iterator[TrajectoryEvent]:
    """Yield the events of a run, behind each call that asks its user the question, and behind its result the answer.

    Behind the result of a call that the user rejected stands what they said.
    """
    asked: set[str] = set()
    tools: dict[str, str] = {}
    for event in events:
        yield event
        if isinstance(event, ToolCall):
            tools[event.id] = event.name
        elif said := _said_instead(event, tools):
            yield Utterance("user", said)
        if isinstance(event, ToolCall) and asks_people(event.name):
            asked.add(event.id)
            if question := _said(event.arguments, _QUESTION_KEYS):
                yield Utterance("assistant", question)
        elif isinstance(event, ToolResult) and event.call_id in asked and event.failed is not True:
            answers = [found["answer"] for found in _ANSWERED.finditer(event.text)]
            if answer := "\n".join(answers) or _said(event.text, _ANSWER_KEYS):
                yield Utterance("user", answer)


def _said_instead(event: TrajectoryEvent, tools: Mapping[str, str]) -> str:
    """What the user said in the place of a result; empty for any other event."""
    if not isinstance(event, ToolResult) or event.failed is not True:
        return ""
    return words_of_rejection(tools.get(event.call_id, ""), event.text)


def _said(text: str, keys: Iterable[str]) -> str:
    """The text under one of some keys of a JSON object; text that is none as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()
    return "\n".join(_texts(value, tuple(keys), _MOST_LEVELS)) if isinstance(value, dict) else text.strip()


def _texts(value: Any, keys: tuple[str, ...], levels: int) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, list) and levels:
        for each in value:
            yield from _texts(each, keys, levels - 1)
    elif isinstance(value, dict) and levels:
        named = [value[key] for key in keys if key in value][:1]
        for each in named or ([] if levels == _MOST_LEVELS else list(value.values())):
            yield from _texts(each, keys, levels - 1)
