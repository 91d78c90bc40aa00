"""Reading of plain-text transcripts: which of the known formats a text has, and its run as chat messages.

On doubt a text stays one: logs, reports and prose have readings of their own (`trajectory/shell_log.py`,
`trajectory/report.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.kept import keep_with_trajectory
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.record_signs import has_record_signs
from mcp_reflect.domain.trajectory.transcripts.aider import read_aider
from mcp_reflect.domain.trajectory.transcripts.autogen import read_autogen
from mcp_reflect.domain.trajectory.transcripts.chat_templates import read_chat_template
from mcp_reflect.domain.trajectory.transcripts.claude_terminal import read_claude_terminal
from mcp_reflect.domain.trajectory.transcripts.cline_export import read_cline_export
from mcp_reflect.domain.trajectory.transcripts.codex_log import read_codex_log
from mcp_reflect.domain.trajectory.transcripts.crewai import read_crewai
from mcp_reflect.domain.trajectory.transcripts.folded_calls import read_folded_calls
from mcp_reflect.domain.trajectory.transcripts.gemini_terminal import read_gemini_terminal
from mcp_reflect.domain.trajectory.transcripts.goose import read_goose
from mcp_reflect.domain.trajectory.transcripts.headed_parts import read_headed_parts
from mcp_reflect.domain.trajectory.transcripts.key_value_records import read_key_value_records
from mcp_reflect.domain.trajectory.transcripts.labelled import read_labelled
from mcp_reflect.domain.trajectory.transcripts.langchain_invocations import read_langchain_invocations
from mcp_reflect.domain.trajectory.transcripts.langgraph_messages import read_langgraph_messages
from mcp_reflect.domain.trajectory.transcripts.mails import read_mails
from mcp_reflect.domain.trajectory.transcripts.marked_parts import read_marked_parts
from mcp_reflect.domain.trajectory.transcripts.nested_records import read_nested_records
from mcp_reflect.domain.trajectory.transcripts.notebook_cells import read_notebook_cells
from mcp_reflect.domain.trajectory.transcripts.object_lines import read_object_lines
from mcp_reflect.domain.trajectory.transcripts.openhands import read_openhands
from mcp_reflect.domain.trajectory.transcripts.openhands_log import read_openhands_log
from mcp_reflect.domain.trajectory.transcripts.prompted_words import read_prompted_words
from mcp_reflect.domain.trajectory.transcripts.pydantic_parts import read_pydantic_parts
from mcp_reflect.domain.trajectory.transcripts.record_turns import read_record_turns
from mcp_reflect.domain.trajectory.transcripts.smolagents import read_smolagents
from mcp_reflect.domain.trajectory.transcripts.speakers import read_speakers
from mcp_reflect.domain.trajectory.transcripts.step_headings import read_step_headings
from mcp_reflect.domain.trajectory.transcripts.swe_agent_log import read_swe_agent_log
from mcp_reflect.domain.trajectory.transcripts.tagged_parts import read_tagged_parts
from mcp_reflect.domain.trajectory.transcripts.tool_turns import read_tool_turns

_TIME = r"(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:[.,]\d{1,6})? - "
_Format = tuple[re.Pattern[str], Callable[[str], list[Message] | None]]
_TOLD_AT_ONCE: Sequence[_Format] = (
    (
        re.compile(
            r"\A\s{0,99}(?:(?:Running|Starting|Setting up|Launching) .{0,200}\n\s{0,99}){0,9}"
            rf"{_TIME}(?:\w{{1,40}}:[A-Z]|[A-Z_]{{4,12}}$|[Ss]tep|\*\*)",
            re.MULTILINE,
        ),
        read_openhands_log,
    ),
    (
        re.compile(
            r"\A\s{0,99}(?:[$%❯] .{0,200}\bsweagent\b.{0,400}\n\s{0,99})?"
            r"(?:.{0,50}\b(?:INFO|DEBUG|WARN|WARNING|ERROR)\b[ \t-]|[^\w\s\x00-\x7f]{1,4} ?(?:THOUGHT|ACTION)\b)"
        ),
        read_swe_agent_log,
    ),
    (
        re.compile(
            r"\A(?:[ \t]{0,40}(?:[🚀🌊│╰├└].*|╭─{1,400} .{0,20}(?:Crew|Agent|Task|Flow|Trac).*"
            r"|\[(?:DEBUG|INFO)\]: ==.*|-{3,} ?transcript.*|Running the Crew|[$%❯] crewai .*)?\n){0,39}"
            r" {0,4}(?:# Agent:|╭─{1,400} .{0,20}(?:Crew|Agent|Task|Tool|Flow)\b)"
        ),
        read_crewai,
    ),
    (
        re.compile(
            r"\A(?:[ \t]{0,80}(?:[█▀▄░▒▓▝▜▗▟▘▙▛▖▚▞ℹ✕⚠{}\"\]│╰].*|╭─{2,400}╮[ \t]{0,80}"
            r"|(?:Tips for|Using:|Logged in|Loaded|Data collection|\d\.) .*|\d{1,9},"
            r"|[$%❯] (?:gemini|qwen)\b.*)?\n){0,39}"
            r" {0,3}(?:✦ ?|[>!] (?!(?:(?! {0,3}[✦╭]).*\n){0,39}\$ )|╭─{2,400}╮)"
        ),
        read_gemini_terminal,
    ),
    (re.compile(r"\A\s{0,99}(?:# .{0,200}\n\s{0,99})?(?:-{3,9}\n\s{0,99})?\*\*User:\*\*\s{0,9}\n"), read_cline_export),
    (re.compile(r"\A\s{0,99}[$%❯] aider\b"), read_aider),
    (re.compile(r"\A\s{0,99}\{\s?\""), read_object_lines),
    (
        re.compile(r"\A\s{0,99}(?:<s>\s{0,9})?(?:<\|(?:im_start|start_header_id|begin_of_text|start)\|>|\[INST\])"),
        read_chat_template,
    ),
    (re.compile(r"\A\s{0,99}={20,50} (?:Human|System) Message ={20,50}"), read_langgraph_messages),
    (
        re.compile(r"\A\s{0,99}\[?\s{0,9}(?:ModelRequest\(parts=\[)?(?:System|User)PromptPart\("),
        read_pydantic_parts,
    ),
)
"""What a transcript begins with whose format its very beginning tells, behind what the program tells of itself.

An output in another format may show a session of theirs.
"""
_FORMATS: Sequence[_Format] = (
    (re.compile(r"^(?:[⏺●] ?\S|>\s)", re.MULTILINE), read_claude_terminal),
    (
        re.compile(r"^(?:\[\d{4}-\d\d-\d\dT[\d:.]{8,18}Z?\] \S|user$|user instructions: )", re.MULTILINE),
        read_codex_log,
    ),
    (re.compile(r"^(?:\*\*|#{1,6} )", re.MULTILINE), read_folded_calls),
    (re.compile(r"^(?:\*\*|#{1,6} )", re.MULTILINE), read_step_headings),
    (re.compile(r"^(?:\*\*|#{1,4} |\[)?(?:USER|HUMAN|ASSISTANT|SYSTEM)\b.{0,6}(?::|$)", re.MULTILINE), read_openhands),
    (re.compile(r"^(?:[━─═]{3,400} ?Step \d|╭)", re.MULTILINE), read_smolagents),
    (re.compile(r"^(?:[\w@][\w .@-]{0,59} \(to [\w@][\w .@-]{0,59}\):$|-{6,20} \w)", re.MULTILINE), read_autogen),
    (re.compile(r"^(?:\( ?[Oo0]|[─-]{2,6} \S{1,80} \| |starting session \|)", re.MULTILINE), read_goose),
    (re.compile(r"^(?:Invoking: `|> Entering new )", re.MULTILINE), read_langchain_invocations),
    (re.compile(r"^(?:#### |# aider chat started|(?:> )?Aider v\d)", re.MULTILINE), read_aider),
    (re.compile(r"^(?:In ?(?:\[\d{1,5}\])?:|(?:#{1,4} |# %% ?)?\[?Cell \d)", re.MULTILINE), read_notebook_cells),
    (
        re.compile(
            r"^[ \t]{0,3}(?:\*\*|#{1,4} )?"
            r"(?:instructions?|user|human|task|question|issue|goal|thoughts?|discussion|reasoning|action)\b",
            re.MULTILINE | re.IGNORECASE,
        ),
        read_labelled,
    ),
    (
        re.compile(
            r"^(?:\[(?:[a-z]{2,20}|[a-z]{0,10}[ _#-]{0,2}\d{1,4}(?:/\d{1,4})?)\] ?\S|(?:>{3,5}|={2,3}>|:{3}) [a-z]"
            r"|#{1,6} [a-z_]{2,20}:?$|[A-Z_]{2,20}[ \t]{0,14}:)",
            re.MULTILINE | re.IGNORECASE,
        ),
        read_headed_parts,
    ),
    (re.compile(r"^<(?:\?xml|[A-Za-z][\w.-]{1,30}(?:[ \t][^<>\n]{0,400})?>)", re.MULTILINE), read_tagged_parts),
    (
        re.compile(
            r"^(?:[^\w\s\x00-\x7f]{1,3} ?)?"
            r"(?:#{1,6} (?:\*\*)?|\*\*|[\[<]|[=-]{2,40} ?)?[^\W\d_][\w -]{0,30}(?:[:：>\]*(=-]|$)",
            re.MULTILINE,
        ),
        read_tool_turns,
    ),
    (re.compile(r"^[A-Za-z]{2,20} (?:calls?|runs?|uses?|invokes?) [\w.:/-]{1,60}:", re.MULTILINE), read_marked_parts),
    (re.compile(r"^[\[<]?[A-Za-z][\w.-]{0,30}(?:\]:?|>:?|:) ?\S", re.MULTILINE), read_speakers),
    (
        re.compile(
            r"^(?:[\[(]?\d[\d./:T-]{3,30}|[A-Za-z][\w-]{0,20} ?(?:[>|:]{2}|\|)|[^\n]{2,44} [\[(]?\d{1,2}:\d\d"
            r"|\*\*(?:@|opened by @|created by @))",
            re.MULTILINE,
        ),
        read_record_turns,
    ),
    (re.compile(r"^[A-Za-z_][\w.-]{0,40}=\S", re.MULTILINE), read_key_value_records),
    (re.compile(r"^(?:- )?[a-z_]{2,20}:(?: |$)", re.MULTILINE), read_nested_records),
    (re.compile(r"^(?:\*\*)?From:", re.MULTILINE), read_mails),
    (re.compile(r"\A(?:[ \t]{0,4}[─━═=_*-]{0,300}[ \t]{0,9}\n){0,3}> ?\S"), read_prompted_words),
    (re.compile(r"^\S", re.MULTILINE), read_marked_parts),
)
"""What a transcript of each other format has in its first lines, and its reader."""
_MOST_WORDS_BEFORE = 3
"""Words before those of the user up to which no other format is looked for: an output with a session in it comes later.
"""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_PROMPT_OR_FENCE = re.compile(r"^(?:\$ \S|```|~~~)", re.MULTILINE)
_LONGEST_HEAD = 20_000
_MOST_LINES_BEFORE = 40
"""Lines of a banner before the first mark of a format."""


@dataclass(frozen=True)
class ReadTranscript(Trajectory):
    """The run that a plain-text transcript shows; an output in it may have forged what looks like a call."""


@keep_with_trajectory
def read_transcript(trajectory: Trajectory) -> Trajectory:
    """Return the run that a plain-text transcript shows, as messages; the trajectory itself where it is none.

    It takes time linear in the text. A mark of a format that stands behind a shell prompt or in a fence is a part of
    an output, or quoted.
    """
    if trajectory.messages is not None:
        return trajectory
    head = _cleaned(trajectory.text[:_LONGEST_HEAD])
    head = "\n".join(head.split("\n", _MOST_LINES_BEFORE)[:_MOST_LINES_BEFORE])
    best: list[Message] = []
    begins = len(head)
    for messages, is_sure in _readings(trajectory.text, head):
        place = 0 if is_sure else _place_of_user(messages, head)
        if not best or place < begins:
            best, begins = messages, place
        if len(head[:begins].split()) <= _MOST_WORDS_BEFORE:
            break
    return ReadTranscript.of(best) if best else trajectory


def _readings(text: str, head: str) -> Iterator[tuple[list[Message], bool]]:
    """The readings of a text in the formats that it may have, as far as they show calls.

    Each with whether the very beginning tells the format.
    """
    quoted, text = _PROMPT_OR_FENCE.search(head), _cleaned(text)
    for mark, read in (*_TOLD_AT_ONCE, *_FORMATS):
        begin = mark.search(head)
        if begin is None or (quoted is not None and quoted.start() < begin.start()):
            continue
        messages = read(text)
        if messages and any(map(_holds_call, messages)):
            yield messages, (mark, read) in _TOLD_AT_ONCE


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
    """A text without the escapes of a terminal, and with plain ends of lines."""
    text = text.lstrip("\ufeff")
    text = text.replace("\r\n", "\n") if "\r" in text else text
    return _ESCAPES.sub("", text) if "\x1b" in text else text
