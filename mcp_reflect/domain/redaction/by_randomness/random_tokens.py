"""Secrets without a known format: words that look drawn at random, judged by what stands around them.

The evidence is counted in bits (`values/letter_model.py`). How much of it is needed depends on the nearest telling word
before the text, on its own prefix, and on its alphabet: after `webhook secret` little is enough, after `commit` or
`sha256` nothing is, and hexadecimal text by itself is a hash.
"""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_randomness.ordinary_tokens import is_file_or_id, is_written_out
from mcp_reflect.domain.redaction.by_randomness.telling_words import (
    Hint,
    hint_before,
    is_argument,
    is_certain_prefix,
    is_id_prefix,
    is_published,
    names_an_id,
)
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.secret_values import MARK, PLACEHOLDER

_TOKEN = re.compile(
    # In JSON a line end is the two characters \n; this n belongs to no word.
    r"(?<![A-Za-z0-9+/_.~-])(?:(?<=\\)[nrt])?(?P<token>[A-Za-z0-9+/_.~-]{12,600}+={0,2})(?!\w)"
)
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_JOINT_BITS = {"_": 3.0, "-": 3.0, ".": 3.0, "~": 0.0, "/": 3.0}
"""Evidence that a sign between two parts takes away: names and paths are made of parts."""
_MACRO = re.compile(r"_{0,2}[A-Z]+[0-9]{0,2}(?:_(?:[A-Z]+[0-9]{0,2}|[0-9]{1,4})){1,12}(?==[^\s=])")
"""The name of a definition or a variable before its value."""
_UUID = re.compile(r"(?<![0-9a-fA-F-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9a-fA-F-])")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_PREFIX = re.compile(r"(?:[A-Za-z][A-Za-z0-9]{0,15}|\d{1,6})(?:[_.~-][A-Za-z0-9]{1,15}){0,3}[_.~-]")
_FILE_END = re.compile(r"\.[a-z][a-z0-9]{1,7}(?![\w.])")
_LINE_AFTER = re.compile(r"(?:\r?\n|\\+n)[ \t]{0,8}[A-Za-z0-9+/]{57,}={0,2}(?=\s|\\|\Z)")
_LINE_BEFORE = re.compile(r"[A-Za-z0-9+/]{57,}(?:\r?\n|\\+n)[ \t]{0,8}\Z")
_LONGEST_LINE = 120
_LEAST_HEX_RUN = 20
_HEX_RUN = re.compile(r"[0-9a-f]{20,}|[0-9A-F]{20,}")
_WORDS_BEFORE = re.compile(r"\A(?:[A-Za-z]{2,12}[-_]){1,4}(?=[0-9a-f]{32})")
"""The name of a program before the sum of a file, as caches of CI are named."""
_LEAST_NAMED_HEX = 16
_LEAST_HEX = 32
_LEAST_PREFIXED_HEX = 24
_LEAST_HEX_IN_PARTS = 60
_LEAST_BITS_OF_ID = 4.0
_JOINTS = re.compile(r"[._~-]")
_LEAST_SEGMENT = 8
"""Characters of the longest part without a sign in it: drawings and versions are made of shorter ones."""
_UUID_LENGTH = 36
_LONGEST_ABBREVIATION = 6
"""Characters of a prefix before a UUID, with its sign, that is an abbreviation and no word."""
_PAIR = re.compile(r"(?<![\w:])(?P<left>[A-Za-z0-9.]{8,64}):\Z")
"""An id and a colon before its secret."""
_LONGEST_PAIR = 70
_LONGEST_PREFIXED = 500
_LONGEST_ALONE = 200
"""Characters; what is longer and stands under no telling word is encoded data."""


class Least(NamedTuple):
    """The least bits of evidence and the least characters that make a secret."""

    bits: float
    length: int


_NAMED = Least(8, 8)
"""After the name of a secret."""
_WEAK = Least(10, 12)
"""After a word that now and then names a secret, such as `session` or `key`."""
_NEAR = Least(14, 12)
"""Some words after the name of a secret."""
_PREFIXED = Least(11, 13)
"""After a prefix of no known id."""
_ALONE = Least(12, 18)
_ONE_CASE = Least(15, 20)
"""Without any sign, in letters of both cases or of one."""


class RandomPart(NamedTuple):
    """The part of a token that looks most random, with its bits of evidence."""

    start: int
    end: int
    bits: float


def redact_random(text: str) -> str:
    """Return the text with each random word replaced for which its surroundings say that it is a secret."""

    def replaced(match: re.Match[str]) -> str:
        token = match["token"]
        span = None if _MACRO.match(text, match.start("token"), match.end() + 2) else random_span(token)
        if span is None or not _is_secret(text, match.start("token"), token, span):
            return match[0]
        before = match[0][: match.start("token") - match.start() + span.start]
        return f"{before}{MARK}random-secret]{token[span.end :].lstrip('=')}"

    return _TOKEN.sub(replaced, text)


def random_span(token: str) -> RandomPart | None:
    """Return the part of a token with the most evidence, of whole segments; None where there is none."""
    if token.islower() and not any(map(str.isdigit, token)):
        return None
    if _UUID.fullmatch(token):  # of one part, though some of its groups may look like words
        return RandomPart(0, len(token), float(len(token)))
    best: RandomPart | None = None
    start, bits, end = 0, 0.0, -1
    for segment in _SEGMENT.finditer(token):
        joints = token[end : segment.start()] if end >= 0 else ""
        carried = bits - sum(_JOINT_BITS.get(each, 0.0) for each in joints)
        own = _bits(segment[0])
        start, bits = (start, carried + own) if carried > 0 and end >= 0 else (segment.start(), own)
        end = segment.end()
        if best is None or bits > best.bits:
            best = RandomPart(start, end, bits)
    return best if best and best.bits > 0 else None


def _bits(word: str) -> float:
    run = _HEX_RUN.search(word) if len(word) >= _LEAST_HEX_RUN else None
    if run is not None and not run[0].isdecimal():
        return len(run[0])  # about what the model finds in it
    return random_bits(word)


def _is_secret(text: str, position: int, token: str, span: RandomPart) -> bool:
    word = token[span.start : span.end]
    hint = hint_before(text, position)
    if hint is not Hint.ID and span.start:
        hint = max(hint, hint_before(text, position + span.start), key=list(Hint).index)
    if hint is Hint.ID or PLACEHOLDER.fullmatch(word) or is_published(token) or is_written_out(token, word):
        return False
    is_hex = _is_hex(word)
    is_uuid = _is_id_of_uuid(word)
    match hint:
        case Hint.NAMED:
            return is_uuid or (len(word) >= _LEAST_NAMED_HEX if is_hex else _suffices(span, _NAMED))
        case Hint.WEAK:
            return not is_hex and not is_uuid and _suffices(span, _WEAK)
        case Hint.NEAR if is_uuid or is_hex:
            return len(word) >= _LEAST_HEX and "/" not in token and (not is_uuid or is_argument(text, position))
        case Hint.NEAR:
            return _suffices(span, _NEAR) and _longest(word) >= _LEAST_SEGMENT
    return _is_alone(text, position, token, span)


def _is_hex(word: str) -> bool:
    return _HEX.fullmatch(_JOINTS.sub("", _WORDS_BEFORE.sub("", word.removeprefix("0x")))) is not None


def _suffices(span: RandomPart, least: Least) -> bool:
    return span.bits >= least.bits and span.end - span.start >= least.length


def _is_alone(text: str, position: int, token: str, span: RandomPart) -> bool:
    """Judge a text without telling words by its own form."""
    prefix, word = token[: span.start], token[span.start : span.end]
    vendor = _PREFIX.fullmatch(prefix) is not None and not is_id_prefix(prefix)
    is_data = (
        len(word) > (_LONGEST_PREFIXED if vendor else _LONGEST_ALONE)
        or _FILE_END.match(token, span.end)
        or is_file_or_id(token)
        or _is_encoded_text(token)
        or names_an_id(prefix)
    )
    if is_data or _longest(word) < _LEAST_SEGMENT or _is_line_of_block(text, position, position + len(token)):
        return False
    in_path = text[max(position - 1, 0) : position] == "/" or "/" in prefix
    in_path = in_path and not (vendor and prefix.endswith("_"))
    if _is_id_of_uuid(word):
        telling = len(prefix) <= _LONGEST_ABBREVIATION or is_certain_prefix(prefix)
        return vendor and not in_path and len(word) == _UUID_LENGTH and telling
    if _is_hex(word):
        return _is_secret_hex(text, position, word, vendor=vendor and not in_path)
    if vendor or _follows_id(text, position):
        return _suffices(span, _PREFIXED)
    if word.islower() or word.isupper():
        return _suffices(span, _ONE_CASE) and not in_path
    return _suffices(span, _ALONE) and not (in_path and "/" in word)


def _is_secret_hex(text: str, position: int, word: str, *, vendor: bool) -> bool:
    """Judge hexadecimal text: a secret after a vendor's prefix, after the id that it belongs to, or of long parts."""
    if len(word) >= _LEAST_PREFIXED_HEX and vendor:
        return True
    if len(word) >= _LEAST_HEX and _follows_id(text, position):
        return True
    return len(word) >= _LEAST_HEX_IN_PARTS and not word.isalnum()


def _follows_id(text: str, position: int) -> bool:
    """Return whether a random text and a colon stand before: an id with its secret."""
    pair = _PAIR.search(text, max(position - _LONGEST_PAIR, 0), position)
    return pair is not None and max(map(random_bits, _SEGMENT.findall(pair["left"])), default=0.0) >= _LEAST_BITS_OF_ID


def _is_id_of_uuid(word: str) -> bool:
    """Return whether a text is a UUID, with a short part beside it at most."""
    found = _UUID.search(word)
    return found is not None and len(word) <= _UUID_LENGTH + _LEAST_SEGMENT


def _longest(word: str) -> int:
    return max(len(each[0]) for each in _SEGMENT.finditer(word))


def _is_encoded_text(token: str) -> bool:
    try:
        decoded = base64.b64decode(token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4), validate=True).decode(
            "utf-8"
        )
    except (binascii.Error, ValueError):
        return False
    return decoded.isprintable() or decoded.replace("\n", "").isprintable()


def _is_line_of_block(text: str, start: int, end: int) -> bool:
    """Return whether a line of encoded data stands directly before or after: blocks have lines of one length."""
    return bool(_LINE_AFTER.match(text, end) or _LINE_BEFORE.search(text, max(start - _LONGEST_LINE, 0), start))
