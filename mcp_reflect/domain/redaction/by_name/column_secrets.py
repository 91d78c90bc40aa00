"""Secrets in rows whose column has the name: CSV, tables of databases, Markdown, INSERT and COPY of SQL.

A header is a line of names, one of which is the name of a secret; rows with as many cells follow it. In a table of
names and values the name stands in the row. Drawn tables are documents as often as data: unless they list accounts, a
value in them must look random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.aligned_columns import Found, aligned_secrets
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName, is_name, kind_of_name
from mcp_reflect.domain.redaction.by_name.text_lines import LONGEST_LINE, Cell, line_at, next_line
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless, looks_drawn, looks_random

_EDGE = r"[ \t\"'`\\]*"
"""What may stand around the content of a cell."""
_AFTER_NAME = re.compile(rf"{_EDGE}(?:[\t|;,)\n\r]|\Z)|[ ]{{0,40}}\\{{1,8}}[nrt]")
_OPENING = r"(?:[ \t]*\d{1,7}(?:→|\t)|[ \t>+-]{0,12}|[^\n]{0,100}[:=(\[][ ]?\\{0,8}[\"'])?"
"""What a first cell may begin with: the number of its line, marks of a quotation or a diff, the start of a literal."""
_TITLE = re.compile(rf"{_OPENING}{_EDGE}\[?(?P<title>(?:[\w#-]|[ ](?=[\w#]))*)\]?{_EDGE}")
_RULE = re.compile(r"[ \t>\d→|+:=-]*")
"""A line between the header and the rows of a drawn table, perhaps with the number of its line."""
_CONTENT = re.compile(rf"{_EDGE}(?P<value>[^\s\"'`\\](?:[^\n\\]*[^\s\"'`\\])?){_EDGE}")
_OPENED = re.compile(
    r"[^\n\"']{0,20}(?:\\{0,8}\"[^\n\"']{0,60}\\{0,8}\"[^\n\"']{0,20})?[:=(\[][ ]?(?P<quote>\\{0,8}[\"'])"
)
"""The start of a literal that holds the header; its end ends the rows."""
_ACCOUNT = re.compile(r"user|login|account|e-?mail|benutzer|usuario|utilisateur|логин|用户", re.IGNORECASE)
_NAMES = re.compile(r"name|key|variable|setting|parameter|option|property", re.IGNORECASE)
_VALUES = re.compile(r"value", re.IGNORECASE)
_PAIR = re.compile(rf"(?i:{_NAMES.pattern})[^\w\n]{{1,12}}(?i:value)(?=[\"'`\\ \t|;,\n\r]|\Z)")
_SIGNS = ("\t", "\\t", "|", ";", ",")
"""What parts cells, in the order in which it is tried."""
_MOST_ROWS = 1_000
_LEAST_RANDOM = 6
_LEAST_WEAK = 16
_LEAST = 4

_COLUMNS = re.compile(
    r"\((?P<columns>[\w \t\"`.,\\\[\]]{3,600})\)(?:\s|\\{1,8}[rnt]){0,12}(?:(?P<values>(?i:values))|(?i:from stdin;))"
)
_TUPLE = re.compile(r"(?:[,\s]|\\{1,8}[rnt]){0,12}\(((?>(?:'(?>(?:[^'\n]|''){0,2000})'|[^()'\n]){1,4000}))\)")
_CELL = re.compile(r"(?>(?:'(?>(?:[^'\n]|'')*)'|[^,'])+)")


def redact_columns(text: str, names: Sequence[SecretName]) -> str:
    """Return the text with the values of the columns replaced that have one of its names of secrets."""
    done: list[str] = []
    copied = 0
    for found in sorted(
        {*_under_headers(text, names), *aligned_secrets(text, names), *_in_statements(text)} if names else ()
    ):
        if found.start >= copied:
            done += (text[copied : found.start], f"{MARK}{found.kind}]")
            copied = found.end
    return "".join((*done, text[copied:])) if done else text


def _under_headers(text: str, names: Sequence[SecretName]) -> Iterator[Found]:
    places = [name.start for name in names if _AFTER_NAME.match(text, name.end)]
    places += [match.start() for match in _PAIR.finditer(text)]
    covered = 0
    for place in sorted(places):
        if place < covered:
            continue
        line = line_at(text, place)
        covered = line.start + len(line.text)
        sign, titles = _header(line.text)
        opened = _OPENED.match(line.text)
        for row in _rows(text, covered, sign, len(titles), opened["quote"] if opened else "") if titles else ():
            covered = row[-1].start
            yield from _secrets_of(row, titles, drawn=sign == "|")


def _in_statements(text: str) -> Iterator[Found]:
    """Yield the secrets of INSERT … VALUES and of COPY."""
    for match in _COLUMNS.finditer(text):
        titles = [_TITLE.sub(r"\g<title>", column, count=1) for column in match["columns"].split(",")]
        if not any(kind_of_name(title, weak=None) for title in titles):
            continue
        if match["values"] is None:
            sign = "\t" if "\t" in text[match.end() : match.end() + LONGEST_LINE] else "\\t"
            for row in _rows(text, match.end(), sign, len(titles)):
                yield from _secrets_of(row, titles)
            continue
        position = match.end()
        while record := _TUPLE.match(text, position):
            position = record.end()
            row = [Cell(cell.start(), cell[0]) for cell in _CELL.finditer(text, *record.span(1))]
            if len(row) == len(titles):
                yield from _secrets_of(row, titles)


def _secrets_of(row: list[Cell], titles: list[str], *, drawn: bool = False) -> Iterator[Found]:
    firm = not drawn or any(map(_ACCOUNT.search, titles))
    name = next((_content(cell)[0] for cell, title in zip(row, titles, strict=True) if _NAMES.fullmatch(title)), "")
    for cell, title in zip(row, titles, strict=True):
        said = name if _VALUES.fullmatch(title) and not kind_of_name(title, weak=None) else title
        value, start = _content(cell)
        if _is_secret(value, said, firm=firm):
            yield Found(start, start + len(value), kind_of_name(said, weak=None))


def _is_secret(value: str, name: str, *, firm: bool) -> bool:
    kind = kind_of_name(name, weak=None)
    if not kind or " " in value or MARK in value or is_harmless(value, kind) or is_name(value):
        return False
    if not kind_of_name(name):
        return looks_random(value, _LEAST_WEAK)
    return looks_drawn(value, _LEAST_RANDOM) or (firm and kind == "password" and len(value) >= _LEAST)


def _content(cell: Cell) -> tuple[str, int]:
    """Return what stands in a cell without blanks and quotes, and where."""
    found = _CONTENT.match(cell.text)
    return ("", cell.start) if found is None else (found["value"], cell.start + found.start("value"))


def _header(line: str) -> tuple[str, list[str]]:
    """Return the sign and the titles of a header; none where the line has other text or names no secret."""
    for sign in _SIGNS:
        titles = _titles(line, sign) if sign in line else []
        pair = any(map(_NAMES.fullmatch, titles)) and any(map(_VALUES.fullmatch, titles))
        if pair or any(kind_of_name(title, weak=None) for title in titles):
            return sign, titles
    return "", []


def _titles(line: str, sign: str) -> list[str]:
    if sign in ",;" and f"{sign} " in line:  # a list of words or of arguments
        return []
    found = [_TITLE.fullmatch(cell) for cell in line.split(sign)]
    titles = [match["title"] for match in found if match]
    is_drawn = sign == "|"
    return titles if len(titles) == len(found) and (is_drawn or all(titles)) else []


def _rows(text: str, position: int, sign: str, count: int, closing: str = "") -> Iterator[list[Cell]]:
    """Yield the cells of the lines after a header, as long as they have as many as it; `closing` ends the last one."""
    for _ in range(_MOST_ROWS):
        start = next_line(text, position)
        if start < 0:
            return
        line = line_at(text, start)
        position = line.start + len(line.text)
        end = _end_of_literal(line.text, closing)
        cells = _cells(Cell(line.start, line.text[:end]), sign)
        is_row = len(cells) == count and not _RULE.fullmatch(line.text)
        if is_row:
            yield cells
        if end < len(line.text) or not (is_row or (_RULE.fullmatch(line.text) and line.text.strip())):
            return


def _end_of_literal(line: str, closing: str) -> int:
    """Return where a literal ends in a line; in its middle the same quote has more backslashes before it."""
    found = line.find(closing) if closing else -1
    while found > 0 and line[found - 1] == "\\":
        found = line.find(closing, found + 1)
    return found if found >= 0 else len(line)


def _cells(line: Cell, sign: str) -> list[Cell]:
    cells: list[Cell] = []
    start = line.start
    for part in line.text.split(sign):
        cells.append(Cell(start, part))
        start += len(part) + len(sign)
    return cells
