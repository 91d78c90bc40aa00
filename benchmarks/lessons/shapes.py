"""The messages in which several clients keep a step: names of tools, arguments, and how an exit code is told."""

from __future__ import annotations

import difflib
import json
from typing import Any

from benchmarks.lessons.scenario import Client, Edit, Hear, Run, Say, Write

FOLDER = "/home/dev/project"

Message = dict[str, Any]


def messages_of(
    client: Client, step: Run | Edit | Write | Say | Hear, call: str, output: str, code: int
) -> list[Message]:
    """Return the messages of a step that printed `output` and ended with `code`; `call` is the id of its call."""
    if isinstance(step, Hear):
        return [{"role": "user", "content": step.text}]
    if isinstance(step, Say):
        return [_said(client, step.text)]
    if client in {"codex", "codex-exec"}:
        return _codex(client, step, call, output, code)
    if client == "gemini":
        return _chat(call, *_gemini(step), _gemini_output(step, output, code))
    if client == "openhands":
        return _chat(call, *_openhands(step), _openhands_output(step, output, code))
    return _claude(call, *_claude_call(step), output, code)


def log_of(step: Run | Edit | Write | Say | Hear, output: str) -> str:
    """Return a step as the lines of a log, which tells of commands and words alone."""
    if isinstance(step, Run):
        return f"$ {step.command}\n{output.rstrip()}"
    return step.text if isinstance(step, Say | Hear) else ""


def _said(client: Client, text: str) -> Message:
    if client in {"codex", "codex-exec"}:
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    if client == "claude-code":
        return {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"role": "assistant", "content": text}


def _claude_call(step: Run | Edit | Write) -> tuple[str, Message]:
    if isinstance(step, Run):
        command = f"cd {step.folder} && {step.command}" if step.folder else step.command
        return "Bash", {"command": command}
    path = {"file_path": f"{FOLDER}/{step.path}"}
    if isinstance(step, Write):
        return "Write", path | {"content": step.content}
    return "Edit", path | {"old_string": step.old, "new_string": step.new}


def _claude(call: str, tool: str, given: Message, output: str, code: int) -> list[Message]:
    text = f"Exit code {code}\n{output}" if code else output
    result = {
        "type": "tool_result",
        "tool_use_id": call,
        "content": text.rstrip() or "(no output)",
        "is_error": code != 0,
    }
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": tool, "input": given}]},
        {"role": "user", "content": [result]},
    ]


def _codex(client: Client, step: Run | Edit | Write, call: str, output: str, code: int) -> list[Message]:
    """Codex: `shell` with a list of words and a patch as a command, or `exec_command` and a tool for patches."""
    folder = f"{FOLDER}/{step.folder}".rstrip("/") if isinstance(step, Run) else FOLDER
    if client == "codex":
        words = ["bash", "-lc", step.command] if isinstance(step, Run) else ["apply_patch", _patch(step)]
        made = {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps({"command": words, "workdir": folder}),
        }
        told = json.dumps({"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.3}})
        kind = "function_call_output"
    elif isinstance(step, Run):
        given = json.dumps({"cmd": step.command, "workdir": folder})
        made = {"type": "function_call", "name": "exec_command", "arguments": given}
        told = f"Chunk ID: {call}\nWall time: 0.3 seconds\nProcess exited with code {code}\nOutput:\n{output}"
        kind = "function_call_output"
    else:
        made = {"type": "custom_tool_call", "name": "apply_patch", "input": _patch(step)}
        told, kind = f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{output}", "custom_tool_call_output"
    return [made | {"call_id": call}, {"type": kind, "call_id": call, "output": told}]


def _patch(step: Edit | Write) -> str:
    if isinstance(step, Write):
        lines = [f"*** Add File: {step.path}", *(f"+{line}" for line in step.content.splitlines())]
    else:
        changed = difflib.ndiff(step.old.splitlines(), step.new.splitlines())
        kept = [line[0] + line[2:] for line in changed if line[0] != "?"]
        lines = [f"*** Update File: {step.path}", "@@", *kept]
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def _chat(call: str, tool: str, given: Message, output: str) -> list[Message]:
    """Messages of chat completions, whose results have no flag for errors."""
    asked = {"id": call, "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call, "content": output},
    ]


def _gemini(step: Run | Edit | Write) -> tuple[str, Message]:
    if isinstance(step, Run):
        place = {"directory": step.folder} if step.folder else {}
        return "run_shell_command", {"command": step.command, "description": "Run a command in the project."} | place
    path = {"file_path": f"{FOLDER}/{step.path}"}
    if isinstance(step, Write):
        return "write_file", path | {"content": step.content}
    told = {"instruction": "Change this part of the file.", "old_string": step.old, "new_string": step.new}
    return "replace", path | told


def _gemini_output(step: Run | Edit | Write, output: str, code: int) -> str:
    if not isinstance(step, Run):
        return output
    return (
        f"Command: {step.command}\nDirectory: {step.folder or '(root)'}\nOutput: {output.rstrip() or '(empty)'}\n"
        f"Error: (none)\nExit Code: {code}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4711"
    )


def _openhands(step: Run | Edit | Write) -> tuple[str, Message]:
    if isinstance(step, Run):
        command = f"cd {step.folder} && {step.command}" if step.folder else step.command
        return "execute_bash", {"command": command, "is_input": "false"}
    path = f"{FOLDER}/{step.path}"
    if isinstance(step, Write):
        return "str_replace_editor", {"command": "create", "path": path, "file_text": step.content}
    given = {"command": "str_replace", "path": path, "old_str": step.old, "new_str": step.new}
    return "str_replace_editor", given


def _openhands_output(step: Run | Edit | Write, output: str, code: int) -> str:
    if not isinstance(step, Run):
        return output
    return (
        f"{output.rstrip()}\n[The command completed with exit code {code}.]\n[Current working directory: {FOLDER}]\n"
        f"[Python interpreter: /usr/bin/python]\n[Command finished with exit code {code}]"
    )
