"""Whether two lessons disagree: they say the same but for a number, or one denies what the other says.

Nothing is decided by it. Both stay in force, and whoever is shown both is told. The rule is strict, because a false
alarm costs more trust than a missed one: both sentences state a rule, they agree in every other word that carries
meaning, and the tasks are about the same subject and name the same values. What was quoted from a run states a rule
where its wording says so, for a run is full of figures that hold for it alone. A number in a task belongs to the
subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.lessons.evidence import wording_factor
from mcp_reflect.domain.lessons.sameness import Lesson, values_of
from mcp_reflect.domain.lessons.sentences import split_sentences
from mcp_reflect.domain.lessons.vocabulary import stem, word_weight
from mcp_reflect.domain.models import Memory, ReflectionMemory

_SAME_SUBJECT = 0.4
"""Least share of the weight of the shorter task's words that the other has too."""

_STATES_A_RULE = 1.3
"""The least factor of a quoted sentence's wording at which it states a rule."""

_LEAST_SAID = 3.0
"""Weight of the words that two sentences share, below which they are too short to be about one thing."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:%|[a-z]{1,3})?$")
_WORD = re.compile(r"[^\W_]+")
_NOT = "not"


@dataclass(frozen=True)
class StatedRules:
    """The rules that a lesson states, as statements in the form of `sameness.Lesson`, with their subject."""

    task: int
    words: Mapping[str, float]
    values: frozenset[str]
    statements: frozenset[tuple[str, ...]]

    def is_about(self, other: StatedRules) -> bool:
        """Return true where both were learned on tasks about one subject, with the same values."""
        if self.task == other.task:
            return True
        if self.values != other.values:
            return False
        common = sum(weight for word, weight in self.words.items() if word in other.words)
        return common >= _SAME_SUBJECT * max(min(sum(self.words.values()), sum(other.words.values())), 1.0)

    def contradict(self, other: StatedRules) -> bool:
        """Return true where a rule of one contradicts a rule of the other; symmetric."""
        if not self.statements or not other.statements or not self.is_about(other):
            return False
        # What both say is no contradiction, even where one of them says more about it.
        own, others = self.statements - other.statements, other.statements - self.statements
        named = self.values | other.values
        return any(_contradict(one, another, named) for one in own for another in others)


def find_disagreements(memories: Sequence[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Yield each two reflections in force that disagree. Takes 2 µs for two that were compared with others before."""
    stated = [
        (memory, _rules_of(memory))
        for memory in memories
        if isinstance(memory, ReflectionMemory) and memory.status != "superseded"
    ]
    for (one, mine), (other, theirs) in combinations(stated, 2):
        if one.user == other.user and mine.contradict(theirs):
            yield one, other


def _rules_of(memory: ReflectionMemory) -> StatedRules:
    """The rules in what a memory advises: not in what went wrong, and of a quoted run not in what it did."""
    quoted = memory.author == "extractive"
    told = (memory.summary if quoted else memory.correct_action, memory.guidance)
    fields = any((memory.summary, memory.key_mistake, *told))
    return stated_rules(memory.task, "\n".join(told) if fields else memory.reflection, quoted=quoted)


@lru_cache(maxsize=2_048)
def stated_rules(task: str, advice: str, *, quoted: bool) -> StatedRules:
    """Return the rules that an advice states; `quoted` where its sentences are those of a run."""
    sentences = [each for line in advice.splitlines() for each in split_sentences(line)]
    rules = [each for each in sentences if not quoted or wording_factor(each) >= _STATES_A_RULE]
    return StatedRules(
        task=task_key(task),
        words={word: weight for word in map(stem, _WORD.findall(task)) if (weight := word_weight(word))},
        values=frozenset(values_of(task)),
        statements=frozenset(Lesson.of("\n".join(rules)).statements),
    )


def _contradict(one: tuple[str, ...], other: tuple[str, ...], named: frozenset[str]) -> bool:
    if len(one) != len(other):
        shorter, longer = sorted((one, other), key=len)
        place = next((n for n, word in enumerate(shorter) if word != longer[n]), len(shorter))
        return longer[place] == _NOT and longer[place + 1 :] == shorter[place:] and _says_enough(shorter)
    different = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(different) != 1:
        return False
    a, b = one[different[0]], other[different[0]]
    numbers = _NUMBER.match(a) and _NUMBER.match(b) and not {a, b} & named
    return bool(numbers) and _says_enough([word for word in one if word != a])


def _says_enough(words: Sequence[str]) -> bool:
    return sum(word_weight(word) for word in set(words)) >= _LEAST_SAID
