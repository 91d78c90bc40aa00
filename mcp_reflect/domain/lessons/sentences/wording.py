"""What a sentence states by its wording alone: a rule, a decision, a policy, a record, a courtesy, an objection."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import cues, responses
from mcp_reflect.domain.lessons.sentences.chatter import count_marks
from mcp_reflect.domain.lessons.sentences.other_languages import states_rule_elsewhere
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, term_weights, without_commits

_SPEAKER_FACTOR = 0.35
"""Of each word that speaks of who says a sentence (`chatter.count_marks`)."""

_OF_RULES = frozenset(map(stem, cues.OF_RULES))
_TURNS = re.compile(r",? (?:but|however)\b")
"""What follows it counts: "I understand that, but the policy …"."""
_RECORD = re.compile(r"\W*[A-Z\d][\w'’/() -]{1,40}:\s*\S.{0,200}")
_NOTE = re.compile(
    r"\b(?:answer|attention|caution|correction|important|note|remember|reminder|rule|so|tip|warning)\b", re.IGNORECASE
)
"""A label of what is told to be kept in mind, and not of a value."""


def wording_factor(sentence: str) -> float:
    """Return the factor of a sentence by its wording alone."""
    sentence = without_commits(with_plain_apostrophes(sentence))
    if _is_own_state(sentence):  # "I don't have it" is worded as a rule is, and is none
        return cues.OWN_STATE.factor
    rules = cues.RULE.count(sentence) or states_rule_elsewhere(sentence)
    factor = min(1.0 + cues.RULE_STEP * rules, cues.RULE_CAP)
    for cue in cues.STRENGTHENING:
        if cue.holds(sentence):
            factor *= cue.factor
    weak = next((cue.factor for cue in cues.WEAKENING if cue.holds(sentence)), 1.0)
    return factor * weak * _SPEAKER_FACTOR ** count_marks(sentence)


def states_rule(sentence: str) -> bool:
    """Return true where a sentence states a rule, a cause or a decision, and neither a plan nor how somebody stands."""
    sentence = with_plain_apostrophes(sentence)
    return not _is_own_state(sentence) and _is_worded_as_rule(sentence)


def states_decision(sentence: str) -> bool:
    """Return true where a sentence asks for a rule or proposes one: in a mere talk that is how one is made."""
    return not _is_own_state(sentence) and not cues.PLAN.search(sentence) and _holds_rule(sentence)


def states_policy(sentence: str) -> bool:
    """Return true where a sentence says how cases of a kind are dealt with, and not what was done in one of them.

    That there are rules, and strict ones, says nothing of how.
    """
    plain = with_plain_apostrophes(sentence)
    is_policy = cues.POLICY.search(plain) or states_rule_elsewhere(plain)
    if not (is_policy and states_rule(plain)) or cues.EVENT.search(plain):
        return False
    return bool(term_weights(plain).keys() - _OF_RULES)


def _is_own_state(sentence: str) -> bool:
    if not cues.OWN_STATE.holds(sentence):
        return False
    turn = _TURNS.search(sentence)
    return turn is None or cues.OWN_STATE.holds(rest := sentence[turn.end() :].strip()) or not _is_worded_as_rule(rest)


def _is_worded_as_rule(sentence: str) -> bool:
    return _holds_rule(sentence) and (not cues.INTENTION.search(sentence) or cues.LASTING.search(sentence))


def _holds_rule(sentence: str) -> bool:
    worded = (cues.RULE, cues.GENERAL, cues.SETTLED.pattern)
    return any(each.search(sentence) for each in worded) or states_rule_elsewhere(sentence)


def is_record(sentence: str) -> bool:
    """Return true for a line that only gives a value its name, as in `Departure: 9:00 AM`."""
    if _RECORD.fullmatch(sentence) is None:
        return False
    label = sentence.partition(":")[0]
    return not (cues.RULE.search(label) or cues.SETTLED.holds(label) or _NOTE.search(label))


def is_courtesy(sentence: str) -> bool:
    """Return true where a sentence thanks, greets, apologises, offers more help, or only agrees."""
    sentence = with_plain_apostrophes(sentence)
    return cues.COURTESY.holds(sentence) or responses.AGREEMENT.fullmatch(sentence) is not None


def objects(sentence: str) -> bool:
    """Return true where a user's sentence objects to what was done or said: it corrects it, denies it or insists."""
    sentence = with_plain_apostrophes(sentence)
    return responses.OBJECTION.search(sentence) or responses.REJECTION.match(sentence)


def rules_out(sentence: str) -> bool:
    """Return true where a sentence says what is not to be done: no request of one case, but a rule of such work."""
    return responses.PROHIBITION.match(with_plain_apostrophes(sentence))


def thinks_better(sentence: str) -> bool:
    """Return true where a user takes back what they said before."""
    plain = with_plain_apostrophes(sentence)
    return responses.TAKES_BACK.search(plain) or responses.AFTER_ALL.match(plain) is not None


def says_it_failed(sentence: str) -> bool:
    """Return true where a user's sentence tells that something is not as it should be."""
    return responses.OBJECTION.search(with_plain_apostrophes(sentence))


def with_plain_apostrophes(sentence: str) -> str:
    """The sentence with the apostrophes that the cues are written with."""
    return sentence.replace("’", "'")
