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
_OUTPUTS = frozenset({"OBSERVATION", "MODEL INPUT"})
_BARE_STEP = re.compile(r"^={3,80} STEP (?P<number>\d{1,5}) ={3,80}\s{0,300}$")
_BARE_LABEL = re.compile(
    r"^(?P<sign>[^\w\s\x00-\x7f]{1,4}[ \t]{0,3})?(?P<name>THOUGHT|ACTION|OBSERVATION|USER):?[ \t]{0,300}$"
)
_BARE_TASK = re.compile(r"^(?:TASK|ISSUE|PROBLEM STATEMENT):[ \t]{0,9}(?P<rest>.*)$")
_SUBMITTED = re.compile(r"^INFO[ \t]{1,9}Submission:[ \t]{0,9}(?P<rest>.*)$")
_FINAL = re.compile(r"(?:\A|\n\n)FINAL(?: ANSWER)?:[ \t]{0,9}")


class _Record(NamedTuple):
    role: str
    lines: list[str]


def read_swe_agent_log(text: str) -> list[Message] | None:
    """Return the messages of a log of SWE-agent; None for any other text."""
    lines = text.split("\n")
    has_heads = any((head := _RECORD.match(line)) and _LABEL.match(head["message"]) for line in lines)
    records = list(_records(lines) if has_heads else _bare_records(lines))
    roles = {record.role for record in records}
    if "ACTION" not in roles or not roles & _OUTPUTS:
        return None
    column = _column(records)
    reader = _Reader()
    for record in records:
        reader.read(record.role, "\n".join(_unindented(line, column) for line in record.lines).strip("\n"))
    return reader.found.messages if reader.found.calls else None


class _Reader:
    """Reads records in order; the user's words stand in one before the first action."""

    def __init__(self) -> None:
        self.found = CollectedMessages()
        self._shell = SweAgentShell(self.found)
        self._has_acted = self._has_submitted = False

    def read(self, role: str, body: str) -> None:
        """Add what a record tells."""
        if role == "ACTION":
            self._has_acted, self._has_submitted = True, body.strip() == "submit"
            self._shell.act(without_fence(body).strip())
        elif role == "THOUGHT":
            self.found.say(body.strip().removeprefix("DISCUSSION\n"))
        elif role == "USER":
            self.found.hear(body)
        elif role in _OUTPUTS and self._has_submitted:
            self.found.say(_final_words(body))
        elif role in _OUTPUTS and self._has_acted:
            self._see(body)
        elif role == "MODEL INPUT":
            self.found.hear(_task_of(body))
        elif role == "END" and self._has_submitted:
            self.found.say(body)

    def _see(self, body: str) -> None:
        output = body.removeprefix("OBSERVATION:").lstrip("\n").rstrip()
        for _ in range(_MOST_STATES):
            state = _STATE.search(output, max(0, len(output) - _MOST_OF_STATE))
            output = output[: state.start()] if state else output
        self._shell.see(output)
        self.found.answer(output)


def _final_words(output: str) -> str:
    """The last words of the agent, behind what submitting has printed."""
    final = _FINAL.search(output)
    return output[final.end() :] if final else ""


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
        begins, is_output = label is not None, role in _OUTPUTS
        if label is not None and record is None:  # below the record that it belongs to
            is_bare_output = label["name"] == "OBSERVATION" and role == "ACTION"
            begins = is_bare_output or (label["sign"] is not None and not (is_output and has_steps))
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


def _bare_records(lines: Sequence[str]) -> Iterator[_Record]:
    """The records of a log that gives its labels a line each, without a level before them, and signs to all or none.

    Where it has steps, an output ends at the next of them, else at a label behind a gap. The user may speak between.
    """
    steps = [int(step["number"]) for line in lines if (step := _BARE_STEP.match(line))]
    role, held, signed, is_after_gap, following = "", list[str](), None, True, steps[0] if steps else -1
    for line in lines:
        step, label, asked = _BARE_STEP.match(line), _BARE_LABEL.match(line), _BARE_TASK.match(line)
        submitted = _SUBMITTED.match(line)
        is_open = role not in _OUTPUTS or (is_after_gap and not steps)
        begun = ""
        if step and int(step["number"]) == following:
            begun, following = "STEP", following + 1
        elif submitted:
            begun = "END"
        elif label and is_open and signed in {None, bool(label["sign"])}:
            begun = label["name"]
        elif label and label["name"] == "OBSERVATION" and role == "ACTION":
            begun = "OBSERVATION"
        elif asked and not role:
            begun = "USER"
        is_after_gap = not line.strip()
        if not begun:
            held.append(line)
            continue
        if role:
            yield _Record(role, held)
        signed = bool(label["sign"]) if label and signed is None else signed
        role, held = begun, [(submitted or asked or {"rest": ""})["rest"]] if begun in {"END", "USER"} else []
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
