"""Quotations: words of tools, pages, files and memories in a lesson, told apart from what somebody says himself.

A quotation stands on a line of its own with its source, and with the name of that where it is known. Behind
`A web page (docs.python.org) said: ` stands what a run read, behind `Based on a file (README.md): ` what it did or
concluded by what it had read, and behind `What worked, following a file (README.md): ` what it did so and passed with.
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
QUOTED = "Quoted: "
"""What stands before the quotations behind the fields of a lesson."""
_OUTPUT = "'s output"
FOLLOWING = "What worked, following"
"""How the line begins that tells what a run did by what it had read, and passed with."""
_NAME = re.compile(rf"[^()\"\n]{{1,{_LONGEST_NAME}}}")
_LINE = re.compile(
    rf"\s*(?:{QUOTED})?"
    rf"(?:(?P<said>{_BEGINNING})|(?:Based on|(?P<worked>{FOLLOWING})) (?P<taken>{_NOUN})(?(worked)(?:{_OUTPUT})?))"
    rf"(?: \((?P<name>{_NAME.pattern})\))?(?(said) said): "
    r'"(?P<text>.*?)"?\s*'
)

_ENDS = (".", "!", "?", "…", ";")

SAID = "The agent said: "
"""What stands before the words of a run in the sentence after its calls."""
SAID_IN_ANY_VERSION = f"(?:{SAID}|It said: )"
"""As a regular expression, with the form that lessons of earlier versions have."""
_INTRODUCED = re.compile(rf"\A{SAID_IN_ANY_VERSION}")


class Quotation(NamedTuple):
    """A quotation out of a lesson. `is_taken` is true for what a run did or concluded, false for what it read.

    `name` is that of the tool, the page's host or the file; empty where it is not told. `has_worked` is true for what a
    run did that passed, together with what it concluded from the same source.
    """

    source: TextOrigin
    text: str
    is_taken: bool = False
    name: str = ""
    has_worked: bool = False

    def __str__(self) -> str:
        noun, name = _NOUNS[self.source], f" ({self.name})" if _NAME.fullmatch(self.name) else ""
        text = " ".join(self.text.split())
        if self.is_taken:
            if not self.has_worked:
                return f'Based on {noun}{name}: "{text}"'
            return f'{FOLLOWING} {noun}{_OUTPUT if self.source == "tool" else ""}{name}: "{text}"'
        return f'{noun[0].upper()}{noun[1:]}{name} said: "{_INTRODUCED.sub("", text)}"'


def read_quotation(line: str) -> Quotation | None:
    """Return the quotation that a line of a lesson is; None for any other line."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    is_taken = found["taken"] is not None
    source = _SOURCES[(found["taken"] or found["said"]).lower()]
    return Quotation(source, found["text"], is_taken, found["name"] or "", found["worked"] is not None)


def joined(quotations: Iterable[Quotation]) -> Iterator[Quotation]:
    """Yield quotations with those of one kind and source together in the place of the first, each text once.

    What worked stands before what was concluded from the same source.
    """
    texts: dict[Quotation, list[Quotation]] = {}
    for each in quotations:
        told = texts.setdefault(each._replace(text="", has_worked=False), [])
        if all(each.text != other.text for other in told):
            told.append(each)
    for kind, found in texts.items():
        *others, last = (each.text for each in sorted(found, key=lambda each: not each.has_worked))
        ended = [text if text.endswith(_ENDS) else f"{text}." for text in others]
        yield kind._replace(text=" ".join([*ended, last]), has_worked=any(each.has_worked for each in found))


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
