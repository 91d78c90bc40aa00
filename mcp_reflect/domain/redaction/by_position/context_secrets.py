"""Secrets that the context of one service or one way of telling shows: answers, lists of accounts, and addresses."""

from __future__ import annotations

import base64
import binascii

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word
from mcp_reflect.domain.redaction.by_pattern.notation import DEVELOPMENT_HOST
from mcp_reflect.domain.redaction.by_pattern.notation import ESCAPED_QUOTE as _Q
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern, random_value
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import WORDS, is_harmless, looks_random

_LEAST = 6
_PHRASE_WORDS = 3
_LEAST_LETTERS, _MOST_LETTERS = 3, 12
_NAME = r"(?i:passwor[dt]|passwd|passphrase|passcode|kennwort|wi-?fi key)"
_NEW_LINE = r"(?:[ \t]*(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)){1,3}"
_ACCOUNT = r"(?:admin|administrator|root|guest|user)"


def _is_pair(encoded: str) -> bool:
    """Return true for a user and a password in base64."""
    try:
        plain = base64.b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return plain.isprintable() and ":" in plain[1:-1]


def _is_password(value: str) -> bool:
    word = value.rstrip(".:?")
    return not is_harmless(word, "password") and (looks_chosen(word) or looks_random(word, _LEAST))


def _has_sign_or_number(value: str) -> bool:
    return is_told_word(value) and not value.isalpha() and not value.isdecimal()


def _is_row_of_words(value: str) -> bool:
    """Return true for at least three short words in small letters that one sign joins, none of them a common one."""
    words = re.split(r"[._-]", value)
    sized = all(_LEAST_LETTERS <= len(word) <= _MOST_LETTERS for word in words)
    return sized and len(words) >= _PHRASE_WORDS and WORDS.isdisjoint(words)


CONTEXT_PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern(
        "basic-auth", ("Basic ", "basic "), re.compile(r"[Bb]asic ([A-Za-z0-9+/]{8,400}={0,2})"), judge=_is_pair
    ),
    # A user and a password as one value, as Neo4j takes them
    SecretPattern(
        "basic-auth",
        ("_AUTH",),
        re.compile(rf"_AUTH(?:{_Q})?[ ]?[:=][ ]?(?:{_Q})?[\w.-]{{1,40}}/([^\s\"'\\,;/]{{4,200}})"),
        judge=_has_sign_or_number,
    ),
    SecretPattern(
        "secret",
        ("secret set ",),
        re.compile(rf"secret set [^\n;|&\\]{{1,150}}?[ ](?:-b|--body)[ =](?:{_Q}([^\n\"'\\$]{{4,200}})(?={_Q}))"),
    ),
    # [smtp.acme.dev]:587 noreply@acme.dev:…, as Postfix keeps them
    SecretPattern(
        "password", ("]:",), re.compile(r"\]:\d{2,5}[ \t]{1,9}[^\s:\\]{1,80}:([^\s\"'\\]{4,200})"), judge=is_told_word
    ),
    # Passwords of programs are told in four groups of small letters.
    SecretPattern(
        "password",
        ("app password", "app-password", "App password", "App-Password", "app pw"),
        re.compile(r"[Aa]pp[ -](?:[Pp]assword|pw)[^\n\\]{0,40}?(?<![a-z])([a-z]{4}(?:[ ][a-z]{4}){3})(?![a-z])"),
    ),
    SecretPattern(
        "one-time-code",
        ("SMS", "2FA", "OTP", "authenticator", "one-time", "Authenticator"),
        re.compile(
            r"(?:SMS|2FA|OTP|[Aa]uthenticator|one-time)\b[^\n.;\\]{0,60}?(?:\bis\b|\bwas\b|:)[ ]{1,3}[\"'`]?"
            r"(\d{3}[ -]?\d{3,5})(?!\w)"
        ),
    ),
    SecretPattern(
        "private-key",
        ("accounts", "privateKeys"),
        re.compile(rf"(?:accounts|privateKeys)(?:{_Q})?[ ]?[:=][ ]?\[\s{{0,9}}{_Q}(0x[0-9a-fA-F]{{64}})(?={_Q})"),
    ),
    SecretPattern("secret", ("/private-",), re.compile(r"/private-([0-9a-f]{16,64})(?=[/?\s\"'\\]|\Z)")),
    # new NetworkCredential("user", "…", "domain")
    SecretPattern(
        "password",
        ("NetworkCredential(",),
        re.compile(
            rf"NetworkCredential\([ ]?@?{_Q}[^\"'\n\\]{{0,100}}{_Q}[ ]?,[ ]?@?{_Q}([^\"'\n\\]{{4,200}})(?={_Q})"
        ),
    ),
    # The password of a registry of AWS: JSON in base64 that begins with its payload
    SecretPattern("token", ("eyJwYXlsb2Fk",), re.compile(r"(?<![\w+/])eyJwYXlsb2Fk[A-Za-z0-9+/]{40,8000}={0,2}")),
    SecretPattern(
        "password",
        ("requirepass", "masterauth"),
        re.compile(
            rf"(?:requirepass|masterauth){_Q}{_NEW_LINE}[ \t]{{0,9}}\d{{1,2}}\)[ ]{_Q}([^\s\"'\\]{{1,200}})(?={_Q})"
        ),
    ),
    # > what is the wifi password?  it's …
    SecretPattern(
        "password",
        ("?",),
        re.compile(
            rf"{_NAME}(?:[ ][^\n?]{{0,60}})?\?(?:{_NEW_LINE}|[ ])(?:[>*-][ ])?(?:\w{{1,20}}:[ ])?"
            r"(?i:(?:sure[,:]?[ ])?(?:it'?s|it[ ]is|that'?s|try|use)[ ])?[\"'`]?([^\s\"'`,;()]{6,64})"
        ),
        judge=_is_password,
    ),
    SecretPattern(
        "password",
        ("passphrase", "assword", "asswort"),
        re.compile(
            r"(?:passphrase|assword|asswort)(?:[ ](?:for|of|to|f\u00fcr|von)[ ][^\n.:;=]{1,40}?)?"
            r"[ ](?:is|ist|lautet)[ ][\"'`]?([a-z]{3,12}(?:[._-][a-z]{3,12}){2,8})(?![\w-])"
        ),
        judge=_is_row_of_words,
    ),
    SecretPattern(
        "password",
        ("assword for the ",),
        re.compile(
            rf"assword for the [\w.-]{{1,40}} user[^\n:]{{0,120}}:(?:{_NEW_LINE}|[ ])[ \t]{{0,9}}([^\s\"'\\]{{6,100}})"
        ),
        judge=_is_password,
    ),
    SecretPattern(
        "password",
        ("PIN ", "TAN "),
        re.compile(r"\b(?:PIN|TAN)(?:[ ][^\n.;:\d]{1,40}?)?[ ](?:is|ist|lautet|est|es|\u00e8)[ ](\d{4,8})(?![\w.])"),
    ),
    # OpenSSL::HMAC.hexdigest("SHA256", "…", body) · createHmac('sha256', '…')
    SecretPattern(
        "secret",
        ("digest(", "reateHmac(", "hash_hmac(", "hmac.new("),
        re.compile(
            rf"(?:HMAC\.(?:hex|base64)?digest|createHmac|hash_hmac)\([ ]?{_Q}(?i:sha|md)[\w-]{{1,10}}{_Q}[ ]?,[ ]?"
            rf"{_Q}([^\"'\n\\]{{8,200}})(?={_Q})"
        ),
    ),
    # A client of a service: its id, and its key
    SecretPattern(
        "api-key",
        ("algoliasearch(", "lient(", "usher("),
        re.compile(
            rf"(?:algoliasearch|[cC]lient|[pP]usher)\([ ]?{_Q}[\w-]{{4,40}}{_Q}[ ]?,[ ]?{_Q}([0-9a-f]{{32,64}})(?={_Q})"
        ),
    ),
    SecretPattern("token", ("codecov",), re.compile(r"codecov[^\n;|&]{0,80}?[ ]-t[ ]([0-9a-f]{8}-[0-9a-f-]{27})")),
    SecretPattern(
        "secret",
        ("secret_id",),
        re.compile(
            rf"secret_id(?:{_Q})?(?:[ ]?[:=][ ]?(?:{_Q})?|[ \t]{{2,40}})"
            rf"([0-9a-f]{{8}}-(?:[0-9a-f]{{4}}-){{3}}[0-9a-f]{{12}})"
        ),
    ),
    # The seed of an authenticator, in groups of four
    SecretPattern(
        "one-time-code",
        ("etup key", "uthenticator", "TOTP", "OTP", "2FA", "ecret key", "seed"),
        re.compile(
            r"(?:etup key|uthenticator|OTP|2FA|ecret key|seed)\b[^\n:]{0,80}:[ ]{1,3}[\"'`]?"
            r"((?:[a-z2-7]{4}[ ]){3,15}[a-z2-7]{4}|(?:[A-Z2-7]{4}[ ]){3,15}[A-Z2-7]{4})(?!\w)"
        ),
    ),
    # Password for the [elastic] user successfully reset.  New value: …
    SecretPattern(
        "password",
        ("New value:", "new value:"),
        re.compile(
            rf"{_NAME}[^\n\\]{{0,80}}\b(?:re)?set[^\n\\]{{0,20}}(?:{_NEW_LINE}|[ ])[ \t]{{0,9}}"
            r"[Nn]ew value:[ ]([^\s\"'\\]{4,100})"
        ),
    ),
    # crypto isakmp key … address 203.0.113.7 · snmp-server community … RO
    SecretPattern(
        "secret",
        ("isakmp key ", "server community "),
        re.compile(
            r"(?:isakmp key(?: [06])?|server community) (?!public\b|private\b)([^\s\"'\\]{4,100}) (?:address|RO|RW)\b"
        ),
    ),
    # net use Z: \\\\nas\\share /user:ACME\\ann …
    SecretPattern(
        "password", ("net use ",), re.compile(r"net use [^\n;|&]{1,150}?/user:\S{1,80} (?!/)([^\s\"';|&]{4,100})")
    ),
    # creds for the demo box: ann / …
    SecretPattern(
        "password",
        ("creds", "redentials", "ogin"),
        re.compile(
            r"(?:[Cc]reds|[Cc]redentials|[Ll]ogin)\b[^\n:=\\]{0,60}:[ ]{1,3}[`\"']?[\w.@+-]{1,60}[`\"']?[ ]/[ ][`\"']?"
            r"([^\s\"'`\\,;]{6,64})"
        ),
        judge=_is_password,
    ),
    # A password with signs that a URL should have encoded
    SecretPattern(
        "password",
        ("://",),
        re.compile(
            r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql)(?:\+\w{1,20})?://"
            rf"(?P<user>[^\s:/@\"'\\]{{0,60}}):(?!(?P=user)@{DEVELOPMENT_HOST})"
            r"([^\s@\"'\\\[]{4,100})@[\w.-]{1,100}(?::\d{2,5})?(?=/)"
        ),
    ),
    # Der Datadog-Schl\u00fcssel lautet …
    SecretPattern(
        "api-key",
        ("chl\u00fcssel ", "chluessel "),
        re.compile(
            r"(?:[A-Za-z]{2,20}-?)?[Ss]chl(?:\u00fc|ue)ssel(?:[ ](?:f\u00fcr|zu|von|vom)[ ][^\n.:;=]{1,40}?)?"
            r"[ ](?:ist|lautet)[ :]{1,2}"
            r"[`\"']?([\w+/=.-]{12,200})"
        ),
        judge=random_value(12),
    ),
    # Just log in (https://…, admin:…)
    SecretPattern(
        "basic-auth",
        tuple(f"{name}:" for name in _ACCOUNT[3:-1].split("|")),
        re.compile(rf"(?<![\w/.@:-]){_ACCOUNT}:([^\s,;:()<>\"'`/\\@]{{6,63}})(?=[\s,;)\"'`\\]|\.(?:\s|\Z)|\Z)"),
        judge=looks_chosen,
    ),
)
