"""Secrets that a sentence tells: `I changed the password of the user to Tinte-Feder-61`, `the passphrase is 'old …'`.

The verb or a pair of quotes says that a value follows. The value must have a form that no predicate has: a number among
its letters, or several words in quotes.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word
from mcp_reflect.domain.redaction.by_name.named_values import QUOTE, NamedSecret
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName, is_name
from mcp_reflect.domain.redaction.values.mechanisms import is_constant
from mcp_reflect.domain.redaction.values.secret_values import MARK, WORDS

_PREPOSITIONS = "for|of|in|on|at|from|here|there|del|della|di|du|de|des|f\u00fcr|vom|von|der|do|da|para"
_OF = rf"(?:[ ](?:{_PREPOSITIONS})\b[^\n:.;,=\"'`]{{0,60}}?)?"
_VALUE = r"(?P<open>\\{0,8}[\"'`])?(?P<value>[^\s\"'`<>|,;&\\(){}\[\]]{6,64})"
_CHANGED = re.compile(
    r"\b(?:chang|set|reset|rotat|updat|switch|ma[dk]e|renew)\w{0,5}[ ][^\n.;:]{0,50}\Z", re.IGNORECASE
)
_TO = re.compile(rf"{_OF}[ ](?:in)?to[ :]{{1,2}}{_VALUE}")
_FROM = re.compile(
    rf"{_OF}[ ](?:(?:was|is|has been)[ ])?(?:chang|reset|rotat|updat|switch)\w{{0,4}}[ ]from[ ]{_VALUE}[\"'`]?[ ]to[ ]"
)
_FROM_AFTER_VERB = re.compile(rf"{_OF}[ ]from[ ]{_VALUE}[\"'`]?[ ]to[ ]")
_VERB = r"(?:is|was|became|becomes|stays|ist|lautet|est|c'est|es|\u00e8|\u00e9)(?:[ ](?:now|still|simply|just|jetzt))?"
_IS = re.compile(rf"{_OF}(?:[ ]{_VERB}|:)?[ ]{_VALUE}")
_SHALL = re.compile(rf"{_OF}[ ](?:should|must|has[ ]to|needs[ ]to|shall)[ ]be[ ](?:set[ ]to[ ])?{_VALUE}")
_TITLED = re.compile(
    r"[A-Z][a-z]+(?:[-_.+][A-Z]?[a-z]+)+[-_.+]?\d{1,4}[!?]?|(?=[A-Za-z]{6})[A-Z][a-z]+[-_.+]\d{2,4}[!?]?"
)
"""Words with a capital and a number, as people build passwords: `Tinte-Feder-61`, `Kachelofen-88`."""
_PHRASE = re.compile(
    rf"(?:[ ](?:is|was|lautet|ist|es|est|to|with)|:|[ ]?=|[ ](?:-b|--?(?:body|value|secret-string)))[ =]{{1,2}}"
    rf"(?P<quote>\\{{0,8}}{QUOTE})(?P<value>[^\n\"'`\\]{{8,100}})(?P=quote)"
)
_MOST_COMMON = 0.4
"""Largest share of words of sentences in a passphrase."""
_LEAST_WORDS = 3
_WINDOW = 70


def told_secret(text: str, name: SecretName) -> NamedSecret | None:
    """Return the secret that the sentence around a name tells of it."""
    if name.kind not in {"password", "secret", "token"} or name.group in {"pin", "card_code", "weak_secret"}:
        return None
    if (phrase := _PHRASE.match(text, name.end)) and _is_passphrase(phrase["value"]):
        return NamedSecret(*phrase.span("value"))
    if text[name.end : name.end + 1] not in {" ", ":"}:
        return None
    if earlier := _earlier(text, name):
        return NamedSecret(*earlier.span("value"))
    changed = _TO.match(text, name.end)
    if changed and is_told_word(changed["value"]) and _is_changed_to(text, name, changed):
        return _without_stop(changed)
    return _stated(text, name)


def _earlier(text: str, name: SecretName) -> re.Match[str] | None:
    """What the sentence says was what the name stands for, until it was changed."""
    found = _FROM.match(text, name.end)
    if found and is_told_word(found["value"]) and (found["open"] or not found["value"].isalpha()):
        return found
    found = _FROM_AFTER_VERB.match(text, name.end)
    return found if found and is_told_word(found["value"]) and _is_changed_to(text, name, found) else None


def _stated(text: str, name: SecretName) -> NamedSecret | None:
    """The secret that a sentence says is, or shall be, what the name stands for."""
    shall = _SHALL.match(text, name.end)
    if shall and _has_number(shall["value"]) and is_told_word(shall["value"]):
        return _without_stop(shall)
    told = _IS.match(text, name.end) if name.kind == "password" else None
    return _without_stop(told) if told and _TITLED.fullmatch(told["value"].rstrip(".:!?")) else None


def _is_changed_to(text: str, name: SecretName, changed: re.Match[str]) -> bool:
    value = changed["value"]
    is_given = changed["open"] or (_has_number(value) and not is_constant(value.rstrip(".:!?")))
    return bool(is_given) and _CHANGED.search(text, max(name.start - _WINDOW, 0), name.start) is not None


def _without_stop(found: re.Match[str]) -> NamedSecret:
    start, end = found.span("value")
    return NamedSecret(start, end if found["open"] else start + len(found["value"].rstrip(".:?")))


def _has_number(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_passphrase(quoted: str) -> bool:
    """Return whether a text in quotes is a row of words rather than a sentence about a secret."""
    words = quoted.split()
    common = sum(word.lower().strip(",.!?") in WORDS for word in words)
    plain = all(word.strip(",.!?").isalpha() and not is_name(word) for word in words)  # `npm token create`
    return plain and len(words) >= _LEAST_WORDS and common <= _MOST_COMMON * len(words) and MARK not in quoted
