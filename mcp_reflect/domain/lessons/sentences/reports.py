"""Reports of an agent: how things stand, in a few words that name nothing to act on."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import cues
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words
from mcp_reflect.domain.lessons.sentences.wording import states_rule, with_plain_apostrophes

_MOST_WORDS = 8
"""Words of a sentence of the final answer up to which it is a report: of longer ones most hold a cause or a rule."""
_MOST_WORDS_BETWEEN = 6
"""The same of what is said between two steps: a remark on what was just seen."""
_DIGIT = re.compile(r"\d")
_TOKEN = re.compile(r"`[^`]+`|[^\s,;]+")
_CODE = re.compile(r"[`_=]|[a-z][A-Z]|\w/\w|\w\(\)|\w{2}\.[a-z]{2}|(?<![\w-])--[a-z]|%[a-z]")
_DEPENDS = re.compile(r"\b(?:because|if|once|since|so|unless|until|when|without)\b", re.IGNORECASE)
"""What tells on what something depends, or what comes of it."""


def is_bare_report(sentence: str, task: str, *, is_final: bool) -> bool:
    """Return true for few words that state no rule, and name no code, file or setting but what the task names.

    In a final answer a number is a result ("All 40 jobs ran in 3 s"), and "before" or "after" tells an order of events:
    there a rule is what says how such cases are dealt with. Between two steps a number may name something as well.
    """
    if count_words(sentence) > (_MOST_WORDS if is_final else _MOST_WORDS_BETWEEN) or _DEPENDS.search(sentence):
        return False
    states = cues.POLICY.search(with_plain_apostrophes(sentence)) if is_final else states_rule(sentence)
    if states or (not is_final and _DIGIT.search(sentence)):
        return False
    return not _names_more_code(sentence, task)


def _names_more_code(sentence: str, task: str) -> bool:
    known = task.lower()
    named = (token.strip("`.:").lower().removeprefix("(") for token in _TOKEN.findall(sentence) if _CODE.search(token))
    return any(name not in known for name in named)
