"""Logs of SWE-agent, as its console shows them and as it keeps them: `INFO     💭 THOUGHT`, `🎬 ACTION`, `STEP 1`.

Each record of a log begins with a level, and perhaps with a time, a sign or the name of a logger. The lines below it
may stand in the column of the message. What the environment answers is an `OBSERVATION`, mostly in a `MODEL INPUT`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import without_fence
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.swe_agent import SweAgentShell

_RECORD = re.compile(
    r"^(?:\[?\d[\d/:., T-]{4,28}\]?[ \t]{1,4}(?:- )?)?(?P<sign>[^\w\s\x00-\x7f]{1,4}[ \t]{1,4})?"
    r"(?:INFO|DEBUG|WARN(?:ING)?|ERROR|CRITICAL|TRACE)(?:(?P<logger> - [\w.-]{1,60} - )|[ \t]{1,9})"
    r"(?:\[swe[\w.-]{1,80}\] )?(?P<message>.*)$"
)
_LABEL = re.compile(
    r"^(?P<sign>[^\w\s\x00-\x7f]{1,4}[ \t]{0,3})?(?P<name>THOUGHT|ACTION|OBSERVATION|MODEL INPUT|SYSTEM|RESPONSE)"
    r"(?: \([\w -]{1,40}\))?:?[ \t]{0,300}$"
)
_STEP = re.compile(r"^={3,80} STEP \d{1,5} ={3,80}\s{0,300}$")
_END = re.compile(
    r"^(?:Trajectory saved|Submi(?:ssion|tted)|Agent (?:finished|is done)|Exit|Done|Beginning environment shutdown"
    r"|Found submission|Saved predictions|Wrote )",
    re.IGNORECASE,
)
"""What SWE-agent tells behind the last output of a run."""
_STATE = re.compile(
    r"\s{0,40}(?:^\((?:Open file|Current directory): [^\n]{0,400}\)\s{0,9}|^bash-\$\s{0,9})\Z", re.MULTILINE
)
"""What the shell of the first versions shows below each output."""
_MOST_OF_STATE, _MOST_STATES = 900, 3
_TASKS = (
    ("<pr_description>", "</pr_description>"),
    ("<issue>", "</issue>"),
    ("<problem_statement>", "</problem_statement>"),
    ("\nISSUE:\n", "\nINSTRUCTIONS:"),
)
"""What the user's own words stand between in the prompt that they are put into."""
_LEAST_COLUMN = 6


class _Record(NamedTuple):
    role: str
    lines: list[str]


def read_swe_agent_log(text: str) -> list[Message] | None:
    """Return the messages of a log of SWE-agent; None for any other text."""
    records = list(_records(text.split("\n")))
    roles = {record.role for record in records}
    if "ACTION" not in roles or not roles & {"OBSERVATION", "MODEL INPUT"}:
        return None
    column = _column(records)
    found = CollectedMessages()
    shell = SweAgentShell(found)
    has_acted = False
    for record in records:
        body = "\n".join(_unindented(line, column) for line in record.lines).strip("\n")
        if record.role == "ACTION":
            has_acted = True
            shell.act(without_fence(body).strip())
        elif record.role == "THOUGHT":
            found.say(body.strip().removeprefix("DISCUSSION\n"))
        elif record.role in {"MODEL INPUT", "OBSERVATION"} and has_acted:
            output = body.removeprefix("OBSERVATION:").lstrip("\n").rstrip()
            for _ in range(_MOST_STATES):
                state = _STATE.search(output, max(0, len(output) - _MOST_OF_STATE))
                output = output[: state.start()] if state else output
            shell.see(output)
            found.answer(output)
        elif record.role == "MODEL INPUT":
            found.hear(_task_of(body))
    return found.messages if found.calls else None


def _task_of(prompt: str) -> str:
    for begin, end in _TASKS:
        before, _, behind = prompt.partition(begin)
        if before != prompt and end in behind:
            return behind.partition(end)[0]
    return prompt


def _records(lines: Sequence[str]) -> Iterator[_Record]:
    """The records with the label that each has; the user's words stand in one before the first action."""
    has_steps = any((record := _RECORD.match(line)) and _STEP.match(record["message"]) for line in lines)
    role, held = "", list[str]()
    for line in lines:
        record = _RECORD.match(line)
        message = record["message"] if record else line.lstrip()
        label = _LABEL.match(message)
        begins, is_output = label is not None, role in {"OBSERVATION", "MODEL INPUT"}
        if label is not None and record is None:  # below the record that it belongs to
            begins = label["sign"] is not None and not (is_output and has_steps)
        elif label is None and record is not None:
            begins = not is_output or bool(
                record["sign"] or record["logger"] or _STEP.match(message) or _END.match(message)
            )
        if not begins:
            held.append(line)
            continue
        if role:
            yield _Record(role, held)
        role, held = label["name"] if label else "", []
    if role:
        yield _Record(role, held)


def _column(records: Sequence[_Record]) -> int:
    """The column in which the lines below a record begin; 0 where they stand at the margin."""
    widths = [len(line) - len(line.lstrip(" ")) for record in records for line in record.lines if line.strip()]
    column = min(widths, default=0)
    return column if column >= _LEAST_COLUMN else 0


def _unindented(line: str, column: int) -> str:
    return line[column:].rstrip() if column else line


SWE_AGENT_LOG = TranscriptFormat(
    re.compile(
        r"\A\s{0,99}(?:[$%❯] .{0,200}\bsweagent\b.{0,400}\n\s{0,99})?"
        r"(?:.{0,50}\b(?:INFO|DEBUG|WARN|WARNING|ERROR)\b[ \t-]|[^\w\s\x00-\x7f]{1,4} ?(?:THOUGHT|ACTION)\b)"
    ),
    read_swe_agent_log,
)
