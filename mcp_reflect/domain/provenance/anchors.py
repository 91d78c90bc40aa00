"""Anchors, which tie a sentence to the text that it stems from: addresses, paths and options."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

NETWORK_ADDRESS = re.compile(
    r"https?://[^\s`'\")>]+|[\w.+-]+@[\w-]+\.[\w.]+"
    r"|\b[a-z0-9][\w-]*(?:\.[a-z0-9][\w-]*)*\.[a-z]{2,24}\b(?:/[\w./-]*)?"
)
ANCHOR = re.compile(rf"{NETWORK_ADDRESS.pattern}|(?:~|\.{{1,2}})?/[\w./-]+|--[\w-]{{4,}}")
HOST = re.compile(
    r"https?://|@[\w-]+\.|\.(?:com|org|net|io|dev|ai|app|co|ru|cn|xyz|info|biz|me|us|uk|de|top|site|online|cloud|link"
    r"|click|live|store|shop|tech|onion|example|test|invalid)(?![\w(]|\.\w)"
)
"""What tells a host from a file name or an attribute, both of which have dots, too."""
LOCAL_NAME = re.compile(r"https?://[a-z][\w-]*(?::\d{1,5})?(?:/.*)?")
"""An address of one name without a dot: a service beside the program, as of a proxy or in a network of containers."""


def anchors_in(plain: str, kind: re.Pattern[str]) -> set[str]:
    """Return the anchors of a kind in a text, without the punctuation around them."""
    return {each for found in kind.findall(plain) if (each := found.strip(".,;:)"))}
