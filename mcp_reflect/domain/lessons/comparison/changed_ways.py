"""Decides by what two runs did whether the later one changed what the earlier one had left: no wording is needed.

It did where a command that worked then has failed since or needs another option, where an edit replaced what the
earlier one had written or gave the same setting of the same file another value, and where it replaced a value that the
earlier lesson states.
As with changes in everyday words (`everyday_amendment.py`) both lessons are shown, the later one first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.truncate import CUT

_EDIT = re.compile(r"editing ([^()`\s]{1,200}) \(((?:[^()`]|`[^`]*`){1,2000})\)")
_CHANGE = re.compile(r"(?:([-+]) )?`([^`]*)`(?: → `([^`]*)`)?")
_FAILED = re.compile(r"`([^`]+)` failed\b")
_WORKED = re.compile(r"(?:^|: |; |\. |after )`([^`]+)`(?! failed| found nothing)", re.MULTILINE)
_SHORTENED = re.compile(r"\s*(?:2>&1|\|\s*(?:tail|head|cat|grep|tee)\b).*", re.DOTALL)
_SETTING = re.compile(r"(?:[\w'\"]+\s+){0,3}['\"]?([\w.-]{2,60})['\"]?\s*[:=]\s*(\S.*)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}")
_CALL = re.compile(r"[\w.:-]+\(|\w+$")
"""A call of a tool, or its name alone: its world may be another one each time, a customer's or a test's."""
_LEAST_WORDS = 2
_LEAST_SUBJECT = 3.0
"""Weight of the words that two tasks share from which both are about one subject."""
_LEAST_COMMAND = 6
"""Characters of a command from which it says what it does."""


@dataclass(frozen=True)
class _Done:
    """What a lesson tells that a run did: `written` and `replaced` are texts of edits, each with the file."""

    worked: frozenset[str]
    failed: frozenset[str]
    written: frozenset[tuple[str, str]]
    replaced: frozenset[tuple[str, str]]

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """Return the words of each command that worked."""
        return tuple(frozenset(part.split()) for each in self.worked for part in each.split(" && "))

    @cached_property
    def settings(self) -> dict[tuple[str, str], set[str]]:
        """Return the values of the settings that were written, by file and name."""
        values = defaultdict[tuple[str, str], set[str]](set)
        for file, text in self.written:
            if setting := _SETTING.fullmatch(text):
                values[file, setting[1]].add(setting[2])
        return values


@lru_cache(maxsize=2_048)
def _done(lesson: str) -> _Done:
    changes = [(edit[1], *change.groups("")) for edit in _EDIT.finditer(lesson) for change in _CHANGE.finditer(edit[2])]
    plain = _EDIT.sub("", lesson)
    return _Done(
        worked=frozenset(_commands(_WORKED, plain)),
        failed=frozenset(_commands(_FAILED, plain)),
        written=frozenset((file, new or text) for file, sign, text, new in changes if new or sign == "+"),
        replaced=frozenset((file, text) for file, sign, text, new in changes if new or sign == "-"),
    )


def _commands(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    found = (_SHORTENED.sub("", command) for command in pattern.findall(text))
    return (each for each in found if len(each) >= _LEAST_COMMAND and not each.endswith(CUT) and not _CALL.match(each))


def changes_way(later: str, earlier: str, tasks: tuple[str, str]) -> bool:
    """Return true where a lesson tells that the way of an earlier one was changed; `tasks` are theirs."""
    ours, theirs = _done(later), _done(earlier)
    if ours.failed & theirs.worked or ours.replaced & theirs.written:
        return True
    before = theirs.settings
    if any(name in before and before[name].isdisjoint(values) for name, values in ours.settings.items()):
        return True
    if any(_states(earlier, text) for _, text in ours.replaced):
        return True
    return _adds_option(ours, theirs) and _share_subject(*tasks)


def _adds_option(ours: _Done, theirs: _Done) -> bool:
    """Return true where a command is run with more options than before, and with nothing else."""
    return any(
        len(old) >= _LEAST_WORDS and old < new and all(word.startswith("-") for word in new - old)
        for old in theirs.words
        for new in ours.words
    )


def _share_subject(task: str, other: str) -> bool:
    words, others = term_weights(task), term_weights(other)
    return sum(weight for word, weight in words.items() if word in others) >= _LEAST_SUBJECT


def _states(lesson: str, text: str) -> bool:
    """Return true where a lesson states a value of a replaced setting, with a word of its name."""
    setting = _SETTING.fullmatch(text.rstrip(";,"))
    numbers = set(_NUMBER.findall(setting[2])) if setting else set[str]()
    if setting is None or len(numbers) != 1:
        return False
    words = {word.lower() for word in _WORD.findall(setting[1])}
    return any(
        numbers & set(_NUMBER.findall(line)) and words & {word.lower() for word in _WORD.findall(line)}
        for line in lesson.splitlines()
    )
