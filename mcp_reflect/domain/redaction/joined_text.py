"""Secrets written in parts: lines continued by a backslash, and literals that a program adds to one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcp_reflect.domain import lazy_re as re

_PREFIX = r"(?:[ \t]{0,8}\d{1,6}(?:→|\t)|>[ ])?"
"""The number of a line, or the mark of a quotation."""
_LINE_END = rf"(?:\r?\n{_PREFIX}|(?:\\{{1,8}}r)?\\{{1,8}}n{_PREFIX})"
_JOIN = re.compile(
    # A backslash before the end of a line, as it is, and in JSON once and twice escaped
    rf"(?P<continued>\\\r?\n{_PREFIX}|(?<!\\)(?:\\{{3}}|\\{{5}}|\\{{7}})n{_PREFIX})(?P<indent>[ \t]{{0,40}})"
    # Two literals with quotes of one kind, in a sum or on two lines
    rf"|(?P<quote>\\{{0,8}}[\"'])(?:[ \t]{{0,8}}{_LINE_END}?[ \t]{{0,40}}\+[ \t]{{0,8}}{_LINE_END}?[ \t]{{0,40}}"
    rf"|[ \t]{{0,8}}{_LINE_END}[ \t]{{0,40}})(?P=quote)"
)
_MARK = re.compile(r"\[redacted:[a-z0-9-]{1,30}\]")
_LONGEST = 4_000
"""Characters of joined lines that are searched for a secret."""


def redact_joined(text: str, redact: Callable[[str], str]) -> str:
    """Return the text redacted as with its parts joined; lines stay as they are where that finds no further secret."""
    joins_literals = ("\n" in text or "+" in text) and ('"' in text or "'" in text)
    if not joins_literals and "\\" not in text:
        return text
    done: list[str] = []
    copied = 0
    for start, end in _blocks(text):
        block = text[start:end]
        redacted = redact(_JOIN.sub(_joined, block))
        if _left(redacted) < _left(_JOIN.sub(_joined, redact(block))):
            done += (text[copied:start], redacted)
            copied = end
    return "".join((*done, text[copied:])) if done else text


def _left(redacted: str) -> int:
    """Return the number of characters that a redaction left."""
    return len(_MARK.sub("", redacted))


def _joined(join: re.Match[str]) -> str:
    before = join.string[join.start() - 1 : join.start()]
    return join["indent"] or "" if join["continued"] and before not in {" ", "\t"} else ""


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where lines stand that belong together."""
    start = end = -1
    for join in _JOIN.finditer(text):
        line = text.rfind("\n", max(join.start() - _LONGEST, 0), join.start())
        # The name stands on the line before where a bracket is open.
        first = text.rfind("\n", max(line - _LONGEST, 0), max(line, 0)) + 1
        last = text.find("\n", join.end(), join.end() + _LONGEST)
        last = min(len(text), join.end() + _LONGEST) if last < 0 else last
        if first <= end:
            end = max(last, end)
            continue
        if start >= 0:
            yield start, end
        start, end = max(first, join.start() - _LONGEST), last
    if start >= 0:
        yield start, end
