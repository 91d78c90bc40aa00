"""Names that secrets are given to: `db_password`, `X-Api-Key`, `clientSecret`, `Mot de passe`.

A name is found by its last word, in small letters, and by what stands before that: many a word such as key is part of a
name only after some others. A name is weak where it often stands for something else than a secret.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_S = r"[ ._-]?"
_IDENTIFIER = r"(?:(?<![a-z0-9+/\\])|(?<=\\[nrt]))"
_NO_STATEMENT = r"(?![ \t]*\r?\n)"
"""What follows a name rather than the statement of Python."""
_OTHER_KEYS = (
    "(?:public|pub|foreign|cache|sort|partition|idempotency|object|row|dedup|unique|index|lookup|group|hash|range|event|"
    "message|s3|sub|by|of|the|for|with|parent|item|order|state|storage|build|lock|resource|translation|i18n|websocket)[_-]"
)
"""What makes a key that is none of a lock."""
_KEY_OF = (
    rf"(?:(?P<aws>secret{_S}access)|(?P<key>api|access|account|auth|service|subscription)"
    rf"|(?P<secret>private|signing|encryption|master|client|secret)"
    rf"|(?P<weak_key>app(?:lication)?|licen[sc]e|write|ingest(?:ion)?|storage|shared{_S}access|service{_S}role|primary|"
    rf"secondary|integration|routing|admin|deploy|server|project|hmac|aes|fernet|crypto?|cipher|data|signature|"
    rf"wallet|webhook|session|host|function|root|owner|(?<![a-z0-9])(?!{_OTHER_KEYS})[a-z0-9]{{2,15}}(?=[_-]\Z))){_S}\Z"
)
_PASS_OF = (
    rf"(?P<password>(?:db|user|admin|root|smtp|mail|ftp|login|proxy|default|become|ssh|auth|sasl|"
    rf"vault|bind|ldap|imap|vpn|wifi|keystore|truststore|cert|unlock|master|mysql|postgres|pg|redis|mongo|rabbitmq){_S}\Z)"
    rf"|(?P<weak_password>[a-z][_-]\Z|{_IDENTIFIER}(?!(?:by|com|encom|sur|tres|ask|one|two|multi|first)\Z)"
    r"[a-z]{0,12}\Z)"
)
_SALT_OF = r"(?P<weak_secret>[a-z]{2,12}[ ._-]?\Z)"
_SEED_OF = rf"(?P<weak_secret>(?:otp|mfa|totp|wallet){_S}\Z)"
_PAT_OF = r"(?P<weak_key>(?:[a-z0-9]{1,20}[_ -]|gh|github|gitlab|ado|ext|access|azure)\Z)"
_PIN_OF = (
    r"(?P<pin>(?:alarm|door|sim|card|atm|admin|user|device|login|security|unlock|phone|bank|account|access|gate|safe"
    r"|voicemail|bluetooth|pairing|setup|owner|master|current|new|old|my|your|parental|boot|bios)[ ._-]?\Z)"
)
_AUTH_OF = r"(?P<weak_password>(?:redis(?:cli)?|proxy|registry|docker|smtp|git|admin)[_ -]?\Z)"
_WORD_START = r"(?P<weak_secret>(?<![a-z])\Z)"
_QUOTE_AFTER = re.compile(r"\\{0,8}[\"'\uf8e0-\uf8e6]")
"""After the name `auth`, which is a key of JSON only."""
_IN_MARK = re.compile(r"\[redacted:[a-z0-9-]*\Z")
_TAIL = (
    r"(?:[_-]?(?:key|value|(?:plain|clear)?[_-]?text|string|hash|base64|base|b64|\d{1,4})"
    r"|[ ](?:key[ ]base|key|base|value))?(?![a-z])"
)
_AFTER = re.compile(_TAIL)
_AFTER_PASS = re.compile(_TAIL + _NO_STATEMENT)
"""What follows the last word of a name and belongs to it. One pattern for all words: each would take a millisecond of
every start."""

_PW_OF = rf"(?P<weak_password>{_IDENTIFIER}[a-z]{{0,12}}[_-]?\Z)"
_PASSWORD = (
    "password passwd passphrase passcode pword mdp pwd pswd passwort kennwort senha contrasena contraseña wachtwoord",
    "lösenord lösenordet losenord adgangskode passord passordet salasana hasło haslo heslo geslo jelszó jelszo",
    "parola parolă şifre sifre lozinka пароль κωδικός סיסמה पासवर्ड รหัสผ่าน 密码 密碼 口令 パスワード 暗証番号 비밀번호",
)
_PASSWORD_PHRASES = (
    *("mot de passe", "mot_de_passe", "palavra-passe", "kata sandi", "mật khẩu"),
    *("كلمة المرور", "كلمة السر"),
)
"""The word for a password in thirty languages."""


def _spellings(stem: str) -> tuple[str, ...]:
    """Return a word as it is, and as JSON writes it, once and twice escaped."""
    if stem.isascii():
        return (stem,)
    escaped = json.dumps(stem)[1:-1]
    return stem, escaped, escaped.replace("\\", "\\\\")


_STEMS: tuple[tuple[str, str, str], ...] = (
    *(
        ("password", spelling, "")
        for stem in (*" ".join(_PASSWORD).split(), *_PASSWORD_PHRASES)
        for spelling in _spellings(stem)
    ),
    ("", "pass", _PASS_OF),
    ("", "pw", _PW_OF),
    ("", "key", _KEY_OF),
    ("token", "token", ""),
    ("secret", "secret", ""),
    ("secret", "clave secreta", ""),
    *(("pin", stem, _PIN_OF) for stem in ("pin", "otp", "tan")),
    *(("pin", stem, r"(?P<pin>(?<=[\"'\uf8e0-\uf8e6])\Z)") for stem in ("pin", "otp", "tan")),  # a key of JSON
    ("pin", "puk", r"(?P<pin>(?<![a-z])\Z)"),
    *(("card_code", stem, r"(?P<card_code>(?<![a-z])\Z)") for stem in ("cvv", "cvc", "cvv2", "cvc2", "csc")),
    ("weak_password", "psk", ""),
    ("weak_password", "clave", ""),
    ("weak_password", "community", ""),
    *(("password", f"pre{sign}shared{sign}key", "") for sign in ("", " ", "_", "-")),
    ("weak_password", "credentials", ""),
    ("weak_password", "credential", ""),
    ("weak_secret", "client-key-data", ""),
    ("", "auth", _WORD_START),
    ("", "auth", _AUTH_OF),
    ("", "pat", _PAT_OF),
    *(("weak_secret", f"secret{sign}id", "") for sign in ("", " ", "_", "-", ".")),
    ("", "sig", _WORD_START),
    ("", "signature", _WORD_START),
    ("", "salt", _SALT_OF),
    ("", "seed", _SEED_OF),
    *(("phrase", f"seed{sign}phrase", "") for sign in (" ", "_", "-", "")),
    *(("phrase", f"recovery{sign}phrase", "") for sign in (" ", "_", "-", "")),
    ("phrase", "mnemonic", ""),
)
"""(group, last word, pattern of what must precede it, whose group counts)."""
_Search = tuple[str, str, re.Pattern[str] | None]
_SEARCHES: tuple[_Search, ...] = tuple(
    (group, stem, re.compile(before) if before else None) for group, stem, before in _STEMS
)
_PLAIN = tuple(each for each in _SEARCHES if each[1].isascii() and "\\" not in each[1])
_ESCAPED = tuple(each for each in _SEARCHES if "\\" in each[1])
_OTHER_LETTERS = tuple(each for each in _SEARCHES if not each[1].isascii())
_LONGEST_BEFORE = 24
_KINDS = {
    "aws": "aws-secret-key",
    "password": "password",
    "key": "api-key",
    "token": "token",
    "secret": "secret",
    "weak_key": "api-key",
    "weak_password": "password",
    "weak_secret": "secret",
    "phrase": "password",
    "pin": "password",
    "card_code": "password",
}

LEAST_DIGITS = {"pin": 4, "card_code": 3}
"""Least digits of what the names of a group stand for."""


class SecretName(NamedTuple):
    """A name of a secret in a text; `start` is where those of its words begin that make it one."""

    start: int
    end: int
    group: str

    @property
    def kind(self) -> str:
        """The kind of secret that it stands for."""
        return _KINDS[self.group]

    @property
    def is_weak(self) -> bool:
        """True where only a value that looks random is a secret."""
        return self.group.startswith("weak") or self.group == "phrase" or self.group in LEAST_DIGITS


def secret_names(text: str) -> list[SecretName]:
    """Return the names of secrets in a text, in order; of two that end alike the longer one."""
    folded = _folded(text)
    found: dict[int, SecretName] = {}
    for group, stem, before in _searches(folded):
        if stem not in folded:
            continue
        for word_start, end in _spans(stem, folded):
            start, name_group = word_start, group
            if before is not None:
                window = before.search(folded[max(start - _LONGEST_BEFORE, 0) : start])
                if window is None or window.lastgroup is None:
                    continue
                start, name_group = start - len(window[0]), window.lastgroup
            if stem == "auth" and name_group == "weak_secret" and not _QUOTE_AFTER.match(text, end):
                continue
            other = found.get(end)
            if other is None or start < other.start:
                found[end] = SecretName(start, end, name_group)
    return sorted(name for name in found.values() if _stands_alone(text, name.start))


def _spans(stem: str, folded: str) -> Iterator[tuple[int, int]]:
    """Yield where the last word of a name begins, and where what belongs to it ends."""
    start = folded.find(stem)
    while start >= 0:
        # SMTP_PASS at the end of a line is no statement of Python
        after = _AFTER_PASS if stem == "pass" and folded[start - 1 : start] not in {"_", "-"} else _AFTER
        found = after.match(folded, start + len(stem))
        if found is not None:
            yield start, found.end()
        start = folded.find(stem, start + 1 if found is None else found.end())


def _searches(folded: str) -> Iterable[_Search]:
    """Return the searches whose letters a text may hold: most texts are ASCII without escapes."""
    escaped = _ESCAPED if "\\u" in folded else ()
    return _PLAIN + escaped if folded.isascii() else _PLAIN + escaped + _OTHER_LETTERS


def _stands_alone(text: str, start: int) -> bool:
    """Return true where a name is neither the end of a path nor the kind in a mark of a redaction."""
    return (text[start - 1 : start] != "/" or text[start - 2 : start - 1] == " ") and not (
        "[" in text[max(start - 40, 0) : start] and _IN_MARK.search(text[max(start - 40, 0) : start])
    )


@lru_cache(maxsize=4_096)
def kind_of_name(name: str, *, weak: bool | None = False) -> str:
    """Return the kind of secret that a name such as DB_PASSWORD stands for; empty for other names.

    With `weak` names such as WRITE_KEY and credential are meant instead, with None all of them.
    """
    at_end = [each for each in secret_names(name) if each.end == len(name)]
    return at_end[0].kind if at_end and weak in {None, at_end[0].is_weak} else ""


@lru_cache(maxsize=4_096)
def least_digits(key: str) -> int:
    """Return how many digits make a secret of what a key such as door_pin or cvc stands for; 0 for other keys."""
    quoted = f'"{key}'  # a key that is nothing but `pin` counts as one of JSON
    return max((LEAST_DIGITS.get(each.group, 0) for each in secret_names(quoted) if each.end == len(quoted)), default=0)


def is_name(text: str) -> bool:
    """Return true where the whole text is the name of a secret."""
    return any(name.start == 0 and name.end == len(text) for name in secret_names(text))


def _folded(text: str) -> str:
    """Return the text in small letters, of the same length."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = text.replace("\u0130", "I").lower()
    return folded.replace("\u017f", "s")
