"""Long texts are redacted in pieces, with the same result."""

from __future__ import annotations

import random

import pytest

from mcp_reflect.domain.redaction.long_texts import LONGEST_WHOLE, redact_in_pieces
from mcp_reflect.domain.redaction.redact import redact

KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join("MIIEowIBAAKCAQEA" + 3 * f"k{number:02}Qz8Lw7VnT4rY" for number in range(99))
    + "\n-----END RSA PRIVATE KEY-----"
)
TABLE = "id,user,password\n" + "\n".join(f"{number},user{number},Kx{number}-mQ7w" for number in range(100, 400))
SECRETS = {
    "assignment": "db_password = 'tr0ub4dor-and-3'",
    "next line": '"password":\n      "tr0ub4dor-and-3"',
    "said after it": "use kT7-mQ2w as the db password",
    "key": KEY,
    "table": TABLE,
    "token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2,
}


def _lines(count: int) -> str:
    words = random.Random(7).choices(("build", "passed", "of", "module", "with", "tests", "in", "3"), k=count * 8)
    return "\n".join(" ".join(words[number * 8 : number * 8 + 8]) for number in range(count))


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_wherever_a_piece_ends(kind: str) -> None:
    secret, filler = SECRETS[kind], _lines(1_800)
    redacted = redact(secret)
    assert redacted != secret
    reach = len(secret) + 40
    for number in range(6):
        place = filler.index("\n", 32_768 - reach + number * reach // 5)
        text = f"{filler[:place]}\n{secret}{filler[place:]}"
        assert len(text) > LONGEST_WHOLE
        assert redact(text) == f"{filler[:place]}\n{redacted}{filler[place:]}"


def test_an_id_whose_name_stands_before_the_cut_is_no_secret() -> None:
    call = '{"id": "call_5t79ns7kBbJbPNVqfVnIBFgP", "type": "function"}'
    text = " ".join([call] * (2 * LONGEST_WHOLE // len(call)))
    assert redact(text) == text


def test_a_text_full_of_secrets_is_redacted_in_linear_work() -> None:
    read = 0

    def counting(text: str) -> str:
        nonlocal read
        read += len(text)
        return text.replace("tulip", "[redacted:password]")

    text = "tulip and rose " * 60_000
    assert "tulip" not in redact_in_pieces(text, counting)
    assert read < 4 * len(text)


def test_no_search_goes_over_a_whole_long_text_while_other_threads_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def searching(text: str) -> str:
        searched.append(text)
        return text

    monkeypatch.setattr("mcp_reflect.domain.redaction.redact._redact_whole", searching)
    text = _lines(20_000)
    assert redact(text) == text
    assert len(text) > 10 * LONGEST_WHOLE
    assert max(map(len, searched)) < LONGEST_WHOLE
