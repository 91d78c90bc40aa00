"""Reports of an agent: how things stand at the end of its run, in a few words that name nothing to act on."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import cues
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words
from mcp_reflect.domain.lessons.sentences.wording import with_plain_apostrophes

_MOST_WORDS = 10
"""Words up to which a sentence of a final answer is a report: of longer ones most hold a cause or a rule."""
_TOKEN = re.compile(r"`[^`]+`|[^\s,;]+")
_CODE = re.compile(r"[`_=]|[a-z][A-Z]|[a-z]-[a-z]|\w/\w|\w\(\)|\w{2}\.[a-z]{2}|(?<![\w-])--[a-z]|%[a-z]")
_EXPLAINS = re.compile(
    r"\b(?:because|but|if|instead|needs?|no|once|otherwise|since|so|unless|until|when|without)\b|[:;] ", re.IGNORECASE
)
"""What tells on what something depends or what comes of it, and a second clause that may."""
_WAS = re.compile(
    r"\b(?:was|were|had|did|(?:was|were|had|did)n't)\b|(?<!^)(?<!\bis )(?<!\bare )(?<!\bbeen )\b[a-z]{2,}ed\b",
    re.IGNORECASE,
)
"""What tells how it was before: that explains what was done."""
_ENGLISH = re.compile(
    r"\b(?:after|again|and|are|at|before|by|for|from|has|have|is|it|now|of|on|that|the|this|to|with|you|your)\b",
    re.IGNORECASE,
)
"""In other languages no rule is known by its wording (`cues.py`)."""


def is_bare_report(sentence: str, task: str) -> bool:
    """Return true for few words on the present that state no rule, and name no code or file but what the task names.

    A number is no name, but a result ("All 40 jobs run in 3 s"). "Before" and "after" tell an order of events: a rule
    is what says how such cases are dealt with.
    """
    plain = with_plain_apostrophes(sentence)
    if count_words(plain) > _MOST_WORDS or not _ENGLISH.search(plain):
        return False
    says_more = cues.POLICY.search(plain) or _EXPLAINS.search(plain) or _WAS.search(plain)
    return not says_more and not _names_more_code(plain, task)


def _names_more_code(sentence: str, task: str) -> bool:
    known = task.lower()
    named = (token.strip("`.:").lower().removeprefix("(") for token in _TOKEN.findall(sentence) if _CODE.search(token))
    return any(name not in known for name in named)
