"""Reports of an agent: how things stand at the end of its run, in a few words that name nothing to act on."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import cues
from mcp_reflect.domain.lessons.sentences.vocabulary import count_words, names_something, without_commits
from mcp_reflect.domain.lessons.sentences.wording import with_plain_apostrophes
from mcp_reflect.domain.text.instructions import instructs

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
_STANDS = re.compile(
    r"\b(?:now|again)\b|\bpass(?:es|ed|ing)?\b|\b(?:is|are|stays?) (?:up|live|clean|green|open|closed|solved|done)\b"
    r"|^(?:all|both|everything)\b|^\d+ (?:of )?\w+|\b(?:answers|exits|starts?|runs|loads|ran|adds|finish\w+)\b.*\d"
    r"|^(?:the|your|this|it)\b.{1,40}? is (?:\w+ )?(?:as|at|on|under)\b.*\d"
    r"|^(?:the|your|this)\b.{1,40}? is committed\b",
    re.IGNORECASE,
)
"""How something stands once the work is done, and what is counted of it."""
_NUMBER = re.compile(r"\d{2}")
_DONE = re.compile(r"\W*(?:fixed|fix|done)\b|(?<!from )(?<!until )(?<!by )\bnow\b(?! on\b)", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|as long as|otherwise|unless|until|without|needs?|must|has to|have to|never|always|instead|only"
    r"|not|cannot|why|due to|causes?|caused|when|which|was|were|had|did)\b|n't\b",
    re.IGNORECASE,
)
"""Words of a reason, a condition or a rule: a sentence with one is worth more than what was done."""
_AS_IT_WAS = re.compile(r"\b(?:unchanged|untouched|as expected|as before|(?:is|are) reset)\b", re.IGNORECASE)
_MOST_WORDS_AS_IT_WAS = 12
_MOST_WORDS_OF_REMARK = 7
_FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
"""In other languages no rule is known by its wording (`cues.py`)."""


def is_bare_report(sentence: str, task: str) -> bool:
    """Return true for few English words on how things stand, and no rule, cause or order to anybody.

    They name no code or file but what the task names. A number is no name, but a result ("All 40 jobs run in 3 s").
    """
    plain = with_plain_apostrophes(sentence)
    if count_words(plain) > _MOST_WORDS or _FOREIGN_LETTER.search(plain):
        return False
    if not (_STANDS.search(plain) or cues.STATE.holds(plain)):
        return False
    explains = cues.SETTLED.holds(plain) or _EXPLAINS.search(plain) or _WAS.search(plain)
    rules = cues.RULE.search(plain) or cues.POLICY.search(plain) or instructs(plain)
    return not (explains or rules or _names_more_code(plain, task))


def _names_more_code(sentence: str, task: str) -> bool:
    known = task.lower()
    named = (token.strip("`.:").lower().removeprefix("(") for token in _TOKEN.findall(sentence) if _CODE.search(token))
    return any(name not in known for name in named)


def restates_change(sentence: str, told: str) -> bool:
    """Return true for an agent's report of what it did, each name and number of which a lesson has `told` already.

    So does one that names a commit of the run. A sentence with a reason, a condition or a rule is none.
    """
    plain = with_plain_apostrophes(sentence)
    if _REASON.search(plain) or _FOREIGN_LETTER.search(plain):
        return False
    if without_commits(plain) != plain:
        return True
    named = [token.strip("`.:,()") for token in _TOKEN.findall(plain) if _CODE.search(token) or _NUMBER.search(token)]
    return _DONE.search(plain) is not None and bool(named) and all(name in told for name in named)


def reports_no_change(sentence: str) -> bool:
    """Return true for few words on what stayed or came as it was to be, and no reason or rule."""
    plain = with_plain_apostrophes(sentence)
    is_short = count_words(plain) <= _MOST_WORDS_AS_IT_WAS
    return is_short and _AS_IT_WAS.search(plain) is not None and not _REASON.search(plain)


def remarks_only(sentence: str) -> bool:
    """Return true for few English words of a user that name nothing, rule nothing and give no reason."""
    plain = with_plain_apostrophes(sentence)
    is_short = len(plain.split()) <= _MOST_WORDS_OF_REMARK and not _FOREIGN_LETTER.search(plain)
    rules = cues.RULE.search(plain) or cues.POLICY.search(plain) or instructs(plain)
    return is_short and not (names_something(plain) or rules or _REASON.search(plain))
