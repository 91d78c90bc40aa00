"""What CrewAI prints of a crew: `# Agent: …` with `## Using tool: …` below, or the same in boxes."""

from __future__ import annotations

import json
import posixpath
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.boxes import Box, split_boxes
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import add_tool_call, read_object
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_AGENT = re.compile(r"^ {0,4}# Agent: ?(?P<rest>.*)$")
_LABEL = re.compile(
    r"^ {0,4}## (?P<name>Task|Thought|Using tool|Tool Input|Tool Output|Final Answer)(?::[ \t]{0,4}(?P<rest>.*)|)$",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"^ {0,4}(?P<name>Agent|Task|Thought|Using Tool|Final Answer|Tool|Args|Output|Error):(?:[ \t]{1,4}(?P<rest>.*))?$",
    re.IGNORECASE,
)
_PROGRESS = re.compile(r"^(?:🚀 Crew: |🤖 Agent: |🌊 Flow: |[ \t]{0,40}[└├]── )")
"""Lines of the tree by which CrewAI shows how far it is."""
_PANELS = (
    ("tool input", "tool input"),
    ("tool output", "tool output"),
    ("agent started", ""),
    ("agent tool execution", ""),
    ("agent final answer", ""),
    ("tool execution started", ""),
    ("tool execution completed", ""),
    ("tool execution failed", ""),
    ("tool error", "tool output"),
)
"""Parts of the titles of boxes that tell of the run, and the label of those that hold one thing."""
_OWN_TITLE = re.compile(r"\b(?:Crew|Task|Flow|Memory|LLM|Agent|Tool|Reasoning|Knowledge|Trac(?:e|ing))\b")
_OVER = re.compile(r"\b(?:completed|failed)\b", re.IGNORECASE)
_LABELS = {"args": "tool input", "output": "tool output", "error": "tool output", "tool": "started tool"}
_DELEGATES = re.compile(r"(?:Delegate work to|Ask question to) co-?worker", re.IGNORECASE)
_FAILED = re.compile(r"\s{0,9}(?:Error\b|I encountered an error|Action '[^'\n]{0,80}' don't exist|Tool .{0,80} failed)")
_WRITER = re.compile(r"file[ _]writer?(?:[ _]tool)?", re.IGNORECASE)


class _Part(NamedTuple):
    label: str
    text: str


def read_crewai(text: str) -> list[Message] | None:
    """Return the messages of what CrewAI prints; None for any other text."""
    parts = [part for part in _parts(text.split("\n")) if part.text.strip() or part.label == "tool output"]
    labels = {part.label for part in parts}
    if "tool output" not in labels or not labels & {"using tool", "started tool"}:
        return None
    reader = _Reader(delegates=_DELEGATES.search(text) is not None)
    for part in parts:
        reader.read(part)
    return reader.found.messages


class _Reader:
    """Adds the parts in their order; where a crew delegates, an agent writes the tasks behind the first one.

    Boxes may tell a call twice: when the tool starts, and as a step of the agent.
    """

    def __init__(self, *, delegates: bool) -> None:
        self.found = CollectedMessages()
        self._delegates = delegates
        self._tasks: set[str] = set()
        self._tool = _Part("", "")
        self._started = ""
        self._is_told = False

    def read(self, part: _Part) -> None:
        text = part.text.strip()
        if part.label == "task" and text not in self._tasks:
            if self._tasks and self._delegates:
                self.found.say(text)
            else:
                self.found.hear(text)
            self._tasks.add(text)
        elif part.label in {"thought", "final answer"}:
            self.found.say(text.removeprefix("Thought:"))
        elif part.label in {"using tool", "started tool"}:
            self._tool = part
        elif part.label == "tool input":
            self._call(text)
        elif part.label == "tool output":
            self._call("")
            if not self._is_told:
                self.found.answer(part.text, True if _FAILED.match(part.text) else None)

    def _call(self, text: str) -> None:
        """Add the call of the tool that was named last."""
        label, tool = self._tool.label, self._tool.text.strip()
        if not tool:
            return
        given, self._tool = _given(text), _Part("", "")
        self._is_told = label == "using tool" and self._started == f"{tool}\n{given}"
        self._started = f"{tool}\n{given}" if label == "started tool" else ""
        if self._is_told:
            return
        if isinstance(given, dict) and _WRITER.fullmatch(tool) and given.get("content") and given.get("filename"):
            place = posixpath.join(str(given.get("directory") or ""), str(given["filename"]))
            self.found.write(place, str(given["content"]))
        else:
            add_tool_call(self.found, tool, given)


def _given(text: str) -> dict[str, object] | str:
    """The input of a tool: JSON, or a string of JSON; a box may have broken its lines."""
    for told in (text, " ".join(text.split("\n"))):
        try:
            read = json.loads(told) if told.startswith('"') else told
        except ValueError:
            continue
        if isinstance(read, str) and (given := read_object(read.strip())) is not None:
            return given
    return text


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    """The labelled parts; those of an output end where an agent has the next word, behind a gap, or with a box.

    Where steps stand below each other without the name of the agent, their labels end an output as well.
    """
    label, held, is_after_gap = "", list[str](), True
    steps = sum(1 for line in lines if (told := _LABEL.match(line)) and told["name"].lower() == "using tool")
    has_names = sum(1 for line in lines if _AGENT.match(line)) > steps
    for item in split_boxes(lines):
        is_output = label == "tool output"
        if isinstance(item, Box):
            panel = next((told for title, told in _PANELS if title in item.title.lower()), None)
            if panel is None and not (_OWN_TITLE.search(item.title) or not is_output):
                held += item.drawn
                continue
            yield _Part(label, "\n".join(held))
            label, held = "", []
            if panel is not None:
                yield from _parts_of_panel(item, panel)
            continue
        agent, named, progress = _AGENT.match(item), _LABEL.match(item), _PROGRESS.match(item)
        is_shown = is_output and (not is_after_gap or (named and (has_names or named["name"].lower() == "task")))
        if (agent or progress or named) and not is_shown:
            yield _Part(label, "\n".join(held))
            label, held = (named["name"].lower(), [named["rest"] or ""]) if named else ("", [])
        else:
            held.append(item)
        is_after_gap = not item.strip()
    yield _Part(label, "\n".join(held))


def _parts_of_panel(box: Box, label: str) -> Iterator[_Part]:
    """The labelled parts in a box; what is told last in it goes on to its end."""
    lines = textwrap.dedent("\n".join(box.lines)).split("\n")
    if label:
        yield _Part(label, "\n".join(lines).strip("\n"))
        return
    held: list[str] = []
    is_over = _OVER.search(box.title) is not None
    for line in lines:
        field = _FIELD.match(line)
        is_last = label in {"task", "final answer", "tool input", "tool output"}
        if field is None or is_last:
            held.append(line)
            continue
        yield _Part(label, "\n".join(held).strip("\n"))
        name = field["name"].lower()
        label, held = "" if name == "tool" and is_over else _LABELS.get(name, name), [field["rest"] or ""]
    yield _Part(label, "\n".join(held).strip("\n"))


CREWAI = TranscriptFormat(
    re.compile(
        r"\A(?:[ \t]{0,40}(?:[🚀🌊│╰├└].*|╭─{1,400} .{0,20}(?:Crew|Agent|Task|Flow|Trac).*"
        r"|\[(?:DEBUG|INFO)\]: ==.*|\[\d{4}-[\d :T.,-]{8,30}\] ?Agent: .*|## Task: .*"
        r"|-{3,} ?transcript.*|Running the Crew|[$%❯] crewai .*)?\n){0,39}"
        r" {0,4}(?:# Agent:|╭─{1,400} .{0,20}(?:Crew|Agent|Task|Tool|Flow)\b)"
    ),
    read_crewai,
)
