"""Detection of secrets by the name they are given to.

Examples are `password = …`, `"api_key": "…"`, `--token …`, `| API_KEY | … |` and `The password is …`. The text after
such a name is often prose, a variable or a placeholder; most rules here distinguish these from secrets. After a sign of
assignment a value counts as a secret unless it looks like something else; after any other gap, and after a weak name
(`write key`, `credential`), only a value that looks random.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_reflect.domain.redaction.secret_names import SecretName, is_name, secret_names
from mcp_reflect.domain.redaction.secret_values import MARK, is_harmless, is_identifier, is_phrase, looks_random

_QUOTE = r"[\"'`\uf8e0-\uf8e6]"
"""Quotes, and the characters that stand for encoded quotes (`encoded_text.py`)."""
_CLOSE = rf"(?:(?P<name_escape>\\{{0,8}})(?P<name_quote>{_QUOTE}|[\])}}*])){{0,4}}"
_TYPE = r"(?::[ \t]?[A-Za-z_][\w.\[\]|]{0,40}[ \t]{1,5}(?==))?"
_OPEN = r"\\{0,8}[\"']"
_NEW_LINE = r"(?:\r?\n|\\{1,8}n)"
_ASSIGNED = re.compile(
    # password = x · "api_key": "x" · \"token\": \"x\" · env['SECRET'] = 'x' · :password => "x" · <password>x</password>
    rf"{_CLOSE}(?:[ \t]{{0,20}}{_TYPE}(?P<sign>:=|=>|::(?=[ ]?[\"'])|->(?=[ ])|={{1,3}}|!==?|[:：](?!//|:))"
    r"[ \t]{0,20}"
    rf"(?:\*\*[ \t]?|@|[bBuUrRN]{{1,2}}(?={_OPEN})|\([ \t]{{0,5}}(?:{_NEW_LINE}[ \t]{{0,40}})?(?={_OPEN})"
    rf"|(?:\\{{0,8}}\"){{3}}{_NEW_LINE}[ \t\d→>]{{0,40}}|{_NEW_LINE}[ \t]{{0,40}}(?={_OPEN})"
    rf"|(?P<block>[|>][+-]?[ \t]*{_NEW_LINE}[ \t]{{1,40}}))?"
    # The end of a tag, with its attributes
    r"|(?:[ \t]{1,4}[\w:.-]{1,40}=\\{0,8}[\"'][^\"'<>\n]{0,200}[\"']){0,4}>)"
)
_QUOTED = re.compile(
    rf"(?P<escape>\\{{0,8}})(?P<quote>{_QUOTE})"
    # A quote of its kind that has more backslashes before it than the first one is part of the value.
    r"(?P<value>(?:[^\"'`\n\\\uf8e0-\uf8e6]|(?!(?P=quote))[\"'`]|\\++(?![\"'`])"
    r"|(?>(?:(?P=escape){2}\\\\)*)(?P=escape){2}\\(?P=quote)){1,1000}\\*?)"
    r"(?=(?P=escape)(?P=quote))"
)
_BARE = re.compile(rf"(?:\\{{0,8}}{_QUOTE})?(?P<value>[^\s\"'`&,;\\<>|\uf8e0-\uf8e6]{{1,1000}})")

_LOOSE = re.compile(
    rf"""(?P<close>(?:\\{{0,8}}(?:{_QUOTE}|[\])}}*])){{0,4}})
    (?:(?P<pair>[ \t]{{0,5}},?[ \t]{{0,20}}(?:(?:\r?\n|\\n)[ \t]{{0,40}})?
         (?:\\{{0,8}}{_QUOTE})?value(?:\\{{0,8}}{_QUOTE})?[ \t]{{0,3}}[:=]
         [ \t]{{0,5}})
      |(?P<call>[ \t]{{0,5}},\s{{0,20}})
      |(?P<paren>\(\s{{0,20}}(?=\\{{0,8}}{_QUOTE}))
      |(?P<table>[ \t]{{0,20}}\|[ \t]{{0,20}})
      |(?P<prose>[ \t]{{1,3}}(?:is|was|to|are|lautet|ist|est|es|é|with)[ \t:]{{1,3}})
      |(?P<body>[ \t]{{1,3}}(?:--?(?:body|value|secret-string|b)[ \t=]))
      |(?P<part>(?:(?:\r?\n|(?:\\{{1,8}}r)?\\{{1,8}}n)[ \t\d→>|]{{0,12}}){{2}})
      |(?P<line>[:：]?\*{{0,2}}[ \t]{{0,5}}(?:\r?\n|\\n)[ \t]{{0,20}})
      |(?P<blank>[ \t]{{1,40}}))
    (?P<open>\\{{0,8}}{_QUOTE}|(?P<bold>\*\*))?""",
    re.VERBOSE | re.IGNORECASE,
)
_BLOCK_LINES = re.compile(r"(?:(?:\r?\n|\\{1,8}n)[ \t]{1,40}[\w+/=.-]{16,400}(?=\s|\\|\Z))*")
"""Further lines of a block of YAML, each of one long word."""
_LOOSE_VALUE = re.compile(r"[^\s\"'`<>|,;&\\\uf8e0-\uf8e6]{4,1000}")
_OPTION = re.compile(r"(?:^|[\s\"'`(\[])(?P<dashes>--?)[A-Za-z0-9]{0,30}(?:[_-][A-Za-z0-9]{1,30}){0,4}[_-]?\Z")
_LONGEST_OPTION = 50
_OPTION_VALUE = re.compile(r"[ \t]{1,5}(?!-)")
_STATEMENT_OF_NAME = re.compile(
    r"(?:\bset(?: -\w+)?|\bsetenv|\bsetx|#define|\bENV|\bARG|machine [^\n]{1,100})[ \t]+\w*\Z"
)
_LONGEST_STATEMENT = 160
_PHRASE = re.compile(rf"(?:\\{{0,8}}{_QUOTE})?(?P<value>[a-z]{{2,12}}(?:[ ]{{1,2}}[a-z]{{2,12}}){{2,30}})")

_CODE = re.compile(
    r"""(?:self|this|cls|os|sys|process|config|settings|args|opts|options|env|request|req|ctx|user|data|params|kwargs
      |cfg|conf|app|props|state|secrets|import)[.\[(:?].*
    | (?:function|async|class|new|return|typeof|await|lambda)\b[ (:].*
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
_SHORTEST_BARE_PASSWORD = 4
_SHORTEST_QUOTED = 6
_SHORTEST_BARE = 8
_SHORTEST_WEAK = 16
_SHORTEST_PIN = 6
_SHORTEST_OF_PIN = 4
"""Least length of a secret, in characters: shorter values are mostly words, counts and placeholders of grammars."""


class _Secret(NamedTuple):
    """Where a secret stands, and the quotes that its mark needs to leave JSON as it is."""

    start: int
    end: int
    quote: str = ""


def redact_named(text: str) -> str:
    """Return the text with each value replaced that is given to the name of a secret."""
    done: list[str] = []
    copied = 0
    for name in secret_names(text):
        if name.start < copied:
            continue
        kind = name.kind
        secret = _find(text, name, kind)
        if secret is not None and secret.end > secret.start:
            done += (text[copied : secret.start], f"{secret.quote}{MARK}{kind}]{secret.quote}")
            copied = secret.end
    return "".join((*done, text[copied:])) if done else text


def is_harmless_bare(value: str, kind: str, *, glued: bool) -> bool:
    """Return true where a value without quotes is code, a path or too short; `glued`: it follows `=` at once."""
    if _CODE.fullmatch(value):
        return True
    if kind == "password":
        return len(value) < _SHORTEST_BARE_PASSWORD or _PATH.fullmatch(value) is not None
    return len(value) < _SHORTEST_BARE or not (glued or any(letter.isdigit() for letter in value))


def _find(text: str, name: SecretName, kind: str) -> _Secret | None:
    """Return where the secret after a name stands, if one does."""
    gap = _ASSIGNED.match(text, name.end)
    if gap is None and _option_dashes(text, name) == "--":
        gap = _OPTION_VALUE.match(text, name.end)
    if gap is None:
        return _loose(text, name, kind)
    phrase = _phrase(text, gap.end(), name)
    if phrase is not None:
        return phrase
    quoted = _QUOTED.match(text, gap.end())
    if quoted is not None:
        value = quoted["value"]
        short = kind != "password" and len(value) < _SHORTEST_QUOTED
        short = short or (name.group == "token" and is_identifier(value))
        if short or is_harmless(value, kind) or (name.is_weak and not _is_random(value, name.group)):
            return None
        return _Secret(*quoted.span("value"))
    bare = _BARE.match(text, gap.end())
    found = None if bare is None else _bare(text, name, gap, bare, kind)
    return found or (_loose(text, name, kind) if "\n" not in gap[0] else None)


def _bare(text: str, name: SecretName, gap: re.Match[str], bare: re.Match[str], kind: str) -> _Secret | None:
    start, end = bare.span("value")
    value = bare["value"]
    end -= len(value) - len(value.rstrip(")]}.:"))
    quote = ""
    # KEY=value, as in files of settings and in URLs, and not the `key = value` of programs
    glued = text[start - 1] == "=" and text[start - 2] not in " \t=!:"
    variable = _VARIABLE.fullmatch(value.rstrip(")")) and not (glued and _is_setting(text, name, bare))
    harmless = variable or is_harmless_bare(value, kind, glued=glued) or is_harmless(value, kind)
    names = gap.groupdict()
    if names.get("name_quote") in {'"', "'"} and names.get("sign") == ":":
        # A number in JSON, perhaps the first of a list; the mark is a string.
        quote = f"{names['name_escape']}{names['name_quote']}"
        start += len(value) - len(value.lstrip("[{"))
    if harmless or (name.is_weak and not _is_random(value, name.group)):
        return None
    if names.get("block") and (further := _BLOCK_LINES.match(text, end)):
        end = further.end()
    return _Secret(start, end, quote)


def _loose(text: str, name: SecretName, kind: str) -> _Secret | None:
    """Return a secret after a gap that is no assignment: a comma, a table, prose, the next line."""
    gap = _LOOSE.match(text, name.end)
    if gap is None:
        return None
    phrase = _phrase(text, gap.end(), name)
    value = _LOOSE_VALUE.match(text, gap.end())
    if phrase is not None or value is None or not _leads_to_value(text, name, gap):
        return phrase
    if not _is_random(value[0], name.group) or is_harmless_bare(value[0], kind, glued=True):
        return None
    after = 0 if gap["open"] else len(value[0]) - len(value[0].rstrip(").]}:,;!?*"))
    return _Secret(value.start(), value.end() - after)


def _leads_to_value(text: str, name: SecretName, gap: re.Match[str]) -> bool:
    """Return whether a gap of its form may stand between this name and its value."""
    said = text[name.start : name.end]
    capitals = said.isupper() and said.isascii()
    if gap["part"] is not None:  # of a form
        return '"' in gap["close"]
    if gap["call"] is not None:
        return capitals or bool(gap["open"] and ("'" in gap["close"] or '"' in gap["close"]))
    if gap["blank"] is not None:
        before = text[max(name.start - _LONGEST_STATEMENT, 0) : name.start]
        named = capitals or _option_dashes(text, name) or _STATEMENT_OF_NAME.search(before)
        return ")" not in gap["close"] and bool(named or gap["open"])
    return True


def _option_dashes(text: str, name: SecretName) -> str:
    """Return the dashes of the option that a name is or ends; empty where it is none."""
    before = text[max(name.start - _LONGEST_OPTION, 0) : name.start]
    found = _OPTION.search(before) if "-" in before else None
    return found["dashes"] if found else ""


def _phrase(text: str, position: int, name: SecretName) -> _Secret | None:
    """Return a passphrase of several words in small letters."""
    if not text[name.start : name.end].lower().endswith(("phrase", "mnemonic", "words")):
        return None
    found = _PHRASE.match(text, position)
    if found is None:
        return None
    if not is_phrase(found["value"]):
        return None
    return _Secret(*found.span("value"))


def _is_random(value: str, group: str) -> bool:
    if group == "pin":
        return value.isdecimal() and len(value) >= _SHORTEST_OF_PIN
    if group == "password" and value.isdecimal():
        return len(value) >= _SHORTEST_PIN
    least = _SHORTEST_WEAK if group in {"weak_key", "weak_secret"} else _SHORTEST_QUOTED if "password" in group else 8
    return looks_random(value, least)


def _is_setting(text: str, name: SecretName, bare: re.Match[str]) -> bool:
    """Return true where an assignment looks like a line of a shell script or a settings file, with a literal value.

    This holds after a name in capitals, unless the assignment is one of several arguments, and for one alone on a line.
    """
    value = bare["value"]
    name_end = bare.start("value") - 1
    setting = _SETTING.search(text[max(name.start - 61, 0) : name_end])
    if setting is None or not value.isascii() or not value.replace("_", "").isalpha() or value.isupper():
        return False
    if setting[0].isupper():
        return text[bare.end() : bare.end() + 1] != ","
    first = name_end - len(setting[0])
    alone = _LINE_START.search(text[max(first - 8, 0) : first]) and _LINE_END.match(text, bare.end())
    return bool(alone) and value.islower() and "_" not in value and not is_name(value)
