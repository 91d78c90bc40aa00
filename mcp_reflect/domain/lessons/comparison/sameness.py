"""Decides by their words alone whether two lessons say the same.

A lesson is compared by its statements: the sentences without labels, courtesy and words that only join others, each as
stems in the order in which they stand. Where nothing in a sentence hangs on the order, the stems are sorted, so that
"use `x` to install" and "install with `x`" are one statement. Numbers, code, negations and words such as "before" or
"unless" are never left out. Two lessons with the same statements say the same. So do two of which one has a few plain
words more, but never two that each say something the other does not: a value that differs makes two lessons.

How alike two tasks must be depends on how much the lesson says without its task: "it needs the flag" is another lesson
for another task, a whole rule with its values is not.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.quotation import SAID, SAID_IN_ANY_VERSION, without_names
from mcp_reflect.domain.text.recalled import LABELS

SAME_KIND = 0.6
"""Least cosine of two tasks of one kind. Rewordings of a task have 0.6 to 0.95 under the bundled model, tasks about
other matters rarely 0.5."""

STANDS_ALONE = 16.0
"""Weight of the words of a lesson from which it is understood without its task; about twelve words with values."""

NEEDS_TASK = 6.0
"""Weight of words below which a lesson means something only beside the very words of its task; about five words."""

EXPLAINED = f". {SAID}"
"""What introduces the agent's own words behind the calls of a run that failed. Runs that did the same are one lesson,
however they explained it."""
_EXPLAINED = re.compile(rf"\. {SAID_IN_ANY_VERSION}")

_MOST_CHARS = 8_000
_MOST_MORE = 0.2
"""Share of its weight that the longer of two lessons may say beyond the shorter."""

_TOOLS = LABELS[3]
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_TOKEN = re.compile(r"--?[^\W_][\w-]*|\w+(?:[-.'’/:@]\w+)*|[<>=!]=|->|[<>=+*|&%$~^]|-(?=\d)")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_CODED = re.compile(r"[\d_/<>=+*|&%$~^@]|^-|\w\.\w|[a-z][A-Z]")

_JOINING_WORDS = """
a also am an and are as at be been being by did do does doing for had has have having he her here hers him his i in is
it its just kindly make me must my need needs of one our ours please really remember she should simply so sure that the
their theirs them there these they this those to us use used uses using very was we were will with would you your yours
"""
_JOINING = frozenset(_JOINING_WORDS.split())
"""Words without which a sentence says the same."""

_ORDERING_WORDS = """
above after before below beneath between but else except first from if instead into last neither never next no none nor
not only or over rather since than then through till under unless until when while without
"""
_ORDERING = frozenset(_ORDERING_WORDS.split())
"""Words by which a sentence hangs on the order of the others, or which turn it round."""

_FRAME_WORDS = """
ended error failed failure guidance judged mistake pass passed reference reviewer run worked working
"""
FRAME_STEMS = frozenset(map(stem, _FRAME_WORDS.split()))
"""Words of the frame that lessons are put in, which say nothing of their own."""


@dataclass(frozen=True)
class Lesson:
    """The statements of a lesson in one form: each a tuple of stems, values and order-bearing words."""

    statements: tuple[tuple[str, ...], ...]
    weight: float
    """How much it says, in plain words."""

    @classmethod
    def of(cls, reflection: str) -> Lesson:
        """Read a reflection as rendered, at most its first 8,000 characters; names of quoted sources say nothing."""
        return _read(without_names(reflection[:_MOST_CHARS]))

    @property
    def is_empty(self) -> bool:
        """Return true where the lesson has no statements."""
        return not self.statements

    @cached_property
    def form(self) -> frozenset[tuple[str, ...]]:
        """Return the statements as a set, the words of each sorted where their order carries no meaning."""
        return frozenset(tuple(_sorted_where_free(statement)) for statement in self.statements)

    @cached_property
    def holds_code(self) -> bool:
        """Return true where a statement holds code in backquotes."""
        return any(word.startswith("`") for statement in self.statements for word in statement)

    @cached_property
    def unquoted(self) -> tuple[str, ...]:
        """Return the words in order as if no code were quoted: an agent may write `run make test` without quotes."""
        words = _words(self)
        plain = (each for word in words for each in (_prose(word[1:]) if word.startswith("`") else (word,)))
        return tuple(word for word in plain if word not in FRAME_STEMS)

    def key(self, task: str) -> int:
        """Return a 64-bit digest in [-2**63, 2**63) that lessons share which say the same; 0 for an empty lesson.

        The words of the task are part of it where the lesson does not stand alone.
        """
        if self.is_empty:
            return 0
        told = "\n".join(sorted("\t".join(statement) for statement in self.form))
        if not self.stands_alone:
            told += f"\n\n{task_key(task)}"
        digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True) or 1

    @property
    def stands_alone(self) -> bool:
        """Return true where the lesson says enough to be understood without its task."""
        return self.weight >= STANDS_ALONE

    @property
    def needs_task(self) -> bool:
        """Return true where the lesson says too little to be of use for another task."""
        return self.weight < NEEDS_TASK


@lru_cache(maxsize=2_048)
def _read(reflection: str) -> Lesson:
    """The lessons of the nearest tasks are compared with each run of their kind, so they are kept."""
    found = dict.fromkeys(_statements(reflection))
    distinct = {word for statement in found for word in statement if word not in FRAME_STEMS}
    return Lesson(tuple(found), math.fsum(map(_weight, distinct)))  # the same in every order


def lesson_key(task: str, reflection: str) -> int:
    """Return `Lesson.key` of a reflection and the task that it was learned on."""
    return Lesson.of(reflection).key(task)


def say_the_same(one: Lesson, other: Lesson) -> bool:
    """Return true where the statements are the same, or one has plain words more than the other. Symmetric."""
    if one.is_empty or other.is_empty:
        return False
    if one.form == other.form or (one.holds_code != other.holds_code and one.unquoted == other.unquoted != ()):
        return True
    shorter, longer = sorted((_words(one), _words(other)), key=len)
    more = _beyond(shorter, longer)
    if more is None or any(_is_decisive(word) for word in more):
        return False
    return sum(map(_weight, more)) <= _MOST_MORE * sum(map(_weight, longer))


def same_kind(task: str, other: str, cosine: float, lesson: Lesson) -> bool:
    """Return true where a lesson that was learned on both tasks is one lesson; `cosine` is that of the tasks.

    What does not stand alone may be about the values that its task names, so these must be the same then.
    """
    if task_key(task) == task_key(other):
        return True
    if lesson.needs_task or cosine < SAME_KIND:
        return False
    return lesson.stands_alone or values_of(task) == values_of(other)


def _statements(reflection: str) -> Iterator[tuple[str, ...]]:
    for line in reflection.splitlines():
        told = line.strip()
        if told.startswith(_TOOLS):
            continue
        label = next((each for each in LABELS if told.startswith(each)), "")
        for sentence in _sentences(_EXPLAINED.split(told[len(label) :], 1)[0]):
            if statement := tuple(_tokens(sentence)):
                yield statement


def _sentences(line: str) -> Iterator[str]:
    """Sentences, none of which ends within a span of code."""
    start = 0
    for end in _SENTENCE_END.finditer(line):
        if line.count("`", start, end.start()) % 2 == 0:
            yield line[start : end.start()]
            start = end.end()
    yield line[start:]


def _tokens(sentence: str) -> Iterator[str]:
    done = 0
    for span in _CODE_SPAN.finditer(sentence):
        yield from _prose(sentence[done : span.start()])
        yield "`" + " ".join(_cased(part) for part in span[1].split())
        done = span.end()
    yield from _prose(sentence[done:])


def _prose(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        word = match.group().replace("’", "'")
        lowered = word.lower()
        if lowered.endswith("n't") or lowered in {"cannot", "never"}:
            yield "not"
        elif lowered not in _JOINING:
            yield lowered if lowered in _ORDERING else _cased(word) if _CODED.search(word) else stem(word)


def _cased(word: str) -> str:
    """Case counts in flags of one letter (`-r` is not `-R`) and nowhere else."""
    return word if len(word.strip("-")) == 1 else word.lower()


def _sorted_where_free(statement: tuple[str, ...]) -> tuple[str, ...]:
    values = sum(_is_value(word) for word in statement)
    bound = values > 1 or any(word in _ORDERING for word in statement)
    return statement if bound else tuple(sorted(statement))


def values_of(text: str) -> set[str]:
    """Return the values that a text names: numbers, identifiers, paths, flags and code."""
    return {word for word in _tokens(text) if _is_value(word)}


def _words(lesson: Lesson) -> list[str]:
    return [word for statement in lesson.statements for word in statement]


def _beyond(shorter: list[str], longer: list[str]) -> list[str] | None:
    """The words of the longer beyond the shorter, whose words it holds in the same order; None where it does not."""
    rest = iter(longer)
    more: list[str] = []
    for word in shorter:
        for other in rest:
            if other == word:
                break
            more.append(other)
        else:
            return None
    return [*more, *rest]


def _is_value(word: str) -> bool:
    return word.startswith("`") or bool(_CODED.search(word))


def _is_decisive(word: str) -> bool:
    return _is_value(word) or word in _ORDERING


def _weight(word: str) -> float:
    """The weight of a word; of a span of code that of its words."""
    return sum(map(word_weight, _WORD.findall(word))) if word.startswith("`") else word_weight(word)
