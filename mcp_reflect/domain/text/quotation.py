"""Quotations: words of tools and pages in a lesson, told apart from what somebody who was there says."""

from __future__ import annotations

from typing import get_args

from mcp_reflect.domain.models.common import HEARSAY, TextOrigin

_BEGINNINGS = {"tool": "A tool's output said: \"", "web": 'A web page said: "'}


def quote(text: str, source: TextOrigin) -> str:
    """Return a text of a tool or a page as a quotation with its source."""
    return f'{_BEGINNINGS[source]}{" ".join(text.split())}"'


def quoted_source(line: str) -> TextOrigin | None:
    """Return the source of a line that `quote` wrote; None for any other line."""
    said = line.strip()
    return next((source for source in HEARSAY if said.startswith(_BEGINNINGS[source])), None)


def is_quotation(line: str) -> bool:
    """Return true for a line that `quote` wrote."""
    return quoted_source(line) is not None


def without_quotations(text: str) -> str:
    """Return the text without its lines that are quotations."""
    return "\n".join(line for line in text.splitlines() if not is_quotation(line))


SOURCES: tuple[TextOrigin, ...] = get_args(TextOrigin)
