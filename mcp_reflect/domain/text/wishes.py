"""Tells words that want something of their reader: questions, orders, wishes, advice.

Words of another language are taken for such, since these rules do not read them.
"""

from __future__ import annotations

from itertools import pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.observation_wording import (
    AGAIN,
    ASKS,
    CLAUSE,
    DETERMINER,
    ERROR_PREFIX,
    FIRST,
    FOREIGN_SHARE,
    FOREIGN_WORD,
    FUNCTION_WORD,
    INSTALLS,
    IS_CLOSED,
    IS_FINITE,
    IS_LET_OFF,
    IS_VERB,
    LISTED,
    MARKS,
    MOST_BEFORE_VERB,
    NOUNS_BEFORE_TO,
    PART,
    SUBJECT,
    SYSTEM_CALL,
    TROUBLED,
    TYPED,
    USE,
    YOU,
)

_STATEMENT_OF_SQL = re.compile(
    r"\b(?:CREATE|DROP|ALTER|INSERT|UPDATE|DELETE|SELECT|TRUNCATE|VACUUM|REINDEX|REFRESH|COPY|MERGE|CLUSTER|DISCARD)"
    r"(?: (?:INDEX|TABLE|DATABASE|VIEW|MATERIALIZED|CONCURRENTLY|UNIQUE|TYPE|SYSTEM|TABLESPACE|FROM|INTO|FOR|ALL|FULL"
    r"|COLUMN|ADD|VALUE|SUBSCRIPTION|\.\.\.)){0,4} (?=(?:cannot|can only|can not|is not)\b)"
)
"""A statement of which a database says that it is not possible."""
_CLAUSE_END = re.compile(r"[:;,.](?=\s)|\s[-–—]\s")


def wants_something(text: str, *, of_error: bool = False) -> bool:
    """Return true for words that ask, order, wish or advise, and for those in a tongue that these rules do not read.

    Errors may say what they expected of a value.
    """
    plain = SYSTEM_CALL.sub(" ", plain_text(_STATEMENT_OF_SQL.sub("it ", text))) if of_error else plain_text(text)
    if _is_foreign(plain) or "?" in plain:
        return True
    left = TYPED.sub(" ", plain) if of_error else plain
    if ASKS.search(left) or YOU.search(left) or INSTALLS.search(plain):
        return True
    parts = LISTED if of_error else PART  # "cannot find or load": no order behind the conjunction of an error
    return any(is_imperative(part) for clause in CLAUSE.split(plain) for part in parts.split(clause))


def is_imperative(clause: str) -> bool:
    """Return true where a clause in lower case begins as an order does: with a verb's base form, or `word the …`."""
    stripped = clause.strip(" `\"'*_#>|-")
    found = FIRST.match(stripped)
    if found is None or SUBJECT.match(stripped):
        return False
    first, second = found[1], (found[2] or "").strip("`\"',.")
    if IS_VERB.fullmatch(first):
        if not second or second == "of" or (second == "to" and first in NOUNS_BEFORE_TO):
            return not second and len(clause.split()) > 1
        if IS_LET_OFF.fullmatch(first) and re.search(r"[/.'\"\\]", found[2] or ""):
            return False
        return not (IS_FINITE.fullmatch(second) or TROUBLED.fullmatch(second))
    if IS_CLOSED.fullmatch(first) or IS_FINITE.fullmatch(first) or TROUBLED.fullmatch(first):
        return False
    return second in DETERMINER and first.isalpha() and not first.endswith(("ing", "ly", "s"))


def without_advice(text: str) -> str:
    """Return an error without the clauses at its end that want something, as in `…: you must install it`.

    Where only the word "error" would be left, the text stays as it is.
    """
    ends = [found.start() for found in _CLAUSE_END.finditer(text)]
    for end, following in pairwise([*ends, len(text)]):
        if not ERROR_PREFIX.sub("", plain_text(f"{text[:end]}:")):
            continue
        if wants_something(text[end:following].strip(" :;,.-"), of_error=True):
            return text[:end].rstrip()
    return text


def tells_to_call(text: str) -> bool:
    """Return true for words that name a command as the one to use."""
    return bool(USE.search(plain_text(text)))


def plain_text(text: str) -> str:
    """Return a text as the rules read it: on one line, in lower-case letters without look-alikes and marks."""
    return AGAIN.sub("", " ".join(skeleton(MARKS.sub("", text)).split()))


def _is_foreign(plain: str) -> bool:
    """Return true for words of another language, by its letters or by its small words."""
    letters = sum(map(str.isalpha, plain))
    strange = 0 if plain.isascii() else sum(each.isalpha() and not each.isascii() for each in plain)
    if not letters or strange > FOREIGN_SHARE * letters:
        return True
    english = len(FUNCTION_WORD.findall(plain))
    if strange and not english and len(plain.split()) > MOST_BEFORE_VERB and not TROUBLED.search(plain):
        return True
    return len(FOREIGN_WORD.findall(plain)) > max(1, english)
