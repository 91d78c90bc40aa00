"""Transcripts as mails: the user writes to the agent, the agent to tools (`To: (tool) files`), and they answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import SHELLS, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_FIELD = re.compile(
    r"(?:\*\*)?(?P<key>From|To|Cc|Date|Sent|Subject|Re|Message-ID|In-Reply-To):(?:\*\*)?[ \t]{1,9}(?P<value>\S.*)"
)
_TOOL = re.compile(
    r"(?:[(\[<](?:tool|service|function)[)\]>]|(?:tool|service|function)[:/ ])[ \t]{0,4}(?P<before>[\w./:-]{1,60})"
    r"|(?P<behind>[\w./:-]{1,60})[ \t]{0,4}[(\[<](?:tool|service|function)[)\]>]",
    re.IGNORECASE,
)
"""The address of a tool."""
_DIVIDER = re.compile(r"[-=*_]{2,80}[ \t]{0,9}")
_REPLY = re.compile(r"(?:re|aw|fwd?):[ \t]{0,4}", re.IGNORECASE)
_MOST_FIELDS = 8
_MOST_BEFORE = 10


class _Mail(NamedTuple):
    sender: str
    receiver: str
    subject: str
    body: str


def read_mails(text: str) -> list[Message] | None:
    """Return the messages of a transcript as mails; None for any other text, such as mails between people.

    The first mail is the user's, and whoever writes to tools is the agent. A mail begins behind a line that divides
    mails, where they are divided, and else behind a blank line.
    """
    lines = text.rstrip().split("\n")
    mails = list(_mails(lines))
    agents = {_address(mail.sender) for mail in mails if _tool_of(mail.receiver) and not _tool_of(mail.sender)}
    if not mails or len(agents) != 1 or _tool_of(mails[0].sender) or _address(mails[0].sender) in agents:
        return None
    found = CollectedMessages()
    people = {_address(mails[0].sender)}
    has_output = False
    for mail in mails:
        sender, tool = _address(mail.sender), _tool_of(mail.receiver)
        if _tool_of(mail.sender):
            has_output = has_output or found.calls > 0
            found.answer(textwrap.dedent(mail.body))
        elif sender in agents and tool:
            _add_request(found, tool, mail)
        elif sender in agents:
            found.say(mail.body)
        elif not found.calls or sender in people:
            people.add(sender)
            found.hear(mail.body)
        else:
            found.answer(mail.body)
    return found.messages if found.calls and has_output else None


def _add_request(found: CollectedMessages, tool: str, mail: _Mail) -> None:
    body = textwrap.dedent(mail.body).strip()
    if tool.lower() in SHELLS:
        found.run(body or mail.subject)
    elif is_tool_name(tool):
        found.call(tool, {"subject": mail.subject, **({"input": body} if body else {})})


def _tool_of(address: str) -> str:
    told = _TOOL.fullmatch(address.strip())
    return (told["before"] or told["behind"]) if told else ""


def _address(name: str) -> str:
    """The name of a person, without the address in angled brackets."""
    return name.partition("<")[0].strip().lower() or name.lower()


def _mails(lines: Sequence[str]) -> Iterator[_Mail]:
    heads = [(n, head) for n in range(len(lines)) if lines[n][:1] in {"F", "*"} and (head := _head(lines, n))]
    if not heads or heads[0][0] > _MOST_BEFORE:
        return
    is_divided = len(heads) > 1 and _is_divider(lines, heads[1][0] - 1)
    starts = [(n, head) for i, (n, head) in enumerate(heads) if i == 0 or _may_begin(lines, n, is_divided=is_divided)]
    for (begin, head), end in zip(starts, [*(n for n, _ in starts[1:]), len(lines)], strict=True):
        body = list(lines[begin + len(head) : end])
        while body and (not body[-1].strip() or _DIVIDER.fullmatch(body[-1])):
            body.pop()
        fields = dict(reversed(head))
        subject = _REPLY.sub("", fields.get("subject", ""))
        yield _Mail(fields["from"], fields.get("to", ""), subject, "\n".join(body).strip("\n"))


def _head(lines: Sequence[str], begin: int) -> list[tuple[str, str]]:
    """The fields of the mail that begins in a line, its sender and receiver first; empty where none does."""
    found: list[tuple[str, str]] = []
    for line in lines[begin : begin + _MOST_FIELDS]:
        field = _FIELD.fullmatch(line)
        if field is None:
            break
        found.append((field["key"].lower(), field["value"].strip()))
    keys = [key for key, _ in found]
    return found if keys[:1] == ["from"] and "to" in keys else []


def _is_divider(lines: Sequence[str], number: int) -> bool:
    while number > 0 and not lines[number].strip():
        number -= 1
    return number >= 0 and _DIVIDER.fullmatch(lines[number]) is not None


def _may_begin(lines: Sequence[str], number: int, *, is_divided: bool) -> bool:
    return _is_divider(lines, number - 1) if is_divided else not lines[number - 1].strip()


MAILS = TranscriptFormat(re.compile(r"^(?:\*\*)?From:", re.MULTILINE), read_mails)
