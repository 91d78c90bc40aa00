"""What a mere talk settles: what the user ruled, what the agent repeated of it, and which proposals were accepted.

Where nothing was done, what an agent says rests on nothing but the talk: it holds for the next run where the user ruled
or accepted it. What was explained, considered or turned down does not, nor does anything of a talk that settled
nothing. A short answer ("16 then") is told with the question that it answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences import dialogue_acts as acts
from mcp_reflect.domain.lessons.sentences import settlement_cues as cues
from mcp_reflect.domain.lessons.sentences.chatter import is_clause
from mcp_reflect.domain.lessons.sentences.settled_talk import ASKED_WITHIN, SettledTalk
from mcp_reflect.domain.lessons.sentences.settlement_score import SpokenTurn
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
_AT_END = 2
"""Turns at the end in which what was settled is recorded."""
_CLAUSE_WORDS = 3
"""Number of words from which an answer with a verb stands alone."""

_SPEAKER = re.compile(r"\A([A-Z][\w-]{1,20}:)\s+")
"""Who of several users says something. Where not each of their turns has it, it is a word of the sentence: "Yes: …"."""
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
    named = all(_SPEAKER.match(turn.text) for turn in turns if turn.role == user)
    said = [list(split_sentences(_text_of(turn, by_name=named and turn.role == user), shortest=1)) for turn in turns]
    blocks = [list(block) for _, block in groupby(range(len(turns)), lambda number: by_user[number])]
    talk = SettledTalk(
        [[each for turn in block for each in said[turn]] for block in blocks],
        [SpokenTurn(by, sentences) for by, sentences in zip(by_user, said, strict=True)],
        user_begins=by_user[0],
    )
    standing = _Standing(talk)
    spoken: list[list[Spoken]] = []
    for number, block in enumerate(blocks):
        told = iter(standing.of_turn(number))
        spoken += ([_with_speaker(next(told), turns[turn].text if named else "") for _ in said[turn]] for turn in block)
    return spoken


def _text_of(turn: _Turn, *, by_name: bool) -> str:
    """The text of a turn; `by_name` says that it begins with the name of who speaks."""
    return _SPEAKER.sub("", turn.text) if by_name else turn.text


def _with_speaker(spoken: Spoken, text: str) -> Spoken:
    speaker = _SPEAKER.match(text)
    if speaker is None or not spoken.is_ruling or not _OF_SPEAKER.search(spoken.text):
        return spoken
    return spoken._replace(asked=f"{spoken.asked} {speaker[1]}".strip())


class _Standing:
    """The standing of each sentence of a talk."""

    def __init__(self, talk: SettledTalk) -> None:
        self._talk = talk

    def of_turn(self, number: int) -> Iterator[Spoken]:
        """Yield the sentences of a turn with their standing."""
        for place, sentence in enumerate(self._talk.said[number]):
            if not self._talk.settles:
                yield Spoken(sentence, _UNSETTLED)
            elif acts.is_question(sentence) or self._is_turned_down(number, sentence):
                yield Spoken(sentence, _TURNED_DOWN)
            elif number in self._talk.users:
                yield self._of_user(number, place)
            else:
                yield self._of_agent(number, place)

    def _of_user(self, number: int, place: int) -> Spoken:
        sentence = self._talk.said[number][place]
        if number == 0:
            return Spoken(sentence, _STATED if acts.is_norm(sentence) else _DISCUSSED)
        rules = place in self._talk.rulings[number]
        if acts.is_left_open(sentence) and not rules:
            return Spoken(sentence, _TURNED_DOWN)
        question = self._talk.asked_by(number) if place == 0 else ""
        if question and (self._talk.answers_alone(number, question) or not _stands_alone(sentence)):
            return Spoken(sentence, _RULED if rules else _STATED, is_ruling=True, asked=question)
        if rules:
            return Spoken(sentence, _RULED, is_ruling=True)
        ends = number >= len(self._talk.said) - 2 and not names_something(sentence)
        if ends or acts.is_remark(sentence) or self._talk.says_one_word(number, sentence):
            is_aside = ends and self._talk.is_aside(number, sentence)
            return Spoken(sentence, _DISCUSSED if is_aside else _REMARKED)
        return Spoken(sentence, _STATED, is_ruling=True)

    def _of_agent(self, number: int, place: int) -> Spoken:
        sentence = self._talk.said[number][place]
        if number > 1 and (factor := self._factor_of_ruling(number, place)):
            return Spoken(sentence, factor, is_ruling=True)
        carries_out = number > 1 and acts.commits(self._talk.said[number][0]) and acts.is_substantial(sentence)
        values = acts.numbers_of(sentence)
        if not carries_out and values & self._talk.rejected[number]:
            return Spoken(sentence, _TURNED_DOWN)
        is_fact = self._talk.answers_with_fact(number, sentence) or self._is_cited(number, sentence)
        if carries_out or is_fact or self._is_taken_up(number, sentence, values):
            return Spoken(sentence, _STATED, is_ruling=True)
        if self._talk.accepted.get(number + 1) and self._fits_answer(number, values):
            is_last = place >= len(self._talk.said[number]) - ASKED_WITHIN
            return Spoken(sentence, _STATED if is_last else _ACCEPTED_TOO, is_ruling=True)
        return Spoken(sentence, _DISCUSSED)

    def _factor_of_ruling(self, number: int, place: int) -> float:
        """Return the factor of what an agent sums up, repeats or records; 0 for what is none of this."""
        sentence = self._talk.said[number][place]
        if acts.sums_up(sentence):
            return _SUMMED_UP
        if place > self._talk.sums[number] or self._repeats_ruling(number, sentence):
            return _RULED
        is_at_end = number >= len(self._talk.said) - _AT_END
        if self._records(number, sentence, may_be_state=is_at_end and place == 0):
            return _RULED if is_at_end else _STATED
        return 0.0

    def _records(self, number: int, sentence: str, *, may_be_state: bool) -> bool:
        """Return true where an agent reports what was done or what a file says now, and the user does not object.

        With `may_be_state` also where it says how something stands ("The limit is set").
        """
        if self._talk.is_corrected(number) or not acts.is_substantial(sentence):
            return False
        return cues.records(sentence) or (may_be_state and cues.says_it_is_done(sentence))

    def _is_cited(self, number: int, sentence: str) -> bool:
        """Return true for what an agent cites from a file of the project, where the user does not object."""
        return cues.cites(sentence) and not self._talk.is_corrected(number)

    def _is_turned_down(self, number: int, sentence: str) -> bool:
        if 0 < number < self._talk.stays_from or self._talk.is_reversed(number):
            return True
        if self._holds_replaced(number, sentence):
            return True
        return number in self._talk.excepted and self._talk.excepted[number].hold(sentence)

    def _fits_answer(self, number: int, values: frozenset[str]) -> bool:
        """Return true for values of which the next turn names all, or none at all."""
        answered = self._talk.all_values[number + 1] if number + 1 < len(self._talk.said) else frozenset()
        return not answered or values <= answered

    def _is_taken_up(self, number: int, sentence: str, values: frozenset[str]) -> bool:
        """Return true for a value that the next turn repeats."""
        return bool(values) and any(
            values & acts.numbers_of(each) and acts.is_repeated(each, sentence) for each in self._talk.turn(number + 1)
        )

    def _repeats_ruling(self, number: int, sentence: str) -> bool:
        said = self._talk.said[number - 1]
        return any(acts.is_repeated(said[place], sentence) for place in self._talk.rulings.get(number - 1, ()))

    def _holds_replaced(self, number: int, sentence: str) -> bool:
        """Return true for a sentence with a number that a user replaces in the next turns.

        A long one of theirs says more, and what replaces the number stands behind it.
        """
        if not (values := acts.numbers_of(sentence)) or (number in self._talk.users and _says_much(sentence)):
            return False
        return bool(values & self._talk.replaced[number])


def _says_much(sentence: str) -> bool:
    return sum(term_weights(sentence).values()) >= _SHORT


def _stands_alone(sentence: str) -> bool:
    return _says_much(sentence) or (is_clause(sentence) and len(term_weights(sentence)) >= _CLAUSE_WORDS)
