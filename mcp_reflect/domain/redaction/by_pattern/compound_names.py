"""Secrets given to a name that has the word for one somewhere in it: `icesecretwrite=…`, `pass4SymmKey = …`."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_pattern.notation import ESCAPED_QUOTE as _Q
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen

_PLACE = r"[\w.-]{0,40}(?:[Nn]ame|NAME|[Ff]ile|FILE|Ref|[Pp]ath|PATH)\b"
"""The rest of secretName, passwordFile: what a secret is called, or where it is kept."""

COMPOUND_PATTERNS: tuple[SecretPattern, ...] = tuple(
    SecretPattern(
        "password",
        (word,),
        # A pattern that begins with literal characters is found fast.
        re.compile(
            rf"{word}(?!e[ds]\b|ing|ive|age|through|{_PLACE})[\w.-]{{1,40}}"
            rf"(?:{_Q})?[ \t]{{0,9}}(?:=>|[=:])[ \t]{{0,9}}(?:{_Q})?"
            r"([^\s\"'`<>|,;\\(){}\[\]]{6,64})(?=[\s,;\"'\\]|\Z)"
        ),
        judge=looks_chosen,
    )
    for word in ("pass", "Pass", "PASS", "pwd", "secret", "SECRET")
)
