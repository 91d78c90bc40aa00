"""Secrets out, before anything is written to disk or sent to a model.

A secret becomes `[redacted:<kind>]`; the words around it stay. What only looks random (hashes, ids, encoded data) stays
too: runs are full of it, and a trajectory without it teaches nothing.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from mcp_reflect.core.secret_patterns import Format, formats
from mcp_reflect.core.trajectory import Trajectory

_MARK = "[redacted:"
_MAX_ROUNDS = 8
"""A replacement can bare a secret that touched another one; two rounds are the rule."""

_NAME = (
    r"(?:(?P<aws>secret[_-]?access[_-]?key)"
    r"|(?P<password>pass(?:word|wd|phrase|code)|pwd|(?:db|user|admin|root|smtp|mail|ftp|login|proxy)[_-]pass|contraseña)"
    r"|(?P<key>(?:api|access|account|auth|service|subscription)[_-]?key)"
    r"|(?P<token>token)"
    r"|(?P<secret>(?:private|signing|encryption|master|client|secret)[_-]?key|secret))"
    r"(?:[_-]?(?:key|value|hash|\d{1,4}))?"
)
_KINDS = {"aws": "aws-secret-key", "password": "password", "key": "api-key", "token": "token", "secret": "secret"}

_VALUE = (
    r"(?:(?P<escape>\\{0,8})(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{1,1000}?)(?=(?P=escape)(?P=quote))"
    r"|(?:\\{0,8}[\"'`])?(?P<bare>[^\s\"'`&,;\\<>|]{1,1000}))"
)
_ASSIGNMENT = re.compile(
    # password = x · "api_key": "x" · \"token\": \"x\" · env['SECRET'] = 'x' · :password => "x" · <password>x</password>
    rf"(?<!/){_NAME}(?:\\{{0,8}}[\"'`\])]){{0,3}}"
    rf"(?:[ \t]{{0,20}}(?::=|=>|={{1,3}}|!==?|:(?!//|:))[ \t]{{0,20}}@?|>){_VALUE}",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"--(?:[a-z0-9]{{1,30}}-){{0,3}}{_NAME}[ \t]{{1,5}}(?!-){_VALUE}", re.IGNORECASE)
_IN_NAMES = ("pass", "pwd", "contrase", "key", "token", "secret")
"""One of these is part of every name above, in letters of one case: looking for them takes a fraction of the time."""

_NAME_AT_END = re.compile(rf"{_NAME}\Z", re.IGNORECASE)

_PLACEHOLDER = re.compile(
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
    | [A-Za-z_][\w.]*[(\[].*                                                        # a call or a lookup
    | [@:&*-]?[A-Za-z_.]*(?:password|passwd|pwd|token|secret|key|pass)[A-Za-z_.]*   # a variable of that name
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_PATH = re.compile(r"[~.]{0,2}/[\w.-]*(?:/.*)?", re.DOTALL)
_WORDS_ABOUT = (
    "a an and any are as at auth authentication be blank bool boolean bytes cannot compat denied disabled empty "
    "enabled error expired failed false field files for from has hidden if in incorrect input int integer invalid "
    "is it length list missing mismatch must na needed needs nil no none not null number object of off ok on "
    "optional or prompt provided required reset secretstr set should str string text that the this to true type "
    "undefined unknown unset update updated use used user valid value verified was when will with wrong yes you"
)
"""What stands after `password:` in prose, in code and in schemas."""
_WORDS = frozenset(_WORDS_ABOUT.split())
_SHORTEST_BARE_PASSWORD = 4
_SHORTEST_QUOTED = 6
_SHORTEST_BARE = 8
"""Characters. Shorter ones are words, counts and marks of a grammar far more often than secrets."""


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted:<kind>]`. Doing it again changes nothing."""
    for _ in range(_MAX_ROUNDS):
        changed = _redact_once(text)
        if changed == text:
            break
        text = changed
    return text


def redact_json(value: Any) -> Any:
    """The value with every string redacted, keys of objects included.

    A string is a secret as a whole where it stands under a name such as password, token or api_key.
    """
    return _walk(value, "")


def redact_trajectory(trajectory: Trajectory) -> Trajectory:
    """The trajectory redacted: of messages each string by itself, so that what is stored stays JSON."""
    if trajectory.messages is None:
        return Trajectory(redact(trajectory.text))
    return Trajectory.of([redact_json(message) for message in trajectory.messages])


def _walk(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        return f"{_MARK}{kind}]" if kind and not _is_harmless(value, kind) else redact(value)
    if isinstance(value, dict):
        return {
            redact(key) if isinstance(key, str) else key: _walk(item, _kind_of_name(key)) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_walk(item, kind) for item in value)
    return value


def _kind_of_name(name: Any) -> str:
    named = _NAME_AT_END.search(name) if isinstance(name, str) else None
    return _KINDS[named.lastgroup] if named and named.lastgroup else ""


def _redact_once(text: str) -> str:
    for known in formats():
        if any(hint in text for hint in known.hints):
            text = known.pattern.sub(partial(_replaced, known), text)
    folded = text.casefold()
    if not any(part in folded for part in _IN_NAMES):
        return text
    text = _ASSIGNMENT.sub(_assigned, text)
    return _OPTION.sub(_assigned, text) if "--" in text else text


def _replaced(known: Format, match: re.Match[str]) -> str:
    group = match.re.groups
    start, end = match.span(group)
    text = match.string
    inside_word = known.whole_word and (text[end : end + 1].isalnum() or _follows_word(text, match.start()))
    if inside_word or text.startswith(_MARK, start) or (group and _PLACEHOLDER.fullmatch(text, start, end)):
        return match[0]
    return f"{text[match.start() : start]}{_MARK}{known.kind}]{text[end : match.end()]}"


def _follows_word(text: str, start: int) -> bool:
    before = text[max(start - 2, 0) : start]
    return before[-1:].isalnum() and before not in {r"\n", r"\r", r"\t"}


def _assigned(match: re.Match[str]) -> str:
    kind = next(kind for name, kind in _KINDS.items() if match[name])
    group = "bare" if match["quoted"] is None else "quoted"
    value = match[group]
    start, end = match.span(group)
    if group == "bare":
        end -= len(value) - len(value.rstrip(")]}.:"))
        # KEY=value, as in files of settings and in URLs, and not the `key = value` of programs
        glued = match.string[start - 1] == "=" and match.string[start - 2] not in " \t=!:"
        harmless = _is_harmless_bare(value, kind, glued=glued)
    else:
        harmless = kind != "password" and len(value) < _SHORTEST_QUOTED
    if harmless or _is_harmless(value, kind):
        return match[0]
    return f"{match.string[match.start() : start]}{_MARK}{kind}]{match.string[end : match.end()]}"


def _is_harmless_bare(value: str, kind: str, *, glued: bool) -> bool:
    if _CODE.fullmatch(value):
        return True
    if kind == "password":
        return len(value) < _SHORTEST_BARE_PASSWORD or _PATH.fullmatch(value) is not None
    return len(value) < _SHORTEST_BARE or not (glued or any(letter.isdigit() for letter in value))


def _is_harmless(value: str, kind: str) -> bool:
    """Whether what a name is given is a placeholder, a word about it or, but for passwords, a mere number."""
    bare = value.strip().rstrip(")]}.:,!")
    return (
        bare.lower() in _WORDS
        or _PLACEHOLDER.fullmatch(value.strip()) is not None
        or (kind != "password" and bare.replace(".", "").replace("_", "").isdecimal())
    )
