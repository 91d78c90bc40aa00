"""Sessions of clients written as files, in the shapes that the real programs write (`tests/hooks/recorded`)."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Line = dict[str, Any]
_OLD_S = 3_600.0


class PastStep(NamedTuple):
    """A command with its output, the agent's words, or, where neither is given, a prompt of the user."""

    prompt: str = ""
    says: str = ""
    command: str = ""
    output: str = ""
    code: int = 0


def claude_lines(session: str, folder: str, steps: Sequence[PastStep]) -> list[Line]:
    """A session of Claude Code."""
    lines: list[Line] = []
    prompt_id = ""

    def add(kind: str, content: Any, **more: Any) -> None:
        message = {"role": kind, "content": content} | ({"model": "claude-opus-4-8"} if kind == "assistant" else {})
        head = {"type": kind, "message": message, "uuid": str(uuid.uuid4()), "isSidechain": False}
        lines.append(head | {"sessionId": session, "cwd": folder, "version": "2.1.330"} | more)

    for number, step in enumerate(steps):
        if step.prompt:
            prompt_id = f"{session}-{number}"
            add("user", step.prompt, promptId=prompt_id)
        elif step.command:
            use = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": step.command}}
            add("assistant", [use])
            text = f"Exit code {step.code}\n{step.output}" if step.code else step.output
            result = {"type": "tool_result", "tool_use_id": use["id"], "content": text, "is_error": bool(step.code)}
            add("user", [result], promptId=prompt_id)
        else:
            add("assistant", [{"type": "text", "text": step.says}])
    return lines


def codex_lines(session: str, folder: str, steps: Sequence[PastStep]) -> list[Line]:
    """A rollout of Codex."""
    lines: list[Line] = []

    def add(kind: str, **payload: Any) -> None:
        lines.append({"timestamp": "2026-11-01T00:00:00.000Z", "type": kind, "payload": payload})

    add("session_meta", id=session, cwd=folder, originator="codex_exec", cli_version="0.169.0", source="exec")
    add("turn_context", turn_id=session, cwd=folder, model="gpt-5")
    for number, step in enumerate(steps):
        if step.prompt:
            text = [{"type": "input_text", "text": step.prompt}]
            add("response_item", type="message", role="user", content=text)
        elif step.command:
            arguments = json.dumps({"cmd": step.command})
            add("response_item", type="function_call", name="exec_command", arguments=arguments, call_id=f"c{number}")
            head = f"Chunk ID: f8\nWall time: 0.3 seconds\nProcess exited with code {step.code}\nOutput:\n"
            add("response_item", type="function_call_output", call_id=f"c{number}", output=head + step.output)
        else:
            said = [{"type": "output_text", "text": step.says}]
            add("response_item", type="message", role="assistant", content=said)
    return lines


def gemini_lines(session: str, folder: str, steps: Sequence[PastStep]) -> list[Line]:
    """A chat of Gemini CLI, whose folder stands in a file beside it."""
    del folder
    lines: list[Line] = [{"sessionId": session, "projectHash": "5cb8", "kind": "main"}]
    for number, step in enumerate(steps):
        head = {"id": f"{session}-{number}", "timestamp": "2026-11-01T00:00:00.000Z"}
        if step.prompt:
            lines.append(head | {"type": "user", "content": [{"text": step.prompt}]})
            continue
        answer = head | {"type": "gemini", "content": step.says, "model": "gemini-2.5-pro"}
        if step.command:
            tail = f"\nExit Code: {step.code}" if step.code else ""
            output = f"<untrusted_context>\nOutput: {step.output}{tail}\nProcess Group PGID: 7\n</untrusted_context>"
            response = {"functionResponse": {"id": f"c{number}", "response": {"output": output}}}
            call = {"id": f"c{number}", "name": "run_shell_command", "args": {"command": step.command}}
            answer |= {"toolCalls": [call | {"result": [response], "status": "success"}]}
        lines.append(answer)
    return lines


RENDERED: Mapping[str, Callable[[str, str, Sequence[PastStep]], list[Line]]] = {
    "claude-code": claude_lines,
    "codex": codex_lines,
    "gemini": gemini_lines,
}


def write_session(user: Path, client: str, session: str, folder: Path, steps: Sequence[PastStep]) -> Path:
    """Write a session where its client keeps it, as one that ended an hour ago; `user` is the user's own folder."""
    places = {
        "claude-code": user / ".claude/projects" / str(folder).replace("/", "-") / f"{session}.jsonl",
        "codex": user / f".codex/sessions/2026/11/01/rollout-2026-11-01T00-00-00-{session}.jsonl",
        "gemini": user / f".gemini/tmp/{folder.name}/chats/session-2026-11-01T00-00-{session}.jsonl",
    }
    path = places[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    if client == "gemini":
        (path.parent.parent / ".project_root").write_text(str(folder), encoding="utf-8")
    lines = RENDERED[client](session, str(folder), steps)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    age(path)
    return path


def age(path: Path) -> None:
    """Make a file one that nobody has written to for an hour."""
    then = time.time() - _OLD_S
    os.utime(path, (then, then))
