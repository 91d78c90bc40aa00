"""What a mere talk settles: what the user ruled, what the agent repeated of it, and which proposals were accepted.

Where nothing was done, what an agent says rests on nothing but the talk: it holds for the next run where the user ruled
or accepted it. What was explained, considered or turned down does not, nor does anything of a talk that settled
nothing. A short answer ("16 then") is told with the question that it answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple, Protocol

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences.chatter import is_clause
from mcp_reflect.domain.lessons.sentences.cues import CORRECTION
from mcp_reflect.domain.lessons.sentences.settlement_score import LEAST_LIKELY, SpokenTurn, likelihood
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something, term_weights

_RULED = 1.6
"""Factor of what a user ruled, and of what the agent repeated of it as understood."""
_SUMMED_UP = 2.2
"""Of a sentence that begins to sum up; what follows it in its turn counts as ruled."""
_STATED = 1.2
"""Of what else a user stated, of proposals that were accepted, and of what the agent reports as done."""
_ACCEPTED_TOO = 0.7
"""Of what stands before the end of an accepted turn."""
_REMARKED = 0.5
"""Of what a user remarks: how they find something, what they guess, and what they say at the end."""
_DISCUSSED = 0.12
"""Of what else an agent says in a talk that settled something, and of the user's first turn, which is the task."""
_TURNED_DOWN = 0.1
"""Of what is asked or left open, and of values that were replaced."""
_UNSETTLED = 0.05
"""Of all that was said in a talk that settled nothing."""

_SHORT = 6.0
"""Weight of words below which an answer is told with its question."""
_CLAUSE_WORDS = 3
"""Number of words from which an answer with a verb stands alone."""
_LONGEST_QUESTION = 200
_ASKED_WITHIN = 2
"""Sentences at the end of a turn one of which is the question that is answered, and which a bare yes accepts."""
_OFFERED_WITHIN = 3
"""Sentences at the end of a turn one of which proposes what is accepted."""
_TAKEN_OVER = 2
"""Values of a user that an agent repeats in a turn where it took them as settled."""
_AMENDED_WITHIN = 5
"""Turns ahead in which a user may replace a value."""
_LAST_WORDS = 5
"""Sentences of users at the end of a talk in which they take everything back."""
_MANY_TURNS = 6
"""Turns from which there is enough to compare; in fewer a single ruling settles."""
_LONG_TURNS = 35
"""Mean words of a turn from which somebody explains: rules of general knowledge stand in most of such talks."""
_COMPARED = 40
"""First sentences of a turn that are compared with those of the next: nobody rules at greater length."""

_SPEAKER = re.compile(r"\A([A-Z][\w-]{1,20}:)\s+")
"""Who of several users says something."""
_OF_SPEAKER = re.compile(r"\b(?:I|me|my|mine)\b")


class Spoken(NamedTuple):
    """A sentence of a talk with the factor of its standing; `is_ruling` is true for what was settled by it.

    `asked` is what it needs before it: the question of a short answer, or who it is that says "I".
    """

    text: str
    factor: float
    is_ruling: bool = False
    asked: str = ""


class _Turn(Protocol):
    @property
    def role(self) -> str: ...

    @property
    def text(self) -> str: ...


def read_talk(turns: Sequence[_Turn], user: str) -> list[list[Spoken]] | None:
    """Return the sentences of each turn with their standing; None for what is no conversation of two sides.

    `user` is the role of those who rule. A conversation needs an answer to what the agent said.
    """
    by_user = [turn.role == user for turn in turns]
    if sum(by_user) < 2 or all(by_user):  # noqa: PLR2004 - the task and an answer
        return None
    said = [list(split_sentences(_SPEAKER.sub("", turn.text), shortest=1)) for turn in turns]
    blocks = [list(block) for _, block in groupby(range(len(turns)), lambda number: by_user[number])]
    talk = _Talk(
        [[each for turn in block for each in said[turn]] for block in blocks],
        [SpokenTurn(by, sentences) for by, sentences in zip(by_user, said, strict=True)],
        user_begins=by_user[0],
    )
    spoken: list[list[Spoken]] = []
    for number, block in enumerate(blocks):
        told = iter(talk.read(number))
        spoken += ([_with_speaker(next(told), turns[turn].text) for _ in said[turn]] for turn in block)
    return spoken


def _with_speaker(spoken: Spoken, text: str) -> Spoken:
    speaker = _SPEAKER.match(text)
    if speaker is None or not spoken.is_ruling or not _OF_SPEAKER.search(spoken.text):
        return spoken
    return spoken._replace(asked=f"{spoken.asked} {speaker[1]}".strip())


class _Talk:
    """A talk whose two sides take turns: the sentences of each turn, and `turns` as each speaker took them."""

    def __init__(self, said: Sequence[Sequence[str]], turns: Sequence[SpokenTurn], *, user_begins: bool) -> None:
        self._said = said
        self._turns = turns
        self._users = range(0 if user_begins else 1, len(said), 2)

    def read(self, number: int) -> Iterator[Spoken]:
        """Yield the sentences of a turn with their standing."""
        for place, sentence in enumerate(self._said[number]):
            if not self.settles:
                yield Spoken(sentence, _UNSETTLED)
            elif acts.is_question(sentence) or self._holds_replaced(number, sentence):
                yield Spoken(sentence, _TURNED_DOWN)
            elif number in self._users:
                yield self._of_user(number, place)
            else:
                yield self._of_agent(number, place)

    @cached_property
    def settles(self) -> bool:
        """Return true where something was ruled, accepted, done or summed up that was not taken back in the end.

        In a talk of many short turns the likelihood of that decides.
        """
        last = [sentence for number in self._users for sentence in self._said[number]][-_LAST_WORDS:]
        if any(map(acts.withdraws, last)):
            return False
        words = sum(len(sentence.split()) for turn in self._turns for sentence in turn.sentences)
        if len(self._turns) >= _MANY_TURNS and words < _LONG_TURNS * len(self._turns):
            return likelihood(self._turns) >= LEAST_LIKELY
        return any(
            self._is_settled_by_user(number) if number in self._users else self._is_settled_by_agent(number)
            for number in range(1, len(self._said))
        )

    def _is_settled_by_user(self, number: int) -> bool:
        corrects = any(map(CORRECTION.match, self._said[number][:1])) and any(map(acts.commits, self._turn(number + 1)))
        return corrects or bool(self._rulings[number]) or self._accepted[number]

    def _is_settled_by_agent(self, number: int) -> bool:
        return number > 1 and (
            any(map(acts.tells_deed, self._said[number])) or self._sums_up(number) or self._takes_over(number)
        )

    def _sums_up(self, number: int) -> bool:
        return any(map(acts.sums_up, self._said[number][:1]))

    def _takes_over(self, number: int) -> bool:
        """Return true for an agent's turn with values which a user was the first to say, and not in the task."""
        return sum(self._first.get(value, 0) in self._users[1:] for value in self._values[number]) >= _TAKEN_OVER

    @cached_property
    def _first(self) -> dict[str, int]:
        """The turn in which each value was said first."""
        first: dict[str, int] = {}
        for number, values in enumerate(self._values):
            for value in values:
                first.setdefault(value, number)
        return first

    @cached_property
    def _all_values(self) -> list[frozenset[str]]:
        """The numbers of each turn."""
        return [frozenset(value for each in said for value in acts.numbers_of(each)) for said in self._said]

    @cached_property
    def _values(self) -> list[frozenset[str]]:
        """The numbers of each turn but those in its questions."""
        return [
            frozenset(value for each in said if not acts.is_question(each) for value in acts.numbers_of(each))
            for said in self._said
        ]

    def _turn(self, number: int) -> Sequence[str]:
        return self._said[number][:_COMPARED] if 0 <= number < len(self._said) else ()

    @cached_property
    def _rulings(self) -> dict[int, set[int]]:
        """The places of the sentences by which users ruled, by their turns but the first."""
        return {
            number: {place for place, each in enumerate(self._turn(number)) if self._rules(number, each)}
            for number in self._users
            if number
        }

    def _rules(self, number: int, sentence: str) -> bool:
        """Return true for what a user states as to be so: by its wording, or because the agent then took it so."""
        if acts.is_question(sentence) or acts.is_left_open(sentence) or acts.only_follows(sentence):
            return False
        if acts.is_norm(sentence):
            return True
        if not names_something(sentence) and self._says_one_word(number, sentence):
            return False
        return any(acts.is_repeated(sentence, each) for each in self._turn(number + 1))

    def _says_one_word(self, number: int, sentence: str) -> bool:
        """Return true for a word alone, and no number, for which the agent neither asked nor had it named before."""
        words = term_weights(sentence)
        if len(words) > 1 or acts.numbers_of(sentence) or self._question_before(number):
            return False
        return not any(word in term_weights(each) for each in self._turn(number - 1) for word in words)

    @cached_property
    def _accepted(self) -> dict[int, bool]:
        """Whether each turn of a user but the first accepts what the agent proposed before."""
        return {number: self._accepts(number) for number in self._users if number}

    def _accepts(self, number: int) -> bool:
        answer = self._said[number]
        if any(map(acts.is_left_open, answer)) or not any(map(acts.accepts, answer[:2])):
            return False
        is_advice = any(map(acts.asks_advice, self._turn(number - 2)))
        return is_advice or any(map(acts.offers, self._said[number - 1][-_OFFERED_WITHIN:]))

    def _of_user(self, number: int, place: int) -> Spoken:
        sentence = self._said[number][place]
        if number == 0:
            return Spoken(sentence, _STATED if acts.is_norm(sentence) else _DISCUSSED)
        if acts.is_left_open(sentence):
            return Spoken(sentence, _TURNED_DOWN)
        rules = place in self._rulings[number]
        question = self._question_before(number) if place == 0 else ""
        if question and not _stands_alone(sentence):
            return Spoken(sentence, _RULED if rules else _STATED, is_ruling=True, asked=question)
        if rules:
            return Spoken(sentence, _RULED, is_ruling=True)
        ends = number >= len(self._said) - 2 and not names_something(sentence)
        if ends or acts.is_remark(sentence) or self._says_one_word(number, sentence):
            return Spoken(sentence, _REMARKED)
        return Spoken(sentence, _STATED, is_ruling=True)

    def _question_before(self, number: int) -> str:
        """Return what an agent asked at the end of the turn before; empty without a short question there."""
        asked = reversed(self._said[number - 1][-_ASKED_WITHIN:])
        return next((each for each in asked if acts.is_question(each) and len(each) <= _LONGEST_QUESTION), "")

    def _of_agent(self, number: int, place: int) -> Spoken:
        sentence = self._said[number][place]
        if number > 1 and acts.sums_up(sentence):
            return Spoken(sentence, _SUMMED_UP, is_ruling=True)
        if number > 1 and (place > self._sum[number] or self._repeats_ruling(number, sentence)):
            return Spoken(sentence, _RULED, is_ruling=True)
        carries_out = number > 1 and acts.commits(self._said[number][0]) and acts.is_substantial(sentence)
        values = acts.numbers_of(sentence)
        if not carries_out and values & self._rejected[number]:
            return Spoken(sentence, _TURNED_DOWN)
        if carries_out or self._is_taken_up(number, sentence, values):
            return Spoken(sentence, _STATED, is_ruling=True)
        if self._accepted.get(number + 1) and self._fits_answer(number, values):
            is_last = place >= len(self._said[number]) - _ASKED_WITHIN
            return Spoken(sentence, _STATED if is_last else _ACCEPTED_TOO, is_ruling=True)
        return Spoken(sentence, _DISCUSSED)

    @cached_property
    def _sum(self) -> list[int]:
        """The place of the first sentence of each turn that begins to sum up; that of its end where there is none."""
        return [next((p for p, each in enumerate(said) if acts.sums_up(each)), len(said)) for said in self._said]

    @cached_property
    def _rejected(self) -> list[set[str]]:
        """The values that the turn after each one turns down."""
        return [acts.rejected_numbers(self._turn(number + 1)) for number in range(len(self._said))]

    def _fits_answer(self, number: int, values: frozenset[str]) -> bool:
        """Return true for values of which the next turn names all, or none at all."""
        answered = self._all_values[number + 1] if number + 1 < len(self._said) else frozenset()
        return not answered or values <= answered

    def _is_taken_up(self, number: int, sentence: str, values: frozenset[str]) -> bool:
        """Return true for a value that the next turn repeats."""
        return bool(values) and any(
            values & acts.numbers_of(each) and acts.is_repeated(each, sentence) for each in self._turn(number + 1)
        )

    def _repeats_ruling(self, number: int, sentence: str) -> bool:
        said = self._said[number - 1]
        return any(acts.is_repeated(said[place], sentence) for place in self._rulings.get(number - 1, ()))

    def _holds_replaced(self, number: int, sentence: str) -> bool:
        """Return true for a sentence with a number that a user replaces in the next turns.

        A long one of theirs says more, and what replaces the number stands behind it.
        """
        if not (values := acts.numbers_of(sentence)) or (number in self._users and _says_much(sentence)):
            return False
        return bool(values & self._replaced[number])

    @cached_property
    def _replaced(self) -> dict[int, set[str]]:
        """The numbers of each turn that a user replaces in the next ones."""
        replaced: dict[int, set[str]] = {}
        amendments = {number: acts.amendments_in(self._turn(number)) for number in self._users}
        for number, said in enumerate(self._said):
            later = [each for turn in self._users if 0 < turn - number <= _AMENDED_WITHIN for each in amendments[turn]]
            amounts = {amount for each in said for amount in acts.amounts_in(each)} if later else set()
            replaced[number] = {value for value, unit in amounts if any(a.replaces(value, unit) for a in later)}
        return replaced


def _says_much(sentence: str) -> bool:
    return sum(term_weights(sentence).values()) >= _SHORT


def _stands_alone(sentence: str) -> bool:
    return _says_much(sentence) or (is_clause(sentence) and len(term_weights(sentence)) >= _CLAUSE_WORDS)
