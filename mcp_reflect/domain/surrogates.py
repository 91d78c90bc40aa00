"""Lone surrogates: halves of characters, as escapes of JSON and names of files can hold them, which UTF-8 has not.

No database, file or socket takes a text with one. Standard library only.
"""

from __future__ import annotations


def replace_surrogates(text: str) -> str:
    """Return the text with a question mark for each lone surrogate."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
