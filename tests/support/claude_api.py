"""A Messages API that answers as it is told, for the real Claude Code to talk to: no network, no key, no cost."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.support.http_service import Reply, http_service

Blocks = list[dict[str, Any]]
Scripted = Blocks | Callable[[str], Blocks]
"""An answer, or what makes it of the request's text."""


class ClaudeAPI:
    """`script` is one answer per request of the main loop, in order; `asked` is what was sent."""

    def __init__(self, script: Sequence[Scripted]) -> None:
        self.script = list(script)
        self.asked: list[dict[str, Any]] = []
        self.base_url = ""
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> Blocks:
        with self._lock:
            self.asked.append(body)
            # What comes without tools is some summary or title, not the agent's work.
            if not body.get("tools") or not self.script:
                return [{"type": "text", "text": "Done."}]
            blocks = self.script.pop(0)
            return blocks(json.dumps(body)) if callable(blocks) else blocks


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def bash(command: str, call: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{call}", "name": "Bash", "input": {"command": command}}


@contextmanager
def claude_api(script: Sequence[Scripted]) -> Iterator[ClaudeAPI]:
    api = ClaudeAPI(script)

    def reply(method: str, path: str, body: dict[str, Any]) -> Reply:
        if method != "POST":
            return Reply("text/plain", b"", 200 if method == "HEAD" else 404)
        if not path.startswith("/v1/messages") or "count_tokens" in path:
            return Reply("application/json", b'{"input_tokens": 1}')
        blocks = api.answer(body)
        if body.get("stream"):
            return Reply("text/event-stream", _stream(blocks, body))
        return Reply("application/json", json.dumps(_message(blocks, body)).encode())

    with http_service(reply) as api.base_url:
        yield api


def _message(blocks: Blocks, body: dict[str, Any]) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{id(blocks)}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _stream(blocks: Blocks, body: dict[str, Any]) -> bytes:
    whole = _message(blocks, body)
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
