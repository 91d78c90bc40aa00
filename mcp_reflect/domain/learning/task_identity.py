"""Task identity: two texts are one task where they have the same words in the same order.

Case, punctuation and spacing do not count. Nothing looser is one task: what helped with a similar request need not help
with this one.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from mcp_reflect.domain import lazy_re as re

_WORD = re.compile(r"\w+")
_BYTES = 8


def words_of(text: str) -> str:
    """Return the words of a text in lower case, with single blanks between; a text without words as it is."""
    return " ".join(_WORD.findall(text.casefold())) or text.strip()


@lru_cache(maxsize=4_096)
def task_key(task: str) -> int:
    """Return a 64-bit digest of the task's words, in [-2**63, 2**63)."""
    words = words_of(task)
    digest = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)
