"""Sanitizing of text before it is stored: secrets are replaced, and recalled memories are cut out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models import InsightDraft, ReflectionDraft
from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.redaction.values.secret_values import MARK
from mcp_reflect.domain.text.recalled import strip_recalled

_DIGEST = re.compile(r"[0-9a-f]{16}")

NOTHING_STORABLE = "holds nothing but recalled memories"
"""The end of an error message about a text of which nothing is left to store."""


def storable_text(text: str) -> str:
    """Return a text without recalled memories, each secret replaced by `[redacted:<kind>]`."""
    return redact(strip_recalled(text))


def storable_key(key: str) -> str:
    """Return an idempotency key without secrets: two keys stay different, and one stays the same, also a stored one."""
    head, _, digest = key.rpartition(" ")
    if MARK in head and _DIGEST.fullmatch(digest) and redact(head) == head:
        return key
    redacted = redact(key)
    if redacted == key:
        return key
    return f"{redacted} {hashlib.blake2b(key.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def storable_draft(draft: ReflectionDraft) -> ReflectionDraft:
    """Return a draft with every field sanitized; entries of its lists that become empty are dropped."""
    fields = {name: _storable_field(value) for name, value in draft.model_dump().items()}
    return ReflectionDraft.model_validate(fields)


def storable_insights(drafts: Iterable[InsightDraft]) -> list[InsightDraft]:
    """Return the insights with their texts sanitized; those whose text becomes empty are dropped."""
    sanitized = [draft.model_copy(update={"text": storable_text(draft.text).strip()}) for draft in drafts]
    return [draft for draft in sanitized if draft.text]


def _storable_field(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return storable_text(value).strip()
    return tuple(text for each in value if (text := storable_text(each)).strip())
