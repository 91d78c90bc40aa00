"""Patterns of secrets by their format: in headers, URLs, blocks and files, and vendors' keys without a plain prefix."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_pattern.notation import DEVELOPMENT_HOST
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern, random_value
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.secret_values import is_mixed, looks_random


def _is_drawn(part: str) -> bool:
    return part.isascii() and part.isalpha() and len(part) >= _LEAST_DRAWN and random_bits(part) > 0


def _is_hook(path: str) -> bool:
    parts = re.split(r"[/@]", path.strip("/"))
    return any(looks_random(part, 16) for part in parts) or (
        len(parts) > 1 and all(looks_random(p, 6) or p.isdecimal() or _is_drawn(p) for p in parts)
    )


_TITLE = re.compile(r"(?:\A|-)[a-z]{3,20}-(?:[\w-]*-)?[a-z]{3,20}(?:-|\Z)")
"""Words of a title in an address: `how-to-fix-numpy-1-26`."""
_LONG_WORD = re.compile(r"(?:\A|-)[A-Za-z]{5,}(?:-|\Z)")
"""A whole word between hyphens, longer than letters stand together in an id: `RuntimeError-CUDA12-oom`."""


def _is_token_of_path(part: str) -> bool:
    """Return true for a part of an address that is no title of a page: drawn, and not of words."""
    words = _TITLE.search(part) or ("-" in part and _LONG_WORD.search(part))
    return not words and looks_random(part, 12)


_LEAST_DRAWN = 6
_LINE_PREFIX = r"(?:[ \t]*\d{1,7}(?:→|\t|[:|][ \t]?|[ \t]{1,4}))?[ \t>+|#*-]{0,40}"
"""Numbers of lines, quotation marks and marks of a diff before the lines of a block."""
_BLOCK = r"----[- ]?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?[- ]?----"
_END = r"----[- ]?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?[- ]?-----?"
_USER = r"[^\s/:@?#\"'<>\\\[]{0,200}"

FORMAT_PATTERNS = (
    SecretPattern(
        "private-key",
        ("PRIVATE KEY",),
        # Up to the end of the block; of a truncated block the remaining encoded lines.
        re.compile(
            rf"-?{_BLOCK}-?(?:(?>[^-]*+(?:-(?!---)[^-]*+)*){_END}"
            rf"|(?>(?:(?>(?:\s|\\+[rn]|[\"'+,]|\d+(?:→|\t)|[>|])*)[A-Za-z0-9+/=]{{16,}})*))"
        ),
    ),
    SecretPattern(
        "private-key",
        ("Private-Lines:",),
        re.compile(rf"Private-Lines: \d+((?>(?:(?>(?:\s|\\+[rn])+){_LINE_PREFIX}[A-Za-z0-9+/=]{{16,}})+))"),
    ),
    SecretPattern(
        "url-password",
        ("://",),
        re.compile(rf"://(?P<user>{_USER}):(?!(?P=user)@{DEVELOPMENT_HOST})([^\s/\"'<>\\]{{1,500}})@(?=[\w.\[%-])"),
    ),
    SecretPattern(
        "url-password",
        ("://",),
        # A slash in it is not written as it should be, but it is in many a key.
        re.compile(rf"://{_USER}:(?!\d{{1,5}}/)([^\s\"'<>\\@:]{{16,500}})@(?=[\w.\[%-])"),
        judge=random_value(16),
    ),
    SecretPattern(
        "url-password",
        ("://",),
        re.compile(r"://([^\s/:@?#\"'<>\\\[]{16,500})(?::\[redacted:url-password\])?@(?=[\w.\[%-])"),
        judge=random_value(16),
    ),
    SecretPattern(
        "secret",
        ("=",),
        re.compile(
            r"[?&;#](?:amp;)?(?:code|key|appid|auth|jwt|sid|session(?:_?id)?|jsessionid|phpsessid|ticket|sig|hmac|signature"
            r"|x-(?:amz|goog)-(?:signature|security-token))=([^\s&;\"'<>#\\]{16,4000})",
            re.IGNORECASE,
        ),
        judge=random_value(16),
    ),
    SecretPattern(
        "webhook",
        ("hook",),
        re.compile(
            r"://(?!hooks\.slack\.com)[^\s\"'<>?#\\]{0,200}?hook[^\s\"'<>?#/\\]{0,40}/(?:[a-z-]{1,12}/){0,3}([\w@.=/-]{8,400})"
        ),
        judge=_is_hook,
    ),
    # The token in the address of a channel of conda; a title with the number of a topic is one of a forum.
    SecretPattern(
        "token",
        ("/t/",),
        re.compile(r"/t/(?<=[\w./-]/t/)([\w-]{12,100})(?=/)(?!/\d{1,9}(?![\w.-]))"),
        unless=re.compile(r"(?:\A|[\s\"'=(<`])(?!\S*://)\S*\Z|[A-Za-z0-9+/]{120}\Z"),
        judge=_is_token_of_path,
    ),
    SecretPattern(
        "bearer-token",
        ("earer", "EARER"),
        # What follows may be another setting: token_type=bearer expires_in=3600
        re.compile(
            r"earer\s{1,5}"
            r"(?!(?:expires?(?:_(?:in|at|on))?|scope|state|issued_at|not_before|realm|error|uid|user_id)=[^\s=])"
            r"((?=[A-Za-z._~+/=-]*\d|[A-Za-z._~+/=-]{24})[\w.~+/=-]{8,})",
            re.IGNORECASE,
        ),
    ),
    SecretPattern(
        "basic-auth",
        ("uthorization", "UTHORIZATION"),
        re.compile(r"uthorization[\\\"']*\s*[:=,]\s*[\\\"']*basic\s+([A-Za-z0-9+/=_-]{6,})", re.IGNORECASE),
    ),
    SecretPattern(
        "secret",
        ("uthorization", "UTHORIZATION"),
        re.compile(
            r"uthorization[\\\"']*\s*[:=]\s*[\\\"']*(?:bearer|token|apikey|api-key|key)\s+"
            r"([^\s\"'\\,;<>]{6,})",
            re.IGNORECASE,
        ),
    ),
    SecretPattern(
        "secret",
        ("uthorization", "UTHORIZATION"),
        re.compile(
            r"uthorization[\\\"']*\s*[:=,]\s*[\\\"']*[A-Za-z][\w-]{2,20}\s+([\w.~+/-]{16,400}={0,2})(?![\w.~+/=-])",
            re.IGNORECASE,
        ),
        judge=random_value(16),
    ),
    SecretPattern(
        "secret",
        ("/v",),
        # The key of a project as the last part of an address, as providers of nodes and maps have it
        re.compile(r"://[\w.-]{4,100}/v\d/([A-Za-z0-9_-]{32,64})(?![\w/.-])"),
        judge=random_value(32),
    ),
    SecretPattern(
        "secret",
        ("uthorization", "UTHORIZATION"),
        # Without a word for its kind, only where quotes end it: `authorization: name_of_a_variable` is code.
        re.compile(
            r"uthorization(?:\\{0,8}[\"'])?\s{0,5}:\s{0,5}(?:\\{0,8}[\"'])?"
            r"(?=[\w~+/=-]*\d)(?=[\w~+/=-]*[A-Za-z])([\w~+/=-]{16,})(?=\\{0,8}[\"'])",
            re.IGNORECASE,
        ),
    ),
    SecretPattern(
        "secret",
        ("uthorization", "UTHORIZATION"),
        re.compile(
            r"uthorization[^\n]{1,300}?\b(?:response|signature)=\\{0,8}[\"']?([A-Za-z0-9+/=_-]{32,})", re.IGNORECASE
        ),
    ),
    SecretPattern(
        "token",
        (".",),
        # Three parts, as in the tokens of Discord and Terraform
        re.compile(r"\.(?<=[A-Za-z0-9]{14}\.)([\w-]{5,12}\.[\w-]{25,200})"),
        judge=lambda text: is_mixed(text.rpartition(".")[2]) and looks_random(text.rpartition(".")[2], 25),
    ),
    SecretPattern(
        "azure-key",
        ("+A", "Az", "AC", "APIM", "AIoT", "AZDO"),
        # Keys of Azure's services are signed: a mark of the service before the last characters
        re.compile(
            r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{30,84}"
            r"(?:\+(?:ASt|ASb|AEh|ARm|ABa|AMC|ACR|AI[A-Z])|AIoT|ACDb|Az(?:Fu|Ca|Se|EG)|APIM|ACOG|AZDO)"
            r"[A-Za-z0-9+/_-]{4,12}={0,2}(?![A-Za-z0-9+/_-])"
        ),
        judge=is_mixed,
    ),
    SecretPattern(
        "mailgun-key",
        ("-",),
        re.compile(r"[a-f0-9](?<![A-Za-z0-9-].)[a-f0-9]{31}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])"),
        least_word=50,
    ),
    SecretPattern(
        "url-password", ("oracle:",), re.compile(r"jdbc:oracle:\w{2,5}:[^\s/@\"']{1,60}/([^\s@\"'\\]{4,200})@")
    ),
    SecretPattern("newrelic-key", ("NRAL",), re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{36}NRAL(?![A-Za-z0-9])")),
    SecretPattern(
        "token",
        ("|", "%7C"),
        # The number of an application or a user, and a random text
        re.compile(r"\d{9,20}(?:[|]|%7C)([\w-]{25,60})(?![\w-])"),
        judge=lambda text: looks_random(text, 25) and not text.islower() and not text.isupper(),
    ),
    SecretPattern("azure-secret", ("8Q~", "7Q~"), re.compile(r"(?<![\w~.-])[\w~.-]{2,4}[78]Q~[\w~.-]{30,40}")),
    SecretPattern("telegram-token", ("/bot",), re.compile(r"/bot(\d{6,12}:[\w-]{30,40})")),
    SecretPattern(
        "password",
        ('"password"', "'password'"),
        # A field of a form in HTML
        re.compile(r"type=\\{0,8}[\"']password\\{0,8}[\"'][^<>\n]{0,200}?value=\\{0,8}[\"']([^\"'\\]{1,200})"),
    ),
    SecretPattern(
        "asana-token", (":",), re.compile(r"[012](?<![\w/].)(?:/\d{13,20}){1,2}:[a-f0-9]{32}"), least_word=48
    ),
    SecretPattern(
        "password-hash",
        ("$",),
        re.compile(
            r"\$(?<![\w$]\$)(?:1|2[abxy]?|5|6|7|y|sha1|apr1|argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,12})\$([^\s:\"'\\,;]{20,300})"
        ),
    ),
    # An account of Windows with its number and its two hashes
    SecretPattern(
        "password-hash", (":::",), re.compile(r":\d{3,10}:(?:[0-9a-fA-F]{32}|NO PASSWORD\*+):([0-9a-fA-F]{32}):::")
    ),
    SecretPattern(
        "password",
        ("assword for",),
        re.compile(
            r"assword for [^\n:]{1,60}(?::[^\n:'\"]{1,120})?['\"]?: ?(?!/)"
            r"([^\s'\"\\]{4,200})(?=[ \t]*(?:\Z|[\r\n'\"\\]))"
        ),
    ),
    SecretPattern(
        "password", ("(password",), re.compile(r"(?<=[\s/])([^\s\"'`(]{6,100})[ ]\(password"), judge=random_value(6)
    ),
    SecretPattern(
        "password",
        ("password", "PASSWORD"),
        re.compile(
            r"login(?<!\wlogin)(?:\s|\\+[rnt]){1,10}\S{1,100}?(?:\s|\\+[rnt]){1,10}(?:\d{1,6}→\s{0,8})?(?:[>|]\s{1,8})?"
            r"password(?:[ \t]|\\+t){1,5}([^\s\"'\\]{4,200})"
        ),
    ),
    SecretPattern(
        "password",
        (":",),
        # A line of .pgpass: host, port, database, user, password
        re.compile(
            r":(?<=[\w*]:)(?:\d{2,5}|\*):(?!\*:secret:)[\w.*-]{1,60}:[\w.*-]{1,60}:((?:[^\s:\"'\\]|\\:){6,200})(?=\s|\Z|[\"'\\])"
        ),
        judge=random_value(6),
    ),
    # The id of a bot and its token
    SecretPattern("telegram-token", (":",), re.compile(r"\d{8,10}:[\w-]{35}"), whole_word=True, least_word=44),
    # The id of a user in base64, whose first digit that letter stands for, a time, and a signature
    SecretPattern("discord-token", (".",), re.compile(r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38}"), whole_word=True),
    SecretPattern("mailchimp-key", ("-us",), re.compile(r"[0-9a-f]{32}-us\d\d?"), whole_word=True),
)
