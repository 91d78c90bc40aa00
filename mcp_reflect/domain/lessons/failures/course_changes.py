"""Calls after which a run changed its course, and what its closing statement says of what it did instead.

A command that failed and never passed in any form was given up for another way; a command that ended well was wrong
where the user then had it done in another form. What the run did instead is known where its closing words name it: a
sentence explains a change of course where it names something that the run first did, with success, behind the call.
No wording is looked at, so that it holds in every language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.muting import looks_less
from mcp_reflect.domain.lessons.failures.repairs import RETRIED_WITHIN
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, term_weights

_MOST_SENTENCES = 2
_MOST_READ = 40
"""The last sentences of a run that are read."""
_HEADLINES = 3
_IN_BACKQUOTES = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|\w*[_.:/]\w[\w.:/-]*\w|[a-z]+[A-Z]\w+|\b[A-Z]{2,}\w+")
"""Options, paths, and words that are no words of prose."""
_AROUND_NAME = re.compile(r"(?:[\w.@-]*/)+(?=[\w@])|(?<=\w)\.[a-z]\w{0,4}\b")
"""The folders of a file, which name the project, and its extension, which names a kind."""
_WORD = re.compile(r"[^\W\d_]{2,}")


class CourseChange(NamedTuple):
    """`instead` is what the run did in the place of a call; `said` are the closing sentences that name it, in order."""

    instead: Step
    said: tuple[str, ...]


class ClosingWords:
    """The sentences with which a run ended, and the steps that each of them names."""

    def __init__(self, steps: Sequence[Step], closing: str) -> None:
        self._steps = steps
        texts = [_text_of(step) for step in steps]
        self._said = [
            (sentence, {name: [place for place, text in enumerate(texts) if names(text, name)] for name in found})
            for sentence in list(split_sentences(closing))[-_MOST_READ:]
            if (found := names_in(sentence))
        ]

    def find_change(self, place: int) -> CourseChange | None:
        """Return what the run did instead of the command at `place`; None where its closing words do not tell.

        They share a word with the command or with its error: a run may be about more.
        """
        told = [(sentence, later) for sentence, places in self._said if (later := self._first_done(places, place))]
        about = _terms_of(self._steps[place]) if told else frozenset[str]()
        near = [(sentence, later) for sentence, later in told if about & _words(sentence)]
        if not near:
            return None
        named = Counter(each for _, later in near for each in later)
        instead = max(named, key=lambda each: (named[each], each))
        return CourseChange(self._steps[instead], tuple(sentence for sentence, _ in near[:_MOST_SENTENCES]))

    def explain(self, failed: Step, changes: Sequence[str]) -> tuple[str, ...]:
        """Return the closing sentences that name something of what mended a failed command, and was not in it."""
        text = "\n".join(changes)
        found = (
            sentence
            for sentence, places in self._said
            if any(names(text, name) and not names(failed.subject, name) for name in places)
        )
        return tuple(islice(found, _MOST_SENTENCES))

    def _first_done(self, places: Mapping[str, Sequence[int]], place: int) -> list[int]:
        """The last step that worked behind a place, for each name that stands in one there and in none before."""
        end = place + RETRIED_WITHIN
        new = (found for found in places.values() if found and found[0] > place)
        worked = ([each for each in found if each <= end and _acted(self._steps[each])] for found in new)
        return [found[-1] for found in worked if found]


def names_in(sentence: str) -> list[str]:
    """Return what a sentence names: what stands in backquotes, options, paths, and words that are none of prose."""
    return list(dict.fromkeys([*_IN_BACKQUOTES.findall(sentence), *_NAME.findall(sentence)]))


def names(text: str, name: str) -> bool:
    """Return true where a name stands in a text, and not as a part of another one."""
    return name in text and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", text) is not None


def _acted(step: Step) -> bool:
    if step.failed is True or looks_less(step):
        return False
    return step.kind == "edit" or (step.kind == "command" and not is_inspection(step))


def _text_of(step: Step) -> str:
    """What a step runs or writes."""
    if step.kind == "edit":
        return "\n".join([step.subject, *(new for _, new in step.change)])
    return step.subject if step.kind == "command" else ""


def _terms_of(step: Step) -> frozenset[str]:
    """The words of a command and of what it says went wrong."""
    return _words(step.subject).union(*(_words(each.text) for each in find_headlines(step.output)[:_HEADLINES]))


def _words(text: str) -> frozenset[str]:
    """The words of a text; of files and paths those of the name alone."""
    names = _AROUND_NAME.sub("", text)
    return frozenset(stem(word) for term in term_weights(names) for word in _WORD.findall(term))
