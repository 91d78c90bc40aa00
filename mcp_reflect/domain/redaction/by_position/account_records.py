"""Passwords beside an account, without any name: records of files of accounts, pairs, and options of commands.

`mirror:two!Penguins`, `"app" "kestrel_dunes"`, `-n bob:Rose!77` and, below a line that names a file of secrets or a
section of accounts, the fields of each record. The less the place says, the more the form of the word must say.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern
from mcp_reflect.domain.redaction.values.chosen_words import has_password_sign, is_drawn_or_disguised, looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import MARK

_LINE = r"(?:\A|(?<=\n)|(?<=\\n))(?:[ \t]*\d{1,6}→|[>+-][ ])?[ \t]{0,8}"
_END = r"(?=[ \t]*(?:\Z|\r|\n|\\{1,8}[nr\"']))"
_VALUE = r"([^\s\x00-\x1f\x7f\"'`<>|,;\\(){}\[\]:]{5,64})"

_FILES = ("passw", "secret", "shadow", "userlist", "credential", "psk", "authinfo", "netrc", "htaccess", ".pw")
_NAMES_OF_FILES = "|".join(map(re.escape, _FILES))
_HINTS = (*_FILES, "admin", "users]", "accounts]", "logins]")
_HEADING = re.compile(
    rf"{_LINE}(?:(?:[#;%]+|//|==>|[$%#>][ ]*(?:sudo )?(?:cat|less|more|head|tail|vi|vim|nano|edit))[ ]*)?"
    rf"(?:"
    # A file that is named for secrets, alone on its line or with a remark
    rf"(?=[^\n\\]{{0,120}}[/.])(?:[\w.~-]{{0,60}}/){{0,8}}[\w.-]{{0,60}}(?:{_NAMES_OF_FILES})[\w.-]{{0,40}}"
    r"(?:[:,][^\n\\]{0,60}|[ ][^\n\\]{0,60}:|[ ]<==)?"
    # A section of accounts
    r"|\[[\w .-]{0,40}(?:admins?|users|passw\w{0,8}|secrets?|credentials?|accounts|logins?)\]"
    rf"){_END}",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)(?:[ \t]*\d{1,6}→|[>+-][ ])?[ \t]*")
_RECORD = re.compile(r"[^\n\\#\[;][^\n\\]{3,300}")
_FIELDS = re.compile(r"[^\s:=\"'>]{4,200}")
_PAIR = re.compile(
    r"[\"']?[\w.@*-]{1,60}[\"']?[ \t]{0,9}(?:=>|[:= \t])[ \t]{0,9}[\"']?(?P<value>[^\s\"':=]{4,64})[\"']?"
)
_MOST_RECORDS = 50
_HEX = re.compile(r"[0-9a-fA-F]{32,}")


def redact_records(text: str) -> str:
    """Return the text with the passwords replaced in the records below the name of a file or section of secrets."""
    folded = text.lower()
    if not any(hint in folded for hint in _HINTS):
        return text
    done: list[str] = []
    copied = 0
    for heading in _HEADING.finditer(text):
        position = heading.end()
        for _ in range(_MOST_RECORDS):
            line_break = _LINE_BREAK.match(text, position)
            record = _RECORD.match(text, line_break.end()) if line_break else None
            if record is None:
                break
            position = record.end()
            for start, end in _secrets_of(record):
                if start >= copied:
                    done += (text[copied:start], f"{MARK}password]")
                    copied = end
    return "".join((*done, text[copied:])) if done else text


def _secrets_of(record: re.Match[str]) -> list[tuple[int, int]]:
    if ": " in record[0]:  # a text about files
        return []
    pair = _PAIR.fullmatch(record.string, record.start(), record.end())
    if pair and is_told_word(pair["value"]) and not pair["value"].isdecimal():
        return [pair.span("value")]
    fields = _FIELDS.finditer(record.string, record.start(), record.end())
    return [field.span() for field in fields if looks_chosen(field[0]) or _HEX.fullmatch(field[0])]


_NO_LINE_OF_USER = re.compile(r"(?:[^\s\w.@*\\-]|\S[ \t]{1,9}|(?:\s|\A)[\d.-])[\w.@*-]{0,60}\Z|\b(?:SHA\d{1,3}|MD5)\Z")
_NO_USER = re.compile(r"(?:[^\s\"'=/\w.@-]|(?:\A|[\s\"'=/])[^A-Za-z])[\w.@-]{0,40}\Z")

_LEAST_DRAWN = 7
_LEAST_SPREAD = 100
_LARGEST_BYTE = 255


def _is_random_bytes(numbers: str) -> bool:
    """Return whether the numbers of a list are bytes, and spread as those of a key."""
    values = [int(each, 0) for each in re.findall(r"0x\w+|[1-9]\d*|0", numbers)]
    return max(values) <= _LARGEST_BYTE and max(values) - min(values) >= _LEAST_SPREAD and values != sorted(values)


ACCOUNT_PATTERNS: tuple[SecretPattern, ...] = (
    # A line that holds a user and a password, perhaps with numbers and paths behind them
    SecretPattern(
        "password",
        (":",),
        # Behind an artefact of Maven stands its version.
        re.compile(rf":(?<=[\w.@*-]{{2}}[\w*]:)(?![\w.-]{{1,80}}:\d+\.\d){_VALUE}(?::[\w/.:~= -]{{0,300}})?{_END}"),
        unless=_NO_LINE_OF_USER,
        judge=looks_chosen,
    ),
    SecretPattern("password", ("{PLAIN}",), re.compile(r":\{PLAIN\}([^\s:\"'\\]{4,100})")),
    # The same as one argument of a command
    SecretPattern(
        "basic-auth",
        (":",),
        re.compile(rf":(?<=\w:){_VALUE}(?=[\s\"'@:]|\Z)"),
        unless=_NO_USER,
        judge=has_password_sign,
    ),
    SecretPattern(
        "password",
        (" -",),
        re.compile(rf" -[a-gi-zA-Z][a-zA-Z]?(?:[ =]|)[\"']?{_VALUE}(?=[\s\"']|\Z)"),
        judge=lambda value: len(value) >= _LEAST_DRAWN and is_drawn_or_disguised(value),
    ),
    # A user, a password and a host, as in an address without a scheme
    SecretPattern(
        "url-password",
        (":",),
        re.compile(r":(?<=\w:)([^\s\"'`<>|,;\\(){}\[\]:/@]{5,64})@(?=[\w-]{1,60}\.[\w.-])"),
        unless=_NO_USER,
        judge=is_drawn_or_disguised,
    ),
    SecretPattern(
        "basic-auth", ("user=",), re.compile(rf"user=[\w.@-]{{1,60}}:{_VALUE}(?=[\s\"']|\Z)"), judge=looks_chosen
    ),
    # A key as the numbers of its bytes
    SecretPattern(
        "key",
        ("key", "Key", "KEY", "ecret", "seed"),
        re.compile(
            r"(?:[_-]?[kK]ey|KEY|ecret|seed)(?:\\{0,8}[\"'])?(?:\[\d*\])?[ \t]{0,9}[:=][ \t]{0,9}[\[{(][ \t]{0,9}"
            r"((?:(?:0x[0-9a-fA-F]{2}|\d{1,3})[ \t]{0,5},[ \t]{0,5}){11,127}(?:0x[0-9a-fA-F]{2}|\d{1,3}))"
            r"(?=[ \t,]{0,9}[\]})])"
        ),
        judge=_is_random_bytes,
    ),
    # A line of two literals: "user" "password"
    SecretPattern(
        "password",
        ('" "',),
        re.compile(rf"(?m:^)\"[\w.@-]{{1,60}}\" \"([^\s\"'\\]{{4,64}})(?=\"{_END})"),
        judge=is_told_word,
    ),
)
