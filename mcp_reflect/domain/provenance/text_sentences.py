"""The sentences of a text that a run read: its lines, cells of tables, and paragraphs that run over several lines.

The numbers that tools put before lines are no part of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.observed import COMMENT, ROW_OF_NAMES, Observed, TextReading
from mcp_reflect.domain.text.observation import is_troubled, reads_as_error
from mcp_reflect.domain.text.wishes import without_advice

_MOST_CHARS = 600
_ENDING = re.compile(r"(?<=[.!?;])\s+|<!--|-->|\n")
_CELLS = re.compile(r"[\"|]")
_HAS_CELLS = re.compile(r"\"\s*:|\|.*\|")
_PARAGRAPH = re.compile(r"\n\s*\n")
_LINE_NUMBER = re.compile(
    r"^\s*(?P<file>[\w./-]+\.\w{1,8}[:-])?\d+(?:→|\t|[:|-]\s)|^\s*(?:#\d+\s)?\d{1,6}\.\d{1,3}\s(?=\S)"
)
"""What tools that read or search files put before each line, and the seconds that builds of images put there."""
_HUNK = re.compile(r"^(?:@@ -\d|diff --git )", re.MULTILINE)
_PROPOSAL = re.compile(r"\.(?:rej|patch|diff)\b")
"""A file with changes that somebody proposes: they were never a part of the repository."""
_DIFF_LINE = re.compile(r"[+-](?![+-])\s*\S")
"""A line that a change put in or took out, as the history of a repository shows it: code of its files."""
_SETTING = re.compile(r"-{0,2}[\w.-]+(?:\s?[=:]\s?[\w.,:/-]+)?", re.ASCII)
"""An option, or a name with its value, alone on a line."""
_COLUMNS = re.compile(r"\S(?:\s{2,}\S+){3,}")


def sentences_of(
    text: str, hidden: Iterable[str], reading: TextReading, own_names: Callable[[str], str]
) -> Iterator[Observed]:
    """Yield the sentences of a text: its lines, what runs over several lines, and what is `hidden` there in base64."""
    looked_at, seen = set[str](), set[str]()
    lines = text.split("\n")
    failed, is_history = reading.failed, reading.source == "file" and not _PROPOSAL.search(reading.name)
    is_log = is_history and _HUNK.search(text) is not None
    for number, part in enumerate((*lines, *_joined(text, reading), *hidden)):
        for cell in (cell for sentence in _ENDING.split(part) for cell in _cells(sentence)):
            if cell in looked_at:  # JSON repeats its keys and signs
                continue
            looked_at.add(cell)
            for each in _told(cell) if failed else (cell,):
                sentence = _LINE_NUMBER.sub("", each).strip()
                if sentence and len(sentence) <= _MOST_CHARS and sentence not in seen:
                    seen.add(sentence)
                    is_diff = is_log and number < len(lines) and _DIFF_LINE.match(part) is not None
                    read = reading._replace(holds="code") if is_diff else reading
                    yield Observed(
                        sentence.lstrip("+-") if is_diff else sentence, *read, number < len(lines), own_names
                    )


def _joined(text: str, reading: TextReading) -> Iterator[str]:
    """Paragraphs of several lines, each on one line; no columns, names, lines that a search found, or errors.

    Code has none but its comments.
    """
    is_code, failed = reading.holds == "code", reading.failed
    for paragraph in _PARAGRAPH.split(text):
        lines = paragraph.strip("\n").split("\n")
        found = [_LINE_NUMBER.match(line) for line in lines]
        if len(lines) < 2 or any(map(_COLUMNS.search, lines)) or any(each and each["file"] for each in found):  # noqa: PLR2004
            continue
        plain = [_LINE_NUMBER.sub("", line).strip() for line in lines]
        if is_code:
            plain = [line for line in plain if COMMENT.match(line)]
        is_rows = all(ROW_OF_NAMES.fullmatch(line) or _SETTING.fullmatch(line) for line in plain)
        if not is_rows and not (failed and any(map(reads_as_error, plain))):
            yield " ".join(" ".join(plain).split())


def _told(sentence: str) -> Iterator[str]:
    """A sentence that a command which failed printed; an error and the advice at its end for themselves."""
    error = without_advice(sentence) if is_troubled(sentence) else sentence
    yield error
    if len(error) < len(sentence):
        yield sentence[len(error) :].lstrip(" :;,.-–—")


def _cells(sentence: str) -> list[str]:
    """The cells of a table's row and the texts in JSON; any other sentence whole, and so a comment that quotes some."""
    return _CELLS.split(sentence) if _HAS_CELLS.search(sentence) and not COMMENT.match(sentence) else [sentence]
