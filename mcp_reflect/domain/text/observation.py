"""Tells reports from wishes: of words that only a tool, a page, a file or a memory said, reports are kept.

The rules say what is let in: a report is an English statement with a subject and a finite verb, an error says what went
wrong, and a row of values has no sentence in it. An imperative, a wish, a condition, another language, an address and a
command are none of these, in whatever words.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.observation_wording import (
    ADDRESS,
    ASIDE,
    CLAUSE,
    CODE,
    COMMAND,
    CREDENTIALS,
    DETERMINER,
    ERROR_PREFIX,
    FUNCTION_WORD,
    HEDGES,
    IS_CLOSED,
    IS_FINITE,
    IS_VERB,
    ITEM,
    LEAST_FUNCTION_WORDS,
    LIST,
    MARKS,
    MOST_AROUND_LIST,
    MOST_BEFORE_VERB,
    MOST_WORDS_OF_ROW,
    MOST_WORDS_OF_TITLE,
    OPAQUE,
    PART,
    PROPER,
    SETTING,
    TROUBLED,
    WORD,
)
from mcp_reflect.domain.text.wishes import plain_text, wants_something

_NAMES_TO_AN_ORDER = 5
"""Of so many names in a list one may begin like an order, as titles of films do."""


def reads_as_report(text: str) -> bool:
    """Return true for an English statement that wants nothing of its reader: no wish, condition, address or command."""
    plain = plain_text(text)
    named = bool(PROPER.match(text))
    if len(FUNCTION_WORD.findall(plain)) + named < LEAST_FUNCTION_WORDS or _has_opaque(text) or wants_something(text):
        return False
    if "!" in plain or any(rule.search(plain) for rule in (HEDGES, CREDENTIALS, ADDRESS, COMMAND)):
        return False
    clauses = [(clause, _states(clause, named=named)) for clause in _clauses(plain)]
    return any(states for _, states in clauses) and all(states or _is_aside(clause) for clause, states in clauses)


def reads_as_error(text: str) -> bool:
    """Return true for a line that says what went wrong, and nothing of what to do about it."""
    return bool(TROUBLED.search(ERROR_PREFIX.sub("", plain_text(text)))) and not wants_something(text, of_error=True)


def is_troubled(text: str) -> bool:
    """Return true for a text with a word of trouble: a quick look before `reads_as_error`."""
    return bool(TROUBLED.search(text.lower()))


def without_asides(text: str) -> str:
    """Return a text without what stands in parentheses, where compilers put their advice."""
    return ASIDE.sub("", text)


def reads_as_data(text: str) -> bool:
    """Return true for a short value or a row of them, as tables and listings have: numbers, names, no sentence."""
    plain = plain_text(text)
    if reads_as_titles(text):
        return True
    if not any(each.isdigit() for each in plain) or len(WORD.findall(plain)) > MOST_WORDS_OF_ROW or _has_opaque(text):
        return False
    return not wants_something(text) and not any(rule.search(plain) for rule in (HEDGES, CREDENTIALS, ADDRESS, COMMAND))


def reads_as_titles(text: str) -> bool:
    """Return true for names in quotes in a list, which may be cut, each of which begins like a name, not an order."""
    found = LIST.search(text)
    if found is None or found.start() > MOST_AROUND_LIST:
        return False
    names = [name.split() for pair in ITEM.findall(found[0]) if (name := "".join(pair)).strip()]
    return bool(names) and sum(not _is_title(name) for name in names) <= len(names) // _NAMES_TO_AN_ORDER


def reads_as_setting(text: str) -> bool:
    """Return true for one value with its name, as settings and dumps have: `Restart=on-failure`, `path: 'a/b.json'`."""
    found = SETTING.fullmatch(text.strip())
    if found is None:
        return False
    name = found[1].lower()
    return not (IS_VERB.fullmatch(name) or TROUBLED.search(name))


def reads_as_command(text: str) -> bool:
    """Return true for a line that a shell could run, or one that holds such a command."""
    return bool(COMMAND.search(" ".join(skeleton(text).split()).lstrip("$># ")))


def is_prose(text: str) -> bool:
    """Return true for words that somebody could follow, in any language; false for code, paths and rows of values."""
    plain = MARKS.sub("", text.strip())
    letters = sum(map(str.isalpha, plain)) + sum(map(str.isspace, plain))
    if len(plain) < 5 or letters < 0.75 * len(plain) or CODE.search(plain):  # noqa: PLR2004 - characters
        return False
    if plain.isascii() and not any(map(str.isspace, plain)):
        return False  # a name or a path
    if len(WORD.findall(plain)) >= 3:  # noqa: PLR2004 - words
        return True
    wide = sum(each.isalpha() and ord(each) >= 0x2E80 for each in plain)  # noqa: PLR2004 - scripts without blanks
    return wide >= 5  # noqa: PLR2004 - characters


def _clauses(plain: str) -> list[str]:
    return [clause for each in CLAUSE.split(plain) if (clause := each.strip())]


def _is_aside(clause: str) -> bool:
    """A name, a date, a title: nothing that somebody could follow."""
    words = clause.split()
    return len(words) <= MOST_BEFORE_VERB or bool(IS_CLOSED.fullmatch(words[0]))


def _states(clause: str, *, named: bool) -> bool:
    """A subject, then a finite verb; parts behind a comma may do without where they begin with a closed word."""
    whole = False
    for part in PART.split(clause):
        words = [word.strip("`\"',") for word in part.split()]
        if not words:
            continue
        finite = [place for place, word in enumerate(words) if _is_finite(words, place, word)]
        opening = bool(IS_CLOSED.fullmatch(words[0]))
        if finite and (opening or named or whole or not any(word in DETERMINER for word in words[1 : finite[0]])):
            whole = whole or opening or named or finite[0] <= MOST_BEFORE_VERB
        elif not (opening or whole or named) and len(words) > MOST_BEFORE_VERB:
            return False
    return whole


def _is_finite(words: list[str], place: int, word: str) -> bool:
    if IS_FINITE.fullmatch(word):
        return True
    # A verb in -s has a subject before it and an object or a place behind it.
    following = words[place + 1] if place + 1 < len(words) else ""
    return (
        place > 0
        and word.isalpha()
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and (following in DETERMINER or bool(IS_CLOSED.fullmatch(following)))
    )


def _is_title(words: list[str]) -> bool:
    first = words[0]
    if len(words) > MOST_WORDS_OF_TITLE or (first[:1].isalpha() and not first[:1].isupper()):
        return False
    return not IS_VERB.fullmatch(first.lower()) or words[1:2] == ["of"]


def _has_opaque(text: str) -> bool:
    return any(
        re.search(r"[a-z]", found) and re.search(r"[A-Z]", found) and re.search(r"\d|=", found) and found.count("/") < 3  # noqa: PLR2004
        for found in OPAQUE.findall(text)
    )
