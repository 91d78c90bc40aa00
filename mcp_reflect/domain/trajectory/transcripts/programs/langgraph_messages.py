"""Messages as LangChain and LangGraph print them: `=== Human Message ===`, `=== Ai Message ===`, and `Tool Calls:`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import add_tool_call
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_HEAD = re.compile(r"^={20,50} (?P<role>Human|Ai|AI|Tool|System|Function) Message ={20,50}\s{0,9}$")
_CALLS = re.compile(r"^Tool Calls:\s{0,9}$")
_CALL = re.compile(r"^  (?P<tool>[A-Za-z_][\w.:-]{0,120}) \([\w.:-]{0,120}\)\s{0,9}$")
_CALL_ID = re.compile(r"^ Call ID: ")
_ARGUMENTS = re.compile(r"^  Args:\s{0,9}$")
_ARGUMENT = re.compile(r"^    (?P<name>[A-Za-z_]\w{0,80}): ?(?P<value>.*)$")
_NAME = re.compile(r"\s{0,9}Name: [^\n]{1,200}\n")


def read_langgraph_messages(text: str) -> list[Message] | None:
    """Return the messages that LangChain prints; None for any other text."""
    found = CollectedMessages()
    for role, lines in _parts(text.split("\n")):
        body = "\n".join(lines)
        if role == "human":
            found.hear(body)
        elif role in {"tool", "function"}:
            name = _NAME.match(body)
            found.answer(body[name.end() :] if name else body)
        elif role == "ai":
            _add_agent(found, lines)
    return found.messages if found.calls else None


def _parts(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    role, held = "", list[str]()
    for line in lines:
        head = _HEAD.match(line)
        if head is None:
            held.append(line)
            continue
        if role:
            yield role, held
        role, held = head["role"].lower(), []
    if role:
        yield role, held


def _add_agent(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add the words of an agent, and the calls that are listed behind them."""
    begin = next((number for number, line in enumerate(lines) if _CALLS.match(line)), len(lines))
    found.say("\n".join(lines[:begin]))
    tool, given, name = "", dict[str, str](), ""
    for line in lines[begin + 1 :]:
        if call := _CALL.match(line):
            if tool:
                add_tool_call(found, tool, given)
            tool, given, name = call["tool"], {}, ""
        elif argument := _ARGUMENT.match(line):
            name = argument["name"]
            given[name] = argument["value"]
        elif name and not (_CALL_ID.match(line) or _ARGUMENTS.match(line)):
            given[name] += f"\n{line}"
    if tool:
        add_tool_call(found, tool, {each: value.rstrip("\n") for each, value in given.items()})


LANGGRAPH_MESSAGES = TranscriptFormat(
    re.compile(r"\A\s{0,99}={20,50} (?:Human|System) Message ={20,50}"), read_langgraph_messages
)
