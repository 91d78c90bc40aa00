"""Evidence that a sentence states a decision, a finding or a correction, from its position and its wording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import cues
from mcp_reflect.domain.lessons.sentences.announcements import announces, guesses, without_announcement
from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Candidate, Turn
from mcp_reflect.domain.lessons.sentences.chatter import is_chatter, without_interjection
from mcp_reflect.domain.lessons.sentences.position import (
    answers_about_rule,
    closing_factor,
    is_own_case,
    position_factor,
    says_what_holds,
    speaks_up,
)
from mcp_reflect.domain.lessons.sentences.quotations import quoted_further
from mcp_reflect.domain.lessons.sentences.self_contained import points_at_deed, points_back, without_joint
from mcp_reflect.domain.lessons.sentences.settlement import Spoken, read_talk
from mcp_reflect.domain.lessons.sentences.speaker import rules_for_good, tells_custom
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.talk import is_directive, talk_factor
from mcp_reflect.domain.lessons.sentences.wording import (
    is_courtesy,
    is_record,
    rules_out,
    states_decision,
    states_policy,
    states_rule,
    with_plain_apostrophes,
    wording_factor,
)

_CASE_FACTOR = 0.35
"""Of a sentence that states no rule, in a run of which every step serves one case."""
_CUSTOMER_FACTOR = 0.5
"""Of what a user says in such a run: they are served, and do not say how to serve others."""
_RECORD_FACTOR = 0.3
"""Of a line of such a run that only gives a value its name (`Departure: 9:00 AM`)."""
_PLAIN_FACTOR = 0.6
"""Of a sentence that states no rule, cause or decision by its wording."""
_OWN_RULING_FACTOR = 0.9
"""Of what a user ruled in a talk at least, though they spoke of themselves: "I don't want any" is a rule there."""
_WISH = cues.phrases("(?:but|and|so)?,? ?I (?:really )?(?:do not|don't|dont) (?:want|need|like)", opening=True)

_OWN = re.compile(r"\b(?:I|my|me|we|our|us)\b|\?$")


def find_candidates(turns: Sequence[Turn], *, one_case: bool = False) -> Iterator[Candidate]:
    """Yield the sentences of a conversation with their evidence: the factor of the turn times that of the wording.

    A user's correction counts more and what it rejects less; what a user confirms, what sums up and what stands last
    counts more. The factors are few and coarse, and set by hand: `python -m benchmarks.lessons` says what they keep.

    `one_case` says that the run only served one case, as the runs of an agent that books flights do: what it says is
    true of that case alone, unless it states a rule. Where a customer is served in a conversation, a rule is a policy.
    Whose case it is not, tells the agent how to deal with such cases.
    Where nothing was done but talk, what says little of the matter hardly counts (`talk.py`), nor what hangs on it.
    A sentence that points back hangs on the one before it, but not where a user rules: they speak of what the run did.
    What an agent quotes behind the first sentence of a quotation is not its own.
    What the agent says first of what it just did ("That took too much away") is understood beside that alone, and a
    short order to itself before an act ("Try the other one.") is no rule.
    """
    whole, turns = turns, _without_farewell(turns)
    talked = not any(turn.acted for turn in turns)
    answered = sum(turn.role == USER for turn in turns) > 1
    if talked and answered and (talk := read_talk(whole, USER)):  # a last "ok" accepts something, too
        yield from _of_talk(turns, talk)
        return
    own_case = one_case and is_own_case(turns)
    states = states_policy if one_case and answered else states_rule
    before: Candidate | None = None
    for number, turn in enumerate(turns):
        position = position_factor(turns, number)
        instructs = one_case and not own_case and turn.role == USER and number > 0
        corrects = instructs and speaks_up(turns, number)
        answers = says_what_holds(turns, number) if instructs else answers_about_rule(turns, number)
        for sentence in _own_sentences(turn):
            text = without_interjection(with_plain_apostrophes(sentence))
            lasts = turn.role == USER and number > 0 and rules_for_good(text)
            if (is_courtesy(sentence) and not cues.RULE.search(sentence)) or (is_chatter(text) and not lasts):
                continue
            rule = (states_rule if instructs else states)(text)
            rule = rule or (talked and turn.role == USER and _rules_in_talk(text, number))
            rule = (
                rule
                or lasts
                or answers
                or (instructs and tells_custom(text))
                or (number > 0 and turn.role == USER and rules_out(text))
            )
            if one_case and not instructs and (is_record(sentence) or (turn.role == USER and _OWN.search(sentence))):
                rule = False
            is_case = one_case and not (instructs and (rule or corrects))
            case = _case_factor(sentence, turn.role, rule=rule) if is_case else 1.0
            evidence = position * wording_factor(text if talked else sentence) * case
            evidence *= closing_factor(turns, number) if rule else _PLAIN_FACTOR
            told = without_joint(without_interjection(sentence))
            hangs = before is not None and before.turn > 0 and points_back(told) and not _corrects(sentence, turn.role)
            if talked:
                evidence *= talk_factor(told, by_user=turn.role == USER, is_rule=rule, hangs=points_back(told))
            if turn.acted and turn.role == AGENT and not hangs and points_at_deed(told):
                continue
            if turn.role == AGENT and _leads_to_act(turns, number):
                if announces(told) or guesses(told):
                    continue
                told = without_announcement(told)
            place = 0 if before is None else before.place + 1
            before = Candidate(told, turn.role, number, evidence, rule, place, place - 1 if hangs else None)
            yield before


def _own_sentences(turn: Turn) -> Iterator[str]:
    """The sentences of a turn, of the agent's without those with which it goes on with a quotation."""
    of_others = quoted_further(turn.text) if turn.role == AGENT else ()
    return (sentence for sentence in split_sentences(turn.text) if sentence not in of_others)


def _leads_to_act(turns: Sequence[Turn], number: int) -> bool:
    """Return true where the run did something right behind a turn."""
    return number + 1 < len(turns) and turns[number + 1].acted


def _of_talk(turns: Sequence[Turn], talk: Sequence[Sequence[Spoken]]) -> Iterator[Candidate]:
    """Yield the sentences of a conversation of two sides in which nothing was done, by what it settles."""
    before: Candidate | None = None
    for number, turn in enumerate(turns):
        for spoken in talk[number]:
            text = without_interjection(with_plain_apostrophes(spoken.text))
            if is_courtesy(text) and not cues.RULE.search(text):
                continue
            told = without_joint(without_interjection(spoken.text))
            by_user, hangs = turn.role == USER, not spoken.asked and points_back(told)
            evidence = spoken.factor * wording_factor(text)
            if spoken.is_ruling:
                rule = True
                rules = by_user and (_WISH.match(text) or not cues.OWN_STATE.holds(text))
                evidence = max(evidence, spoken.factor * _OWN_RULING_FACTOR if rules else 0.0)
            elif is_chatter(text):
                continue
            else:
                rule = states_rule(text) or (by_user and _rules_in_talk(text, number))
                evidence *= position_factor(turns, number)
                evidence *= talk_factor(told, by_user=by_user, is_rule=rule, hangs=hangs)
            evidence *= closing_factor(turns, number) if rule else _PLAIN_FACTOR
            place = 0 if before is None else before.place + 1
            behind = place - 1 if hangs and before and before.turn > 0 and not _corrects(text, turn.role) else None
            told = f"{spoken.asked} {told}" if spoken.asked else told
            before = Candidate(told, turn.role, number, evidence, rule, place, behind)
            yield before


def _rules_in_talk(text: str, number: int) -> bool:
    return states_decision(text) or (number > 0 and is_directive(text))


def _corrects(sentence: str, role: str) -> bool:
    """Return true where a user rules on what the run did, which everybody sees who has its task before them."""
    return role == USER and cues.RULE.search(sentence)


def _case_factor(sentence: str, role: str, *, rule: bool) -> float:
    factor = 1.0 if rule else _RECORD_FACTOR if is_record(sentence) else _CASE_FACTOR
    return factor * _CUSTOMER_FACTOR if role == USER else factor


def _without_farewell(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns without those at the end that only thank or agree: the one before stands last."""
    end = len(turns)
    while end > 1 and all(map(is_courtesy, split_sentences(turns[end - 1].text))):
        end -= 1
    return turns[:end]


def reports_state(sentence: Candidate) -> bool:
    """Return true where a sentence says how things stand now, and no rule."""
    return not sentence.is_rule and cues.STATE.holds(with_plain_apostrophes(sentence.text))
