"""Secrets in columns that blanks align, as commands print lists: below the title TOKEN, from its first character on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName, kind_of_name
from mcp_reflect.domain.redaction.by_name.text_lines import Cell, line_at, next_line
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless, looks_drawn

_WORDS = r"[A-Z][\w./()%#-]*(?:[ ][\w./()%#-]+){0,3}"
_TITLES = re.compile(rf"[ \t>+-]{{0,12}}{_WORDS}(?:[ ]{{2,}}{_WORDS}){{1,20}}[ ]*")
"""A header: words that begin with capitals, in groups with two blanks or more between them."""
_TITLE = re.compile(r"\S+(?:[ ]\S+)*")
_VALUE = re.compile(r"\S+(?=[ ]{2}|[ ]*\Z)|\S+(?=[ ]\S)")
_RULE = re.compile(r"[ \t>+=-]*")
_MOST_ROWS = 1_000
_LEAST = 6
_LEAST_MIXTURE = 12
_SIGNS = 3


class Found(NamedTuple):
    """A secret in a table, and its kind."""

    start: int
    end: int
    kind: str


def aligned_secrets(text: str, names: Sequence[SecretName]) -> Iterator[Found]:
    """Yield the secrets in the rows below a header of aligned titles one of which is the name of a secret."""
    covered = 0
    for name in names:
        if name.start < covered or "  " not in text[max(name.start - 2, 0) : name.end + 2]:
            continue
        header = line_at(text, name.start)
        covered = header.start + len(header.text)
        if _TITLES.fullmatch(header.text):
            titles = [each for each in _TITLE.finditer(header.text) if kind_of_name(each[0], weak=None)]
            for row in _rows(text, header):
                covered = row.start + len(row.text)
                yield from (found for title in titles if (found := _in_row(row, title)))


def _rows(text: str, header: Cell) -> Iterator[Cell]:
    """Yield the lines below a header that blanks part, or that begin with them, up to the next one like it."""
    row = header
    for _ in range(_MOST_ROWS):
        start = next_line(text, row.start + len(row.text))
        row = line_at(text, start) if start >= 0 else Cell(0, "")
        parted = "  " in row.text or row.text != row.text.strip() or _RULE.fullmatch(row.text)
        if not row.text.strip() or row.text == header.text or not parted:
            return
        yield row


def _in_row(row: Cell, title: re.Match[str]) -> Found | None:
    """Return the secret that begins where its title does, with a blank before it."""
    start = title.start()
    value = _VALUE.match(row.text, start)
    if value is None or (start and row.text[start - 1 : start] != " ") or MARK in value[0]:
        return None
    kind, word = kind_of_name(title[0], weak=None), value[0]
    drawn = looks_drawn(word, _LEAST) or looks_chosen(word) or _is_mixture(word)
    return (
        Found(row.start + start, row.start + start + len(word), kind) if drawn and not is_harmless(word, kind) else None
    )


def _is_mixture(word: str) -> bool:
    """Return whether a word is of letters, digits and several signs: in a column nothing else than a secret is."""
    signs = {each for each in word if not each.isalnum()} - set("._-/:,")
    return len(word) >= _LEAST_MIXTURE and len(signs) >= _SIGNS and any(map(str.isdigit, word))
