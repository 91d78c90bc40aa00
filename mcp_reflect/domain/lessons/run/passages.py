"""Passages of what a call answered, as somebody points to them: items, lines, texts and records of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.trajectory.parsing import is_deeper
from mcp_reflect.domain.trajectory.tool_json import parse_json_value

POINTED_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,]*\w*|\w*\d\w*")
"""A word or a number of a text."""
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)]|[A-H][.)])\s+")
_LINE_NUMBER = re.compile(r"^\s{0,8}\d{1,6}(?:→|\t)")
"""What an editor's tool and `cat -n` put before the lines that they show."""
_OF_EVERY_FILE = "Here's the result of running `cat -n` on "
_FOUND_LINE = re.compile(r"(\d{1,6})[:-]")
"""What `grep -n` puts there."""
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_MOST_IN_BLOCK = 8
_WRAPPED = 55
"""Characters of a line of prose from which the next one may be a part of it."""
_STOPS_SHORT = re.compile(r"(?:\b[a-z]{1,12}|[,)`])$")
_GOES_ON = re.compile(r"(?:[a-z]{1,12}\b(?![=(\[{:])|`[^`]+`|\()")
_ENDS_SENTENCE = (".", "!", "?", ";", ",")
_LEAST_ANNOUNCING = 3
"""Words of a line behind which an indented block is what it announces."""
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


def _without_numbers(shown: Sequence[str]) -> Iterator[str]:
    """The lines without the numbers that a tool put before them, and without what it says of each file."""
    lines = [line for line in shown if not line.startswith(_OF_EVERY_FILE)]
    found = [_FOUND_LINE.match(line) for line in lines]
    numbers = [int(each[1]) for each in found if each]
    is_numbered = len(numbers) == len(lines) > 1 and all(a < b for a, b in pairwise(numbers))
    for line, number in zip(lines, found, strict=True):
        yield line[number.end() :] if number and is_numbered else _LINE_NUMBER.sub("", line)


def _with_blocks(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those that announce a block of code with what it holds, where a short one follows them."""
    place = 0
    while place < len(lines):
        line, place = lines[place], place + 1
        words = line.strip()
        announces = len(words.split()) >= _LEAST_ANNOUNCING and not words.endswith(_ENDS_SENTENCE)
        begin = place + (place < len(lines) and not lines[place].strip())
        if announces and not line.startswith((" ", "\t", "#")):
            block, end = _block_at(lines, begin)
            told = " ".join((line, *(f"`{each}`" if len(block) == 1 and "`" not in each else each for each in block)))
            if block and len(told) <= _PASSAGE_CHARS:
                line, place = told, end
        yield line


def _block_at(lines: Sequence[str], begin: int) -> tuple[list[str], int]:
    """The lines of the indented or fenced block that begins at a line, and the number of the line behind it."""
    last = min(begin + _MOST_IN_BLOCK, len(lines))
    if begin < last and _FENCE.match(lines[begin]):
        end = next((place for place in range(begin + 1, last) if _FENCE.match(lines[place])), begin)
        return [line.strip() for line in lines[begin + 1 : end] if line.strip()], end + 1
    end = next((place for place in range(begin, last) if not _INDENTED.match(lines[place])), last)
    return [line.strip() for line in lines[begin:end]], end


def _is_wrapped(before: str, line: str) -> bool:
    """Return true for a line of prose that goes on where the long one before it stops short of its end."""
    is_comment = before.startswith(("#", "//", "--"))
    stops_short = len(before) >= _WRAPPED and not is_comment and _STOPS_SHORT.search(before) is not None
    return stops_short and _GOES_ON.match(line) is not None


def _of_text(text: str) -> Iterator[Passage]:
    """Lines, each with those that it announces; items with their numbers and the lines below that are indented."""
    told: list[str] = []
    item = number = indent = 0
    for line in [*_with_blocks(list(_without_numbers(text.splitlines()))), ""]:
        depth = len(line) - len(line.lstrip())
        begins = _ITEM.match(line)
        is_below = depth > indent and (number or told[0].endswith(":")) if told else False
        announced = told and (told[-1].endswith((":", "e.g.", "{")) or _is_wrapped(told[-1], line))
        goes_on = told and line.strip() and not begins and (is_below or announced)
        if goes_on and sum(map(len, told)) < _PASSAGE_CHARS:
            told.append(line.strip())
            continue
        if told:
            yield Passage(" ".join(told), item=number)
        item = item + 1 if begins else (0 if line.strip() else item)
        number = item if begins else 0
        told, indent = ([line[begins.end() :].strip() if begins else line.strip()] if line.strip() else []), depth
