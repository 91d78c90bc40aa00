"""Secrets in encoded text: base64, percent encoding, quotes as entities or escapes, and colours of a terminal.

What is encoded is decoded, redacted, and replaced only where that changed it.
"""

from __future__ import annotations

import base64
import binascii
from codecs import getincrementaldecoder
from collections.abc import Callable
from urllib.parse import quote, unquote

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.values.secret_values import MARK

Redaction = Callable[[str], str]

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])")
_FIRST = 24
"""Characters of an encoded text that are decoded first: only text is worth the rest."""
_MOST_ENCODED = 400_000
"""Characters; what is longer is an image or an archive."""
_MOST_LAYERS = 3
_CONTROL = re.compile(r"[^\t\n\r\x1b -~\xa0-\U0010ffff]")

_PERCENT = re.compile(r"(?:[A-Za-z0-9_.~!*'()+-]{0,400}%[0-9A-Fa-f]{2}){1,500}[A-Za-z0-9_.~!*'()%+-]{0,1000}")
_COLOUR = re.compile(r"(?:\x1b|\\+u001[bB]|\\+x1[bB]|\\+033|\\+e)\[[0-9;]{0,20}[mK]")
_COLOURED = ("\x1b[", "\\u001b[", "\\u001B[", "\\x1b[", "\\x1B[", "\\033[", "\\e[")

_QUOTES = dict(
    zip(
        ("&quot;", "&#34;", "&#x27;", "&#39;", "&#x22;", "\\u0022", "\\u0027"),
        map(chr, range(0xF8E0, 0xF8E7)),
        strict=True,
    )
)
"""Encoded quotes, each with the private character that stands for it while names are searched."""
_OWN_CHARACTERS = re.compile("[\uf8e0-\uf8e6]")


def redact_base64(text: str, redact: Redaction, layers: int = _MOST_LAYERS) -> str:
    """Return the text with each base64 text replaced as a whole in which a secret was found, also in inner `layers`."""
    if layers == 0:
        return text

    def replaced(match: re.Match[str]) -> str:
        decoded = _decoded(match[0])
        found = decoded and redact_percent(redact_base64(redact(decoded), redact, layers - 1), redact) != decoded
        return f"{MARK}encoded-secret]" if found else match[0]

    return _BASE64.sub(replaced, text)


def redact_percent(text: str, redact: Redaction, layers: int = _MOST_LAYERS) -> str:
    """Return the text with secrets in percent encoding replaced; the rest of it stays encoded.

    `layers`: how often it may be encoded within itself, as an address within an address is.
    """
    if layers == 0:
        return text
    if "%2" not in text and "%3" not in text:
        return text

    def replaced(match: re.Match[str]) -> str:
        decoded = unquote(match[0])
        redacted = redact_percent(redact(decoded), redact, layers - 1)
        return match[0] if redacted == decoded else quote(redacted, safe="[]:!*'()~")

    return _PERCENT.sub(replaced, text)


def redact_coloured(text: str, redact: Redaction) -> str:
    """Return the text redacted as without colours; it loses its colours where that finds a secret."""
    if not any(start in text for start in _COLOURED):
        return text
    plain = _COLOUR.sub("", text)
    redacted = redact(plain)
    return text if redacted == plain else redacted


def hide_encoded_quotes(text: str) -> tuple[str, list[str]]:
    """Return the text with private characters for quotes written as entities or escapes, and the quotes it held.

    The text is unchanged, and no quotes are returned, where it holds one of those characters itself.
    """
    encoded = [each for each in _QUOTES if each in text]
    if not encoded or _OWN_CHARACTERS.search(text):
        return text, []
    for each in encoded:
        text = text.replace(each, _QUOTES[each])
    return text, encoded


def show_encoded_quotes(text: str, encoded: list[str]) -> str:
    """Return the text with these quotes in place of their private characters."""
    for each in encoded:
        text = text.replace(_QUOTES[each], each)
    return text


def _decoded(encoded: str) -> str:
    """Return what base64 stands for, empty where that is no plain text."""
    if len(encoded) > _MOST_ENCODED:
        return ""
    plain = encoded.rstrip("=").translate(_URL_SAFE)
    try:
        first = getincrementaldecoder("utf-8")().decode(base64.b64decode(plain[:_FIRST]))
        if _CONTROL.search(first):
            return ""
        plain = plain[: len(plain) - (len(plain) % 4 == 1)]
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


_URL_SAFE = str.maketrans("-_", "+/")
