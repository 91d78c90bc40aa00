"""Ids that a model can copy: a readable prefix and 60 random bits in 12 characters."""

from __future__ import annotations

import secrets

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letters that are taken for digits."""

_LENGTH = 12


def new_id(prefix: str) -> str:
    """Return a new random id with a prefix, for example `mem_7k2m9qx04t1c`."""
    # 256 is a multiple of 32, so that the remainders are even; one call, as each asks the system.
    return f"{prefix}_{''.join(_ALPHABET[byte % 32] for byte in secrets.token_bytes(_LENGTH))}"
