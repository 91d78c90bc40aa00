"""Quotations: words of tools, pages, files and memories in a lesson, told apart from what somebody says himself.

A quotation stands on a line of its own with its source, and with the name of that where it is known. Behind
`A web page (docs.python.org) said: ` stands what a run read, behind `Based on a file (README.md): ` what it did or
concluded by what it had read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, get_args

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin

_NOUNS: dict[TextOrigin, str] = {
    "file": "a file",
    "memory": "an earlier memory",
    "tool": "a tool",
    "web": "a web page",
}
_SOURCES: dict[str, TextOrigin] = {noun: source for source, noun in _NOUNS.items()}
_NOUN = "|".join(_NOUNS.values())
_BEGINNING = "|".join(f"{noun[0].upper()}{noun[1:]}" for noun in _NOUNS.values())
_LONGEST_NAME = 60
_NAME = re.compile(rf"[^()\"\n]{{1,{_LONGEST_NAME}}}")
_LINE = re.compile(
    rf"\s*(?:(?P<said>{_BEGINNING})|Based on (?P<taken>{_NOUN}))(?: \((?P<name>{_NAME.pattern})\))?(?(said) said): "
    r'"(?P<text>.*?)"?\s*'
)

_ENDS = (".", "!", "?", "…")

SAID = "It said: "
"""What stands before the words of a run in the sentence after its calls."""


class Quotation(NamedTuple):
    """A quotation out of a lesson. `is_taken` is true for what a run did or concluded, false for what it read.

    `name` is that of the tool, the page's host or the file; empty where it is not told.
    """

    source: TextOrigin
    text: str
    is_taken: bool = False
    name: str = ""

    def __str__(self) -> str:
        noun, name = _NOUNS[self.source], f" ({self.name})" if _NAME.fullmatch(self.name) else ""
        text = " ".join(self.text.split())
        if self.is_taken:
            return f'Based on {noun}{name}: "{text}"'
        return f'{noun[0].upper()}{noun[1:]}{name} said: "{text.removeprefix(SAID)}"'


def read_quotation(line: str) -> Quotation | None:
    """Return the quotation that a line of a lesson is; None for any other line."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    is_taken = found["taken"] is not None
    source = _SOURCES[(found["taken"] or found["said"]).lower()]
    return Quotation(source, found["text"], is_taken, found["name"] or "")


def joined(quotations: Iterable[Quotation]) -> Iterator[Quotation]:
    """Yield quotations with those of one kind and source together in the place of the first, each text once."""
    texts: dict[Quotation, list[str]] = {}
    for each in quotations:
        told = texts.setdefault(each._replace(text=""), [])
        if each.text not in told:
            told.append(each.text)
    for kind, told in texts.items():
        ended = [text if text.endswith(_ENDS) else f"{text}." for text in told[:-1]]
        yield kind._replace(text=" ".join([*ended, *told[-1:]]))


def without_sources(text: str) -> str:
    """Return a text whose lines that are quotations are what they quote."""
    lines = ((line, read_quotation(line)) for line in text.split("\n"))
    return "\n".join(line if found is None else found.text for line, found in lines)


def without_names(text: str) -> str:
    """Return a text whose lines that are quotations tell the kind of their source alone."""
    lines = ((line, read_quotation(line)) for line in text.split("\n"))
    return "\n".join(line if found is None else str(found._replace(name="")) for line, found in lines)


def without_quotations(text: str) -> str:
    """Return the text without its lines that are quotations."""
    return "\n".join(line for line in text.splitlines() if read_quotation(line) is None)


SOURCES: tuple[TextOrigin, ...] = get_args(TextOrigin)
