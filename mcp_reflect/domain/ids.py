"""Ids that a model can copy: a readable prefix and 60 random bits in 12 characters."""

from __future__ import annotations

import secrets

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letters that are taken for digits."""


def new_id(prefix: str) -> str:
    """Return a new random id with a prefix, for example `mem_7k2m9qx04t1c`."""
    return prefix + "_" + "".join(secrets.choice(_ALPHABET) for _ in range(12))
