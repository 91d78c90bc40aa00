"""Detection of secrets by the name they are assigned to.

Examples are `password = …`, `"api_key": "…"`, `--token …` and `Cookie: session=…`. The text after such a name is often
prose, a variable or a placeholder; most rules here distinguish these from secrets.
"""

from __future__ import annotations

import re

MARK = "[redacted:"

_NAME = (
    r"(?:(?P<aws>secret[_-]?access[_-]?key)"
    r"|(?P<password>pass(?:word|wd|phrase|code)|pwd|(?:db|user|admin|root|smtp|mail|ftp|login|proxy)[_-]pass|contraseña)"
    r"|(?P<key>(?:api|access|account|auth|service|subscription)[_-]?key)"
    r"|(?P<token>token)"
    r"|(?P<secret>(?:private|signing|encryption|master|client|secret)[_-]?key|secret))"
    r"(?:[_-]?(?:key|value|hash|\d{1,4}))?"
)
_KINDS = {"aws": "aws-secret-key", "password": "password", "key": "api-key", "token": "token", "secret": "secret"}

_QUOTED = (
    r"(?P<escape>\\{0,8})(?P<quote>[\"'`])"
    # A quote of its kind that has more backslashes before it than the first one is part of the value.
    r"(?P<quoted>(?:[^\"'`\n\\]|\\++(?![\"'`])|(?>(?:(?P=escape){2}\\\\)*)(?P=escape){2}\\(?P=quote)){1,1000}\\*?)"
    r"(?=(?P=escape)(?P=quote))"
)
_VALUE = rf"(?:{_QUOTED}|(?:\\{{0,8}}[\"'`])?(?P<bare>[^\s\"'`&,;\\<>|]{{1,1000}}))"
_ASSIGNMENT = re.compile(
    # password = x · "api_key": "x" · \"token\": \"x\" · env['SECRET'] = 'x' · :password => "x" · <password>x</password>
    rf"(?<!/){_NAME}(?:(?P<name_escape>\\{{0,8}})(?P<name_quote>[\"'`\])])){{0,3}}"
    rf"(?:[ \t]{{0,20}}(?::=|=>|={{1,3}}|!==?|:(?!//|:))[ \t]{{0,20}}@?|>){_VALUE}",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"--(?:[a-z0-9]{{1,30}}-){{0,3}}{_NAME}[ \t]{{1,5}}(?!-){_VALUE}", re.IGNORECASE)
_STATEMENT = re.compile(
    # In small letters, "identified by" is prose but for the statements that it ends.
    r"(?:(?:\bIDENTIFIED|(?i:\buser[ \t]{1,5}\S{1,100}[ \t]{1,5}identified))(?i:[ \t]{1,5}with[ \t]{1,5}\S{1,60})?"
    r"(?i:[ \t]{1,5}by(?:[ \t]{1,5}password)?)|(?i:\b(?:with|login|encrypted)[ \t]{1,5}password))"
    rf"[ \t]{{1,5}}{_QUOTED}"
)
_COOKIES = re.compile(
    r"(?P<before>cookie2?(?:\\{0,8}[\"'])?[ \t]{0,5}[:=][ \t]{0,5}(?:\\{0,8}[\"'])?)(?P<crumbs>[^\n\"'\\]{1,8000})",
    re.IGNORECASE,
)
_CRUMB = re.compile(
    r"(?P<name>(?<![\w.-])[\w.-]{0,60}?(?:sess|sid|auth|token|jwt|login|remember|identity|[cx]srf)[\w.-]{0,60}=)"
    r"(?P<value>[^\s;,]{1,4000})",
    re.IGNORECASE,
)
_IN_NAMES = ("pass", "pwd", "contrase", "key", "token", "secret")
"""Substrings of which every name above contains one; searching for them first is many times faster."""

_NAME_AT_END = re.compile(rf"{_NAME}\Z", re.IGNORECASE)

PLACEHOLDER = re.compile(
    r"""\[redacted:[a-z0-9-]+\]\W*                  # done already
    | <.*> | \{.*\} | \[.*\] | \(.*\)               # <your-key>, {{ token }}, [hidden]
    | \$[A-Za-z_]\w*\W* | [$%#][{(].* | %\w+%       # $KEY, ${KEY}, $(command), %(key)s
    | \W*                                           # ********, …
    | [*xX.…•_-]{3,}\S{0,4}                         # xxxx, ****abcd
    | (?:your|insert|enter|replace|change|example|sample|dummy|placeholder|redacted|masked|hidden|removed)
      (?:[-_ ].*|me|d|this)?
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(
    r"""(?:self|this|cls|os|sys|process|config|settings|args|opts|options|env|request|req|ctx|user|data|params|kwargs
      |cfg|conf|app|props|state|secrets|import)[.\[(:?].*
    | [A-Za-z_][\w.]*[(\[](?!.*[)\]]\w).*   # a call or a lookup, after which no word goes on
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_VARIABLE = re.compile(r"[@:&*-]?[A-Za-z_.]*(?:password|passwd|pwd|token|secret|key|pass)[A-Za-z_.]*", re.IGNORECASE)
"""A variable with a name such as `db_password` in place of a value."""

_SETTING = re.compile(r"(?:^|(?<=[\s\"'`;])|(?<=\\[nrt]))[A-Za-z]\w{0,60}\Z", re.ASCII)
_LINE_START = re.compile(r"(?:\A|\n|\\n)(?:export )?\Z")
_LINE_END = re.compile(r"[ \t]*(?:\Z|\r?\n|\\r|\\n)")
_PATH = re.compile(r"[~.]{0,2}/[\w.-]*(?:/.*)?", re.DOTALL)
_WORDS_ABOUT = (
    "a an and any are as at auth authentication be blank bool boolean bytes cannot compat denied disabled empty "
    "enabled error expired failed false field files for from has hidden if in incorrect input int integer invalid "
    "is it length list missing mismatch must na needed needs nil no none not null number object of off ok on "
    "optional or prompt provided required reset secretstr set should str string text that the this to true type "
    "undefined unknown unset update updated use used user valid value verified was when will with wrong yes you"
)
"""Words that follow `password:` in prose, in code and in schemas."""
_WORDS = frozenset(_WORDS_ABOUT.split())
_SHORTEST_BARE_PASSWORD = 4
_SHORTEST_QUOTED = 6
_SHORTEST_BARE = 8
"""Least length of a secret, in characters: shorter values are mostly words, counts and placeholders of grammars."""


def redact_named(text: str) -> str:
    """Return the text with each value replaced that is assigned to the name of a secret."""
    folded = text.casefold()
    if "cookie" in folded:
        text = _COOKIES.sub(lambda line: line["before"] + _CRUMB.sub(_eaten, line["crumbs"]), text)
    if "identified" in folded or "password" in folded:
        text = _STATEMENT.sub(_assigned, text)
    if not any(part in folded for part in _IN_NAMES):
        return text
    text = _ASSIGNMENT.sub(_assigned, text)
    return _OPTION.sub(_assigned, text) if "--" in text else text


def kind_of_name(name: str) -> str:
    """Return the kind of secret that a name such as DB_PASSWORD stands for; empty for other names."""
    named = _NAME_AT_END.search(name)
    return _KINDS[named.lastgroup] if named and named.lastgroup else ""


def is_harmless(value: str, kind: str) -> bool:
    """Return true where a value is a placeholder, a common word or, except for passwords, a number."""
    bare = value.strip().rstrip(")]}.:,!")
    return (
        bare.lower() in _WORDS
        or PLACEHOLDER.fullmatch(value.strip()) is not None
        or (kind != "password" and bare.replace(".", "").replace("_", "").isdecimal())
    )


def _eaten(crumb: re.Match[str]) -> str:
    value = crumb["value"]
    harmless = _is_harmless_bare(value, "cookie", glued=True) or is_harmless(value, "cookie")
    return crumb[0] if harmless else f"{crumb['name']}{MARK}cookie]"


def _assigned(match: re.Match[str]) -> str:
    text, found = match.string, match.groupdict()
    kind = next((kind for name, kind in _KINDS.items() if found.get(name)), "password")
    group = "bare" if found["quoted"] is None else "quoted"
    value = found[group]
    start, end = match.span(group)
    quote = ""
    if group == "bare":
        end -= len(value) - len(value.rstrip(")]}.:"))
        # KEY=value, as in files of settings and in URLs, and not the `key = value` of programs
        glued = text[start - 1] == "=" and text[start - 2] not in " \t=!:"
        variable = _VARIABLE.fullmatch(value.rstrip(")")) and not (glued and _is_setting(match, value))
        harmless = variable or _is_harmless_bare(value, kind, glued=glued)
        if found.get("name_quote") in {'"', "'"} and text[match.end("name_quote") : start].strip() == ":":
            # A number in JSON, perhaps the first of a list; the mark is a string.
            quote = found["name_escape"] + found["name_quote"]
            start += len(value) - len(value.lstrip("[{"))
    else:
        harmless = kind != "password" and len(value) < _SHORTEST_QUOTED
    if harmless or is_harmless(value, kind):
        return match[0]
    return f"{text[match.start() : start]}{quote}{MARK}{kind}]{quote}{text[end : match.end()]}"


def _is_harmless_bare(value: str, kind: str, *, glued: bool) -> bool:
    if _CODE.fullmatch(value):
        return True
    if kind == "password":
        return len(value) < _SHORTEST_BARE_PASSWORD or _PATH.fullmatch(value) is not None
    return len(value) < _SHORTEST_BARE or not (glued or any(letter.isdigit() for letter in value))


def _is_setting(match: re.Match[str], value: str) -> bool:
    """Return true where an assignment looks like a line of a shell script or a settings file, with a literal value.

    This holds after a name in capitals, unless the assignment is one of several arguments, and for one alone on a line.
    """
    text = match.string
    name_end = match.start("bare") - 1
    name = _SETTING.search(text[max(match.start() - 61, 0) : name_end])
    if name is None or not value.isascii() or not value.replace("_", "").isalpha() or value.isupper():
        return False
    if name[0].isupper():
        return text[match.end() : match.end() + 1] != ","
    first = name_end - len(name[0])
    alone = _LINE_START.search(text[max(first - 8, 0) : first]) and _LINE_END.match(text, match.end())
    return bool(alone) and value.islower() and "_" not in value and _NAME_AT_END.fullmatch(value) is None
