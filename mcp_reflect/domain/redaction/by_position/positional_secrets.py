"""Passwords that have no name but a position: arguments of calls that log in, options beside a user, and pipes."""

from __future__ import annotations

from itertools import pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.letter_model import random_bits
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_harmless, is_mixed, looks_random

_ARGUMENTS_OF_CALL = re.compile(r"\((?P<arguments>[^()\n]{8,400})\)")
_CALL = re.compile(
    r"(?:connect|bind|(?:create|add|new)_?(?:super_?)?user|log_?in|log_?on|sign_?in|auth|credential|passw|secret|token|[ed][en]crypt|unlock|session|account"
    r"|cipher|hmac|license|mount|share|vault|keyring)\w{0,24}(?:[ ]?=[ ]?)?\Z",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"(?:connect(?:ion)?|log_?in|sign_?in|(?:create|add|new)_?(?:super_?)?user|Sequelize)\Z", re.IGNORECASE
)
"""Calls that take a user and a password, which may be short."""
_PAIR_CALL = re.compile(
    r"(?:\blog_?in|\blog_?on|[a-z]Credentials?|\bCredentials?|Basic_?Auth|PasswordAuthentication|\bauth[ ]?=[ ]?)\Z",
    re.IGNORECASE,
)
"""Calls whose arguments are a user and a password, perhaps after the place where they hold."""
_ACCOUNT = re.compile(
    r"root|admin|administrator|sa|sys|system|postgres|mysql|oracle|guest|user|app|[\w.+-]+@[\w-]+\.[\w.-]+",
    re.IGNORECASE,
)
_LONGEST_NAME = 48
_LITERAL = re.compile(r"(?P<open>\\{0,8}[\"'])(?P<value>[^\s\"'\\]{2,200})(?P=open)")
_NAMED = re.compile(r"[\w-]{1,40}[ \t]{0,3}[=:][ \t]{0,3}\Z")
_SIGNS = frozenset("!@#$%^&*?+")
_LEAST_BITS = 4.0
_LEAST = 8
_LEAST_BESIDE_USER = 6
_SEPARATORS = frozenset(":/=,")
_SIZE = re.compile(r"[a-z]{1,2}\d+[a-zA-Z]?")
"""The rest of an option of Java: -Xmx512m."""
_LONGEST = 64

_USER = r"(?:-[uUDlbnx]|--?(?:user(?:name)?|login|account|email))[ =:]?[\"']?[\w.@,=/\\-]{1,80}[\"']?[ ]"
_VALUE = r"(?:\\{0,8}[\"'])?(?!\[redacted:)([^\s\"'\\;|&<>$-][^\s\"'\\;|&<>]{5,63})"
_OPTIONS_BETWEEN = r"(?:[^\n;|&\\]{0,120}?[ ])?"


def is_password_like(value: str) -> bool:
    """Return whether a word reads like a chosen or drawn password rather than a name, a path or a number."""
    if not _LEAST <= len(value) <= _LONGEST or not looks_random(value, _LEAST) or is_harmless(value, "password"):
        return False
    if "://" in value or value.count("/") > 1 or value.startswith(("/", ".", "~", "-")):
        return False
    signs = not _SIGNS.isdisjoint(value[1:])
    bits = sum(random_bits(part) for part in re.findall(r"[A-Za-z0-9]+", value) if part.isascii())
    return bits >= _LEAST_BITS or is_mixed(value) or (signs and "=" not in value)


def redact_positional(text: str) -> str:
    """Return the text with each literal replaced that reads like a password among the arguments of such a call."""
    return _ARGUMENTS_OF_CALL.sub(_without_passwords, text) if "(" in text else text


def _is_account(literal: str) -> bool:
    return _ACCOUNT.fullmatch(literal) is not None


def _without_passwords(call: re.Match[str]) -> str:
    arguments = call["arguments"]
    if "'" not in arguments and '"' not in arguments:
        return call[0]
    if not _CALL.search(call.string, max(call.start() - _LONGEST_NAME, 0), call.start()):
        return call[0]

    first = max(call.start() - _LONGEST_NAME, 0)
    beside_user = _LOGIN.search(call.string, first, call.start()) is not None
    plain = _password_by_place(arguments, _PAIR_CALL.search(call.string, first, call.start()) is not None, beside_user)

    def replaced(literal: re.Match[str]) -> str:
        value = literal["value"]
        is_password = is_password_like(value) or (beside_user and _is_short_password(value)) or literal.start() == plain
        if _NAMED.search(arguments, 0, literal.start()) or not is_password:
            return literal[0]
        return f"{literal['open']}{MARK}password]{literal['open']}"

    return f"({_LITERAL.sub(replaced, arguments)})"


def _password_by_place(arguments: str, of_pair: bool, beside_user: bool) -> int:
    """Return where the literal begins that its place makes a password, -1 for none.

    It is the second of two in a call that takes a user and a password, and what follows an account in one that logs in.
    """
    literals = list(_LITERAL.finditer(arguments)) if of_pair or beside_user else []
    commas = arguments.count(",")
    for before, literal in pairwise(literals):
        value = literal["value"]
        alone = of_pair and len(literals) == literals.index(literal) + 1 == commas + 1
        if (alone or _is_account(before["value"])) and is_told_word(value) and not _is_account(value):
            return literal.start()
    return -1


def _is_option_value(value: str) -> bool:
    """Return whether the value of an option beside a user reads like a password, also a short one: no port, no path."""
    return _is_short_password(value) and not _SIZE.fullmatch(value)


def _is_short_password(value: str) -> bool:
    return looks_random(value, _LEAST_BESIDE_USER) and _SEPARATORS.isdisjoint(value)


POSITIONAL_PATTERNS: tuple[SecretPattern, ...] = (
    # A line of .pgpass that holds for any database or host; other lines are in `by_pattern/format_patterns.py`
    SecretPattern(
        "password",
        (":*:",),
        re.compile(
            r":(?<=[\w*]:)(?!\*:\*:secret:)(?:\d{2,5}:\*|\*:[\w.*-]{1,60}):[\w.-]{1,60}:([^\s:\"'\\]{4,200})(?=\s|\Z|[\"'\\])"
        ),
    ),
    SecretPattern(
        "url-password",
        ("@tcp(", "@unix(", "@("),
        re.compile(r"[\w.-](?<=[\s\"'`=(\\][\w.-])(?:[\w.-]{0,60}):([^\s\"'\\/]{1,200})@(?:tcp|unix)?\("),
    ),
    SecretPattern(
        "password",
        ("redentials", "REDENTIALS"),
        re.compile(
            rf"(?i:credentials)[^\n:\"'{{}}()=]{{0,60}}:[ ][\"'`]?[\w.@-]{{1,40}}[\"'`]?[ ]?[/:][ ]?[\"'`]?{_VALUE}"
        ),
        judge=lambda value: not is_harmless(value, "password") and "/" not in value,
    ),
    # A user, and after it an option of one letter that stands for a password in many programs
    SecretPattern(
        "password",
        (" -u", " -U", " -D", " -l", " -b", " -n", " -x", " --user", " --login", " --account", " --email", " -user"),
        re.compile(rf"(?<=[ ]){_USER}{_OPTIONS_BETWEEN}-(?:[pPwWaAxXksS]|pw|pass)[ =:]?{_VALUE}"),
        judge=_is_option_value,
    ),
    # The same with a plain word; after -p of MySQL's programs stands a database.
    SecretPattern(
        "password",
        (" -u", " -U", " -l", " --user", " --login"),
        re.compile(
            r"[ ](?:-[uUl]|--user(?:name)?|--login)[ =][A-Za-z_][\w@-]{1,40}[ ]"
            r"(?>(?:--?[\w-]{1,40}(?:[= ][^\s-]\S{0,80})?[ ]){0,4}?)"
            r"-[pP][ ](?:\\{0,8}[\"'])?([A-Za-z][\w+-]{3,40})(?=[ ]|\Z|[\n\\\"'])"
        ),
        unless=re.compile(r"\b(?:mysql|mariadb)\w*[^\n;|&]*\Z"),
        judge=is_told_word,
    ),
    SecretPattern("password", (" -p ",), re.compile(rf"[ ]-p[ ]{_VALUE}"), judge=is_password_like),
    SecretPattern(
        "password",
        (" using ", " USING "),
        re.compile(rf"(?:onnect|ONNECT)[ ][^\n]{{0,80}}?\b(?i:user)[ ]\S{{1,60}}[ ](?i:using)[ ]{_VALUE}"),
    ),
    # An address of mail and its password, as lists of accounts have them; what else follows is a path of scp.
    SecretPattern(
        "password",
        ("@",),
        re.compile(r"@(?<=[\w.+-]@)[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}:([^\s:/.\"'\\]{6,64})(?=\Z|\s|\\|[\"'])"),
        judge=lambda value: looks_random(value, _LEAST_BESIDE_USER),
    ),
    # An account in prose, and its password behind a slash
    SecretPattern(
        "password",
        ("ogin", "OGIN", "redential"),
        re.compile(
            r"(?:ogin|OGIN|redentials?)(?:[ ](?:are|is)|:)[ ]\w[\w.@-]{1,40}(?:[ ]/[ ]|/)"
            r"([A-Za-z][^\s\"'\\/,;()<>]{3,63})(?=[\s.,;)\\\"']|\Z)"
        ),
        judge=is_told_word,
    ),
    # A user and a password as one value: --auth bob:tulip, stats auth bob:tulip, login=bob:tulip
    *(
        SecretPattern(
            "basic-auth",
            (word,),
            # A pattern that begins with literal characters is found fast.
            re.compile(rf"{word}(?<![a-zA-Z0-9.:/]{word})(?:[ ]|[ ]?=[ ]?)[\"']?[A-Za-z][\w.@-]{{0,60}}:{_VALUE}"),
            judge=lambda value: (
                looks_chosen(value) or (is_told_word(value) and not value[0].isdecimal() and ":" not in value)
            ),
        )
        for word in (
            "auth",
            "login",
            "cred",
            "creds",
            "credentials",
            "userpass",
            "allow",
            "digest",
        )
    ),
    SecretPattern(
        "password",
        ("onnect ", "CONNECT ", "onn ", "CONN "),
        re.compile(r"(?:onn|ONN)(?:ect|ECT)?[ ][\w.]{1,40}/([^\s\"'\\;|&<>$@-][^\s\"'\\;|&<>@]{3,63})(?=@)"),
    ),
    SecretPattern("password", ("userid=", "USERID="), re.compile(rf"(?i:userid=)[\w.]{{1,40}}/{_VALUE}")),
    SecretPattern(
        "password",
        ("login ", "logon "),
        re.compile(rf"\blog(?:in|on)[ ](?:[\w.-]{{1,60}}/)?(?!--)[\w.@\\-]{{1,40}}[ ,]{_VALUE}"),
        judge=_is_option_value,
    ),
    # What takes the place of a placeholder, or is written into a file that is named for a secret: sed s/changeme/…/
    SecretPattern(
        "password",
        ("sed ", "perl "),
        re.compile(
            r"(?:sed|perl) [^\n;|&]{0,60}?\bs([/|#,@])"
            r"(?=[^\n]{0,300}?(?i:change_?me|placeholder|replace_?me|(?<!\[redacted:)passw|(?<!\[redacted:)secret|token|api_?key))"
            # Not a name in place of a like one: s/utf8mb4_0900_ai_ci/utf8mb4_general_ci/
            r"(?>(?P<stem>[a-z][a-z0-9]{2,15}[_.-])?)[^\n/|#,@]{0,120}\1(?!(?P=stem))([^\s/|#,@\"']{8,128})(?=\1)"
        ),
        judge=lambda value: is_password_like(value) or looks_chosen(value),
    ),
    SecretPattern("password", (" -U",), re.compile(rf"[ ]-U[ =]?[\"']?[^\s%\"']{{1,80}}%{_VALUE}")),
    SecretPattern(
        "password",
        ("<<<",),
        re.compile(
            r"(?:pass|secret|token|login|auth|gpg|openssl|crypt|kinit|sudo|age|key|su)\b[^\n]{0,150}?<<<[ ]?"
            r"\$?(?:\\{0,8}[\"'])([^\s\"'\\]{6,200})"
        ),
        judge=is_password_like,
    ),
    SecretPattern(
        "password",
        ("echo ", "printf "),
        re.compile(
            r"\b(?:echo|printf)[ ](?:-\w+[ ])?(?:\\{0,8}[\"'])?(?:[\w.-]{1,60}:)?([^\s\"'|:$\\]{5,64})"
            r"(?:\\{0,8}[\"'])?[ ]?\|[ ]?(?!base64|xxd|sha|md5|tr\b|sed|awk|grep|cut|wc|rev|jq|od|hexdump|bc)"
        ),
        judge=lambda value: is_password_like(value) or looks_chosen(value),
    ),
)
