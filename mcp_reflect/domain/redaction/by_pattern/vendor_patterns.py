"""Patterns of vendors' keys: from the table of prefixes, and from the plugins of detect-secrets.

Formats that detect-secrets supports are taken from its plugins. Its high-entropy plugins are not used, because they
report hashes, ids and encoded data. Plugins whose patterns need quadratic time on a hostile line (JWT, OpenAI, npm,
basic auth) or match ordinary words (Artifactory, IBM, Softlayer) are not used either; `format_patterns.py` and
`vendor_prefixes.py` have patterns for those formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.by_pattern.vendor_prefixes import VENDOR_PREFIXES

_KNOWN_TO_LIBRARY: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), "aws", "AWSKeyDetector"),
    ("discord-token", (".",), "discord", "DiscordBotTokenDetector"),
    ("mailchimp-key", ("-us",), "mailchimp", "MailchimpDetector"),
    ("sendgrid-key", ("SG.",), "sendgrid", "SendGridDetector"),
    ("slack-webhook", ("hooks.slack.com",), "slack", "SlackDetector"),
    ("square-secret", ("sq0csp-",), "square_oauth", "SquareOAuthDetector"),
    ("telegram-token", (":",), "telegram_token", "TelegramBotTokenDetector"),
    ("twilio-key", ("AC", "SK"), "twilio", "TwilioKeyDetector"),
)
"""(kind, hints, module, class) of the detect-secrets plugins in use."""
_LONG_PREFIX = 4
"""Characters from which on a prefix may also follow `_` or `-`."""


def vendor_patterns() -> Iterator[SecretPattern]:
    """Yield the patterns of vendors' keys. Imports detect-secrets; only its patterns are used, none of its settings."""
    for kind, prefix, rest in VENDOR_PREFIXES:
        yield SecretPattern(kind, (prefix,), _prefixed(prefix, rest))
    yield from _from_library()


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


def _from_library() -> Iterator[SecretPattern]:
    for kind, hints, module, plugin in _KNOWN_TO_LIBRARY:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), plugin)
        for pattern in detector.denylist:
            yield SecretPattern(kind, hints, pattern, whole_word=True)
