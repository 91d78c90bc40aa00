"""When two texts are one task: the same words in the same order, whatever their case, punctuation and spacing.

Nothing looser: who asks for something alike may want something else, and what helped there need not help here.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

_WORD = re.compile(r"\w+")
_BYTES = 8


@lru_cache(maxsize=4_096)
def task_key(task: str) -> int:
    """A number that stands for the task, in [-2**63, 2**63); other tasks have another one, but for chance."""
    words = " ".join(_WORD.findall(task.casefold())) or task.strip()
    digest = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)
