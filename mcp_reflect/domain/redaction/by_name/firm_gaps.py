"""Gaps between a name and its secret that leave no other reading, so that the secret may be a plain word.

A password has no form of its own: it may be `tulip`. What tells it then is its position. The syntax may leave no other
reading (a statement, a call, an option), a user may stand beside it in the same form (`remoteuser = bob`,
`remotepass = tulip`), a line may hold nothing but a compound name and a value (`rootpw tulip`), or prose may say what
the password is with a word that is no predicate.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.named_values import QUOTE, is_harmless_bare, is_variable, option_dashes
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName, is_name
from mcp_reflect.domain.redaction.values.secret_values import is_harmless, is_joined_phrase

STATEMENT = re.compile(
    r"(?:(?P<firm>\bset -\w+|\bconfig set|\bsetenv|\bsetx|#define|\bENV)|\bset|\bARG|machine [^\n]{1,100})"
    r"[ \t]+[\w.:/-]*\Z"
)
_SETTER = re.compile(
    r"(?:\b(?:set|put|add|define|store|register|export|config|getenv|environ|env|fill|type)\w*(?:\.get)?|VALUES)"
    r"[ ]?\([ ]?"
    r"\\{0,8}[\"'][\w.#\[=-]{0,60}\Z",
    re.IGNORECASE,
)
_SETS = ("set_", ".set")
"""What makes a call of a name that follows it: `user.set_password('tulip')`."""
_CLOSED = re.compile(rf"\\{{0,8}}{QUOTE}")
_QUOTE_AT_END = re.compile(rf"{QUOTE}[ \t]*\Z")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+[uUlL]*")
_FILE = re.compile(r".*/.*|[\w-]+\.[a-z]{1,5}|(?:env|file|fd|stdin|prompt|cmd)(?::.*)?")
"""Where a program is told to look for a password."""
_SHORT_NAMES = ("pass", "pw", "psk")
_WINDOW = 160

_LINE_START = r"(?:\A|\n|\\n|[\"'])(?:[ \t]*\d{1,6}→|[>+-][ ])?[ \t]{0,40}"
_DIRECTIVE = re.compile(rf"{_LINE_START}(?:enable[ ]|set[ ](?:[\w.-]{{1,30}}[ ]){{0,8}})?(?P<first>[\w.-]{{0,40}})\Z")
"""A line up to the words of a name that make it one of a secret."""
_LINE_END = re.compile(rf"(?:\\{{0,8}}{QUOTE})?(?P<sign>;)?[ \t]*(?:\Z|\r|\n|\\{{1,8}}[nr])")
_COLUMN = re.compile(r"[ ]{2,}|\t|\\t")
_USER_NAME = (
    r"(?:user|ssid|login|account|e-?mail|uid|benutzer|usuario|utilisateur|gebruiker|utente|логин|用户|ユーザー)"
)
_USER = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{1,60}"  # an address of mail is one by its form
    rf"|{_USER_NAME}(?:[_-]?(?:name|id|nome|naam))?(?:\\{{0,8}}{QUOTE})?(?P<gap>[ \t]*[=:]>?[ \t]*|[ \t]+)"
    # What is followed by a sign of assignment is a name itself: login user=bob
    rf"(?!(?:and|or|und|oder|y|et|e|o)\b)(?:\\{{0,8}}{QUOTE})?[\w.@+\\/-]{{1,64}}(?![\w.@+/=-])(?:\\{{0,8}}{QUOTE})?",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"[ \t]*[,;&]?[ \t]*(?:(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)(?:[ \t]*\d{1,6}→|[>+-][ ])?[ \t]*)?"
    r"\\{0,8}[\"']?[\w.-]{0,40}\Z"
)
"""What may stand between a user and the name of a password: an end of a field or a line, and a prefix of the name."""

_PREDICATES = (
    "safe weak strong long short wrong stale plain secret public private same different here there gone fine good bad "
    "free one two what why how still now only never always sent shown read known lost found too very more less just "
    "part something nothing anything data bytes right left new old first last next later again about above below "
    "ours yours mine theirs such so then than because since until while whose which who where whether he she we they "
    "i me your my our their his her its these those some every both either neither no longer at by into onto out up "
    "down over under between case kept held built made cut typed random unique sensitive plaintext cleartext text "
    "saved all but do does did may might can could would should must shall being been had have having hash salt "
    "exposed invisible ignored leaked correct ok okay"
)
_NO_VALUES = frozenset(_PREDICATES.split())
"""Words that prose says of a password, besides those that their ending tells."""
_PREDICATE_ENDING = re.compile(
    r"[a-z]+(?:ed|en|ing|able|ible|ly|less|ful|ive|ous|ent|ant|ary|ic|al|ion|ment|er|ness|th)", re.IGNORECASE
)
_TOLD = re.compile(r"(?i:is|was|lautet|from[ ]\S{1,60}[ ]to)[ \t:]{1,3}\Z")
_TOLD_ELSEWHERE = re.compile(r"(?:(?i:ist|est|es|é|är|er|jest)[ \t:]|[はがは는은是为為][ \t:：]{0,2})[ \t:]{0,2}\Z")
"""In languages whose predicates are not known, so that a word in small letters may be one."""


def is_firm(text: str, name: SecretName, gap: re.Match[str], value: re.Match[str]) -> bool:
    """Return whether a gap without a sign of assignment leaves no other reading than a name and its value."""
    word = value[0]
    closed = _CLOSED.match(text, value.end()) is not None
    ends_text = closed and (gap["prose"] is not None or gap["blank"] is not None)  # of which this is the last word
    if name.kind != "password" or (bool(gap["open"]) != closed and not (ends_text and not gap["open"])):
        return False
    before = text[max(name.start - _WINDOW, 0) : name.start]
    if name.group != "password":
        short = text[name.start : name.end].lower().endswith(_SHORT_NAMES)
        return bool(short and gap["blank"]) and _is_firm_blank(text, name, before, gap["blank"], value)
    capital = is_capital(text, name)
    compound_constant = capital and ("_" in text[name.start : name.end] or before[-1:] == "_")
    if gap["blank"] is not None:
        statement = STATEMENT.search(before)
        in_column = compound_constant and _COLUMN.fullmatch(gap["blank"]) and _LINE_END.match(text, value.end())
        firm = in_column or (statement and statement["firm"])
        return bool(firm) or _is_firm_blank(text, name, before, gap["blank"], value)
    if gap["call"] is not None or gap["paren"] is not None:
        sets = _SETTER.search(before) if gap["call"] else before.lower().endswith(_SETS) and is_told_word(word)
        return bool(gap["open"]) and bool((gap["call"] and compound_constant) or sets)
    if gap["prose"] is not None or gap["table"] is not None:
        quoted = (
            (capital or gap[0].strip(" \"'\\") == "with")
            and bool(gap["open"])
            and _QUOTE_AT_END.search(gap["close"]) is not None
        )
        return quoted or (gap["prose"] is not None and _is_told(gap["prose"], word))
    return gap["pair"] is not None or (gap["fill"] is not None and bool(gap["open"]))


def is_firm_assignment(text: str, name: SecretName, gap: str, word: str) -> bool:
    """Return whether a weak name is one of a password: by its user (`remotepass = tulip`) or dashes, or PASS=tulip."""
    if name.group != "weak_password" or not is_word(word) or _FILE.fullmatch(word):
        return False
    is_option = text[name.start : name.end].lower().endswith(_SHORT_NAMES) and option_dashes(text, name)
    is_variable_of_shell = text[name.start : name.end] == "PASS" and gap == "=" and is_told_word(word)
    return bool(is_option) or is_variable_of_shell or _is_beside_user(text, name, gap)


def is_word(word: str) -> bool:
    """Return whether a word may be a password where one must stand: no placeholder, name, variable or flag of C."""
    harmless = is_harmless(word, "password") or is_harmless_bare(word, "password", glued=False)
    return not (harmless or is_variable(word) or is_name(word) or _NUMBER.fullmatch(word))


def is_told_word(word: str) -> bool:
    """Return whether a word after `the password is` is one, rather than something said of it."""
    bare = word.rstrip(").]}:,;!?*").lower()
    predicate = bare in _NO_VALUES or _PREDICATE_ENDING.fullmatch(bare)
    return is_word(word) and is_word(bare) and not predicate and "(" not in word and "/" not in word


def _is_told(gap: str, word: str) -> bool:
    elsewhere = _TOLD_ELSEWHERE.search(gap) is not None and (not word.islower() or is_joined_phrase(word))
    return (elsewhere or _TOLD.search(gap) is not None) and is_told_word(word)


def is_capital(text: str, name: SecretName) -> bool:
    """Return whether a name stands in capitals."""
    said = text[name.start : name.end]
    return said.isupper() and said.isascii()


def _is_firm_blank(text: str, name: SecretName, before: str, blank: str, value: re.Match[str]) -> bool:
    """Return whether a name before a blank is an option (`-storepass`), alone on its line, or beside a user."""
    if option_dashes(text, name) == "-":
        return blank == " " and is_word(value[0]) and not _FILE.fullmatch(value[0])
    snake_case = blank == " " and "_" in text[name.start : name.end] and is_told_word(value[0])
    return (
        snake_case
        or _is_directive(text, name, before, value)
        or (is_told_word(value[0]) and _is_beside_user(text, name, blank))
    )


def _is_directive(text: str, name: SecretName, before: str, value: re.Match[str]) -> bool:
    """Return whether a line holds a name and a value only, and the name is compound, or a quote or `;` ends it."""
    line = _DIRECTIVE.search(before)
    end = _LINE_END.match(text, value.end()) if line else None
    if line is None or end is None:
        return False
    said = text[name.start : name.end].lower()
    compound = line["first"] or line[0].endswith("enable ") or "-" in said or "_" in said
    compound = compound or (name.group != "password" and said not in _SHORT_NAMES)
    quoted = text[value.start() - 1] in "\"'"
    return is_told_word(value[0]) and bool(end["sign"] or quoted or compound)


def _is_beside_user(text: str, name: SecretName, gap: str) -> bool:
    """Return whether a user stands before a name in the same form, on its line or on the one above."""
    before = text[max(name.start - _WINDOW, 0) : name.start]
    return any(
        _BESIDE.fullmatch(before, user.end()) and (user["gap"] or "").strip()[:1] == gap.strip("\"'\\ \t")[:1]
        for user in _USER.finditer(before)
    )
