"""How much a sentence of a mere talk says of the matter: a later run acts on that, and not on how one spoke of it."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.chatter import is_clause
from mcp_reflect.domain.lessons.sentences.cues import RULE
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something, without_commits, word_weight

_HISTORY_FACTOR = 0.3
"""Of what names a commit: it tells how the code came to be, which the code itself does not need."""
_HANGING_FACTOR = 0.35
"""Of what only comments on the sentence before it."""
_UNNAMED_FACTOR = 0.3
"""Of what states no rule and names nothing: an anecdote, a feeling, a generality."""
_PLAIN_RULE_FACTOR = 0.6
"""Of what names nothing, and has one word of a rule at most."""
_STORY_FACTOR = 0.5
"""Of what we did, in place of what holds."""
_OPEN_FACTOR = 0.4
"""Of what leaves something open."""
_FRAGMENT_FACTOR = 0.3

_ISSUE = re.compile(r"#\d+\b")
_STORY = re.compile(
    r"\b[Ww]e(?:'ve)? (?:\w+ly )?(?:also |just )?(?!need(?:ed)?\b)(?:\w{2,}ed|had|got|made|went|did|kept)\b"
)
_OPENING = re.compile(r"\W{0,3}([A-Za-z][a-z]+)(?<!ing)(?<!ed)\s+\S")
_WAS = re.compile(r"[^,;:]{3,60}? (?:was|were|wasn't|weren't|had)\b")
_OPEN = re.compile(r"\b[Tt]he question (?:is|was|remains)\b")
_GERUND = re.compile(r"\W{0,3}[A-Za-z]+ing\b")


def is_directive(sentence: str) -> bool:
    """Return true where a sentence seems to say what to do: it begins with a verb, has no other, and names something.

    Nothing tells a verb from a noun but that neither a comma nor another verb follows it.
    """
    opening = _OPENING.match(sentence)
    if opening is None or word_weight(opening[1].lower()) == 0 or is_clause(sentence):
        return False
    return names_something(_ISSUE.sub("", without_commits(sentence)))


def talk_factor(sentence: str, *, by_user: bool, is_rule: bool, hangs: bool) -> float:
    """Return the factor of a sentence of a talk, 1 for one that states something of the matter by itself.

    `is_rule` says that it states a rule, a cause or a decision by its wording, `hangs` that it points back.
    """
    told = _ISSUE.sub("", without_commits(sentence))
    named = names_something(told)
    factor = 1.0
    if without_commits(sentence) != sentence:
        factor *= _HISTORY_FACTOR
    if hangs:
        factor *= _HANGING_FACTOR
    if not named and not is_rule:
        factor *= _UNNAMED_FACTOR
    elif not named and RULE.count(sentence) <= 1:
        factor *= _PLAIN_RULE_FACTOR
    if not by_user and (_STORY.search(sentence) or _WAS.match(sentence)):
        factor *= _STORY_FACTOR
    if _OPEN.search(sentence):
        factor *= _OPEN_FACTOR
    if _GERUND.match(sentence) and not is_clause(sentence):
        factor *= _FRAGMENT_FACTOR
    return factor
