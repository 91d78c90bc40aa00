"""Lines of outputs that a reviewer names: by a folder or a file, by a name in code, by the error that told them."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.passages import POINTED_WORD, Passage, passages_of
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight

EVERYDAY_FILES = frozenset(
    {"app", "build", "config", "data", "index", "input", "main", "output", "package", "requirements"}
)
"""Files that every project has, which name none."""
_FOLDER_WORD = re.compile(r"[A-Za-z][\w-]{3,40}")
_SEARCH_HIT = re.compile(
    r"^(?P<path>(?:\./)?[\w@.-]{1,80}(?:/[\w@.-]{1,80}){1,12}):\d{1,6}:(?P<text>[^\n]{4,300})$", re.MULTILINE
)
"""A line that a search found, behind its file and its number."""
_POINTS_AT_ERROR = re.compile(
    r"\b(?:error|exception|failure|compiler|linter|warning|hint)s?(?:['’]s)?(?: \w+){0,3}? (?:gave|gives|told|tells"
    r"|said|says|named|names|suggested|suggests|showed|shows|had|has|contains?|contained|spells?|spelled|printed)\b"
    r"|\b(?:read|as|in|follow\w*|heed|ignor\w+|see) (?:the|its|that|your) (?:\w+ ){0,2}(?:error|hint|warning)\b",
    re.IGNORECASE,
)
_ADVISES = re.compile(
    r"\b(?:instead|use|try|hint|help:|either|must|should|did you mean|solutions?|to fix)\b", re.IGNORECASE
)
"""A line of an error that says what to do."""
_MOST_ADVICE, _ADVICE_CHARS = 9, 300
_CODE_NAME = re.compile(
    r"(?<![\w.])(?:[A-Za-z]\w*_\w*[A-Za-z]\w*|[a-z]+[A-Z]\w+|[a-z][\w-]*(?:\.[a-z][\w-]*){2,})(?!\w)"
)
_FIRST_LINE = re.compile(
    r"\b(?:its|the) (?:very )?first (?:line|comment)\b|\bat (?:its|the) (?:very )?top\b", re.IGNORECASE
)
_LAST_PARAGRAPH = re.compile(r"\blast (?:paragraph|section|sentence)\b|\bat (?:its|the) (?:very )?end\b", re.IGNORECASE)
_SHOWN_FILE = re.compile(r"^==> (\S{1,200}) <==$", re.MULTILINE)
"""What `head` and `tail` put before each of several files."""
_FILE = re.compile(r"(?<![\w./-])[\w./-]*\w\.[A-Za-z]\w{0,5}\b")
_FEW_LINES = 2
"""Lines with a name up to which the reviewer means these."""
_MOST_OF_OUTPUT = 20_000
_FEW = 3
"""Characters that a line says beside a name."""


def found_in_named_folders(read: Sequence[Step], feedback: str) -> list[Passage]:
    """Return the lines that a search found in a file or a folder which the reviewer calls by its name: `pricing`."""
    words = {word.lower() for word in _FOLDER_WORD.findall(feedback)} - EVERYDAY_FILES
    found: list[Passage] = []
    for step in read:
        for hit in _SEARCH_HIT.finditer(step.output[:_MOST_OF_OUTPUT]):
            parts = {part.partition(".")[0].lower() for part in hit["path"].split("/")}
            if parts & words:
                found.append(Passage(f"{hit['path'].removeprefix('./')}: {hit['text'].strip()}"))
    return found


def advice_in_errors(steps: Sequence[Step], feedback: str) -> list[str]:
    """Return what failing calls advised, as far as it shares a word with a reviewer who points to their errors."""
    if not _POINTS_AT_ERROR.search(feedback):
        return []
    said = {stem(word) for word in POINTED_WORD.findall(feedback) if word_weight(word)}
    found: list[str] = []
    for step in steps:
        lines = step.output[:_MOST_OF_OUTPUT].splitlines() if step.failed else []
        begins = next((place for place, line in enumerate(lines) if _ADVISES.search(line)), None)
        if begins is not None:
            told = " ".join(" ".join(lines[begins : begins + _MOST_ADVICE]).split())[:_ADVICE_CHARS]
            if not said.isdisjoint(map(stem, POINTED_WORD.findall(told))):
                found.append(told)
    last = [error[:_ADVICE_CHARS] for step in steps if step.failed for error in step.errors[-1:]]
    return (found or last)[-1:]  # without a line that advises the error itself says what it wants


def lines_with_names(read: Sequence[Step], feedback: str, task: str) -> list[Passage]:
    """Return the lines that hold a name in code which the reviewer says and the task does not, where they are few."""
    found: list[Passage] = []
    for name in dict.fromkeys(_CODE_NAME.findall(feedback)):
        lines = [line.strip() for step in read for line in step.output[:_MOST_OF_OUTPUT].splitlines() if name in line]
        if name not in task and 0 < len(lines) <= _FEW_LINES:
            found += [Passage(line) for line in lines if len(line) > len(name) + _FEW and len(line) <= _ADVICE_CHARS]
    return found


def first_lines_named(steps: Sequence[Step], feedback: str) -> list[str]:
    """Return the first line of a file of which the reviewer says that it stands there, as a call showed it."""
    if not _FIRST_LINE.search(feedback):
        return []
    files = _FILE.findall(feedback)
    shown = (step for step in steps if step.kind != "edit" and any(file in step.subject for file in files))
    lines = (next(passages_of(step.output[:_MOST_OF_OUTPUT]), None) for step in shown)
    return [each.text for each in lines if each is not None][:1]


def last_paragraph_named(steps: Sequence[Step], feedback: str) -> list[str]:
    """Return the last paragraph of a file of which the reviewer says that it stands there, as a call showed it."""
    if not _LAST_PARAGRAPH.search(feedback):
        return []
    for step in steps:
        parts = _SHOWN_FILE.split(step.output[:_MOST_OF_OUTPUT])
        named = dict(zip(parts[1::2], parts[2::2], strict=True)) or {step.subject: parts[0]}
        for file in _FILE.findall(feedback):
            text = next((text for name, text in named.items() if file in name), "")
            last = " ".join(text.strip().rpartition("\n\n")[2].split())
            if step.kind != "edit" and 0 < len(last) <= _ADVICE_CHARS:
                return [last]
    return []
