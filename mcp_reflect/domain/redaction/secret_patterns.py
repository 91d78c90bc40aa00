"""Patterns of secrets: the documented formats of vendors, and secrets in headers, URLs and commands.

Formats that detect-secrets supports are taken from its plugins. Its high-entropy plugins are not used, because they
report hashes, ids and encoded data. Plugins whose patterns need quadratic time on a hostile line (JWT, OpenAI, npm,
basic auth) or match ordinary words (Artifactory, IBM, Softlayer) are not used either; this module has its own patterns
for those formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

_WORD = r"A-Za-z0-9_\-"


@dataclass(frozen=True)
class SecretPattern:
    """A pattern of one kind of secret; it is searched only in text that contains one of `hints`.

    The secret is the pattern's last group, or the whole match where it has no group. With `whole_word` a match next to
    letters or digits is ignored. A match is ignored, too, where `unless` matches in the text before it.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    whole_word: bool = False
    unless: re.Pattern[str] | None = None


_PREFIXED: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-", rf"[{_WORD}]{{16,}}"),
    ("openai-key", "sk-", rf"(?!ant-)(?=[{_WORD}]*\d)[{_WORD}]{{20,}}"),
    ("github-token", "github_pat_", r"\w{22,}"),
    *(("github-token", f"gh{letter}_", r"[A-Za-z0-9]{20,}") for letter in "pousr"),
    *(
        ("gitlab-token", prefix, rf"[{_WORD}]{{20,}}")
        for prefix in ("glpat-", "gldt-", "glft-", "glrt-", "glsoat-", "glcbt-", "glptt-", "glagent-", "gloas-")
    ),
    *(("slack-token", f"xox{letter}-", rf"[{_WORD}]{{10,}}") for letter in "abeoprs"),
    ("slack-token", "xapp-", rf"\d-[{_WORD}]{{10,}}"),
    *(("stripe-key", f"{kind}_{mode}_", r"[A-Za-z0-9]{10,}") for kind in ("sk", "rk") for mode in ("live", "test")),
    ("stripe-key", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    ("google-api-key", "AIza", rf"[{_WORD}]{{35}}"),
    ("google-token", "ya29.", rf"[{_WORD}.]{{20,}}"),
    ("google-token", "GOCSPX-", rf"[{_WORD}]{{20,}}"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{36}"),
    ("pypi-token", "pypi-AgE", rf"[{_WORD}]{{40,}}"),
    ("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}"),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{40,}"),
    ("xai-key", "xai-", r"[A-Za-z0-9]{40,}"),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{30,}"),
    *(("digitalocean-token", f"do{letter}_v1_", r"[a-f0-9]{64}") for letter in "opr"),
    *(("shopify-token", f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa", "ss")),
    ("databricks-token", "dapi", r"[a-f0-9]{32}"),
    ("vault-token", "hvs.", rf"[{_WORD}]{{24,}}"),
    ("linear-key", "lin_api_", r"[A-Za-z0-9]{32,}"),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{40,}"),
    ("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    ("supabase-token", "sbp_", r"[a-f0-9]{40}"),
    ("artifactory-token", "AKCp", r"[A-Za-z0-9]{60,}"),
    ("jwt", "eyJ", rf"[{_WORD}]{{10,}}(?:\.[{_WORD}=]{{6,}}){{1,4}}"),
    ("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
)
"""(kind, prefix, pattern of the rest), as the vendors document them."""

_KNOWN_TO_LIBRARY: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), "aws", "AWSKeyDetector"),
    ("discord-token", (".",), "discord", "DiscordBotTokenDetector"),
    ("mailchimp-key", ("-us",), "mailchimp", "MailchimpDetector"),
    ("sendgrid-key", ("SG.",), "sendgrid", "SendGridDetector"),
    ("slack-webhook", ("hooks.slack.com",), "slack", "SlackDetector"),
    ("square-secret", ("sq0csp-",), "square_oauth", "SquareOAuthDetector"),
    ("telegram-token", (":",), "telegram_token", "TelegramBotTokenDetector"),
    ("twilio-key", ("AC", "SK"), "twilio", "TwilioKeyDetector"),
)
"""(kind, hints, module, class) of the detect-secrets plugins in use."""

_ARGUMENTS = r"(?:[^\n;|&\\]{0,150}?)"
"""Arguments of one command, up to the relevant option."""

_BLOCK = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_OWN = (
    SecretPattern(
        "private-key",
        ("PRIVATE KEY",),
        # Up to the end of the block; of a truncated block the remaining encoded lines.
        re.compile(
            _BLOCK + r"(?:(?>[^-]*+(?:-(?!----)[^-]*+)*)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?>(?:(?>(?:\s|\\+[rn]|[\"'+,])*)[A-Za-z0-9+/=]{16,})*))"
        ),
    ),
    SecretPattern(
        "private-key",
        ("Private-Lines:",),
        re.compile(r"Private-Lines: \d+((?>(?:(?>(?:\s|\\+[rn])+)[A-Za-z0-9+/=]{16,})+))"),
    ),
    SecretPattern(
        "url-password",
        ("://",),
        re.compile(r"://[^\s/:@?#\"'<>\\]{0,200}:([^\s/@\"'<>\\]{1,500})@"),
    ),
    SecretPattern(
        "bearer-token",
        ("earer", "EARER"),
        re.compile(r"earer\s{1,5}((?=[A-Za-z._~+/=-]*\d|[A-Za-z._~+/=-]{24})[\w.~+/=-]{8,})", re.IGNORECASE),
    ),
    SecretPattern(
        "basic-auth",
        ("asic", "ASIC"),
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
        # Without a word for its kind, only where quotes end it: `authorization: name_of_a_variable` is code.
        re.compile(
            r"uthorization(?:\\{0,8}[\"'])?\s{0,5}:\s{0,5}(?:\\{0,8}[\"'])?"
            r"(?=[\w~+/=-]*\d)(?=[\w~+/=-]*[A-Za-z])([\w~+/=-]{16,})(?=\\{0,8}[\"'])",
            re.IGNORECASE,
        ),
    ),
    SecretPattern(
        "basic-auth",
        (" -u", " --user"),
        # Options of curl; the same name twice is user and group in a docker command.
        re.compile(
            r" (?:-u ?|--user[ =])[\"']?(?=[^\s:]*[A-Za-z])([^\s:\"'/\\]{1,100}):(?!\1(?:\s|$))([^\s\"'\\:/]{4,200})"
        ),
        unless=re.compile(
            r"\b(?:docker(?:-compose)?|podman|nerdctl|chown|chroot|setpriv|rsync)\b"
            r"(?:(?!curl|wget)[^\n;|&])*\Z"
        ),
    ),
    SecretPattern("password", ("sshpass",), re.compile(r"\bsshpass -p ?[\"']?([^\s\"'\\]{1,200})")),
    SecretPattern(
        "password",
        ("mysql", "mariadb"),
        re.compile(rf"\b(?:mysql|mariadb){_ARGUMENTS} -p[\"']?(?!\d+:\d)([^\s\"'\\;|&<>]{{1,200}})"),
    ),
    SecretPattern(
        "password",
        (" login ",),
        re.compile(
            rf"\b(?:docker|podman|nerdctl|buildah|skopeo) login{_ARGUMENTS} -p[ =][\"']?([^\s\"'\\;|&<>]{{1,200}})"
        ),
    ),
)


@cache
def secret_patterns() -> tuple[SecretPattern, ...]:
    """Return all patterns. The first call imports detect-secrets; only its patterns are used, none of its settings."""
    own = (SecretPattern(kind, (prefix,), _prefixed(prefix, rest)) for kind, prefix, rest in _PREFIXED)
    return (*_OWN, *own, *_from_library())


def _prefixed(prefix: str, rest: str) -> re.Pattern[str]:
    # The look-behind follows the prefix, because a pattern that begins with literal characters is found fast.
    # In an escaped string a line end is the two characters \n, so this n belongs to no word.
    literal = re.escape(prefix)
    return re.compile(rf"{literal}(?:(?<![{_WORD}]{literal})|(?<=\\[nrt]{literal})){rest}")


def _from_library() -> Iterator[SecretPattern]:
    for kind, hints, module, plugin in _KNOWN_TO_LIBRARY:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), plugin)
        for pattern in detector.denylist:
            yield SecretPattern(kind, hints, pattern, whole_word=True)
