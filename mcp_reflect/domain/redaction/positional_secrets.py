"""Passwords that have no name but a position: arguments of calls that log in, options beside a user, and pipes."""

from __future__ import annotations

import re

from mcp_reflect.domain.redaction.letter_model import random_bits
from mcp_reflect.domain.redaction.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.secret_values import MARK, is_harmless, is_mixed, looks_random

_ARGUMENTS_OF_CALL = re.compile(r"\((?P<arguments>[^()\n]{8,400})\)")
_CALL = re.compile(
    r"(?:connect|bind|(?:create|add|new)_?(?:super_?)?user|log_?in|log_?on|sign_?in|auth|credential|passw|secret|token|[ed][en]crypt|unlock|session|account"
    r"|cipher|hmac|license|mount|share|vault|keyring)\w{0,24}\Z",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?:connect(?:ion)?|log_?in|sign_?in|(?:create|add|new)_?(?:super_?)?user)\Z", re.IGNORECASE)
"""Calls that take a user and a password, which may be short."""
_LONGEST_NAME = 48
_LITERAL = re.compile(r"(?P<open>\\{0,8}[\"'])(?P<value>[^\s\"'\\]{6,200})(?=(?P=open))")
_NAMED = re.compile(r"[\w-]{1,40}[ \t]{0,3}[=:][ \t]{0,3}\Z")
_SIGNS = frozenset("!@#$%^&*?+")
_LEAST_BITS = 4.0
_MOST_BITS_OF_NAME = -6.0
_LEAST = 8
_LEAST_BESIDE_USER = 6
_SEPARATORS = frozenset(":/=,")
_SIZE = re.compile(r"[a-z]{1,2}\d+[a-zA-Z]?")
"""The rest of an option of Java: -Xmx512m."""
_LONGEST = 64

_USER = r"(?:-[uUDlbnx]|--?(?:user(?:name)?|login|account|email))[ =]?[\"']?[\w.@,=/\\-]{1,80}[\"']?[ ]"
_VALUE = r"(?:\\{0,8}[\"'])?(?!\[redacted:)([^\s\"'\\;|&<>$-][^\s\"'\\;|&<>]{5,63})"
_OPTIONS_BETWEEN = r"(?:[^\n;|&\\]{0,120}?[ ])?"


def is_password_like(value: str) -> bool:
    """Return whether a word reads like a chosen or drawn password rather than a name, a path or a number."""
    if not _LEAST <= len(value) <= _LONGEST or not looks_random(value, _LEAST) or is_harmless(value, "password"):
        return False
    if "://" in value or value.count("/") > 1 or value.startswith(("/", ".", "~", "-")):
        return False
    signs = not _SIGNS.isdisjoint(value[1:])
    bits = sum(random_bits(part) for part in re.findall(r"[A-Za-z0-9]+", value) if part.isascii())
    return bits >= _LEAST_BITS or is_mixed(value) or (signs and "=" not in value)


def redact_positional(text: str) -> str:
    """Return the text with each literal replaced that reads like a password among the arguments of such a call."""
    return _ARGUMENTS_OF_CALL.sub(_without_passwords, text) if "(" in text else text


def _without_passwords(call: re.Match[str]) -> str:
    arguments = call["arguments"]
    if "'" not in arguments and '"' not in arguments:
        return call[0]
    if not _CALL.search(call.string, max(call.start() - _LONGEST_NAME, 0), call.start()):
        return call[0]

    beside_user = _LOGIN.search(call.string, max(call.start() - _LONGEST_NAME, 0), call.start()) is not None

    def replaced(literal: re.Match[str]) -> str:
        value = literal["value"]
        is_password = is_password_like(value) or (beside_user and _is_short_password(value))
        if _NAMED.search(arguments, 0, literal.start()) or not is_password:
            return literal[0]
        return f"{literal['open']}{MARK}password]"

    return f"({_LITERAL.sub(replaced, arguments)})"


def _is_option_value(value: str) -> bool:
    """Return whether the value of an option beside a user reads like a password, also a short one: no port, no path."""
    return _is_short_password(value) and not _SIZE.fullmatch(value)


def _is_short_password(value: str) -> bool:
    return looks_random(value, _LEAST_BESIDE_USER) and _SEPARATORS.isdisjoint(value)


POSITIONAL_PATTERNS: tuple[SecretPattern, ...] = (
    # A user and the password beside it: in options of a mount, in the source of a driver of Go, in prose
    SecretPattern(
        "password",
        ("pass=", "pass:"),
        re.compile(rf"user(?:name)?[=:][ ]?[^\s,;&|\"']{{1,80}}(?:[,;&|]|[ ])[ ]?pass[=:]{_VALUE}"),
    ),
    # A line of .pgpass that holds for any database or host; other lines are in `secret_patterns.py`
    SecretPattern(
        "password",
        (":*:",),
        re.compile(r":(?<=[\w*]:)(?:\d{2,5}:\*|\*:[\w.*-]{1,60}):[\w.-]{1,60}:([^\s:\"'\\]{4,200})(?=\s|\Z|[\"'\\])"),
    ),
    SecretPattern(
        "url-password",
        ("@tcp(", "@unix(", "@("),
        re.compile(r"[\w.-](?<=[\s\"'`=(\\][\w.-])(?:[\w.-]{0,60}):([^\s\"'\\@/]{1,200})@(?:tcp|unix)?\("),
    ),
    SecretPattern(
        "password",
        ("redentials", "REDENTIALS"),
        re.compile(
            rf"(?i:credentials)[^\n:\"'{{}}()=]{{0,60}}:[ ][\"'`]?[\w.@-]{{1,40}}[\"'`]?[ ]?[/:][ ]?[\"'`]?{_VALUE}"
        ),
        judge=lambda value: not is_harmless(value, "password") and "/" not in value,
    ),
    # A user, and after it an option of one letter that stands for a password in many programs
    SecretPattern(
        "password",
        (" -u", " -U", " -D", " -l", " -b", " -n", " -x", " --user", " --login", " --account", " --email", " -user"),
        re.compile(rf"(?<=[ ]){_USER}{_OPTIONS_BETWEEN}-(?:[pPwWaAxXksS]|pw|pass)[ =]?{_VALUE}"),
        judge=_is_option_value,
    ),
    SecretPattern(
        "password",
        ("login ", "logon "),
        re.compile(rf"\blog(?:in|on)[ ][\w.@\\-]{{1,40}}[ ]{_VALUE}"),
        judge=_is_option_value,
    ),
    SecretPattern("password", (" -U",), re.compile(rf"[ ]-U[ =]?[\"']?[^\s%\"']{{1,80}}%{_VALUE}")),
    SecretPattern(
        "password",
        ("<<<",),
        re.compile(
            r"(?:pass|secret|token|login|auth|gpg|openssl|crypt|kinit|sudo|age|key|su)\b[^\n]{0,150}?<<<[ ]?"
            r"\$?(?:\\{0,8}[\"'])([^\s\"'\\]{6,200})"
        ),
        judge=is_password_like,
    ),
    SecretPattern(
        "password",
        ("echo ", "printf "),
        re.compile(
            r"\b(?:echo|printf)[ ](?:-\w+[ ])?(?:\\{0,8}[\"'])?(?:[\w.-]{1,60}:)?([^\s\"'|:$\\]{8,64})"
            r"(?:\\{0,8}[\"'])?[ ]?\|[ ]?(?!base64|xxd|sha|md5|tr\b|sed|awk|grep|cut|wc|rev|jq|od|hexdump|bc)"
        ),
        judge=is_password_like,
    ),
)
