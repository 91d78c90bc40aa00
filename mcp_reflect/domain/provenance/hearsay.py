"""Hearsay: what a sentence says that only correspondence or publications had said before the agent did.

A name, a number beside the same word, or a line as it stands counts, unless the user said it, the agent had it before,
or the run's own means show it, too. That a run did what a mail or a page said, and passed, shows nothing of whether
that is right. This is about sentences of a draft; a stored memory is hearsay as a whole where all of its sources are
such texts, files or tools, and no run passed with it (`MemoryBase.is_hearsay`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, filterfalse
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.call_text import is_for_answers
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.dictated_commands import may_be_told
from mcp_reflect.domain.provenance.endorsement import edits_code
from mcp_reflect.domain.provenance.observed import Observed
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.provenance.taint import IN_BACKQUOTES
from mcp_reflect.domain.provenance.tokens import JOINT, names_of, tells_author
from mcp_reflect.domain.provenance.well_known import is_well_known
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.technical_words import TECHNICAL_WORDS

_NUMBER = re.compile(r"(?<![\w.,])\d{1,12}(?:[.,]\d{1,12}){0,4}(?!\w{0,8}[.,]?\d)")
_NEAR = re.compile(r"[^\W\d_]{3,}|\b(?:mb|gb|kb|ms)\b|[%°€$£]")
_LABEL = re.compile(r"(\w{1,40})\s?[=:]\s?[\"']?\Z")
_BEFORE, _AFTER = 40, 24
_WORDS_BEFORE, _WORDS_AFTER = 3, 2
_STEM = 6
"""Characters around a number, the words of them that tell what it is of, and the letters that count of each."""
_LEAST_LINE, _LEAST_LINE_WORDS = 12, 3
"""Characters and words of a line that hardly stands in two texts by chance."""
_YEAR = 4
"""Digits of a year."""
_CONTACT = re.compile(r"\+\d[\d ()/-]{7,}|\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,}|\S@\S+\.\w")
"""A number to call, that of an account, or an address."""


class Heard(NamedTuple):
    """The source of what is hearsay in a sentence, and whether it may be quoted with that source."""

    source: TextOrigin
    may_be_quoted: bool


class _Part(NamedTuple):
    """A part of a sentence that only such a text had said; `word` is a name, empty for a number or a line."""

    text: Observed
    word: str = ""


class Hearsay:
    """Finds hearsay in sentences about one run."""

    def __init__(self, texts: RunTexts) -> None:
        self._texts = texts

    def of(self, said: str, *, is_output: bool) -> Heard | None:
        """Return what is hearsay in a sentence; `is_output` is true for what it shows as the output of a command.

        What the agent concluded from a publication may be quoted, and so may edits of code that only have names of one,
        as of the arguments of a library. What it did otherwise, and what it has of correspondence, may be where a
        command passed after it that had failed before. Commands that may be told, whoever dictates them, are none.
        """
        quoted = [text.strip() for text in IN_BACKQUOTES.findall(said)]
        acts = [act for act in quoted if act and not may_be_told(act)]
        ran = [call for call in self._texts.calls if any(map(call.holds, acts))]
        acted = bool(ran) or any(map(self._tells_call, acts))
        parts = [] if (is_output and not acted) or (quoted and not acts) else self._parts(said)
        if not parts:
            return None
        source = parts[0].text.source
        if _CONTACT.search(said):
            return Heard(source, may_be_quoted=False)
        is_written = any(part.text.channel == "correspondence" for part in parts)
        names_code = edits_code(said) and all(part.word in self._texts.edited for part in parts)
        is_free = not is_written and (names_code or not acted)
        return Heard(source, is_free or any(self._texts.outcomes.bear_out(call.place) for call in ran))

    def _tells_call(self, act: str) -> bool:
        """Return true for a call of a tool that does something, as a lesson tells it; an answer is in words."""
        tool, opened, _ = act.partition("(")
        return bool(opened) and tool in self._texts.tools and not (only_asks(tool) or is_for_answers(tool))

    def _parts(self, said: str) -> list[_Part]:
        """Each part of a sentence that is hearsay, with the first text that had it."""
        return [*self._names(said), *self._figures(skeleton(said)), *self._lines(said)] if self._has_heard else []

    @cached_property
    def _has_heard(self) -> bool:
        return any(each.channel != "own" for each in self._texts.observed)

    def _names(self, said: str) -> Iterator[_Part]:
        """Names that were read as a whole, or each telling part of which was read."""
        for name in filterfalse(is_well_known, (each.rpartition("://")[2] for each in names_of(said))):
            parts = [name] if self._texts.observed_with(name) else JOINT.split(name)
            telling = [word for word in parts if tells_author(word) and not word.isdecimal()]
            heard = [self._name(word) for word in telling if word not in TECHNICAL_WORDS]
            if all(heard):
                yield from chain.from_iterable(heard)

    def _name(self, word: str) -> list[_Part]:
        if word in self._texts.user_tokens or self._texts.mentions.is_known(word):
            return []
        used = [call.place for call in self._texts.calls if word in call.tokens]
        return [_Part(each, word) for each in self._unless_at_hand(self._texts.observed_with(word), used)]

    def _figures(self, plain: str) -> Iterator[_Part]:
        for found in _NUMBER.finditer(plain):
            number = found[0]
            said = self._numbers.get(number, [])
            if not any(each.channel != "own" for each, _ in said) or number in self._user_numbers:
                continue
            used = [call.place for call in self._texts.calls if number in call.text]
            if used and used[0] < said[0][0].place:
                continue
            near = _labels(plain, found)
            alike = [each for each, labels in said if each.channel == "own" or near & labels or _is_telling(number)]
            yield from map(_Part, self._unless_at_hand(alike, used))

    def _lines(self, said: str) -> Iterator[_Part]:
        """What a command or an edit of the sentence has as it stands in a text, be each word of it common."""
        for quoted in IN_BACKQUOTES.findall(said):
            line = _in_one_line(quoted)
            is_long = len(line) >= _LEAST_LINE and len(line.split()) >= _LEAST_LINE_WORDS
            if not is_long or line in self._texts.plain.get("user", ""):
                continue
            used = [call.place for call in self._texts.calls if call.holds(quoted)]
            if used:
                alike = [each for each, text in self._observed_lines if line in text]
                yield from map(_Part, self._unless_at_hand(alike, used))

    def _unless_at_hand(self, said: Sequence[Observed], used: Sequence[int]) -> list[Observed]:
        """The first of some sentences that is hearsay; none where the run's own means showed it as well.

        `used` are the places of the calls that have it: what such a call prints may be its echo.
        """
        for each in said:
            if each.channel == "own":
                before = bisect_left(self._places, each.place)
                if not before or self._places[before - 1] not in used:
                    return []
        return [each for each in said if each.channel != "own"][:1]

    @cached_property
    def _places(self) -> list[int]:
        """The places of the calls, in order."""
        return [call.place for call in self._texts.calls]

    @cached_property
    def _observed_lines(self) -> list[tuple[Observed, str]]:
        """What was observed, each with its text in one line."""
        return [(each, _in_one_line(each.text)) for each in self._texts.observed]

    @cached_property
    def _user_numbers(self) -> frozenset[str]:
        plain = skeleton("\n".join(self._texts.parts.get("user", ())))
        return frozenset(found[0] for found in _NUMBER.finditer(plain))

    @cached_property
    def _numbers(self) -> dict[str, list[tuple[Observed, frozenset[str]]]]:
        """The sentences that hold each number, with the words that stand near it there."""
        told: dict[str, list[tuple[Observed, frozenset[str]]]] = {}
        for each in self._texts.observed:
            plain = skeleton(each.text)
            for found in _NUMBER.finditer(plain):
                told.setdefault(found[0], []).append((each, _labels(plain, found)))
        return told


def _in_one_line(text: str) -> str:
    return " ".join(skeleton(text).split())


def _labels(plain: str, found: re.Match[str]) -> frozenset[str]:
    """The words near a number that tell what it is of; of a single digit only the name that it is set to."""
    before = plain[max(0, found.start() - _BEFORE) : found.start()]
    if found[0].isdecimal() and len(found[0]) == 1:
        return frozenset(_LABEL.findall(before))
    after = plain[found.end() : found.end() + _AFTER]
    words = (*_NEAR.findall(before)[-_WORDS_BEFORE:], *_NEAR.findall(after)[:_WORDS_AFTER])
    return frozenset(word[:_STEM] for word in words)


def _is_telling(number: str) -> bool:
    """Return true for a number that hardly stands in two texts by chance, and that is no year."""
    return len(number) > _YEAR or (len(number) == _YEAR and number.isdecimal() and number[:2] not in {"19", "20"})
