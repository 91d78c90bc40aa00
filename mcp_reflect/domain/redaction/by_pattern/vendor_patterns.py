"""Patterns of vendors' keys: from the table of prefixes, and those whose form says more than a prefix.

The latter are those of detect-secrets 1.5 (Apache 2.0). The package itself is not imported: it brings an HTTP client,
5 MB and a twentieth of a second before the first query. Left out are its patterns that need quadratic time on a hostile
line (JWT, OpenAI, npm, basic auth) or match ordinary words (Artifactory, IBM, Softlayer); `format_patterns.py` and
`vendor_prefixes.py` have patterns for those formats. Those for high entropy report hashes, ids and encoded data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.by_pattern.vendor_prefixes import VENDOR_PREFIXES

_FORMS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}"),
    (
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        r"(?i:aws.{0,20}?(?:key|pwd|pw|password|pass|token).{0,20}?['\"]([0-9a-zA-Z/+]{40})['\"])",
    ),
    ("discord-token", (".",), r"[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27}"),
    ("mailchimp-key", ("-us",), r"[0-9a-z]{32}-us[0-9]{1,2}"),
    ("sendgrid-key", ("SG.",), r"SG\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}"),
    (
        "slack-webhook",
        ("hooks.slack.com",),
        r"(?i:https://hooks\.slack\.com/services/T[a-zA-Z0-9_]+/B[a-zA-Z0-9_]+/[a-zA-Z0-9_]+)",
    ),
    ("square-secret", ("sq0csp-",), r"sq0csp-[0-9A-Za-z\\\-_]{43}"),
    ("telegram-token", (":",), r"\d{8,10}:[0-9A-Za-z_-]{35}"),
    ("twilio-key", ("AC", "SK"), r"AC[a-z0-9]{32}"),
    ("twilio-key", ("AC", "SK"), r"SK[a-z0-9]{32}"),
)
"""(kind, hints, pattern)."""
_LONG_PREFIX = 4
"""Characters from which on a prefix may also follow `_` or `-`."""


def vendor_patterns() -> Iterator[SecretPattern]:
    """Yield the patterns of vendors' keys."""
    for kind, prefix, rest in VENDOR_PREFIXES:
        yield SecretPattern(kind, (prefix,), _prefixed(prefix, rest))
    for kind, hints, form in _FORMS:
        yield SecretPattern(kind, hints, re.compile(form), whole_word=True)


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
