"""A Messages API that answers as it is told, for the real Claude Code to talk to: no network, no key, no cost."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self._send(200, "text/plain", b"")

        def do_GET(self) -> None:
            self._send(404, "text/plain", b"")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                self._send(200, "application/json", b'{"input_tokens": 1}')
                return
            blocks = api.answer(body)
            if body.get("stream"):
                self._send(200, "text/event-stream", _stream(blocks, body))
            else:
                self._send(200, "application/json", json.dumps(_message(blocks, body)).encode())

        def _send(self, status: int, kind: str, data: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    api.base_url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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
