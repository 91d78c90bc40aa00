"""Which patterns of secrets are searched in a text: those that could match, and few others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.patterns import secret_patterns
from mcp_reflect.domain.redaction.redact import redact

OF_LONG_WORDS = [known for known in secret_patterns() if known.least_word]


@pytest.mark.parametrize("known", OF_LONG_WORDS, ids=lambda known: known.kind)
@given(data=st.data())
def test_what_a_pattern_of_long_words_matches_is_one_word_of_that_length(
    known: SecretPattern, data: st.DataObject
) -> None:
    found = known.pattern.search(data.draw(st.from_regex(known.pattern.pattern)))
    assert found is not None
    assert max(map(len, found[0].split())) >= known.least_word


@pytest.mark.parametrize(
    ("kind", "shortest"),
    [
        ("license-key", "AB12-CD34-EF56-GH78"),
        ("telegram-token", "12345678:AAbcdefghijklmnopqrstuvwxyz_0123456"),
        ("asana-token", "1/1234567890123:0123456789abcdef0123456789abcdef"),
        ("mailgun-key", "0123456789abcdef0123456789abcdef-01234567-89abcdef"),
    ],
)
def test_the_shortest_secret_of_a_pattern_of_long_words_is_found_among_short_words(kind: str, shortest: str) -> None:
    assert len(shortest) in {known.least_word for known in OF_LONG_WORDS if known.kind == kind}
    assert redact(f"It is {shortest} now.") == f"It is [redacted:{kind}] now."


@pytest.mark.parametrize("word", ["card", "CARD", "pan", "PAN", "Mastercard"])
def test_a_card_number_is_known_by_the_word_before_it_in_any_case(word: str) -> None:
    assert redact(f"my {word} number: 4111111111111111") == f"my {word} number: [redacted:card-number]"
    assert redact(f"x{word} 4111111111111111") == f"x{word} 4111111111111111"
