"""Redaction of text and JSON, before anything is written to disk or sent to a model.

A secret becomes `[redacted:<kind>]`; the text around it stays. Text that only looks random (hashes, ids, encoded data)
stays too: it is frequent in runs, and a trajectory without it loses its meaning.
"""

from __future__ import annotations

import hashlib
from functools import cache, partial
from itertools import chain, pairwise
from operator import add
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.cookies import redact_cookies
from mcp_reflect.domain.redaction.by_name.named_secrets import redact_named
from mcp_reflect.domain.redaction.by_name.nearby_secrets import redact_near_accounts
from mcp_reflect.domain.redaction.by_name.secret_names import kind_of_name, least_digits
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.by_position.account_records import redact_records
from mcp_reflect.domain.redaction.by_position.json_members import without_told_members
from mcp_reflect.domain.redaction.by_position.key_parts import redact_key_parts
from mcp_reflect.domain.redaction.by_position.manifest_secrets import redact_manifests
from mcp_reflect.domain.redaction.by_position.positional_secrets import redact_positional
from mcp_reflect.domain.redaction.by_position.printed_secrets import redact_printed
from mcp_reflect.domain.redaction.by_randomness.prefixed_tokens import redact_tokens
from mcp_reflect.domain.redaction.by_randomness.random_tokens import redact_random
from mcp_reflect.domain.redaction.encoded_text import (
    hide_encoded_quotes,
    redact_base64,
    redact_coloured,
    redact_percent,
    show_encoded_quotes,
)
from mcp_reflect.domain.redaction.joined_text import redact_joined
from mcp_reflect.domain.redaction.long_texts import LONGEST_WHOLE, redact_in_pieces
from mcp_reflect.domain.redaction.marks import redact_beside_marks
from mcp_reflect.domain.redaction.patterns import secret_patterns
from mcp_reflect.domain.redaction.values.secret_values import MARK, PLACEHOLDER, is_harmless, is_phrase, looks_random

_FREQUENT = ' etaoinsrhldcumfpgwybvk.,ESTAC:IRO-NDP/=01M2LF(BU)"_GHV#'
"""Characters of text and code, the most frequent first; all others are rarer."""

_SHORTEST = 8
"""Least length of a text that can hold a secret: `pwd=abcd`."""

_MOST_REMEMBERED = 32_768
_without_secrets: dict[bytes, None] = {}
"""Digests of texts in which nothing was found: runs share their prompts, tool names and files."""

_HEADER = re.compile(r"(?:.{0,60}[-_])?(?:authorization|(?:set-?)?cookie2?)", re.IGNORECASE)
"""Names of headers whose values hold more than a secret, such as `Basic`; they are redacted as a line of headers."""

_HOLDER = re.compile(
    r"val(?:ue)?|s|string(?:_?value)?|raw|plain(?:_?text)?|clear_?text|current|previous|old|new", re.IGNORECASE
)
"""Keys of a nested object that hold the secret itself: {"password": {"value": "…"}}."""

_WORD = re.compile(r"[A-Za-z0-9+/_.~=-]{8,}")
"""One word, which its name may show to be a secret or an id."""

_MAX_COMMAND = 300
"""Characters before a match that are searched for its command."""

_SHORTEST_UNDER_WEAK_NAME = 8
"""Least length of a random text under a name such as `write_key` that makes it a secret."""

_MASKED = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])\1{2,}\Z")
"""The end of a secret whose letters an example hides: `ghp_xxxxxxxx`, `services/T000/B000/XXXX`."""

_SMALLEST_NUMBER = 1_000
"""Least absolute value of a number that is taken for a password; smaller ones are counts and flags."""


def redact(text: str) -> str:
    """Return the text with each secret replaced by `[redacted:<kind>]`. Idempotent."""
    if len(text) < _SHORTEST:
        return text
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    if key in _without_secrets:
        return text
    redacted = redact_in_pieces(text, _redact_whole) if len(text) > LONGEST_WHOLE else _redact_whole(text)
    if redacted == text:
        if len(_without_secrets) >= _MOST_REMEMBERED:
            _without_secrets.clear()
        _without_secrets[key] = None
    return redacted


def _redact_whole(text: str) -> str:
    redacted = redact_coloured(text, _redact_plain)
    redacted = redact_base64(redacted, _redact_plain)
    redacted = redact_percent(redacted, _redact_plain)
    return _redact_plain(redacted)


def _redact_plain(text: str) -> str:
    hidden, encoded = hide_encoded_quotes(text)
    redacted = _redact_rounds(redact_joined(hidden, _redact_rounds))
    return show_encoded_quotes(redacted, encoded) if encoded else redacted


def _redact_rounds(text: str) -> str:
    return redact_beside_marks(_redact_once(text), _redact_once)


def redact_json(value: Any) -> Any:
    """Return the value with every string redacted, keys of objects included.

    A string is a secret as a whole where it has a name such as password, token or api_key. The name may be its key,
    stand beside it ({"name": "DB_PASSWORD", "value": "…"}) or before it (["--password", "…"]).
    """
    return _walk(value, "")


def _walk(value: Any, name: str) -> Any:
    """Return a JSON value redacted; `name` is the name that applies to it, empty for none."""
    if isinstance(value, str):
        return _text(value, name)
    if isinstance(value, dict):
        return _object(value, name)
    if isinstance(value, list | tuple):
        return type(value)(_walk(item, _announced(before, item) or name) for before, item in pairwise(("", *value)))
    if isinstance(value, int | float) and not isinstance(value, bool):
        is_secret = abs(value) >= _SMALLEST_NUMBER and kind_of_name(name) == "password"
        return f"{MARK}password]" if is_secret or _is_pin(str(value), name) else value
    return value


def _text(text: str, name: str) -> str:
    kind = kind_of_name(name)
    if kind and not is_harmless(text, kind):
        return f"{MARK}{kind}]"
    weak = kind_of_name(name, weak=True)
    if weak and (looks_random(text, _SHORTEST_UNDER_WEAK_NAME) or is_phrase(text) or _is_pin(text, name)):
        return f"{MARK}{weak}]"
    if not _HEADER.fullmatch(name):
        return _named_word(text, name) if name and _WORD.fullmatch(text) else redact(text)
    start = '"Cookie: ' if "cookie" in name.casefold() else '"Authorization: '
    line = redact(f'{start}{text}"')
    return line[len(start) : -1]


def _is_pin(text: str, name: str) -> bool:
    return text.isdecimal() and 0 < least_digits(name) <= len(text)


def _named_word(text: str, name: str) -> str:
    """Return one word redacted under its name, which may also say that it is an id."""
    line = f"{name}: {text}"
    redacted = redact(line)
    return redacted[len(name) + 2 :] if redacted.startswith(f"{name}: ") else redact(text)


def _object(fields: dict[Any, Any], name: str) -> dict[Any, Any]:
    label = next((fields[key] for key in ("name", "key", "Name", "Key") if _is_label(fields.get(key))), "")
    fields = without_told_members(fields)
    done: dict[Any, Any] = {}
    for key, item in fields.items():
        if not isinstance(key, str):
            done[key] = _walk(item, "")
            continue
        known_by = (label if key.casefold() == "value" else "") or (name if _HOLDER.fullmatch(key) else key)
        done[redact(key)] = _walk(item, known_by)
    return done


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and " " not in value and _is_telling(value)


def _announced(before: Any, item: Any) -> str:
    """Return the name that the previous item of a list gives to an item: an option of a command, or a header."""
    if not isinstance(before, str) or (isinstance(item, str) and item.startswith("-")):
        return ""
    if _HEADER.fullmatch(before):
        return before
    random = isinstance(item, str) and (
        looks_random(item, _SHORTEST_UNDER_WEAK_NAME) or is_phrase(item) or _is_pin(item, before)
    )
    return before if (before.startswith("--") or random) and _is_telling(before) else ""


def _is_telling(name: str) -> bool:
    return bool(kind_of_name(name, weak=None) or _HEADER.fullmatch(name))


def _redact_once(text: str) -> str:
    for known in _patterns_for(text):
        text = known.pattern.sub(partial(_replaced, known), text)
    named = redact_manifests(redact_named(redact_cookies(redact_key_parts(text))))
    named = redact_near_accounts(redact_records(named))
    return redact_random(redact_positional(redact_tokens(redact_printed(named))))


def _patterns_for(text: str) -> list[SecretPattern]:
    """Return the patterns one of whose hints is in the text, and for which its words are long enough, in order."""
    found, hints = set[int](), _hints()
    for part in hints.keys() & chain(text, map(add, text, text[1:])):
        for hint, numbers in hints[part].items():
            if hint in text:
                found.update(numbers)
    longest = max(map(len, text.split()), default=0)
    known = secret_patterns()
    return [each for number in sorted(found) if (each := known[number]).least_word <= longest]


@cache
def _hints() -> dict[str, dict[str, list[int]]]:
    """The hints with the numbers of their patterns, by the rarest pair of characters in each: it rules most out.

    A hint of one character stands under that.
    """
    by_part: dict[str, dict[str, list[int]]] = {}
    for number, known in enumerate(secret_patterns()):
        for hint in known.hints:
            rarest = max(map(add, hint, hint[1:]), key=_rarity, default=hint)
            by_part.setdefault(rarest, {}).setdefault(hint, []).append(number)
    return by_part


def _rarity(characters: str) -> int:
    return sum(_FREQUENT.find(each) % len(_FREQUENT) for each in characters)


def _replaced(known: SecretPattern, match: re.Match[str]) -> str:
    group = match.re.groups
    start, end = match.span(group)
    text = match.string
    inside_word = known.whole_word and (text[end : end + 1].isalnum() or _follows_word(text, match.start()))
    if inside_word or text.startswith(MARK, start) or (group and PLACEHOLDER.fullmatch(text, start, end)):
        return match[0]
    if _MASKED.search(text, start, end) or (known.judge and not known.judge(text[start:end])):
        return match[0]
    if known.unless and known.unless.search(text, max(match.start() - _MAX_COMMAND, 0), match.start()):
        return match[0]
    return f"{text[match.start() : start]}{MARK}{known.kind}]{text[end : match.end()]}"


def _follows_word(text: str, start: int) -> bool:
    before = text[max(start - 2, 0) : start]
    return before[-1:].isalnum() and before not in {r"\n", r"\r", r"\t"}
