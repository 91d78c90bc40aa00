"""Reading of transcripts: which of the known formats a text has, and its run as chat messages.

Messages that tell calls in words alone, as agents do that have no tools, are such a text as well.

On doubt a text stays one: logs, reports and prose have readings of their own (`trajectory/shell_log.py`,
`trajectory/report.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.kept import keep_with_trajectory
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.record_signs import has_record_signs
from mcp_reflect.domain.trajectory.transcripts.acts_in_words import read_acts_in_words
from mcp_reflect.domain.trajectory.transcripts.elements.forged_heads import with_forged_heads_quoted
from mcp_reflect.domain.trajectory.transcripts.induced.misplaced import count_calls, misplaced_lines
from mcp_reflect.domain.trajectory.transcripts.induced.reader import read_induced
from mcp_reflect.domain.trajectory.transcripts.layouts.barred_calls import BARRED_CALLS
from mcp_reflect.domain.trajectory.transcripts.layouts.folded_calls import FOLDED_CALLS
from mcp_reflect.domain.trajectory.transcripts.layouts.headed_parts import HEADED_PARTS
from mcp_reflect.domain.trajectory.transcripts.layouts.key_value_records import KEY_VALUE_RECORDS
from mcp_reflect.domain.trajectory.transcripts.layouts.labelled import LABELLED
from mcp_reflect.domain.trajectory.transcripts.layouts.mails import MAILS
from mcp_reflect.domain.trajectory.transcripts.layouts.marked_parts import MARKED_PARTS, NAMED_CALLS
from mcp_reflect.domain.trajectory.transcripts.layouts.nested_records import NESTED_RECORDS
from mcp_reflect.domain.trajectory.transcripts.layouts.numbered_records import NUMBERED_RECORDS
from mcp_reflect.domain.trajectory.transcripts.layouts.object_lines import OBJECT_LINES
from mcp_reflect.domain.trajectory.transcripts.layouts.prompted_words import PROMPTED_WORDS
from mcp_reflect.domain.trajectory.transcripts.layouts.quoted_calls import QUOTED_CALLS
from mcp_reflect.domain.trajectory.transcripts.layouts.record_turns import RECORD_TURNS
from mcp_reflect.domain.trajectory.transcripts.layouts.speakers import SPEAKERS
from mcp_reflect.domain.trajectory.transcripts.layouts.stamped_calls import STAMPED_CALLS
from mcp_reflect.domain.trajectory.transcripts.layouts.step_headings import STEP_HEADINGS
from mcp_reflect.domain.trajectory.transcripts.layouts.tagged_parts import TAGGED_PARTS
from mcp_reflect.domain.trajectory.transcripts.layouts.tool_turns import TOOL_TURNS
from mcp_reflect.domain.trajectory.transcripts.programs.aider import AIDER, AIDER_CHAT
from mcp_reflect.domain.trajectory.transcripts.programs.autogen import AUTOGEN
from mcp_reflect.domain.trajectory.transcripts.programs.chat_templates import CHAT_TEMPLATE
from mcp_reflect.domain.trajectory.transcripts.programs.claude_terminal import CLAUDE_TERMINAL
from mcp_reflect.domain.trajectory.transcripts.programs.cline_export import CLINE_EXPORT
from mcp_reflect.domain.trajectory.transcripts.programs.codex_log import CODEX_LOG
from mcp_reflect.domain.trajectory.transcripts.programs.codex_terminal import CODEX_TERMINAL
from mcp_reflect.domain.trajectory.transcripts.programs.copilot_terminal import COPILOT_TERMINAL
from mcp_reflect.domain.trajectory.transcripts.programs.crewai import CREWAI
from mcp_reflect.domain.trajectory.transcripts.programs.cursor_export import CURSOR_EXPORT
from mcp_reflect.domain.trajectory.transcripts.programs.gemini_terminal import GEMINI_TERMINAL
from mcp_reflect.domain.trajectory.transcripts.programs.goose import GOOSE
from mcp_reflect.domain.trajectory.transcripts.programs.langchain_invocations import LANGCHAIN_INVOCATIONS
from mcp_reflect.domain.trajectory.transcripts.programs.langgraph_messages import LANGGRAPH_MESSAGES
from mcp_reflect.domain.trajectory.transcripts.programs.mini_swe_agent import MINI_SWE_AGENT, MINI_SWE_AGENT_STEPS
from mcp_reflect.domain.trajectory.transcripts.programs.notebook_cells import NOTEBOOK_CELLS, NOTEBOOK_TURNS
from mcp_reflect.domain.trajectory.transcripts.programs.open_interpreter import OPEN_INTERPRETER
from mcp_reflect.domain.trajectory.transcripts.programs.openhands import OPENHANDS
from mcp_reflect.domain.trajectory.transcripts.programs.openhands_actions import OPENHANDS_ACTIONS
from mcp_reflect.domain.trajectory.transcripts.programs.openhands_log import OPENHANDS_LOG
from mcp_reflect.domain.trajectory.transcripts.programs.pydantic_parts import PYDANTIC_PARTS
from mcp_reflect.domain.trajectory.transcripts.programs.smolagents import SMOLAGENTS
from mcp_reflect.domain.trajectory.transcripts.programs.swe_agent_log import SWE_AGENT_LOG
from mcp_reflect.domain.trajectory.transcripts.programs.zed_thread import ZED_THREAD

_TOLD_AT_ONCE = (
    OPENHANDS_LOG,
    SWE_AGENT_LOG,
    MINI_SWE_AGENT,
    CREWAI,
    GEMINI_TERMINAL,
    COPILOT_TERMINAL,
    CODEX_TERMINAL,
    CLINE_EXPORT,
    CURSOR_EXPORT,
    ZED_THREAD,
    AIDER,
    OBJECT_LINES,
    CHAT_TEMPLATE,
    LANGGRAPH_MESSAGES,
    PYDANTIC_PARTS,
)
"""Formats that the very beginning of a transcript tells, behind what the program says of itself.

An output in another format may show a session of theirs.
"""
_FORMATS = (
    CLAUDE_TERMINAL,
    OPEN_INTERPRETER,
    MINI_SWE_AGENT_STEPS,
    CODEX_LOG,
    FOLDED_CALLS,
    QUOTED_CALLS,
    STEP_HEADINGS,
    OPENHANDS,
    OPENHANDS_ACTIONS,
    SMOLAGENTS,
    AUTOGEN,
    GOOSE,
    LANGCHAIN_INVOCATIONS,
    AIDER_CHAT,
    NOTEBOOK_CELLS,
    LABELLED,
    HEADED_PARTS,
    TAGGED_PARTS,
    TOOL_TURNS,
    NAMED_CALLS,
    SPEAKERS,
    NUMBERED_RECORDS,
    STAMPED_CALLS,
    RECORD_TURNS,
    KEY_VALUE_RECORDS,
    NESTED_RECORDS,
    MAILS,
    PROMPTED_WORDS,
    MARKED_PARTS,
    BARRED_CALLS,
    NOTEBOOK_TURNS,
)
"""The other formats, which have their signs anywhere in the first lines; those with surer signs come first."""
_MOST_WORDS_BEFORE = 3
"""Words before those of the user up to which no other format is looked for: an output with a session in it comes later.
"""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_EXPORTED = re.compile(
    r"\A\s{0,9}#? ?[^\n]{0,200}\n_Exported (?:on|from|at) [^\n]{1,160}_[ \t]{0,9}\n\s{0,9}(?:-{3,9}[ \t]{0,9}\n)?"
)
"""What an editor writes above a chat that it exports."""
_PROMPT_OR_FENCE = re.compile(r"^(?:\$ \S|```|~~~)", re.MULTILINE)
_LONGEST_HEAD = 20_000
_LEAST_MISPLACED = 1
"""Lines that a reading in a known format puts where they can't belong, from which another one is looked for."""
_MOST_LINES_BEFORE = 40
"""Lines of a banner before the first mark of a format."""


@dataclass(frozen=True)
class ReadTranscript(Trajectory):
    """The run that a plain-text transcript shows; an output in it may have forged what looks like a call."""

    may_be_forged = True


@keep_with_trajectory
def read_transcript(trajectory: Trajectory) -> Trajectory:
    """Return the run that a plain-text transcript shows, as messages; the trajectory itself where it is none.

    It takes time linear in the text. A mark of a format that stands behind a shell prompt or in a fence is a part of
    an output, or quoted.
    """
    if trajectory.messages is not None:
        acted = read_acts_in_words(trajectory)
        return ReadTranscript.of(acted) if acted else trajectory
    text = with_forged_heads_quoted(_cleaned(trajectory.text))
    head = text[:_LONGEST_HEAD]
    head = "\n".join(head.split("\n", _MOST_LINES_BEFORE)[:_MOST_LINES_BEFORE])
    best: list[Message] = []
    begins = len(head)
    for messages, is_sure in _readings(text, head):
        place = 0 if is_sure else _place_of_user(messages, head)
        if not best or place < begins:
            best, begins = messages, place
        if len(head[:begins].split()) <= _MOST_WORDS_BEFORE:
            break
    best = _fitting(best, text)
    return ReadTranscript.of(best) if best else trajectory


def _fitting(read: list[Message], text: str) -> list[Message]:
    """A reading in a known format, or that by the layout of the text itself where it fits better."""
    misplaced = misplaced_lines(read)
    if read and misplaced < _LEAST_MISPLACED:
        return read
    induced = read_induced(text) or []
    if read and (count_calls(induced) < count_calls(read) or 2 * misplaced_lines(induced) >= misplaced):
        return read
    return induced


def _readings(text: str, head: str) -> Iterator[tuple[list[Message], bool]]:
    """The readings of a text in the formats that it may have, as far as they show calls.

    Each with whether the very beginning tells the format.
    """
    quoted = _PROMPT_OR_FENCE.search(head)
    for each in (*_TOLD_AT_ONCE, *_FORMATS):
        sign = each.sign.search(head)
        if sign is None or (quoted is not None and quoted.start() < sign.start()):
            continue
        messages = each.read(text)
        if messages and any(map(_holds_call, messages)):
            yield messages, each in _TOLD_AT_ONCE


def _holds_call(message: Message) -> bool:
    parts = message.get("content")
    in_parts = isinstance(parts, list) and any(
        isinstance(each, dict) and each.get("type") == "tool_use" for each in parts
    )
    return message.get("type") == "function_call" or bool(message.get("tool_calls")) or in_parts


def _place_of_user(messages: Sequence[Message], head: str) -> int:
    """Where the first words of the user stand in the head of a text; its end where they stand in none of its lines."""
    said = next((str(each["content"]) for each in messages if each.get("role") == "user"), "")
    first = next((line.strip() for line in said.split("\n") if line.strip()), "")
    place = head.find(first) if first else -1
    return place if place >= 0 else len(head)


def looks_recorded(text: str) -> bool:
    """Return true for a text that shows calls and outputs in a form that nobody here reads.

    Its lines are not to be taken for the agent's words.
    """
    return has_record_signs(text[:_LONGEST_HEAD])


def _cleaned(text: str) -> str:
    """A text without the escapes of a terminal and the head of an export, and with plain ends of lines."""
    text = text.lstrip("\ufeff")
    text = text.replace("\r\n", "\n") if "\r" in text else text
    text = _EXPORTED.sub("", text)
    return _ESCAPES.sub("", text) if "\x1b" in text else text
