"""Decides whether a sentence amends a rule in everyday words: "make it 5 retries", "we went back to X", "use Y not X".

Such words say little of what they change, so the rule must be the same but for its value. Every word of the sentence
that carries meaning stands in the rule or its task, except the new value; what is new beside it, such as "on tablets",
limits the sentence to another case. And the rule has another number of the same unit, another day of the week, or the
thing that the sentence says it replaces.

That is not sure enough to hide the rule, as `supersession.py` does: both are shown, as two that disagree, and the later
one stands first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.cues import phrases
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.recalled import LABELS


def _words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, text.split()))


_CHANGE = phrases(
    """make | set | change | bump | raise | increase | lower | cut | reduce | drop | move | switch | use | put | write
    take | require | forget | revert | keep | turn | start | stop | serve | read | build | limit | cap | allow | deploy
    store | send | run | let's (?:go with|use|take|make|drop|switch) | we (?:went|are going|go) back | go back to
    we(?:'re| are| have|'ve)? (?:switch\\w*|chang\\w*|mov\\w*|take|use|now)""",
    opening=True,
)
_IMPERATIVE = re.compile(r"(?!\w+(?:s|ed|ing|ly)\b)[a-z]{3,} (?:the|our|all|its|it|them|these|those)\b", re.IGNORECASE)
_NO_VERB = _words(
    """about after all and are because before both but for from how into not once one only our out over since some than
    that the then this under until was were what when where which while who why with"""
)
"""Words of three letters and more before an article that begin no imperative."""
_LIMITED = phrases(
    "in | on | at | for | with | where | when | whenever | if | during | under | after | before", opening=True
)
"""How a sentence begins that holds for some cases only."""
_SETTLES = phrases(
    """from now on | going forward | after all | on second thought | went back to | going back to | go back to
    any ?more | no longer | instead of | rather than | (?:is|are) (?:going away|gone) | settled on
    ended up (?:on|with)
    (?:raised|lowered|moved|cut|changed|switched|reduced|increased|bumped|shortened|extended) (?:\\w+ )?to
    too (?:many|few|long|short|small|big|low|high|slow|chatty|strict)"""
)
_LEAD = re.compile(
    r"^\W*(?:(?:actually|please|ok|okay|so|and|but|well|no|yes|from now on|going forward|on second thought|in future"
    r"|sorry)[,:]?\s+)+",
    re.IGNORECASE,
)
_EXCEPTION = phrases(
    """this (?:week|month|time|once|sprint|release) | today | tomorrow | tonight | temporarily | for now | until | once
    except | only (?:for|in|on|when|if) | while | during | as well | also | too$ | in addition"""
)
_OLD = re.compile(
    r"\b(?:instead of|rather than|forget|drop|no more|not|don't (?:use|set|take|write)|no longer)\s+(?:the\s+|our\s+)?"
    r"([\w.@/`-]+(?:\s+[\w.@/`-]+){0,2}?)(?=\s+(?:for|in|on|from|any|and|any ?more)\b|[,;.]|$)",
    re.IGNORECASE,
)
_REASON = re.compile(r"\s*[,;]\s*|\s+(?:because|since|as it|so that)\s+|\s+[–—-]\s+")
_NEW = re.compile(
    r"\b(?:to|into|with|in|on|from|by|use|take|via|through|goes to|go with)\s+(?:the\s+|a\s+|our\s+|at least\s+)?"
    r"((?:[\w.@/`+-]+)(?:\s+(?!(?:after|and|before|but|during|for|from|in|instead|now|on|only|per|until|when|while)\b)"
    r"[\w.@/`+-]+){0,2})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:[.'][^\W_]+)*")
_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10",
}  # fmt: skip
_TIMES = dict.fromkeys(_stems("second seconds minute minutes hour hours day days week weeks"), "time")
"""Units of one quantity."""
_DAYS = _stems("monday tuesday wednesday thursday friday saturday sunday")
_CUE_WORDS = _stems(
    """make set change bump raise increase lower cut reduce drop move switch use put write take require forget revert
    let's go back went going now please actually forward future second thought long short many few small big instead
    least most only always again switched changed moved settled raised lowered reduced increased bumped shortened
    extended ended gone cap limit maximum minimum per each every"""
)
_LEAST_SUBJECT = 2.0
"""Weight of the words that a sentence shares with a rule, its numbers and units aside or not, from which both have one
subject."""
_MOST_NEW = 3


@dataclass(frozen=True)
class _Said:
    """A sentence as stems of the words that carry meaning, with its numbers, each with the word behind it."""

    words: frozenset[str]
    numbers: tuple[tuple[str, str], ...]

    @classmethod
    @lru_cache(maxsize=8_192)
    def of(cls, text: str) -> _Said:
        raw = [_NUMBERS.get(word.lower(), word) for word in _WORD.findall(text.replace("'s ", " "))]
        stems = [_TIMES.get(stem(word), stem(word)) for word in raw]
        numbers = [
            (word, stems[place + 1] if place + 1 < len(stems) else "")
            for place, word in enumerate(raw)
            if word.isdigit()
        ]
        words = frozenset(each for each, word in zip(stems, raw, strict=True) if word_weight(word.lower()))
        return cls(words - {number for number, _ in numbers} - _CUE_WORDS, tuple(numbers))


def may_change(sentence: str) -> bool:
    """Return true where a sentence is worded as a change of something settled."""
    plain = _LEAD.sub("", sentence.replace("’", "'"))
    return (_is_imperative(plain) or _SETTLES.search(sentence)) and not is_limited(sentence)


def is_limited(sentence: str) -> bool:
    """Return true where a sentence holds for some cases or for some time only."""
    plain = _LEAD.sub("", sentence.replace("’", "'"))
    limited = _LIMITED.match(plain) and not _SETTLES.search(plain.partition(" we ")[2])
    return limited or _EXCEPTION.search(plain)


def _is_imperative(text: str) -> bool:
    ordered = _IMPERATIVE.match(text)
    return _CHANGE.match(text) or (ordered is not None and text.split(maxsplit=1)[0].lower() not in _NO_VERB)


@dataclass(frozen=True)
class _Change:
    """A sentence worded as a change: what it is about, by its number and by its thing, and what it puts there.

    `named` are the words that may be a new thing, `replaced` and `blamed` those of an old one.
    """

    number: _Said
    thing: _Said
    named: frozenset[str]
    replaced: tuple[frozenset[str], ...]
    blamed: tuple[frozenset[str], ...]
    settles: bool

    def may_be_about(self, known: frozenset[str]) -> bool:
        """Return true where it may change a rule that is among texts with the words `known`."""
        return self.number.words <= known or self.thing.words - self.named <= known

    def changes(self, rule: _Said, known: frozenset[str]) -> bool:
        """Return true where it gives a rule another value; `known` are the words of the rule and its task."""
        return self._changes_number(rule, known) or self._changes_thing(rule.words, known)

    def _changes_number(self, rule: _Said, known: frozenset[str]) -> bool:
        before = dict(rule.numbers)
        new = [unit for number, unit in self.number.numbers if number not in before]
        if len(new) != 1 or not before or not _is_about(self.number.words, known):
            return False
        return len(before) == 1 or new[0] in before.values()

    def _changes_thing(self, stated: frozenset[str], known: frozenset[str]) -> bool:
        words, new = self.thing.words, self.named - known
        if (self.thing.numbers and not self.settles) or len(new) > _MOST_NEW or not _is_about(words - new, known):
            return False
        if words & _DAYS and stated & _DAYS:
            return not words & stated & _DAYS
        if self.settles and any(each & stated and not each & stated & words for each in self.blamed):
            return True
        return any(each <= stated for each in self.replaced) and bool(new | (words - stated))


def changes(sentence: str, rule: str, task: str) -> bool:
    """Return true where a sentence gives a rule, which was learned on `task`, another value."""
    change = _change_of(sentence)
    return change is not None and change.changes(_Said.of(rule), _Said.of(rule).words | _Said.of(task).words)


@lru_cache(maxsize=4_096)
def _change_of(sentence: str) -> _Change | None:
    if not may_change(sentence):
        return None
    sentence = _LEAD.sub("", sentence.replace("’", "'"))
    main, *reasons = _REASON.split(sentence.rstrip(" .!"))
    told = [main, *filter(_is_imperative, reasons)]
    return _Change(
        number=_Said.of(" ".join([_without_verb(main), *told[1:]])),
        thing=_Said.of(_without_verb(main)),
        named=frozenset[str]().union(*(_Said.of(match[1]).words for match in _NEW.finditer(" ".join(told)))),
        replaced=tuple(filter(None, (_Said.of(match[1]).words for match in _OLD.finditer(sentence)))),
        blamed=tuple(_Said.of(" ".join(_WORD.findall(each)[:2])).words for each in reasons),
        settles=_SETTLES.search(sentence),
    )


def _without_verb(clause: str) -> str:
    """The clause without the verb of an order, which is the rule's own or one of change."""
    return clause.partition(" ")[2] if _is_imperative(clause) and not clause.lower().startswith("we ") else clause


def _is_about(words: frozenset[str], known: frozenset[str]) -> bool:
    """Return true where nothing is named but what is known, and enough of it to be one subject."""
    return words <= known and sum(map(word_weight, words)) >= _LEAST_SUBJECT


def changes_rule_of(later: str, earlier: str, task: str) -> bool:
    """Return true where a sentence of a lesson gives a rule of an earlier one, learned on `task`, another value."""
    told = _changes_in(later)
    if not told:
        return False
    about, rules = _Said.of(task).words, _rules_in(earlier)
    known = about.union(*(rule.words for rule in rules))
    near = [change for change in told if change.may_be_about(known)]
    return any(change.changes(rule, rule.words | about) for change in near for rule in rules)


@lru_cache(maxsize=2_048)
def _changes_in(reflection: str) -> tuple[_Change, ...]:
    return tuple(change for each in _sentences(reflection) if (change := _change_of(each)) is not None)


@lru_cache(maxsize=2_048)
def _rules_in(reflection: str) -> tuple[_Said, ...]:
    return tuple(map(_Said.of, _sentences(reflection)))


def _sentences(reflection: str) -> Iterator[str]:
    for line in map(str.strip, reflection.splitlines()):
        yield from split_sentences(line.partition(": ")[2] if line.startswith(LABELS) else line)
