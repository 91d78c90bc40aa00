"""Texts that stand in base64 inside of others: what hides there was said as well as what can be read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re

_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


def encoded(text: str) -> list[str]:
    """Return what could be base64 inside of a text."""
    return _BASE64.findall(text)


def decoded(text: str) -> Iterator[str]:
    """Yield the texts that stand in base64 inside of a text."""
    for found in encoded(text):
        try:
            plain = base64.b64decode(found + "=" * (-len(found) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if plain.isprintable():
            yield plain
