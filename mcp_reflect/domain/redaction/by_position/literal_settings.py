"""Passwords under short names in settings and code (`SMTP_PASS: …`, `admin_pw=…`), and told in other languages."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word
from mcp_reflect.domain.redaction.by_pattern.notation import ESCAPED_QUOTE as _Q
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.mechanisms import is_mechanism
from mcp_reflect.domain.redaction.values.secret_values import is_harmless, looks_random

_LEAST = 6


def _is_value(value: str) -> bool:
    """Return true for a literal, and no variable, path or call."""
    return not (is_harmless(value, "password") or value.startswith(("$", "<", "{", "/", "./", "~", "%", "@")))


def _is_chosen(value: str) -> bool:
    """Return true for a password by its form: under a short name code and passes of programs stand as often."""
    return _is_value(value) and (looks_chosen(value) or looks_random(value, _LEAST))


def _is_made(value: str) -> bool:
    """Return true for a word with a number, a sign or a capital inside, as people build passwords."""
    word = value.rstrip(".,:;!?")
    inside = word[1:]
    return is_told_word(word) and (any(map(str.isdigit, word)) or any(c.isupper() or c in "._!&%+#" for c in inside))


_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::\d+)?(?:/.*)?")
"""Labels with dots between them, as hosts and versions have."""


def _lets_in(value: str) -> bool:
    """Return true for a made word that is no host, version or branch, which variables of Terraform name as often."""
    is_place = value.count(".") > 1 and _HOST.fullmatch(value) is not None
    return _is_made(value) and _is_value(value) and not (value.islower() or is_place or is_mechanism(value))


_NAMES = (
    "senha|contraseña|kennwort|passwort|wachtwoord|heslo|hasło|salasana|mdp|mot de passe|parola|lösenord(?:et)?"
    r"|пароль|κωδικός|パスワード|şifre\w*|mật khẩu|密码"
)
_VERBS = "is|ist|lautet:?|es|est|è|é|je|to|on|är|olarak|in|là|είναι|[-–—]"

SETTING_PATTERNS: tuple[SecretPattern, ...] = (
    # A constant of C: WIFI_PASS, in quotes
    SecretPattern(
        "password",
        ("#define ",),
        re.compile(
            rf"#define[ \t]{{1,9}}\w*(?:PASS|PASSWORD|PASSPHRASE|PSK|SECRET|TOKEN)[ \t]{{1,40}}"
            rf"{_Q}([^\"'\n\\]{{4,200}})(?={_Q})"
        ),
        judge=_is_value,
    ),
    # SIGN_PASS: …, and grafana_admin_pw=… as an argument
    SecretPattern(
        "password",
        ("_PASS", "_PW"),
        re.compile(rf"[A-Z0-9]_(?:PASS|PWD?)(?:{_Q})?(?:[ ]?=[ ]?|:[ ])(?:{_Q})?([^\s\"'`\\,;()&|]{{5,64}})"),
        judge=_is_chosen,
    ),
    SecretPattern(
        "password",
        ("_pw=", "_pass=", "_pwd="),
        re.compile(r"[a-z0-9]_(?:pw|pass|pwd)=([^\s\"'`\\,;()&|]{5,64})"),
        judge=_is_chosen,
    ),
    # A variable of Terraform whose name ends in whom it lets in
    SecretPattern(
        "password",
        ("TF_VAR_",),
        re.compile(r"TF_VAR_\w{0,60}?(?:master|admin|root|sa)=[\"']?([^\s\"'`\\,;()&|$]{6,64})"),
        judge=_lets_in,
    ),
    # A whole setting in quotes, as systemd and Docker have them
    SecretPattern(
        "password",
        ("PASSWORD=", "PASSPHRASE=", "_PASS="),
        re.compile(r"(?<=[\"'])[A-Z][A-Z0-9_]{0,60}(?:PASSWORD|PASSPHRASE|_PASS)=([^\"'\n\\$]{6,200})(?=[\"'])"),
        judge=_is_value,
    ),
    SecretPattern(
        "password",
        ("cryptsetup", "gpg", "smbpasswd", "chpasswd", "kinit"),
        re.compile(
            rf"(?:echo|printf)[ ](?:-\w+[ ])?{_Q}([^\"'\n\\$]{{4,120}}){_Q}[ ]?\|[ ]?(?:sudo[ ])?"
            r"(?=(?:cryptsetup|gpg2?|smbpasswd|chpasswd|kinit)\b)"
        ),
    ),
    SecretPattern(
        "password",
        ("<Key>Password<",),
        re.compile(r"<Key>Password</Key>\s{0,40}<Value[^<>]{0,60}>([^<\n]{1,200})(?=</Value>)"),
    ),
    SecretPattern(
        "password",
        ("DBI->connect(", "fromDriverManager"),
        re.compile(
            rf"(?:DBI->connect\(|fromDriverManager\[?\w{{0,20}}\]?\([ ]?{_Q}[\w.]{{1,60}}{_Q},)"
            rf"[ ]?{_Q}[^\"'\n]{{1,120}}{_Q}[ ]?,[ ]?{_Q}[^\"'\n]{{1,60}}{_Q}[ ]?,[ ]?{_Q}([^\"'\n\\]{{3,120}})(?={_Q})"
        ),
        judge=_is_value,
    ),
    SecretPattern(
        "password",
        ("red:auth(", "redis:auth(", "redis.auth("),
        re.compile(rf"redi?s?[:.]auth\({_Q}([^\"'\n\\]{{4,120}})(?={_Q}\))"),
        judge=_is_value,
    ),
    # What other languages say of a password: the verb, and a word as people build them
    SecretPattern(
        "password",
        (
            "enha",
            "ontrase",
            "wort",
            "wachtwoord",
            "sword",
            "aslo",
            "asło",
            "alasana",
            "mdp",
            "mot de passe",
            "ароль",
            "ωδικ",
            "パスワード",
            "ifre",
            "khẩu",
            "密码",
            "ösenord",
        ),
        re.compile(
            rf"(?i:{_NAMES})[^\n:=\"'`]{{0,50}}?(?:[ ](?:{_VERBS})[ ]|:[ ]|は[ 「]|是[ ：]?)"
            r"[\"'`「]?([A-Za-z][^\s\"'`<>|,;\\(){}\[\]」]{5,40})"
        ),
        judge=_is_made,
    ),
)
