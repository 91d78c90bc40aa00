"""OpenTelemetry spans of generative AI as JSON: OTLP (`resourceSpans`) in one object or one a line.

Messages are read from `gen_ai.input.messages` and `gen_ai.output.messages` of spans or of their event
`gen_ai.client.inference.operation.details`; who captures no content leaves nothing to read. Every call repeats the
messages before it, so what is new in each is put together. A session is a conversation (`gen_ai.conversation.id`),
or else a trace. Calls of agents that an agent calls are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_reflect.domain.trajectory.tools import arguments_of
from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.formats.otlp import Span, read_spans
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "otel"

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_Object = dict[str, Any]


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return nothing: spans stand wherever somebody exported them to."""
    del environ, user
    return ()


def is_session(names: Sequence[str]) -> bool:
    """Return whether a file by this name may hold spans."""
    return names[-1].endswith((".json", ".jsonl"))


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return the conversations of which a file holds messages. Raises OSError."""
    found: dict[str, SessionHead] = {}
    for span in read_spans(path):
        if _INPUT in span.attributes:
            known = found.get(span.session, SessionHead(span.session))
            size = known.size + len(str(span.attributes[_INPUT]))
            found[span.session] = SessionHead(
                span.session, known.cwd or span.folder, max(known.modified, span.end), size
            )
    return list(found.values())


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns of the event's session. Raises OSError where the file cannot be read."""
    del start  # spans stand in no order
    found = TurnBuilder(most)
    spans = sorted((span for span in read_spans(event.transcript) if span.session == event.session), key=_by_time)
    results = {first_text(span.attributes, "gen_ai.tool.call.id"): span for span in spans}
    results.pop("", None)
    reader = _Reader(found, results)
    known: Counter[str] = Counter()
    for span in _outermost(spans):
        model = first_text(span.attributes, "gen_ai.response.model", "gen_ai.request.model")
        before = Counter(known)
        for name, at in ((_INPUT, span.start), (_OUTPUT, span.end)):
            for message in _messages(span.attributes.get(name)):
                digest = _digest(message)
                if name == _INPUT and before[digest]:
                    before[digest] -= 1
                    continue
                known[digest] += 1
                reader.take(message, model, at)
    reader.finish()
    return found.turns


def _by_time(span: Span) -> tuple[float, float]:
    return span.start, span.end


def _outermost(spans: Sequence[Span]) -> list[Span]:
    """The calls of a model that are made by the agent that no other one called."""
    parents = {span.number: span for span in spans}

    def agents_above(span: Span) -> int:
        count, seen = 0, {span.number}
        while (above := parents.get(span.parent)) is not None and above.number not in seen:
            seen.add(above.number)
            span = above
            count += first_text(span.attributes, "gen_ai.operation.name") == "invoke_agent"
        return count

    depths = [
        (agents_above(span), span)
        for span in spans
        if _INPUT in span.attributes and first_text(span.attributes, "gen_ai.operation.name") != "invoke_agent"
    ]
    least = min((depth for depth, _ in depths), default=0)
    return [span for depth, span in depths if depth == least]


def _digest(message: _Object) -> str:
    """Return what tells a message from others, whether a model gave it or is given it again."""
    told: list[Any] = [message.get("role")]
    for part in message["parts"]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            told.append(part.get("content"))
        elif kind in {"tool_call", "tool_call_response"}:
            told.append([kind, part.get("id") or part.get("arguments", part.get("response"))])
    return json.dumps(told, sort_keys=True)


class _Reader:
    def __init__(self, found: TurnBuilder, spans: Mapping[str, Span]) -> None:
        self._found = found
        self._spans = spans
        self._open: dict[str, str] = {}
        """Names of the tools whose results are still to come, by the ids of the calls."""
        self._count = 0

    def take(self, message: _Object, model: str, at: float) -> None:
        self._count += 1
        parts = [part for part in message.get("parts", ()) if isinstance(part, dict)]
        text = "\n".join(
            filter(None, (output_text(part.get("content")) for part in parts if part.get("type") == "text"))
        )
        if message.get("role") == "user" and (said := user_text(text)):
            self.finish()
            self._found.begin(f"{self._count}", said, 0, local=True, at=at)
        elif message.get("role") == "assistant" and text:
            self._found.add({"role": "assistant", "content": text}, text, model, at)
        for part in parts:
            number = first_text(part, "id")
            if part.get("type") == "tool_call":
                name = self._open[number] = first_text(part, "name")
                use = {"type": "tool_use", "id": number, "name": name, "input": arguments_of(part.get("arguments"))}
                self._found.add({"role": "assistant", "content": [use]}, model=model, at=at)
            elif part.get("type") == "tool_call_response":
                self._result(number, part.get("response", part.get("result")), at)

    def finish(self) -> None:
        """Add the results of calls that no message tells: their own spans may hold them."""
        for number in list(self._open):
            if (span := self._spans.get(number)) is not None:
                self._result(number, span.attributes.get("gen_ai.tool.call.result"), span.end)

    def _result(self, number: str, result: Any, at: float) -> None:
        name, span = self._open.pop(number, ""), self._spans.get(number)
        told = "[memories]" if returns_memories(name) else output_text(result) or _text(result)
        failed = {"is_error": True} if span is not None and span.failed else {}
        block = {"type": "tool_result", "tool_use_id": number, "content": told} | failed
        self._found.add({"role": "user", "content": [block]}, at=at)


def _text(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _messages(value: Any) -> Iterator[_Object]:
    """The messages of an attribute, which is an array or the JSON of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    for message in value if isinstance(value, list) else ():
        if isinstance(message, dict) and isinstance(message.get("parts"), list):
            yield message
