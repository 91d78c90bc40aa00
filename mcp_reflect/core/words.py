"""A text as countable terms: stems of its words, and of each two that stand side by side.

Stems make "tests" and "testing" one; pairs keep what order says ("change flight", "flight change") and what two
frequent words mean together. Identifiers are split as people read them (`parseJSON_file` is parse, json, file), and
scripts without blanks are taken character by character, so that their pairs do the work of words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np

from mcp_reflect.ports import Terms

VERSION = 1
"""Raised when the same text gives other terms; stored terms of other versions are made anew."""

MOST_WORDS = 2_000
"""Of longer texts the first and the last half of this many words count: what a text is about stands at its ends."""

_CHANGE_OF_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_LONGEST_WORD = 40
_MOST_COUNTED = 255


def terms(text: str) -> Terms:
    """The terms of a text of any length and language; empty where it holds no word."""
    counted = Counter(crc32(term.encode("utf-8", "surrogatepass")) for term in _terms(_stems(text)))
    keys = sorted(counted)
    counts = [min(counted[key], _MOST_COUNTED) for key in keys]
    return Terms(np.array(keys, dtype=np.uint32), np.array(counts, dtype=np.uint8))


def _stems(text: str) -> list[str]:
    words = _WORD.findall(_CHANGE_OF_CASE.sub(" ", text))
    if len(words) > MOST_WORDS:
        words = words[: MOST_WORDS // 2] + words[-MOST_WORDS // 2 :]
    return [_stem(word[:_LONGEST_WORD].casefold()) for word in words]


def _terms(stems: list[str]) -> Iterable[str]:
    yield from stems
    yield from map(" ".join, pairwise(stems))


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    # Porter's English stemmer (Snowball, 2nd version); words of other languages it mostly leaves as they are.
    import snowballstemmer  # noqa: PLC0415 - all its languages are imported with it

    return snowballstemmer.stemmer("english")
