"""A talk of two sides: what users ruled, accepted and replaced in it, and whether it settles anything.

Where nothing was done, what an agent says rests on nothing but the talk: it holds for the next run where the user ruled
or accepted it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences import settlement_cues as cues
from mcp_reflect.domain.lessons.sentences.cues import COURTESY
from mcp_reflect.domain.lessons.sentences.exceptions import Excepted, excepted_in
from mcp_reflect.domain.lessons.sentences.responses import CORRECTION, SECOND_THOUGHT
from mcp_reflect.domain.lessons.sentences.settlement_score import LEAST_LIKELY, SpokenTurn, likelihood, values_in
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something, term_weights
from mcp_reflect.domain.lessons.sentences.wording import thinks_better

ASKED_WITHIN = 2
"""Sentences at the end of a turn one of which is the question that is answered, and which a bare yes accepts."""
_LONGEST_QUESTION = 200
_OFFERED_WITHIN = 3
"""Sentences at the end of a turn one of which proposes what is accepted."""
_TAKEN_OVER = 2
"""Values of a user that an agent repeats in a turn where it took them as settled."""
_LONG_TURNS = 35
"""Mean words of a turn from which somebody explains, and speaks of what is recorded and done all along."""
_AGREED_AFTER = 2
"""Turn of a user behind which what they say yes to is a conclusion, and no answer to their task."""
_AMENDED_WITHIN = 8
"""Turns ahead in which a user may replace a value."""
_COMPARED = 40
"""First sentences of a turn that are compared with those of the next: nobody rules at greater length."""


class SettledTalk:
    """A talk whose two sides take turns: the sentences of each turn, and `turns` as each speaker took them.

    Turns count from 0; `users` are the numbers of those in which a user speaks.
    """

    def __init__(self, said: Sequence[Sequence[str]], turns: Sequence[SpokenTurn], *, user_begins: bool) -> None:
        self.said = said
        self.users = range(0 if user_begins else 1, len(said), 2)
        self._turns = turns

    @cached_property
    def settles(self) -> bool:
        """Return true where the talk is likely to settle something.

        Where turns are long, somebody must also have ruled, accepted, done or summed up something.
        """
        if likelihood(self._turns) < LEAST_LIKELY:
            return False
        words = sum(len(sentence.split()) for turn in self._turns for sentence in turn.sentences)
        return words < _LONG_TURNS * len(self._turns) or any(
            self._is_settled_by_user(number) if number in self.users else self._is_settled_by_agent(number)
            for number in range(1, len(self.said))
        )

    def _is_settled_by_user(self, number: int) -> bool:
        corrects = any(map(CORRECTION.match, self.said[number][:1])) and any(map(acts.commits, self.turn(number + 1)))
        return corrects or bool(self.rulings[number]) or self.accepted[number]

    def _is_settled_by_agent(self, number: int) -> bool:
        return number > 1 and (
            any(map(acts.tells_deed, self.said[number])) or self._sums_up(number) or self._takes_over(number)
        )

    def _sums_up(self, number: int) -> bool:
        return any(map(acts.sums_up, self.said[number][:1]))

    def _takes_over(self, number: int) -> bool:
        """Return true for an agent's turn with values which a user was the first to say, and not in the task."""
        return sum(self._first.get(value, 0) in self.users[1:] for value in self._values[number]) >= _TAKEN_OVER

    @cached_property
    def _first(self) -> dict[str, int]:
        """The turn in which each value was said first."""
        first: dict[str, int] = {}
        for number, values in enumerate(self._values):
            for value in values:
                first.setdefault(value, number)
        return first

    @cached_property
    def all_values(self) -> list[frozenset[str]]:
        """The numbers of each turn."""
        return [frozenset(value for each in said for value in acts.numbers_of(each)) for said in self.said]

    @cached_property
    def _values(self) -> list[frozenset[str]]:
        """The numbers of each turn but those in its questions."""
        return [
            frozenset(value for each in said if not acts.is_question(each) for value in acts.numbers_of(each))
            for said in self.said
        ]

    def turn(self, number: int) -> Sequence[str]:
        """Return the first sentences of a turn, _COMPARED at most; none of one that there is not."""
        return self.said[number][:_COMPARED] if 0 <= number < len(self.said) else ()

    @cached_property
    def rulings(self) -> dict[int, set[int]]:
        """The places of the sentences by which users ruled, by their turns but the first."""
        return {
            number: {place for place, each in enumerate(self.turn(number)) if self._rules(number, each)}
            for number in self.users
            if number
        }

    def _rules(self, number: int, sentence: str) -> bool:
        """Return true for what a user states as to be so: by its wording, or because the agent then took it so."""
        if number == self.stays_from and cues.stays(sentence):
            return True
        if acts.is_question(sentence) or acts.is_left_open(sentence) or acts.only_follows(sentence):
            return False
        if acts.is_norm(sentence):
            return names_something(sentence) or not self.is_aside(number, sentence)
        if not names_something(sentence) and self.says_one_word(number, sentence):
            return False
        return any(acts.is_repeated(sentence, each) for each in self.turn(number + 1))

    def is_aside(self, number: int, sentence: str) -> bool:
        """Return true for what a user says last of all, with thanks or behind a report of what was recorded."""
        if number < len(self.said) - 1:
            return False
        return COURTESY.holds(sentence) or any(map(cues.records, self.turn(number - 1)))

    def says_one_word(self, number: int, sentence: str) -> bool:
        """Return true for a word alone, and no number, for which the agent neither asked nor had it named before."""
        words = term_weights(sentence)
        if len(words) > 1 or acts.numbers_of(sentence) or self.question_before(number):
            return False
        return not any(word in term_weights(each) for each in self.turn(number - 1) for word in words)

    @cached_property
    def accepted(self) -> dict[int, bool]:
        """Whether each turn of a user but the first accepts what the agent proposed before."""
        return {number: self._accepts(number) for number in self.users if number}

    def _accepts(self, number: int) -> bool:
        answer = self.said[number]
        if any(map(acts.is_left_open, answer)) or not any(map(acts.accepts, answer[:2])):
            return False
        is_advice = any(map(acts.asks_advice, self.turn(number - 2)))
        before = self.said[number - 1]
        has_asked = bool(before) and acts.is_question(before[-1])
        concludes = number > _AGREED_AFTER and not has_asked and acts.accepts(answer[0])
        return is_advice or concludes or any(map(acts.offers, before[-_OFFERED_WITHIN:]))

    def question_before(self, number: int) -> str:
        """Return what an agent asked at the end of the turn before; empty without a short question there."""
        asked = reversed(self.said[number - 1][-ASKED_WITHIN:])
        return next((each for each in asked if acts.is_question(each) and len(each) <= _LONGEST_QUESTION), "")

    def asked_by(self, number: int) -> str:
        """Return the question that the first sentence of a user's turn answers; empty where it answers another matter.

        A bare "OK?" asks nothing. What takes up a word of the agent's statements, and none of the question, is said of
        those.
        """
        question = self.question_before(number)
        if not question or not acts.is_substantial(question):
            return ""
        words = term_weights(self.said[number][0]).keys()
        stated = (each for each in self.turn(number - 1) if not acts.is_question(each))
        is_of_statement = words.isdisjoint(term_weights(question)) and any(
            not words.isdisjoint(term_weights(each)) for each in stated
        )
        return "" if is_of_statement else question

    def answers_with_fact(self, number: int, sentence: str) -> bool:
        """Return true where an agent tells, when asked, a fact of the project, and the user takes it up.

        They say yes to it, or repeat a value of it. What the agent proposes, or asks back about, is no fact yet.
        """
        values, said, answer = values_in(sentence), self.turn(number), self.turn(number + 1)
        if not (answer and (values or cues.names_place(sentence))) or acts.offers(sentence):
            return False
        if not any(map(acts.is_question, self.turn(number - 1))) or acts.is_question(said[-1]):
            return False
        if self.is_corrected(number) or any(map(acts.is_left_open, answer)) or acts.rejects(answer[0]):
            return False
        return acts.accepts(answer[0]) or any(values & values_in(each) for each in answer if not acts.is_question(each))

    @cached_property
    def excepted(self) -> dict[int, Excepted]:
        """What the user's turn after each one of the agent leaves out of it."""
        return {number - 1: excepted_in(self.turn(number)) for number in self.users if number}

    @cached_property
    def stays_from(self) -> int:
        """The turn in which a user takes back what was to be done and says by what they stay; 0 where there is none."""
        return next((n for n in reversed(self.users) if self._takes_back(n)), 0)

    def _takes_back(self, number: int) -> bool:
        return any(map(acts.withdraws, self.turn(number))) and any(map(cues.stays, self.turn(number)))

    def answers_alone(self, number: int, question: str) -> bool:
        """Return true for a turn of one sentence that says yes or no: what else it says hangs on the question.

        Not where both have numbers: the answer replaces those of the question then.
        """
        sentence, *more = self.said[number]
        return (
            not more and acts.says_yes_or_no(sentence) and not (acts.numbers_of(sentence) and acts.numbers_of(question))
        )

    def is_reversed(self, number: int) -> bool:
        """Return true for a turn before one in which a user thinks better of what was settled until then."""
        later = next((turn for turn in self.users if turn > number), None)
        if number == 0 or later is None:
            return False
        said = self.turn(later)
        if SECOND_THOUGHT.match(said[0] if said else "") or any(map(thinks_better, said)):
            return True
        return number not in self.users and self.is_reversed(later)

    def is_corrected(self, number: int) -> bool:
        """Return true where a user's next turn begins as one that corrects."""
        return any(map(CORRECTION.match, self.turn(number + 1)[:1]))

    @cached_property
    def sums(self) -> list[int]:
        """The place of the first sentence of each turn that begins to sum up; that of its end where there is none."""
        return [next((p for p, each in enumerate(said) if acts.sums_up(each)), len(said)) for said in self.said]

    @cached_property
    def rejected(self) -> list[set[str]]:
        """The values that the turn after each one turns down."""
        return [acts.rejected_numbers(self.turn(number + 1)) for number in range(len(self.said))]

    @cached_property
    def replaced(self) -> dict[int, set[str]]:
        """The numbers of each turn that a user replaces in the next ones."""
        replaced: dict[int, set[str]] = {}
        amendments = {number: acts.amendments_in(self.turn(number)) for number in self.users}
        for number, said in enumerate(self.said):
            later = [each for turn in self.users if 0 < turn - number <= _AMENDED_WITHIN for each in amendments[turn]]
            amounts = {amount for each in said for amount in acts.amounts_in(each)} if later else set()
            replaced[number] = {value for value, unit in amounts if any(a.replaces(value, unit) for a in later)}
        return replaced
