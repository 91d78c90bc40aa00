"""Decides whether two lessons disagree: a rule of one contradicts one of the other (`contradiction.py`), or changes it
(`everyday_amendment.py`).

Nothing is decided by it. Both stay in force, and whoever is shown both is told. The rule is strict, because a false
alarm costs more trust than a missed one: both sentences state a rule, they agree in every other word that carries
meaning, the tasks are about the same subject or the sentences name it, and neither task names values that the other
lacks while lacking some of its own. What was quoted from a run states a rule where its wording says so, for a run is
full of figures that hold for it alone. A number in a task belongs to the subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.lessons.comparison.contradiction import rules_contradict, shared_weight
from mcp_reflect.domain.lessons.comparison.later_lessons import find_changes
from mcp_reflect.domain.lessons.comparison.sameness import Lesson, values_of
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.lessons.sentences.wording import wording_factor
from mcp_reflect.domain.models import Memory, ReflectionMemory

_SAME_SUBJECT = 0.4
"""Least share of the weight of the shorter task's words that the other has too."""

_STATES_A_RULE = 1.3
"""The least factor of a quoted sentence's wording at which it states a rule."""

_NAMES_SUBJECT = 4.5
"""Weight of the words that two sentences share from which they name their subject themselves."""

_REPORTS = re.compile(r"\b(?:failed|crashed|died|hung|broke|happened|occurred|was (?:tagged|released|built|made))\b")
"""What happened once is no rule, and may happen otherwise the next time."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class StatedRules:
    """The rules that a lesson states, as statements in the form of `sameness.Lesson`, with their subject."""

    task: int
    words: Mapping[str, float]
    values: frozenset[str]
    statements: frozenset[tuple[str, ...]]

    def may_be_about(self, other: StatedRules) -> bool:
        """Return true unless each of the tasks names values that the other does not, as two versions are."""
        return self.task == other.task or self.values <= other.values or other.values <= self.values

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
        if not self.statements or not other.statements or not self.may_be_about(other):
            return False
        about = self.is_about(other)
        # What both say is no contradiction, even where one of them says more about it.
        own, others = self.statements - other.statements, other.statements - self.statements
        named = self.values | other.values
        return any(
            rules_contradict(one, another, named)
            for one in own
            for another in others
            if about or shared_weight(one, another) >= _NAMES_SUBJECT
        )


def find_disagreements(memories: Sequence[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Yield each two reflections in force that disagree. Takes some µs for two that were read before."""
    stated = [
        (memory, _rules_of(memory))
        for memory in memories
        if isinstance(memory, ReflectionMemory) and memory.status != "superseded"
    ]
    changed = {frozenset((later.id, earlier.id)) for later, earlier in find_changes(memories)}
    for (one, mine), (other, theirs) in combinations(stated, 2):
        if one.user == other.user and (frozenset((one.id, other.id)) in changed or mine.contradict(theirs)):
            yield one, other


def _rules_of(memory: ReflectionMemory) -> StatedRules:
    """The rules in what a memory advises: not in what went wrong, and of a quoted run not in what it did."""
    quoted = memory.author == "extractive"
    told = (memory.summary if quoted else memory.correct_action, memory.guidance)
    fields = any((memory.summary, memory.key_mistake, memory.correct_action, memory.guidance))
    return stated_rules(memory.task, "\n".join(told) if fields else memory.reflection, quoted=quoted)


@lru_cache(maxsize=2_048)
def stated_rules(task: str, advice: str, *, quoted: bool) -> StatedRules:
    """Return the rules that an advice states; `quoted` where its sentences are those of a run."""
    sentences = [each for line in advice.splitlines() for each in split_sentences(line)]
    rules = [
        each for each in sentences if not (_REPORTS.search(each) or (quoted and wording_factor(each) < _STATES_A_RULE))
    ]
    return StatedRules(
        task=task_key(task),
        words={word: weight for word in map(stem, _WORD.findall(task)) if (weight := word_weight(word))},
        values=frozenset(values_of(task)),
        statements=frozenset(Lesson.of("\n".join(rules)).statements),
    )
