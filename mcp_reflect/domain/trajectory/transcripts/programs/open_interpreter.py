"""Sessions of Open Interpreter: code, `Would you like to run this code? (y/n)`, the answer, and what the code printed.

All of it is set in alike. Between an answer and the next question stand the output, the agent's words and the code, in
paragraphs: the code is the last one, the words are the sentences before it, and the rest is the output.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.command_text import is_sentence
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.code_calls import add_code
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_ASKS = re.compile(r"^\s{0,8}Would you like to run this code\? \(y/n\)\s{0,9}$")
_ANSWER = re.compile(r"^\s{0,8}(?P<said>y|n|yes|no)\s{0,9}$", re.IGNORECASE)
_USER = re.compile(r"^> (?P<words>\S.*)$")
_PYTHON = re.compile(
    r"^\s{0,8}(?:import \w|from \w[\w.]{0,60} import |print\(|with open\(|\w+ = |def \w+\()", re.MULTILINE
)
_SHELL_WORDS = re.compile(r"[|;&]|\$\(|<<|^\s{0,8}\S+ -{1,2}\w", re.MULTILINE)


def read_open_interpreter(text: str) -> list[Message] | None:
    """Return the messages of a session of Open Interpreter; None for any other text."""
    lines = text.split("\n")
    asked = [number for number, line in enumerate(lines) if _ASKS.match(line)]
    begin = next((number for number, line in enumerate(lines) if _USER.match(line)), len(lines))
    if not asked or begin > asked[0]:
        return None
    found = CollectedMessages()
    is_run, place = False, begin
    for question in asked:
        answer = next((n for n in range(question + 1, min(question + 4, len(lines))) if lines[n].strip()), question)
        said = _ANSWER.match(lines[answer])
        paragraphs = _paragraphs(lines[place:question])
        _add_told(found, paragraphs[:-1], is_output=is_run)
        is_run = said is not None and said["said"].lower().startswith("y")
        if is_run and paragraphs:
            _add_cell(found, paragraphs[-1])
        place = answer + 1 if said else question + 1
    _add_told(found, _paragraphs(lines[place:]), is_output=is_run)
    return found.messages if found.calls else None


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """The paragraphs of some lines; a here-document goes on to its end."""
    found: list[str] = []
    held: list[str] = []
    end = ""
    for line in lines:
        opens = re.search(r"<<-?\s?['\"]?(?P<mark>\w{1,20})['\"]?", line) if not end else None
        end = opens["mark"] if opens else "" if line.strip() == end else end
        if line.strip() or end:
            held.append(line)
        elif held:
            found.append(textwrap.dedent("\n".join(held)))
            held = []
    return [*found, textwrap.dedent("\n".join(held))] if held else found


def _add_told(found: CollectedMessages, paragraphs: Sequence[str], *, is_output: bool) -> None:
    """Add what stands between an answer and the next code: an output, and the words behind it."""
    end = len(paragraphs)
    while end and _is_said(paragraphs[end - 1]):
        end -= 1
    if is_output:
        found.answer("\n\n".join(paragraphs[:end]))
    for paragraph in paragraphs[end if is_output else 0 :]:
        if user := _USER.match(paragraph):
            found.hear("\n".join((user["words"], *paragraph.split("\n")[1:])))
        else:
            found.say(paragraph)


def _is_said(paragraph: str) -> bool:
    return _USER.match(paragraph) is not None or is_sentence(paragraph.split("\n", maxsplit=1)[0])


def _add_cell(found: CollectedMessages, code: str) -> None:
    if _PYTHON.search(code) and not _SHELL_WORDS.search(code):
        add_code(found, code)
    else:
        found.run(code)


OPEN_INTERPRETER = TranscriptFormat(
    re.compile(r"^\s{0,8}Would you like to run this code\?", re.MULTILINE), read_open_interpreter
)
