"""The words of a reviewer: whether they say more than the verdict."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import (
    count_special,
    count_words,
    names_something,
    stem,
    term_weights,
)
from mcp_reflect.domain.lessons.sentences.wording import is_courtesy, states_rule
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.truncate import truncate_line

_FEEDBACK_CHARS = 1_000
_FEW_WORDS, _FEW_BEHIND_PRAISE, _FEW_ON_LATER = 6, 10, 14
_VERDICTS = (
    "reward|score|result|verdict|outcome|status|grade|rating|success|correct|incorrect|passed|pass|failed|fail|failure"
    "|true|false|ok|right|wrong|good|bad|great|nice|perfect|fine"
)
_VERDICT_WORD = f"(?:{_VERDICTS})"
_VERDICT_STEMS = frozenset(map(stem, _VERDICTS.split("|")))
_BARE_VERDICT = re.compile(
    rf"(?=.*\b{_VERDICT_WORD}\b|[\W\d]*\Z)(?:\b(?:{_VERDICT_WORD}|is|was|the|run|task)\b|[-+]?\d+(?!\d)(?:\.\d+(?!\d))?%?|[\s:=/.,;!()-])+",
    re.IGNORECASE | re.DOTALL,
)
_WISHED = (
    r"instead|next time|please|should|must|never|always|use|only|but|keep|prefer|rather|avoid|because|need\w*|have to"
    r"|missing|except|unless|until"
)
_WISHES = re.compile(rf"\b(?:{_WISHED}|remember|mind|careful|rules?|polic(?:y|ies)|from now on)\b", re.IGNORECASE)
_ASKS = re.compile(
    rf"\b(?:{_WISHED}|not|n't|without|is|are|was|were|now|too|wrong|slow|before|after)\b|n't\b", re.IGNORECASE
)
"""What a reviewer asks for, limits or explains."""
_CODE = re.compile(r"`|--\w|\w[/_=]\w|\w\.\w{1,5}\b|\w\(\)|[a-z][A-Z]")
_APPROVES = re.compile(
    r"\b(?:fine|green|good|great|lovely|nice|stable|clean|correct|perfect|ok(?:ay)?|of course|thanks?|done|as expected"
    r"|right|spot on|exactly"
    r"|well (?:done|handled|spotted)"
    r"|works?|worked|passe[ds]|match(?:es|ed)?|agrees?|adds? up"
    r"|reconciles?|deployed|merged|shipped|migrated|built|released|rolled out|generated"
    r"|installed|published|confirmed|verified|approved|accepted)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\b(?:again|since(?=\W*$| (?:then|yesterday|last|mon|tues|wednes|thurs|fri|satur|sun))"
    r"|over ?night|over the weekend|all (?:day|week(?:end)?)|ran"
    r"|no (?:\w+ )?(?:crash\w*|errors?|hangs?|complaints?|failures?|restarts?|problems?|issues?))\b",
    re.IGNORECASE,
)
"""How it stood later, for which somebody thanks."""
_STATES = re.compile(
    r":\s+(?:the|it|we|they|you)\b|\b(?:is|are|was|were) (?:called|named|due|at|in|on|the)\b", re.IGNORECASE
)
"""A fact beside that."""
_RECALLS_TASK = re.compile(
    r"\b(?:I|we) (?:\w+ ){0,2}(?:said|asked|told|wrote|wanted|requested|specified|forbade|ruled)\b"
    r"|\b(?:as|was|were|had been|exactly what was) (?:\w+ )?(?:asked|told|requested|specified|instructed)\b"
    r"|\b(?:against|despite|ignor\w+|violat\w+|contrary to) (?:the|my|our) (?:\w+ )?"
    r"(?:task|request|rules?|instructions?|wish\w*)\b"
    r"|\bthe (?:task|request|instructions?|brief|ticket) (?:\w+ )?(?:said|says|asks?|asked|states?|stated|forbids?)\b",
    re.IGNORECASE,
)
"""What points back to what was asked for."""
_LIMITS = re.compile(r"\b(?:never|only|must|not|always|at most|at least|no|without|stays?|keep)\b|n't\b", re.IGNORECASE)
"""Words of a sentence that limits what may be done."""
_MOST_RULES = 2
_RULE_CHARS = 300


def with_broken_rules(mistake: str, run: ReviewedRun) -> str:
    """Return what went wrong with the rules of the task that the reviewer recalls without saying them, if any."""
    feedback = run.review.feedback
    if not _RECALLS_TASK.search(feedback):
        return mistake
    known = term_weights(mistake).keys()
    rules = [each for each in split_sentences(run.trace.task) if _LIMITS.search(each) and "?" not in each]
    untold = [each for each in rules if not term_weights(each).keys() <= known][:_MOST_RULES]
    told = " ".join(truncate_line(each, _RULE_CHARS) for each in untold)
    return f"{mistake}\nThe task said: {told}".strip() if told else mistake


def telling_feedback(run: ReviewedRun) -> str:
    """Return the reviewer's words; empty where they only say the verdict again, as `reward 0.0` and `nice work` do.

    What tests that passed print says no more than that either.
    """
    feedback = run.review.feedback.strip()[:_FEEDBACK_CHARS]
    passed = run.review.result == "pass"
    is_empty = (
        (passed and run.review.source == "tests")
        or is_bare_verdict(feedback)
        or (passed and (_is_praise(feedback) or _only_approves(feedback) or _only_says_how_it_went(feedback)))
    )
    return "" if is_empty else feedback


def asks_for_something(feedback: str) -> bool:
    """Return true for words of a pass that state a rule or ask for something, and do not only say how it went."""
    return states_rule(feedback) or _WISHES.search(feedback) is not None


def is_bare_verdict(feedback: str) -> bool:
    """Return true where a reviewer's words hold a verdict or a score, and nothing else: one word in any language."""
    if _BARE_VERDICT.fullmatch(feedback):
        return True
    is_verdict = count_words(feedback) <= 1 or term_weights(feedback).keys() <= _VERDICT_STEMS
    return bool(feedback) and is_verdict and not names_something(feedback)


def _is_praise(feedback: str) -> bool:
    """Return true for words of a pass that thank or praise, and name nothing."""
    special = count_special(term_weights(feedback)) > 1  # the thanks themselves
    return is_courtesy(feedback) and not (special or names_something(feedback) or states_rule(feedback))


def _only_says_how_it_went(feedback: str) -> bool:
    """Return true for a few words of a pass on how it stood later, which ask for nothing and name no code."""
    if count_words(feedback) > _FEW_ON_LATER or not _STANDS.search(feedback):
        return False
    return not (asks_for_something(feedback) or _CODE.search(feedback) or _STATES.search(feedback))


def _only_approves(feedback: str) -> bool:
    """Return true for a few words of a pass that say that it went well: they ask for nothing, and name no code."""
    most = _FEW_BEHIND_PRAISE if _APPROVES.match(feedback) else _FEW_WORDS
    if count_words(feedback) > most or not _APPROVES.search(feedback):
        return False
    return not (_ASKS.search(feedback) or _CODE.search(feedback))
