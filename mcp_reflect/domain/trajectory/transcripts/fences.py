"""Text with fences in it, as agents write their words with code between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_MARK = re.compile(r"^[ \t]{0,3}(?P<mark>`{3,10}|~{3,10})[ \t]{0,3}(?P<language>[\w+.-]{0,40})[^`\n]{0,200}$")


class FencedPart(NamedTuple):
    """A part of a text; `language` is None outside of fences, and empty for a fence that names none."""

    text: str
    language: str | None = None


def split_fences(text: str) -> Iterator[FencedPart]:
    """Yield the parts of a text between and inside of fences, in order; a fence that is not closed ends with it."""
    held: list[str] = []
    mark, language = "", ""
    for line in text.split("\n"):
        found = _MARK.match(line)
        if found and not mark:
            yield FencedPart("\n".join(held))
            mark, language, held = found["mark"], found["language"].lower(), []
        elif found and found["mark"].startswith(mark) and not found["language"]:
            yield FencedPart("\n".join(held), language)
            mark, held = "", []
        else:
            held.append(line)
    yield FencedPart("\n".join(held), language if mark else None)


def without_fence(text: str) -> str:
    """Return what stands in the fence that a text is as a whole; any other text as it is."""
    parts = [part for part in split_fences(text.strip()) if part.text.strip()]
    return parts[0].text if len(parts) == 1 and parts[0].language is not None else text
