"""Secrets some words after their name: `IPSec secret gr0upKey`, `password "Auth" 9SmTX6c`, `La password è Noce304!`.

No syntax ties the two together, so the value must have the form of a password that people choose. Names of code stand
behind such names often, words of that form hardly ever: of 1.2 million lines of programs and documents, thirty.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_word
from mcp_reflect.domain.redaction.by_name.named_values import NamedSecret
from mcp_reflect.domain.redaction.by_name.secret_names import SecretName
from mcp_reflect.domain.redaction.values.chosen_words import is_drawn_or_disguised, looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import MARK, WORDS, looks_random

_WORDS = re.compile(r"[^\s\"'`<>|,;\\(){}\[\]=]{2,200}")
_REST_OF_LINE = re.compile(r"[^\n]{0,100}?(?=\n|\\n|\Z|[.;][ ])|[^\n]{0,100}")
_MOST_WORDS = 6
_GROUPS = frozenset(("password", "secret", "weak_password"))
_CODE_AFTER = frozenset("(![")
_CODE_BEFORE = frozenset("\\$<&#")
_NAME_INSIDE = re.compile(r"pass|pwd|secret", re.IGNORECASE)
_PART_OF_NAME = re.compile(r"\w|\.\w")
_VERDICT = "pass"
"""A line of a test's result, not the name of a password."""
_ABSENT = ("no ", "No ", "without ", "impl ")
"""Before a name of which a text says that it is missing, or that a type of code implements it."""
_OTHER_OPTION = re.compile(
    r"--(?:[\w-]{0,40}-)?(?:id|name|profile|region|host|user|group|server|port|file|url|namespace|zone|project|type)"
    r"[ =]\Z"
)
"""The option whose value a word is: `admin-set-user-password --user-pool-id eu-west-1_AbC123xyz`."""
_LONGEST_OPTION = 60
_GIVEN = re.compile(r"\w[\"']?[ ]?[=:][ ]?[\"']?\Z")
_LONGEST_GAP = 8
"""What stands before a word that is the value of another name."""
_AT_LINE_END = re.compile(
    # set passwd nectar_orchid · user joe insecure-password harborSeal; · password "Auth" river-maple
    r"[ \t]{1,9}(?:[\"'][\w.-]{1,40}[\"'][ \t]{1,9})?(?P<quote>[\"']?)"
    r"(?P<value>[A-Za-z]+(?:[_+-][A-Za-z]+){1,3}|[a-z]{2,20}[A-Z][a-z]{1,20}|[A-Za-z]+(?:[_-][A-Za-z]+){0,3}[_-]?\d{1,4}"
    r"|(?<=[\"'])[^\W\d_]{2,20}(?:[ ][^\W_]{2,20}){1,6})(?P=quote)(?:;?[ \t]*(?=\n|\\n|\Z)|(?<=[\"']);)"
)
"""The last word of a line, of parts, directly behind a name; in quotes also several words."""
_ANNOUNCED = re.compile(
    r"[ ](?=[a-z])[^\n:.;=\"'`{}()]{2,80}:[ ](?P<value>[^\s\"'`\\:=()\[\]{}<>/]{8,64})"
    r"(?=[ \t]*(?:\Z|[\r\n\"']|\\{1,8}[rn\"']))"
)
"""The last word of a line, behind a clause about the name: `A temporary password was made for root@web: …`."""
_LEAST_ANNOUNCED = 8
_ACCOUNT = re.compile(
    r"(?:account|admin|auth|community|cred|credential|login|logon|register|user|wifi|wlan)(?:name)?s?(?![a-z])"
)


def nearby_secret(text: str, name: SecretName) -> NamedSecret | None:
    """Return the first word with the form of a password among those that follow a name on its line."""
    said = text[name.start : name.end].lower()
    if name.group not in _GROUPS or said == _VERDICT or _PART_OF_NAME.match(text, name.end):
        return None
    if _is_absent(text, name.start):
        return None
    last = _AT_LINE_END.match(text, name.end) if name.group != "weak_password" else None
    if last and _may_be_last(last["value"]):
        return NamedSecret(*last.span("value"))
    announced = _ANNOUNCED.match(text, name.end)
    if announced and looks_random(announced["value"], _LEAST_ANNOUNCED) and is_word(announced["value"]):
        return NamedSecret(*announced.span("value"))
    return next((word for word in _words_after(text, name.end) if looks_chosen(text[word.start : word.end])), None)


def _is_absent(text: str, position: int) -> bool:
    return text.endswith(_ABSENT, max(position - _LONGEST_GAP, 0), position)


def _may_be_last(value: str) -> bool:
    return is_word(value) and WORDS.isdisjoint(value.lower().split()) and not _NAME_INSIDE.search(value)


def redact_near_accounts(text: str) -> str:
    """Return the text with each password replaced that follows a word about accounts on its line, behind the user.

    Its form must show it without a name: `createUser bob SHA 5umm3rW1nd`, `register ida chat.corp gr4uReiher`.
    """
    folded = text.lower()
    words = _ACCOUNT.finditer(folded if len(folded) == len(text) else text)
    found = {
        secret
        for word in words
        if not _is_absent(text, word.start())
        and not text.startswith(" for ", word.end())  # the verb, with what it accounts for
        and (secret := _secret_of_account(text, word.end()))
    }
    done: list[str] = []
    copied = 0
    for start, end, _ in sorted(found):
        if start >= copied:
            done += (text[copied:start], f"{MARK}password]")
            copied = end
    return "".join((*done, text[copied:])) if done else text


def _secret_of_account(text: str, position: int) -> NamedSecret | None:
    words = islice(_words_after(text, position), 1, None)  # the first one is the user
    return next((word for word in words if is_drawn_or_disguised(text[word.start : word.end])), None)


def _words_after(text: str, position: int) -> Iterator[NamedSecret]:
    """Yield where the next words on the line stand that are no calls, no names in code and given to no other name."""
    rest = _REST_OF_LINE.match(text, position)
    for word in islice(_WORDS.finditer(text, position), _MOST_WORDS):
        if rest is None or word.end() > rest.end():
            break
        value = word[0].rstrip(".:,?")
        end = word.start() + len(value)
        code = text[end : end + 1] in _CODE_AFTER or text[word.start() - 1] in _CODE_BEFORE
        given = _GIVEN.search(text, max(position, word.start() - _LONGEST_GAP), word.start())
        given = given or _OTHER_OPTION.search(text, max(word.start() - _LONGEST_OPTION, 0), word.start())
        if not code and not given and not _NAME_INSIDE.search(value):
            yield NamedSecret(word.start(), end)
