"""Output of commands without what clients write around it for the model: their lines say nothing of the run.

Imports only the standard library, because hooks import it.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_CODEX_HEAD = re.compile(
    r"(?:(?:Chunk ID|Wall time|Process exited with code|Exit code|Original token count|Total output lines)\b[^\n]*\n"
    r"|(?P<running>Process running with session[^\n]*\n))+(?:Output:(?:\n|\Z))"
)
_CODEX_CODE = re.compile(r"^(?:Process exited with code|Exit code:?) (-?\d{1,10})$", re.MULTILINE)

_GEMINI_CONTEXT = re.compile(r"<(hook_context)>.*?</\1>", re.DOTALL)
_GEMINI_FRAME = re.compile(r"\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*", re.DOTALL)
_GEMINI_HEAD = re.compile(r"(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?(?:Output|Stdout): ?")
_GEMINI_TAIL = re.compile(
    r"(?:(?:^|\n)(?:Stderr: \(empty\)|Error: \(none\)|Signal: (?:\(none\)|0)|Background PIDs: [^\n]*"
    r"|Process Group PGID: [^\n]*"
    r"|Exit Code: (?P<code>-?\d{1,10}|\(none\))))+\s*\Z"
)
_GEMINI_CODE = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)

_OPENHANDS_TAIL = re.compile(
    r"(?:^|\n)\[(?:The command (?:completed|finished) with exit code (?P<code>-?\d{1,10})\b"
    r"|Current working directory: |Python interpreter: |Command finished with exit code (?P<last>-?\d{1,10}))[^\n]*\]"
    r"(?:\n\[(?:Current working directory: |Python interpreter: |Command finished with exit code )[^\n]*\])*\s*\Z"
)
_TAGGED = re.compile(
    r"\s*<returncode>(?P<code>-?\d{1,10})</returncode>\s*<output>\n?(?P<output>.*?)\n?</output>\s*", re.DOTALL
)
_OUTPUTS = ("output", "stdout", "stderr", "out", "err")
_CODES = ("exit_code", "exitCode", "exitcode", "exit_status", "exit", "returncode", "return_code", "rc", "code")
_LONGEST_JSON = 2_000_000


class ToolText(NamedTuple):
    """The output of a tool; `exit_code` is None where the client told none."""

    text: str
    exit_code: int | None = None

    @property
    def told(self) -> str:
        """The text with the exit code before it where it is that of a failure."""
        return f"Exit code: {self.exit_code}\n{self.text}" if self.exit_code else self.text


def unwrap(text: str) -> ToolText:
    """Take off what any of the known clients writes around a command's output; other text is returned as it is."""
    start = text[:40].lstrip()
    if start.startswith("{"):
        return _unwrap_json(text)
    if start.startswith("<returncode>") and (tagged := _TAGGED.fullmatch(text)):
        return ToolText(tagged["output"], int(tagged["code"]))
    if start.startswith(("Chunk ID", "Wall time", "Process ", "Exit code", "Original token", "Total output")):
        return unwrap_codex(text)
    if start.startswith(("Command: ", "Output: ", "Stdout: ")) and _GEMINI_TAIL.search(text):
        return unwrap_gemini(text)
    tail = _OPENHANDS_TAIL.search(text[-2_000:])
    if tail is None:
        return ToolText(text)
    code = tail["code"] or tail["last"]
    return ToolText(text[: len(text) - len(tail[0])], int(code) if code else None)


def _unwrap_json(text: str) -> ToolText:
    """Take the output and the exit code out of an object that has both, the code also in its `metadata`."""
    try:
        told = json.loads(text) if len(text) <= _LONGEST_JSON else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return ToolText(text)
    metadata = told.get("metadata")
    places = (told, metadata if isinstance(metadata, dict) else {})
    code = next((place[name] for place in places for name in _CODES if isinstance(place.get(name), int)), None)
    outputs = [told[name] for name in _OUTPUTS if isinstance(told.get(name), str)]
    if code is None or not outputs:
        return ToolText(text)
    return ToolText("\n".join(filter(None, outputs)), int(code))


def unwrap_codex(text: str) -> ToolText:
    """Take off the head of an output in a rollout: chunk id, wall time, exit code, number of tokens."""
    head = _CODEX_HEAD.match(text)
    if head is None:
        return ToolText(text)
    code = _CODEX_CODE.search(head[0])
    return ToolText((head["running"] or "") + text[head.end() :], int(code[1]) if code else None)


def unwrap_gemini(text: str) -> ToolText:
    """Take off the frame of an output of Gemini CLI, what hooks added to it, and the lines on processes.

    It names an exit code only where that is not 0.
    """
    text = _GEMINI_CONTEXT.sub("", text)
    framed = _GEMINI_FRAME.fullmatch(text)
    if framed is not None:
        text = framed[1]
    head = _GEMINI_HEAD.match(text)
    if head is None:
        return ToolText(text.strip() if framed else text)
    text = text[head.end() :]
    tail = _GEMINI_TAIL.search(text)
    code = _GEMINI_CODE.search(tail[0]) if tail else None
    text = text[: tail.start()] if tail else text
    return ToolText("" if text.strip() == "(empty)" else text, int(code[1]) if code else 0)
