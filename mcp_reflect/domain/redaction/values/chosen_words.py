"""The form of passwords that people choose: words with digits or signs in them as no program writes a name.

`Winter2026!`, `b1rch77`, `two!Penguins` and `kJh7_plover` are no words, versions, hosts, paths or identifiers. Among
the words that follow the name of a secret or a user, such a word is nearly always the password.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.mechanisms import is_mechanism
from mcp_reflect.domain.redaction.values.secret_values import PLACEHOLDER, looks_random

_LEAST = 6
_LONGEST = 32
_SIGN = re.compile(
    r"""[A-Za-z0-9](?:[!$]|@(?=.*\d)|\#(?=\d{1,4}\Z))[A-Za-z0-9]
    | [a-z]\d{1,4}[!\#$*?]\Z | (?=.*\d)[A-Za-z0-9]{4,}!\Z
    | [a-z]{3}&[A-Z][a-z] | (?=.*\d)(?=.*[A-Z])[A-Za-z0-9]{3}[&+*?%][A-Za-z0-9]{3}  # operators of code as well
    """,
    re.VERBOSE,
)
_SYNTAX = re.compile(
    r"""^[^A-Za-z0-9] | [/\\=(){}\[\]<>:] | \+\+ | %[sd\d] | \d% | [a-z]\+\d | \$[A-Z_{] | &(?:\#|[a-z]{1,6}\Z)
    | ![rsa]\Z | 0-9                                                       # of a format, a class of characters
    | @[\w-]+\.\w | @[0-9a-f]{7,}\Z | @v?\d+\. | \A[a-z0-9._-]+@v?\d+\Z    # an address, a package with its version
    | \A[a-z][a-z0-9._-]*@[a-z][a-z0-9.-]*\Z                                # a user at a host
    | @sha\d+\Z                                                          # an image with its digest
    | [@#][a-z]+\Z | \.\d?[a-z][a-z0-9]{0,3}(?:\#|\Z)                      # a place in a page, a file
    | \A[\d,]+-?bit\Z | \A\d{4}-\d\d                                       # a number of bits, a date
    | (?i:(?<![a-z])(?:amd|arm|ipv|x(?=86|64|32))\d)                       # what machines and addresses are named
    | \A(?:[0-9a-f]+|[0-9A-F-]+|0o?[\dx]\w*|\w+[+*]\d+)\Z                  # a hash, a number, a sum
    | \A[0-9a-f-]{7,}\#\d+\Z                                              # a part of what has a hash or a UUID
    | \A(?:[A-Z]+[-+\#]\d[\w.-]*|[a-z-]+\#\d+|\w+\#\d{5,})\Z               # the number of an issue
    | \A[A-Z\d]+(?:_[A-Z\d]+)+\Z                                           # a constant
    | \A[a-z]*v?\d+\.\d+(?:[.-][\w.-]*|[KMGTP]i?B?|[km]b?)?\Z             # a version, a size
    | \A(?:input|button|form|select|textarea|div|span|a)\#[a-z]           # an element of a page
    | \A[A-Z][a-z]+!\$?[A-Z]{1,3}\$?\d{1,5}\Z                             # a cell of a sheet
    | (?:Private|Public)Key\Z                                             # a class
    """,
    re.VERBOSE,
)
_PARTS = re.compile(r"[A-Za-z0-9]+")
_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_MOST_BITS_OF_NAME = -12.0
_PARTS_OF_NAME = 3
"""A word of so many parts with less evidence than this is a name in code: `V1SecretReference`."""
_LEAST_BITS = 6.0
_LEAST_BITS_BY_ITSELF = 4.0
_DISGUISED = re.compile(r"(?<![A-Za-z])[bcdfghjklmnpqrstwz]{1,4}[0134][bcdfghjklmnpqrstwxz][a-z]{2,}", re.IGNORECASE)
"""A digit in place of the only vowel: `c0nsole`, `ch3ck`."""


def looks_chosen(word: str) -> bool:
    """Return true where a word reads like a password, chosen or drawn, rather than like a name, a version or code."""
    if not _LEAST <= len(word) <= _LONGEST or _SYNTAX.search(word) or PLACEHOLDER.fullmatch(word) or is_mechanism(word):
        return False
    if has_password_sign(word):
        return True
    if not any(map(str.isdigit, word)) or not any(map(str.isalpha, word)):
        return False
    bits = sum(random_bits(part) for part in _PARTS.findall(word))
    is_name = bits < _MOST_BITS_OF_NAME and len(_NAMES.findall(word)) >= _PARTS_OF_NAME
    disguised = _DISGUISED.search(word) is not None
    return bits >= _LEAST_BITS or disguised or (looks_random(word, _LEAST) and not is_name)


def has_password_sign(word: str) -> bool:
    """Return true where a sign stands among letters as in passwords only: `tulip!Rose`, `Winter2026!`."""
    mixed = not word.islower() or any(map(str.isdigit, word)) or "!" in word[:-1]
    is_sized = _LEAST <= len(word) <= _LONGEST
    return mixed and is_sized and _SIGN.search(word) is not None and not _SYNTAX.search(word)


def is_drawn_or_disguised(word: str) -> bool:
    """Return true for a password by a sign or by letters that no word has: `two!Penguins`, `c0nsole7`, `pmDf7mNCv`."""
    if not looks_chosen(word):
        return False
    bits = sum(random_bits(part) for part in _PARTS.findall(word))
    drawn = bits >= _LEAST_BITS_BY_ITSELF and not (word.islower() or word.isupper())
    return has_password_sign(word) or drawn or _DISGUISED.search(word) is not None
