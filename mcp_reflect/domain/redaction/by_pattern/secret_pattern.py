"""The form of a pattern of secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.values.secret_values import looks_random


@dataclass(frozen=True)
class SecretPattern:
    """A pattern of one kind of secret; it is searched only in text that contains one of `hints`.

    The secret is the pattern's last group, or the whole match where it has no group. With `whole_word` a match next to
    letters or digits is ignored. A match is ignored, too, where `unless` matches in the text before it, and where
    `judge` refuses the secret. With `least_word` only text with a word of so many characters is searched, which a match
    has: words are told apart by blanks, and prose has none of forty characters.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    whole_word: bool = False
    unless: re.Pattern[str] | None = None
    judge: Callable[[str], bool] | None = None
    least_word: int = 0


def random_value(least: int) -> Callable[[str], bool]:
    """Return the judge that takes values of at least `least` characters that look random."""
    return lambda value: looks_random(value, least)
