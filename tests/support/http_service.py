"""HTTP services on a port of this machine, for clients that talk to an API, and a proxy that writes down requests."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """A body with its MIME type."""

    kind: str
    body: bytes
    status: int = 200


class Request(NamedTuple):
    """A request that passed a proxy."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@contextmanager
def http_service(answer: Callable[[str, str, dict[str, Any]], Reply]) -> Iterator[str]:
    """Yield the base URL of a service that runs in threads of this process.

    `answer` is called with the method, the path and the JSON object in the body.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            reply = answer(self.command, self.path, json.loads(body or b"{}"))
            self.send_response(reply.status)
            self.send_header("content-type", reply.kind)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_HEAD = do_GET = do_POST = _reply  # noqa: N815 - the names that the base class looks for

    with _served(Handler) as url:
        yield url


@contextmanager
def recording_proxy(target: str, passed: list[Request]) -> Iterator[str]:
    """Yield the base URL of a proxy in front of `target` that appends each request to `passed`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def _forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            passed.append(Request(self.command, self.path, headers, json.loads(body or b"{}")))
            request = urllib.request.Request(target + self.path, body or None, method=self.command)
            request.add_header("content-type", "application/json")
            try:
                with urllib.request.urlopen(request) as reply:
                    status, answer = reply.status, reply.read()
            except urllib.error.HTTPError as refused:
                status, answer = refused.code, refused.read()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PUT = do_DELETE = _forward  # noqa: N815 - the names that the base class looks for

    with _served(Handler) as url:
        yield url


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
