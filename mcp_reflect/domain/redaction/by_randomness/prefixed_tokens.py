"""Tokens of vendors that are not in the table of prefixes: a short prefix, and a long random rest."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_randomness.random_tokens import random_span
from mcp_reflect.domain.redaction.by_randomness.telling_words import ID_PREFIXES, is_published
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_mixed

_REST = re.compile(
    r"[_~-]([A-Za-z0-9]{16,200})(?![A-Za-z0-9_-])|[_~-]([A-Za-z0-9][A-Za-z0-9_-]{19,200})(?![A-Za-z0-9_-])"
)
_DOTTED = re.compile(
    r"\.(?:(?<=[^\w.-][A-Za-z]\.)|(?<=[^\w.-]\w{2}\.)|(?<=\w{3}\.))"
    r"((?:[A-Za-z0-9_-]{6,200}\.){0,3}(?:[A-Za-z0-9+/_-]{4,400}={1,2}|[A-Za-z0-9_-]{6,400}))(?!\.?[\w(-])"
)
_DOTTED_PREFIX = re.compile(r"(?:^|(?<=[^\w.-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=\n-))[A-Za-z][A-Za-z0-9_]{0,15}\Z")
_PREFIX = re.compile(
    r"(?:^|(?<=[^A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=\n-))"
    r"(?:[a-z][a-z0-9]{1,15}|[A-Z][A-Z0-9]{1,15})(?:[_-][A-Za-z0-9]{1,12}){0,3}\Z"
)
_HASH = re.compile(r"(?:sha\d{1,3}|md5|hash|digest|integrity)\W{1,3}\Z", re.IGNORECASE)
_WORDS_AND_HASH = re.compile(r"(?:[A-Za-z]{1,12}[_-]){1,4}(?:[0-9a-f]{40}|[0-9a-f]{64})")
"""The rest of the key of a cache or of a build: `npm-Linux-8f4b…`."""
_HOST_AND_HASH = re.compile(r"[a-z]{2,6}-[0-9a-f]{16}")
"""The end of a host, and the hash of its address: Cargo keeps the crates of a registry in a folder of that name."""
_LONGEST_PREFIX = 60
_TELLING = re.compile(r"(?:^|[_-])(?:ak|api|as|auth|live|phx|prod|rk|test|testsk|tr)[_-]", re.IGNORECASE)
_CERTAIN = re.compile(r"(?:^|[_-])(?:pat|sec|secret|signkey|sk|tkn|tok|token)[_-]", re.IGNORECASE)
"""Words in a prefix after which small letters and digits make a token, too, which elsewhere are a hash."""
_LEAST_TELLING = 16
_LEAST_BITS = 10.0
"""Least evidence that the rest is random: `sk_` begins names in C, too."""
_LEAST = 20
"""Least characters of the rest; after a telling prefix fewer are enough."""


def redact_tokens(text: str) -> str:
    """Return the text with the rest of each `prefix_rest` replaced that looks like a token; the prefix stays."""
    if not any(sign in text for sign in "_-~."):
        return text

    def replaced(match: re.Match[str]) -> str:
        before = text[max(match.start() - _LONGEST_PREFIX, 0) : match.start()]
        prefix = _PREFIX.search(before)
        rest = match[1] or match[2]
        if prefix and _HASH.search(before, 0, prefix.start()):
            return match[0]
        return f"{match[0][0]}{MARK}token]" if prefix and _is_token(prefix[0], rest) else match[0]

    def dotted(match: re.Match[str]) -> str:
        before = text[max(match.start() - _LONGEST_PREFIX, 0) : match.start()]
        parts = [
            part.replace("-", "").replace("_", "")
            for part in match[1].rstrip("=").split(".")
            if not _HOST_AND_HASH.fullmatch(part)
        ]
        random = any(map(_is_mixed_token, parts))
        return f".{MARK}token]" if random and _DOTTED_PREFIX.search(before) else match[0]

    return _DOTTED.sub(dotted, _REST.sub(replaced, text)) if "." in text else _REST.sub(replaced, text)


def _is_mixed_token(part: str) -> bool:
    mixed = len(part) >= _LEAST_TELLING and any(map(str.isdigit, part)) and is_mixed(part)
    return mixed and sum(map(random_bits, re.findall("[A-Za-z0-9]+", part))) > 0


def _is_token(prefix: str, rest: str) -> bool:
    words = re.split("[_-]", prefix.casefold())
    if is_published(f"{prefix}_{rest}"):
        return False
    if prefix.casefold() in ID_PREFIXES or words[-1] in ID_PREFIXES - {"key", "prod"}:
        return False
    if not any(map(str.isdigit, rest)) or not any(map(str.isalpha, rest)):
        return False
    if _CERTAIN.search(f"{prefix}_") and len(rest) >= _LEAST:
        span = random_span(rest)
        return span is not None and span.bits >= _LEAST_BITS
    if not _TELLING.search(f"{prefix}_") and _WORDS_AND_HASH.fullmatch(rest):
        return False
    least = _LEAST_TELLING if _TELLING.search(f"{prefix}_") else _LEAST
    return len(rest) >= least and is_mixed(rest) and not rest.islower() and not rest.isupper()
