"""Secrets that commands put into a store of secrets or read from their input, and objects that say what they hold."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word, is_word
from mcp_reflect.domain.redaction.by_pattern.notation import ARGUMENT, END_OF_COMMAND, END_OF_LINE, IN_QUOTES
from mcp_reflect.domain.redaction.by_pattern.notation import ESCAPED_QUOTE as _Q
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.mechanisms import is_message

_ARGUMENTS = r"(?:[^\n;|&\\]{0,200}?[ ])??"
_LEAST_SHARE = 16
_TELLS_WHERE = r"(?i:user|username|login|host|port|database|region|url|ttl)"


def _may_be_secret(value: str) -> bool:
    return " " in value or is_word(value)


STORE_PATTERNS: tuple[SecretPattern, ...] = (
    # An object that says what it is, and holds it under a common key: {"type": "password", …, "value": "…"}
    *(
        SecretPattern(
            "secret",
            (word,),
            re.compile(
                rf"{word}(?:(?<=:[\"']{word})|(?<=:[ ][\"']{word})|(?<=:\\[\"']{word})|(?<=:[ ]\\[\"']{word})){_Q}"
                rf"(?:(?!{_Q}type{_Q})[^\n]){{0,300}}?"
                rf"{_Q}(?:value|result|content|data|plaintext|secret|raw){_Q}[ ]?:[ ]?{IN_QUOTES}"
            ),
            judge=lambda value: is_word(value) and not is_message(value),
        )
        for word in ("password", "secret", "CONCEALED", "SecureString", "credential", "api_key", "access_token")
    ),
    SecretPattern(
        "password",
        ("random_password",),
        re.compile(
            rf"random_password\b(?:(?!{_Q}type{_Q})[\s\S]){{0,400}}?"
            rf"\bresult(?:{_Q})?[ ]{{0,9}}[:=][ ]{{0,9}}(?:{_Q})?([^\s\"'\\,]{{4,200}})"
        ),
        judge=is_word,
    ),
    # Whatever a command puts into a store: fly secrets set NAME=…, --from-literal=name=…, vault kv put path name=…
    *(
        SecretPattern(
            "secret",
            (start,),
            re.compile(
                rf"{start}{rest}(?!{_TELLS_WHERE}=)[\w./-]{{1,80}}=(?P<quote>{_Q})?(?!\[redacted:|@|\$|<)"
                rf"((?(quote)[^\n\"'\\]{{4,300}}|[^\s\"'\\;|&<>][^\s\"'\\;|&<>]{{3,300}}))"
            ),
            judge=_may_be_secret,
        )
        for start, rest in (
            ("secret", rf"s?[^\n;|&\\]{{1,200}}?--from-literal[= ](?:{_Q})?"),
            ("secrets set ", rf"{_ARGUMENTS}(?:{_Q})?"),
            ("secrets import ", _ARGUMENTS),
            ("vault kv ", rf"(?:put|patch)[ ](?:-[\w=-]{{1,30}}[ ])*\S{{1,100}}[ ]{_ARGUMENTS}"),
        )
    ),
    SecretPattern(
        "secret",
        ("encrypt_string ",),
        re.compile(rf"encrypt_string [^\n;|&\\]{{0,100}}?(?<= )(?![-$])(?:{_Q})([^\n\"'\\]{{4,200}})(?={_Q})"),
    ),
    # Commands that read a password from their input
    SecretPattern(
        "password",
        ("<<<",),
        re.compile(
            rf"\b(?:kinit|cryptsetup|smbpasswd|chpasswd|passwd|sudo|su|restic|borg|gpg2?|openssl|vault|pass|age|veracrypt"
            rf"|secret-tool|keyring|pw|doas)\b[^\n|]{{0,150}}?<<<[ ]?\$?(?:{_Q})?([^\s\"'\\$][^\s\"'\\]{{3,200}})"
        ),
        judge=lambda value: is_told_word(value) and not value.isalpha(),
    ),
    SecretPattern(
        "token",
        ("vault login ",),
        re.compile(rf"vault login (?:-[\w=-]{{1,30}}[ ]){{0,3}}(?![-$])(?:{_Q})?{ARGUMENT}"),
        judge=is_told_word,
    ),
    # A program that takes a token alone: wandb login …, snyk auth …
    *(
        SecretPattern(
            "token",
            (f" {verb} ",),
            re.compile(
                rf"[a-z0-9](?<![\w./-].)[\w-]{{1,30}} {verb} (?:{_Q})?"
                rf"([0-9a-f]{{32,128}}|[0-9a-f]{{8}}-(?:[0-9a-f]{{4}}-){{3}}[0-9a-f]{{12}})(?:{_Q})?{END_OF_COMMAND}"
            ),
        )
        for verb in ("login", "auth", "authtoken", "authenticate", "signin")
    ),
    # A share of the key that opens a vault
    *(
        SecretPattern(
            "key",
            (f"operator {verb} ",),
            re.compile(
                rf"operator {verb} (?:-[\w-]{{1,40}}(?:=[^\s;|&]{{0,200}})?[ ]){{0,4}}(?![-$])(?:{_Q})?{ARGUMENT}"
            ),
            judge=lambda value: len(value) >= _LEAST_SHARE and is_word(value),
        )
        for verb in ("unseal", "rekey", "generate-root")
    ),
    SecretPattern(
        "password",
        ("AUTH ",),
        re.compile(rf"(?m:^)AUTH (?:[\w.-]{{1,60}} )?(?:{_Q})?{ARGUMENT}{END_OF_LINE}"),
        judge=looks_chosen,
    ),
)
