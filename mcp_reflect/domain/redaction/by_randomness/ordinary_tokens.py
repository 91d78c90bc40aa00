"""Tokens that hold letters and digits as random text does, and are none: alphabets, drawings, files, ids of objects."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_randomness.telling_words import names_an_id

_ALPHABET = re.compile(r"abcdefghijklm|nopqrstuvwxyz", re.IGNORECASE)
_DRAWING = re.compile(r"(?=[^.-]*[.-])[MLHVCSQTAZ]{0,2}(?>(?:[-\d.]++[MLHVCSQTAZ]{1,2})*)[-\d.]*", re.IGNORECASE)
"""A path of a drawing in SVG: numbers, with a letter or two between them."""
_CONSTANT = re.compile(r"[A-Z]{1,12}[0-9]{0,2}(?:_(?:[A-Z]{1,12}[0-9]{0,2}|[0-9]{1,4})){1,12}")
_FILE = re.compile(
    r"\.(?:csv|tsv|jsonl?|ya?ml|log|txt|html?|xml|svg|png|jpe?g|webp|pdf|zip|t?gz|tar|parquet|xlsx?|sql|css|js|woff2?)\Z"
)
_UUID_AT_END = re.compile(r"[-_][0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")


def is_written_out(token: str, word: str) -> bool:
    """Return whether a token holds half of the alphabet in order, is a piece of a drawing, or its `word` a constant."""
    alphabet = _ALPHABET.search(token) is not None
    return alphabet or _DRAWING.fullmatch(token) is not None or _CONSTANT.fullmatch(word) is not None


def is_file_or_id(token: str) -> bool:
    """Return whether a token ends like a file, or is a UUID behind the word for what it is the id of: `pvc-1b0a…`."""
    uuid = _UUID_AT_END.search(token)
    return _FILE.search(token) is not None or (uuid is not None and names_an_id(token[: uuid.start() + 1]))
