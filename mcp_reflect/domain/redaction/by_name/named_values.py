"""Judgement of the text after the name of a secret: code, a variable, a phrase, a random word."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.secret_names import LEAST_DIGITS, SecretName
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.secret_values import is_joined_phrase, is_phrase, looks_drawn

QUOTE = r"[\"'`\uf8e0-\uf8e6]"
"""Quotes, and the characters that stand for encoded quotes (`redaction/encoded_text.py`)."""

_PHRASE = re.compile(rf"(?:\\{{0,8}}{QUOTE})?(?P<value>[a-z]{{2,12}}(?:[ ]{{1,2}}[a-z]{{2,12}}){{2,30}})")
_CODE = re.compile(
    r"""(?:self|this|cls|os|sys|process|config|settings|args|opts|options|env|request|req|ctx|user|data|params|kwargs
      |cfg|conf|app|props|state|secrets|import)[.\[(:?].*
    | (?:function|async|class|new|return|typeof|await|lambda)\b[ (:].*
    | [A-Za-z_][\w.]*[(\[](?!.*[)\]]\w).*   # a call or a lookup, after which no word goes on
    | [a-z-]+\{[a-z-]+:.* | \(\*?[a-z_][\w.]*(?:\)[\w.>-]*)? | ![a-z]+   # a rule of CSS, a remark, a tag of YAML
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_OF_TERRAFORM = re.compile(
    r"(?:var|local|module|data|each)\.[a-z_][\w.\[\]]*|[a-z0-9]+(?:_[a-z0-9]+)+\.\w+\.[a-z][a-z_]*"
)
"""What Terraform takes from a variable or another resource: `random_password.db.result`."""
_VARIABLE = re.compile(r"[@:&*-]?[A-Za-z_.-]*(?:password|passwd|pwd|token|secret|key|pass)[A-Za-z_.]*", re.IGNORECASE)
_PATH = re.compile(r"[~.]{0,2}/[\w.-]*(?:/.*)?", re.DOTALL)
_OPTION = re.compile(r"(?:^|[\s\"'`(\[])(?P<dashes>--?)[A-Za-z0-9]{0,30}(?:[._-][A-Za-z0-9]{1,30}){0,4}[._-]?\Z")
_LONGEST_OPTION = 50
_GROUP_OF_BASE64 = 4
_LEAST_BITS = 15.0
"""Evidence of letters alone that a value without quotes is no variable."""
_SHORTEST_BARE_PASSWORD = 4
_SHORTEST_QUOTED = 6
_SHORTEST_BARE = 8
_SHORTEST_WEAK = 16
_SHORTEST_PIN = 6
"""Least length of a secret, in characters: shorter values are mostly words, counts and placeholders of grammars."""


class NamedSecret(NamedTuple):
    """The place of a secret, and the quotes that its mark needs to leave JSON as it is."""

    start: int
    end: int
    quote: str = ""


def is_variable(value: str) -> bool:
    """Return true for a variable with a name such as `db_password` in place of a value."""
    return _VARIABLE.fullmatch(value) is not None


def is_harmless_bare(value: str, kind: str, *, glued: bool) -> bool:
    """Return true where a value without quotes is code, a path or too short; `glued`: it follows `=` at once."""
    if _CODE.fullmatch(value) or (not glued and _OF_TERRAFORM.fullmatch(value)):
        return True
    if kind == "password":
        return len(value) < _SHORTEST_BARE_PASSWORD or _PATH.fullmatch(value) is not None
    padded = value.endswith("=") and len(value) % _GROUP_OF_BASE64 == 0
    drawn = value.isalpha() and value.isascii() and random_bits(value) >= _LEAST_BITS
    return len(value) < _SHORTEST_BARE or not (glued or padded or drawn or any(letter.isdigit() for letter in value))


def is_random_for(value: str, group: str) -> bool:
    """Return true where a value looks random enough, or is a number, for a name of this group."""
    value = value.rstrip(")]}.:,")
    if group in LEAST_DIGITS:
        return value.isdecimal() and len(value) >= LEAST_DIGITS[group]
    if group == "password" and value.isdecimal():
        return len(value) >= _SHORTEST_PIN
    least = _SHORTEST_WEAK if group in {"weak_key", "weak_secret"} else _SHORTEST_QUOTED if "password" in group else 8
    return looks_drawn(value, least) or ("password" in group and is_joined_phrase(value))


def is_too_short(value: str, kind: str) -> bool:
    """Return true for a value in quotes that is too short for a secret; a password may have any length."""
    return kind != "password" and len(value) < _SHORTEST_QUOTED


def phrase_after(text: str, position: int, name: SecretName) -> NamedSecret | None:
    """Return a passphrase of several words in small letters after a name such as `seed phrase`."""
    if not text[name.start : name.end].lower().endswith(("phrase", "mnemonic", "words")):
        return None
    found = _PHRASE.match(text, position)
    return NamedSecret(*found.span("value")) if found and is_phrase(found["value"]) else None


def option_dashes(text: str, name: SecretName) -> str:
    """Return the dashes of the option that a name is or ends; empty where it is none."""
    before = text[max(name.start - _LONGEST_OPTION, 0) : name.start]
    found = _OPTION.search(before) if "-" in before else None
    return found["dashes"] if found else ""
