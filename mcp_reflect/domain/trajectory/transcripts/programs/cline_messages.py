"""The message history of Cline and of Roo Code: the agent's text ends in a call, and the user's message is its result.

`<execute_command>…</execute_command>` is answered by `[execute_command for 'make'] Result:` and what came of it, in one
text or in two blocks. The roles of the messages are sure; what a result shows may imitate anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import OPERATOR_ROLES, Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.programs.cline_calls import (
    SPOKEN_TOOLS,
    add_closing_call,
    without_thoughts,
)
from mcp_reflect.domain.trajectory.transcripts.programs.cline_results import (
    DETAILS,
    failure_of,
    output_of,
    split_result,
)

_HEAD = re.compile(r"\s{0,9}\[(?P<tool>[a-z]\w{2,60})(?=[ \]])")
_MARK = "] Result:"
_HEAD_AND_RESULT = 2
_FURTHER_HEAD = re.compile(r"^\[[a-z]\w{2,60}(?:\]| [^\n]{0,2000}\]) Result:", re.MULTILINE)
_WITH_APPROVAL = re.compile(r"\s{0,9}The user provided the following feedback:\s{0,9}<(?P<name>feedback)>")
"""What the user said when they allowed a call, which the client puts before the result."""
_IN_ELEMENT = re.compile(
    r"\s{0,9}(?:(?:The user|You seem|New (?:instructions|message))\b[^<\n]{0,400}\n\s{0,9})?"
    r"<(?P<name>task|feedback|answer|user_message)>"
)
_BY_CLIENT = re.compile(
    r"\s{0,9}\[(?:ERROR\] You did not use a tool|TASK RESUMPTION\] This task was|NOTE\] Some previous conversation)"
)
"""Messages of the user that the client has written; their own may begin with `[ERROR]`, too."""
_RESUMED = re.compile(r"^New (?:instructions|message)\b[^<\n]{0,400}\n<user_message>", re.MULTILINE)
"""The user's words behind what the client says of a run that goes on."""
_SHOWN = re.compile(rf"\n\n<(?:file|folder|url)_content |^{DETAILS[0]}", re.MULTILINE)
"""Where the client shows, behind the user's words, what they mention."""
_SILENT = frozenset({"image", "image_url", "document", "thinking", "redacted_thinking", "reasoning"})
"""Kinds of blocks that hold no text of the agent or of the user."""


def read_cline_messages(messages: Sequence[Message]) -> list[Message] | None:
    """Return the messages of a history of Cline with its calls and results; None for any other messages.

    It is one where an agent's message ends in a call as elements, and the next one names that call's result.
    """
    found, begin = CollectedMessages(), 0
    while begin < len(messages) and str(messages[begin].get("role")) in OPERATOR_ROLES:
        begin += 1
    said, results = "", 0
    has_details = _tells_details(messages[begin:])
    for message in messages[begin:]:
        parts, role = _texts_of(message.get("content")), str(message.get("role"))
        if parts is None or role not in {"user", "assistant"}:
            return None
        parts = _without_details(parts, has_details=has_details) if role == "user" else parts
        if role == "user" and _add_result(found, said, parts):
            said, results = "", results + 1
            continue
        _say(found, said)
        said = "\n".join(parts) if role == "assistant" else ""
        if role == "user":
            _hear(found, "\n".join(parts))
    _say(found, said)
    return [*messages[:begin], *found.messages] if results else None


def _texts_of(content: Any) -> list[str] | None:
    """The texts in the content of a message; None where it holds other things, such as calls."""
    texts: list[str] = []
    for block in content if isinstance(content, list) else [content]:
        kind = block.get("type") if isinstance(block, dict) else "text"
        text = block.get("text") if isinstance(block, dict) else block
        if kind == "text" and isinstance(text, str):
            texts.append(text)
        elif kind not in _SILENT:
            return None
    return texts


def _tells_details(messages: Sequence[Message]) -> bool:
    """Whether the client puts its surroundings behind the first words of the user, and so behind each result."""
    first = next((message for message in messages if message.get("role") == "user"), {})
    texts = _texts_of(first.get("content")) or [""]
    return texts[-1].rstrip().endswith(DETAILS[1])


def _without_details(parts: list[str], *, has_details: bool) -> list[str]:
    """The texts of a message without what the client adds of its surroundings.

    A file that looks like that is a result: nothing that the agent read may be hidden.
    """
    is_result = len(parts) == _HEAD_AND_RESULT and parts[0].rstrip().endswith(_MARK)
    if len(parts) > 1 and not is_result and parts[-1].lstrip().startswith(DETAILS[0]):
        return parts[:-1]
    body = parts[0].rstrip() if len(parts) == 1 and has_details else ""
    begin = body.rfind(f"\n{DETAILS[0]}") if body.endswith(DETAILS[1]) else -1
    return [body[:begin].rstrip()] if begin >= 0 else parts


def _add_result(found: CollectedMessages, said: str, parts: list[str]) -> bool:
    """Add an agent's message that ends in a call, and the result of that; return false where the parts are no such."""
    words, parts = _split_approval(parts)
    head = _HEAD.match(parts[0]) if parts else None
    calls = found.calls
    if head is None or _MARK not in parts[0] or not add_closing_call(found, said, head["tool"]):
        return False
    tool = head["tool"]
    result, is_sure = _result_in(parts, said)
    told, reply, shown = split_result(tool, result) if is_sure else (result, "", "")
    if found.calls > calls:
        output = f"{told}\n{shown}" if shown else told
        found.answer(output_of(tool, output), failure_of(tool, result))
    else:
        found.observe(shown if reply else told)
    found.hear(words, is_sure=True)
    found.hear(reply, is_sure=True)
    return True


def _split_approval(parts: list[str]) -> tuple[str, list[str]]:
    """What the user said when they allowed a call, and the parts without it."""
    allowed = _WITH_APPROVAL.match(parts[0]) if parts else None
    if allowed is None:
        return "", parts
    words, _, behind = parts[0][allowed.end() :].partition("</feedback>")
    return words.strip(), [*filter(str.strip, [behind]), *parts[1:]]


def _result_in(parts: list[str], said: str) -> tuple[str, bool]:
    """The result below its head, and whether it is sure where the head ends.

    The head quotes the call, which may hold the mark at its end.
    """
    if len(parts) > 1 and _is_head(parts[0].strip(), said):
        return "\n".join(parts[1:]), True
    return "\n".join((parts[0].partition(_MARK)[2], *parts[1:])).strip("\n"), _MARK not in said


def _is_head(part: str, said: str) -> bool:
    """Whether a block is the head of a result, not one with an output in it that ends as a head does."""
    if part.count(_MARK) == 1 or not part.endswith(f"'{_MARK}"):
        return part.endswith(_MARK) and part.count(_MARK) == 1
    quoted = part.partition("'")[2].removesuffix(f"'{_MARK}")
    return bool(quoted) and quoted in said


def _say(found: CollectedMessages, said: str) -> None:
    """Add an agent's message without a result: its words, also those of a call by which it speaks to the user."""
    if said and not any(add_closing_call(found, said, tool) for tool in SPOKEN_TOOLS):
        found.say(without_thoughts(said))


def _hear(found: CollectedMessages, text: str) -> None:
    """Add a message of the user that is no result; what it mentions and the client shows is only observed."""
    if resumed := _RESUMED.search(text) if _BY_CLIENT.match(text) else None:
        text = text[resumed.start() :]
    if _BY_CLIENT.match(text):
        return
    if _HEAD.match(text) and _MARK in text:
        found.observe(text)
    elif element := _IN_ELEMENT.match(text):
        words, _, behind = text[element.end() :].partition(f"</{element['name']}>")
        found.hear(words, is_sure=True)
        found.observe(behind)
    else:
        ends = [each.start() for mark in (_SHOWN, _FURTHER_HEAD) if (each := mark.search(text))]
        end = min(ends, default=len(text))
        found.hear(text[:end], is_sure=True)
        found.observe(text[end:])
