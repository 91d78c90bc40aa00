"""Patterns of vendors' keys that begin with a prefix of their own, from the table of prefixes."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.by_pattern.vendor_prefixes import VENDOR_PREFIXES

_LONG_PREFIX = 4
"""Characters from which on a prefix may also follow `_` or `-`."""


def vendor_patterns() -> Iterator[SecretPattern]:
    """Yield the patterns of vendors' keys."""
    for kind, prefix, rest in VENDOR_PREFIXES:
        yield SecretPattern(kind, (prefix,), _prefixed(prefix, rest))


def _prefixed(prefix: str, rest: str) -> re.Pattern[str]:
    # The look-behind follows the prefix, because a pattern that begins with literal characters is found fast.
    # In an escaped string a line end is the two characters \n, so this n belongs to no word; %3D is no word either.
    literal = re.escape(prefix)
    lone = len(prefix) < _LONG_PREFIX or prefix.startswith(("sk-", "key-", "api-", "sdk-"))
    before = "A-Za-z0-9_-" if lone else "A-Za-z0-9"
    return re.compile(
        rf"{literal}(?:(?<![{before}]{literal})|(?<=\\[nrt]{literal})|(?<=%[0-9A-F]{{2}}{literal})"
        rf"|(?<=\n[+-]{literal})){rest}"
    )
