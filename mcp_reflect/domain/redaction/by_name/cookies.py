"""Secrets in cookies: the values of those that stand for a session, a login or a token."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.named_values import is_harmless_bare
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless

_COOKIES = re.compile(
    r"(?P<before>(?:cookie2?(?:\\{0,8}[\"'])?[ \t]{0,5}[:=]|\bcurl [^\n;|&\\]{0,150}?(?:-b|--cookie)[ =])[ \t]{0,5}"
    r"(?:\\{0,8}[\"'])?)(?P<crumbs>[^\n\"'\\]{1,8000})",
    re.IGNORECASE,
)
_CRUMB = re.compile(
    r"(?P<name>(?<![\w.-])[\w.-]{0,60}?(?:sess|sid|auth|token|jwt|login|remember|identity|[cx]srf)[\w.-]{0,60}=)"
    r"(?P<value>[^\s;,]{1,4000})",
    re.IGNORECASE,
)


def redact_cookies(text: str) -> str:
    """Return the text with the values of such cookies replaced, in headers and in the arguments of curl."""
    if "cookie" not in text.casefold() and "curl " not in text:
        return text
    return _COOKIES.sub(lambda line: line["before"] + _CRUMB.sub(_replaced, line["crumbs"]), text)


def _replaced(crumb: re.Match[str]) -> str:
    value = crumb["value"]
    harmless = is_harmless_bare(value, "cookie", glued=True) or is_harmless(value, "cookie")
    return crumb[0] if harmless else f"{crumb['name']}{MARK}cookie]"
