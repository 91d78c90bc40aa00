"""A model of the letters of words and identifiers: how many bits of evidence a text holds for being random.

Words follow habits: which letter comes after which, and where capitals and digits stand. Random text follows none. The
tables hold the bits of each step in fifths, as one digit or letter each; `benchmarks/secrets/letters.py` computes them
from the words of Python's library and of npm's packages.
"""

from __future__ import annotations

import math
import string
from functools import lru_cache
from itertools import product

CLASSES = "^aA0"
"""The start of a word, small letters, capitals, digits."""
LETTERS = "^abcdefghijklmnopqrstuvwxyz"
"""Whatever is no letter, and the letters."""
FIFTHS = 5
DIGITS = string.digits + string.ascii_letters

_CLASS_BITS = (
    "48g"  # ^^
    "1rh"  # ^a
    "38r"  # ^A
    "ao2"  # ^0
    "888"  # a^
    "1hu"  # aa
    "2cv"  # aA
    "cg3"  # a0
    "888"  # A^
    "1ew"  # Aa
    "f1o"  # AA
    "g48"  # A0
    "888"  # 0^
    "7g5"  # 0a
    "84f"  # 0A
    "hm1"  # 00
)
"""A row for the classes of two characters, a column for the class of the next one: a small letter, capital, digit."""
_LETTER_BITS = (
    "imjmmmpsmBwpnorlzmijlvslDB"  # ^
    "mmjltwmylzthnjIqthjfszuyvF"  # a
    "dlkujvvyjpzgtukusnouiCAAoz"  # b
    "fxrthxyinIjlvAdwunthqACLsJ"  # c
    "itpm9rvzeFAmvvjtvomqpzyCtJ"  # d
    "ltkjqptAwJFnphyqvedjAuwoyO"  # e
    "jqqqievxbDImBxhAujqqmBDDuI"  # f
    "fnpvbvrnhEDnunpxxkkopwyDyB"  # g
    "btssbwBxhHAvtwfxvnrlsDxGtE"  # h
    "jslopsmJAJHjnbirwqiiItQuNs"  # i
    "ehssdpwwoyoxyvlrqvhrkAwBmA"  # j
    "gupr9ppsiBAmxqstAripuusIwF"  # k
    "hzvnaxDDdNCizzfuwBomozERoH"  # l
    "cpzsayxFiECsmxigEymtqyDNrJ"  # m
    "iAkhhpfCmJuvytkuIziersDLCJ"  # n
    "sqlkBvsBvDumkcolNenmluoxII"  # o
    "dAuvexBumQAjAAimEfoipABLoO"  # p
    "eqnwgmnxlAyunwDFhnprcxxzuy"  # q
    "gyprbvqEhNwuqsgwClkjruzNrO"  # r
    "oyoydyuoiRzuyymnDzi9lBzMuN"  # s
    "iunvauCkfQEtwyksIikorBzKpI"  # t
    "olpqhpsEnLCileylIhjgBDJDJJ"  # u
    "bsuy6tzygyBAuwqACurwtvyGyB"  # v
    "fsttiqsodAEsrlhwyijrCxtuxy"  # w
    "kmgmhjBvjyDvrwxiAsreAAAknC"  # x
    "iqgrmrtxnHCpojseDsihvwpxpt"  # y
    "istt8xuvhAEwtyoxtArvzGqone"  # z
)
"""A row for a letter, a column for the next one."""


def _table(before: list[str], after: str, rows: str) -> dict[str, float]:
    cells = zip(product(before, after), rows, strict=True)
    return {first + then: DIGITS.index(bits) / FIFTHS for (first, then), bits in cells}


_CLASS = _table([a + b for a in CLASSES for b in CLASSES], CLASSES[1:], _CLASS_BITS)
_LETTER = _table(list(LETTERS), LETTERS[1:], _LETTER_BITS)
_CHARACTERS = string.ascii_letters + string.digits
_HEX_DIGITS = (frozenset("0123456789abcdef"), frozenset("0123456789ABCDEF"))
_SIZES = {"a": 26, "A": 26, "0": 10}


def class_of(character: str) -> str:
    """Return the class of a letter or digit of ASCII."""
    return "0" if character.isdecimal() else "A" if character.isupper() else "a"


def _step(before: str, character: str) -> float:
    if character.isdecimal():
        return math.log2(10)
    return _LETTER[(before.lower() if before.isalpha() else "^") + character.lower()]


_SHAPES = str.maketrans({each: class_of(each) for each in _CHARACTERS})
_STEPS = {before + each: _step(before, each) for before in "^" + _CHARACTERS for each in _CHARACTERS}


@lru_cache(maxsize=16_384)
def random_bits(word: str) -> float:
    """Return the log of the odds that letters and digits of ASCII were drawn at random rather than written as words.

    Random text is drawn from the smallest usual alphabet that holds all of the word. A word of habit comes out below 0.
    """
    shape = "^^" + word.translate(_SHAPES)
    before = "^" + word
    classes = sum(_CLASS[shape[index : index + 3]] for index in range(len(word)))
    steps = sum(_STEPS[before[index : index + 2]] for index in range(len(word)))
    return classes + steps - len(word) * math.log2(_alphabet(word, shape))


def _alphabet(word: str, shape: str) -> int:
    """Return the number of characters in the smallest usual alphabet that holds all of the word."""
    characters = set(word)
    if characters <= _HEX_DIGITS[0] or characters <= _HEX_DIGITS[1]:
        return 10 if word.isdecimal() else 16
    return sum(size for kind, size in _SIZES.items() if kind in shape)
