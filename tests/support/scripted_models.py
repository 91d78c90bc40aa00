"""Models that answer as they are told, behind the interfaces that Codex and Gemini CLI talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.support.http_service import Reply, http_service


class Step(NamedTuple):
    """One answer: a text, a command, or a call of a tool of ours."""

    text: str = ""
    command: str = ""
    tool: str = ""
    arguments: dict[str, Any] = {}


Scripted = Step | Callable[[str], Step]
"""A step, or what makes it of the request's text."""


class ScriptedModel:
    """`script` is one step per request of the main loop, in order; `asked` is what was sent."""

    def __init__(self, script: Sequence[Scripted]) -> None:
        self.script = list(script)
        self.asked: list[str] = []
        self.base_url = ""
        self._lock = threading.Lock()

    def next_step(self, body: dict[str, Any]) -> Step:
        with self._lock:
            text = json.dumps(body)
            self.asked.append(text)
            # What comes without a shell is some title or summary, not the agent's work.
            if not self.script or not any(shell in text for shell in ('"exec_command"', '"run_shell_command"')):
                return Step("Done.")
            step = self.script.pop(0)
            return step if isinstance(step, Step) else step(text)


def responses_answer(step: Step, number: int) -> bytes:
    """A stream of OpenAI's Responses, as Codex asks for it."""
    item: dict[str, Any] = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
    if step.command:
        item |= {"name": "exec_command", "arguments": json.dumps({"cmd": step.command})}
    elif step.tool:
        item |= {"name": step.tool, "namespace": "mcp__reflect", "arguments": json.dumps(step.arguments)}
    else:
        content = [{"type": "output_text", "text": step.text}]
        item = {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": None, "output_tokens_details": None}  # type: ignore[dict-item]
    events = [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "usage": usage}},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def gemini_answer(step: Step, _: int) -> bytes:
    """A stream of the Gemini API with one answer in it."""
    part: dict[str, Any] = {"text": step.text}
    if step.command:
        part = {"functionCall": {"name": "run_shell_command", "args": {"command": step.command}}}
    elif step.tool:
        part = {"functionCall": {"name": f"mcp_reflect_{step.tool}", "args": step.arguments}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return f"data: {json.dumps({'candidates': [candidate], 'modelVersion': 'gemini-2.5-pro'})}\r\n\r\n".encode()


@contextmanager
def scripted_model(script: Sequence[Scripted], answer: Callable[[Step, int], bytes]) -> Iterator[ScriptedModel]:
    """Serve a script on a port of this machine."""
    model = ScriptedModel(script)

    def reply(method: str, path: str, body: dict[str, Any]) -> Reply:
        if method != "POST":
            return Reply("application/json", b'{"models": [], "data": []}')
        if "countTokens" in path:
            return Reply("application/json", b'{"totalTokens": 1}')
        data = answer(model.next_step(body), len(model.asked))
        if "generateContent" in path:  # not as a stream
            return Reply("application/json", data.removeprefix(b"data: "))
        return Reply("text/event-stream", data)

    with http_service(reply) as model.base_url:
        yield model
