"""Quotations: words of tools, pages, files and memories in a lesson, told apart from what somebody says himself."""

from __future__ import annotations

from typing import get_args

from mcp_reflect.domain.models.common import HEARSAY, TextOrigin

_BEGINNINGS = {
    "file": 'A file said: "',
    "memory": 'An earlier memory said: "',
    "tool": "A tool's output said: \"",
    "web": 'A web page said: "',
}

_TAKEN = {
    "file": 'The run took this from a file: "',
    "memory": 'The run took this from an earlier memory: "',
    "tool": "The run took this from a tool's output: \"",
    "web": 'The run took this from a web page: "',
}
"""Before what a run did or concluded in words of its own by what it had read."""

SAID = "It said: "
"""What stands before the words of a run in the sentence after its calls."""


def quote(text: str, source: TextOrigin) -> str:
    """Return a text that was read as a quotation with its source."""
    return f'{_BEGINNINGS[source]}{" ".join(text.split()).removeprefix(SAID)}"'


def attribute(text: str, source: TextOrigin) -> str:
    """Return what a run did or concluded, as a quotation with the source that had led to it."""
    return f'{_TAKEN[source]}{" ".join(text.split())}"'


def without_attributions(text: str) -> str:
    """Return a text whose lines that `attribute` wrote are what they quote."""
    return "\n".join(_taken(line) for line in text.split("\n"))


def without_sources(text: str) -> str:
    """Return a text whose lines that are quotations are what they quote."""
    return "\n".join(_taken(quoted_text(line)) for line in text.split("\n"))


def _taken(line: str) -> str:
    said = line.strip()
    begun = next((each for each in _TAKEN.values() if said.startswith(each)), None)
    return line if begun is None else said.removeprefix(begun).removesuffix('"')


def quoted_source(line: str) -> TextOrigin | None:
    """Return the source of a line that `quote` wrote; None for any other line."""
    said = line.strip()
    return next((source for source in HEARSAY if said.startswith(_BEGINNINGS[source])), None)


def quoted_text(line: str) -> str:
    """Return what a line that `quote` wrote quotes; any other line as it is."""
    source = quoted_source(line)
    return line if source is None else line.strip().removeprefix(_BEGINNINGS[source]).removesuffix('"')


def is_quotation(line: str) -> bool:
    """Return true for a line that `quote` or `attribute` wrote."""
    return line.strip().startswith((*_BEGINNINGS.values(), *_TAKEN.values()))


def without_quotations(text: str) -> str:
    """Return the text without its lines that are quotations."""
    return "\n".join(line for line in text.splitlines() if not is_quotation(line))


SOURCES: tuple[TextOrigin, ...] = get_args(TextOrigin)
