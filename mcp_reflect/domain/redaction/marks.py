"""Further rounds of a redaction beside the marks of the first one: a replacement can expose a secret beside it."""

from __future__ import annotations

from collections.abc import Callable

from mcp_reflect.domain import lazy_re as re

_MAX_ROUNDS = 8
"""A replacement can expose a secret that touched another one; two rounds are usual."""
_MARKS = re.compile(r"\[redacted:[a-z0-9-]{1,30}\]")
_BESIDE = 2_000
"""Characters before and after a mark that are searched again."""


def redact_beside_marks(text: str, redact: Callable[[str], str]) -> str:
    """Return a redacted text with the surroundings of each of its marks redacted until nothing changes."""
    done: list[str] = []
    copied = 0
    for start, end in _marked_parts(text):
        done += (text[copied:start], _redact_further(text[start:end], redact))
        copied = end
    return "".join((*done, text[copied:])) if done else text


def _redact_further(text: str, redact: Callable[[str], str]) -> str:
    for _ in range(_MAX_ROUNDS - 1):
        changed = redact(text)
        if changed == text:
            break
        text = changed
    return text


def _marked_parts(text: str) -> list[tuple[int, int]]:
    """Return where the surroundings of marks stand, cut between words."""
    parts: list[tuple[int, int]] = []
    for mark in _MARKS.finditer(text):
        first, last = max(mark.start() - 2 * _BESIDE, 0), mark.end() + 2 * _BESIDE
        start = max(text.rfind(end, first, max(mark.start() - _BESIDE, 0)) for end in "\n ") + 1 or first
        ends = [text.find(each, mark.end() + _BESIDE, last) for each in "\n "]
        end = min((each for each in ends if each >= 0), default=min(last, len(text)))
        if parts and start <= parts[-1][1]:
            parts[-1] = parts[-1][0], end
        else:
            parts.append((start, end))
    return parts
