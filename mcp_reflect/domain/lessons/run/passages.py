"""Passages of what a call answered, as somebody points to them: items, lines, texts and records of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.trajectory.parsing import is_deeper
from mcp_reflect.domain.trajectory.tool_json import parse_json_value

POINTED_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,]*\w*|\w*\d\w*")
"""A word or a number of a text."""
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)]|[A-H][.)])\s+")
_LINE_NUMBER = re.compile(r"^\s{0,8}\d{1,6}→")
"""What an editor's tool puts before the lines that it shows."""
_ENDS_OF_CODE = (",", ";", "{", "(", "[")
_PASSAGE_CHARS = 300
_MOST_PASSAGES = 400
"""Passages of one output that are read, from its beginning."""
_MOST_LEVELS = 20


class Passage(NamedTuple):
    """A passage of an output, at most 300 characters.

    `key` is that of the JSON object under which it stands, empty for others; `item` its number in a list of a text,
    from 1, 0 for others. `is_of_data` is true for a text or a record of JSON.
    """

    text: str
    key: str = ""
    item: int = 0
    is_of_data: bool = False


def passages_of(output: str) -> Iterator[Passage]:
    """Yield the passages of an output, of JSON its texts and records, of other text its lines and items.

    Lines of a program that go on are none. What is longer than 300 characters comes in sentences.
    """
    value = parse_json_value(output)
    is_readable = value is not None and not is_deeper(value, _MOST_LEVELS)
    for each in islice(_of_json(value, "") if is_readable else _of_text(output), _MOST_PASSAGES):
        if each.text.endswith(_ENDS_OF_CODE):
            continue
        if len(each.text) <= _PASSAGE_CHARS:
            yield each
        else:
            yield from (each._replace(text=said) for said in split_sentences(each.text) if len(said) <= _PASSAGE_CHARS)


def _of_json(value: Any, key: str) -> Iterator[Passage]:
    if isinstance(value, str):
        yield from (each._replace(key=key, is_of_data=True) for each in _of_text(replace_surrogates(value)))
    elif isinstance(value, list):
        for each in value:
            yield from _of_json(each, key)
    elif isinstance(value, dict):
        plain = {name: each for name, each in value.items() if isinstance(each, str | int | float)}
        record = replace_surrogates(", ".join(f"{name}: {each}" for name, each in plain.items()))
        if len(plain) > 1 and len(plain) == len(value) and len(record) <= _PASSAGE_CHARS:
            yield Passage(record, key, is_of_data=True)
        else:
            for name, each in value.items():
                yield from _of_json(each, str(name))


def _of_text(text: str) -> Iterator[Passage]:
    """Lines, each with those that it announces; items with their numbers and the lines below that are indented."""
    told: list[str] = []
    item = number = indent = 0
    for numbered in [*text.splitlines(), ""]:
        line = _LINE_NUMBER.sub("", numbered)
        depth = len(line) - len(line.lstrip())
        begins = _ITEM.match(line)
        is_below = depth > indent and (number or told[0].endswith(":")) if told else False
        goes_on = told and line.strip() and not begins and (is_below or told[-1].endswith((":", "e.g.", "{")))
        if goes_on and sum(map(len, told)) < _PASSAGE_CHARS:
            told.append(line.strip())
            continue
        if told:
            yield Passage(" ".join(told), item=number)
        item = item + 1 if begins else (0 if line.strip() else item)
        number = item if begins else 0
        told, indent = ([line[begins.end() :].strip() if begins else line.strip()] if line.strip() else []), depth
