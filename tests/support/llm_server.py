"""A chat completions server over real HTTP whose every answer is scripted.

    with llm_server() as server:
        server.enqueue(status(429, retry_after="7"), reflection(summary="…"))
        … server.base_url … server.requests …

Answers are given in the order they were enqueued, then `server.default(…)`'s, at first a well-formed reflection.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.waiting import HANG_S

WORDS: Mapping[str, Any] = {
    "summary": "A flag of the test runner was wrong.",
    "key_mistake": "The runner was called with a flag it does not have.",
    "correct_action": "run_tests(path=<folder of the tests>)",
    "guidance": "Ask the tool for its help before using a flag from memory.",
    "applicable_tools": ["run_tests"],
}
_USAGE: Mapping[str, Any] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Request:
    """`headers` have names in lower case; `body` is None where the request has none."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def prompt(self) -> str:
        return "\n".join(str(message["content"]) for message in self.body["messages"])

    @property
    def response_format(self) -> Any:
        """None where the request has none."""
        return self.body.get("response_format")


@dataclass(frozen=True)
class Answer:
    """What goes over the wire. `pause_s` is waited before every byte of the body, `hang` before the first one;
    `endless` bodies come in chunks, over and over; of `broken` ones the end is missing.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    hang: bool = False
    endless: bool = False
    broken: bool = False


Script = Answer | Callable[[Request], Answer]


def says(content: Any, usage: Any = _USAGE, **message: Any) -> Answer:
    """A completion with that content; `usage=None` leaves the usage out."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content, **message},
    }
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}
    return raw(body if usage is None else {**body, "usage": usage})


def raw(body: Any, code: int = 200, **headers: str) -> Answer:
    """Any body, as JSON unless it is bytes; `retry_after="7"` becomes the header Retry-After."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(code, content, {name.replace("_", "-"): value for name, value in headers.items()})


def reflection(usage: Any = _USAGE, **fields: Any) -> Answer:
    """A well-formed reflection."""
    return says(json.dumps({**WORDS, **fields}), usage)


def fenced(**fields: Any) -> Answer:
    """A reflection in a code fence with chatter around it."""
    return says("Here is the reflection:\n\n```json\n" + json.dumps({**WORDS, **fields}, indent=2) + "\n```\nDone.")


def status(code: int, message: str = "scripted error", error_code: str | None = None, **headers: str) -> Answer:
    return raw({"error": {"message": message, "type": "scripted", "code": error_code}}, code, **headers)


def hang() -> Answer:
    """No answer until the test ends."""
    return Answer(hang=True)


def drip(answer: Answer, pause_s: float = 0.05) -> Answer:
    """The same answer, byte by byte: no single wait for the socket is long."""
    return Answer(answer.status, answer.body, answer.headers, pause_s)


def endless(chunk: bytes, code: int = 200, **headers: str) -> Answer:
    """A body that begins with what a client can make of the chunk and does not end until the client does."""
    return Answer(code, chunk, headers, endless=True)


def broken(answer: Answer) -> Answer:
    """The same answer without its end: the connection is closed before."""
    return Answer(answer.status, answer.body, answer.headers, broken=True)


def without_response_format(answer: Answer, code: int = 400) -> Script:
    """A server that refuses response_format with `code` and otherwise gives `answer`."""

    def script(request: Request) -> Answer:
        return answer if request.response_format is None else status(code, "unknown field response_format")

    return script


class LLMServer:
    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.sent = 0
        """Bytes of endless answers."""
        self._scripts: deque[Script] = deque()
        self._default: Script = reflection()
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"scripted": self}))
        self._http.daemon_threads = False  # server_close() waits for them, and release() ends them
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="scripted-llm")

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def enqueue(self, *answers: Script) -> None:
        with self._lock:
            self._scripts.extend(answers)

    def default(self, answer: Script) -> None:
        """What is answered when nothing is enqueued."""
        with self._lock:
            self._default = answer

    def answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            script = self._scripts.popleft() if self._scripts else self._default
        return script if isinstance(script, Answer) else script(request)

    def wait(self, seconds: float) -> bool:
        """Wait that long, or until the server ends; whether it ended."""
        return self._released.wait(seconds)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@contextmanager
def llm_server() -> Iterator[LLMServer]:
    server = LLMServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def closed_url() -> str:
    """A base_url at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    scripted: LLMServer
    timeout = HANG_S

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_GET(self) -> None:
        self._answer(None)

    def _answer(self, body: Any) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.scripted.answer(Request(self.path, headers, body))
        try:
            self._send(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # The client gave up, as it should where it is kept waiting.

    def _send(self, answer: Answer) -> None:
        if answer.hang and self.scripted.wait(HANG_S):
            return
        self.send_response(answer.status)
        told = str(len(answer.body) + answer.broken)
        length = {"Transfer-Encoding": "chunked"} if answer.endless else {"Content-Length": told}
        headers = {"Content-Type": "application/json", **length, **answer.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        while answer.endless and not self.scripted.wait(0):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(answer.body), answer.body))
            self.scripted.sent += len(answer.body)
        self.close_connection |= answer.broken
        if not answer.pause_s:
            self.wfile.write(answer.body)
            return
        for byte in answer.body:
            if self.scripted.wait(answer.pause_s):
                return
            self.wfile.write(bytes([byte]))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Tests read `requests`; stderr stays quiet."""
