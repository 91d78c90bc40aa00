"""The terms of a text: stems of its words, and pairs of adjacent stems.

Stems make "tests" and "testing" one term. Pairs keep the order of words ("change flight", "flight change") and the
meaning of two frequent words together. Identifiers are split as people read them (`parseJSON_file` is parse, json,
file). Scripts without blanks are split into characters, so that pairs stand for their words.
"""

from __future__ import annotations

import threading
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.english_stemmer import english_stemmer
from mcp_reflect.domain.values import Keys, Terms

TERMS_VERSION = 1
"""Raised when the same text gives other terms; stored terms of another version are computed again."""

MAX_TERM_WORDS = 2_000
"""Words of a text that count; of a longer one its first and last half of them, where its subject is named."""

_CHANGE_OF_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_COMMON = (
    "a about after all also an and any are as at be because been before but by can could did do does for from get had "
    "has have he her here him his how i if in into is it its just may me more my no not now of on one only or other "
    "our out over please s she should so some t than that the their them then there these they this those to under up "
    "us was we were what when where which while who why will with would you your"
)
"""Words that any English text may hold, whatever its subject."""

_MAX_WORD_CHARS = 40
_MAX_COUNT = 255


def terms(text: str) -> Terms:
    """Return the terms of a text of any length and language; none for a text without words."""
    words = _WORD.findall(_CHANGE_OF_CASE.sub(" ", text))
    if len(words) > MAX_TERM_WORDS:
        words = words[: MAX_TERM_WORDS // 2] + words[-MAX_TERM_WORDS // 2 :]
    stems = [_stem(word[:_MAX_WORD_CHARS]) for word in words]
    all_keys = [stem.key for stem in stems]
    all_keys += [crc32(second.following, first.key) for first, second in pairwise(stems)]
    keys, counts = np.unique(np.array(all_keys, dtype=np.uint32), return_counts=True)
    return Terms(keys, np.minimum(counts, _MAX_COUNT).astype(np.uint8))


@cache
def common_term_keys() -> Keys:
    """Return the keys of the common words of English, in rising order."""
    return np.unique(np.array([_stem(word).key for word in _COMMON.split()], dtype=np.uint32))


class _Stem(NamedTuple):
    """`key` is the checksum of a stem. That of a pair continues the first stem's key with the second's `following`."""

    key: int
    following: bytes


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> _Stem:
    stem = str(_stemmers.english.stemWord(word.casefold())).encode("utf-8", "surrogatepass")
    return _Stem(crc32(stem), b" " + stem)


class _Stemmers(threading.local):
    """A stemmer of each thread: it keeps the word that it works on in itself."""

    @cached_property
    def english(self) -> Any:
        # Words of other languages it mostly leaves as they are.
        return english_stemmer()


_stemmers = _Stemmers()
