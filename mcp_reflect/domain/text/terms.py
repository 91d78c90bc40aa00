"""A text as countable terms: stems of its words, and of each two that stand side by side.

Stems make "tests" and "testing" one; pairs keep what order says ("change flight", "flight change") and what two
frequent words mean together. Identifiers are split as people read them (`parseJSON_file` is parse, json, file), and
scripts without blanks are taken character by character, so that their pairs do the work of words.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from mcp_reflect.domain.values import Keys, Terms

VERSION = 1
"""Raised when the same text gives other terms; stored terms of other versions are made anew."""

MOST_WORDS = 2_000
"""Of longer texts the first and the last half of this many words count: what a text is about stands at its ends."""

_CHANGE_OF_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_COMMON = (
    "a about after all also an and any are as at be because been before but by can could did do does for from get had "
    "has have he her here him his how i if in into is it its just may me more my no not now of on one only or other "
    "our out over please s she should so some t than that the their them then there these they this those to under up "
    "us was we were what when where which while who why will with would you your"
)
"""Words that any English text may hold, whatever it is about."""

_LONGEST_WORD = 40
_MOST_COUNTED = 255


def terms(text: str) -> Terms:
    """The terms of a text of any length and language; empty where it holds no word."""
    words = _WORD.findall(_CHANGE_OF_CASE.sub(" ", text))
    if len(words) > MOST_WORDS:
        words = words[: MOST_WORDS // 2] + words[-MOST_WORDS // 2 :]
    stems = [_stem(word[:_LONGEST_WORD]) for word in words]
    found = [stem.key for stem in stems]
    found += [crc32(second.following, first.key) for first, second in pairwise(stems)]
    keys, counts = np.unique(np.array(found, dtype=np.uint32), return_counts=True)
    return Terms(keys, np.minimum(counts, _MOST_COUNTED).astype(np.uint8))


@cache
def common_keys() -> Keys:
    """Of the words that say nothing about a text, in rising order."""
    return np.unique(np.array([_stem(word).key for word in _COMMON.split()], dtype=np.uint32))


class _Stem(NamedTuple):
    """`key` stands for the stem; that of a pair is the checksum of both with a blank between, continued from the first
    with what `following` holds of the second.
    """

    key: int
    following: bytes


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> _Stem:
    stem = str(_stemmer().stemWord(word.casefold())).encode("utf-8", "surrogatepass")
    return _Stem(crc32(stem), b" " + stem)


@cache
def _stemmer() -> Any:
    # Porter's English stemmer (Snowball, 2nd version); words of other languages it mostly leaves as they are.
    import snowballstemmer  # noqa: PLC0415 - all its languages are imported with it

    return snowballstemmer.stemmer("english")
