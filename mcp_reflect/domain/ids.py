"""Ids that a model can copy: a readable prefix and 60 random bits in 12 characters."""

from __future__ import annotations

import os
import random

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letters that are taken for digits."""

_LENGTH = 12

# Ids are names, not secrets, and a call of the system for each is dear. Not the generator of the module `random`, which
# programs seed; and a child process must not go on with the numbers of its parent.
_chance = random.Random()  # noqa: S311 - as above
if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_chance.seed)


def new_id(prefix: str) -> str:
    """Return a new random id with a prefix, for example `mem_7k2m9qx04t1c`."""
    return f"{prefix}_{''.join(_chance.choices(_ALPHABET, k=_LENGTH))}"
