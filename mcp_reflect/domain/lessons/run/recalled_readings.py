"""What a failed run had read and did not act by, where its reviewer points to it or speaks of the same matter.

"The README tells how it is done, you read it and ignored it" says that there is a rule, and not which: that stands in
what the run had read. Of documents and answers the passages are taken that share most with the reviewer's words, of
those alone that the reviewer points to where there are such. The reviewer vouches for them: they are told as a
quotation with their source, also where they want something of the reader.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.observation import reads_as_error
from mcp_reflect.domain.trajectory.run import ReviewedRun

_DOCUMENT = (
    r"(?:read-?me|run-?book|play-?book|guide\w*|contributing|docs?|documentation|manual|handbook|wiki|page|notes?"
    r"|comments?|header|legend|dictionary|glossary|polic(?:y|ies)|rules?|preferences?|terms|table|list|file|output"
    r"|result|look-?up|log|ticket|mail|message|article|knowledge|change-?log|spec\w*|standard|checklist|instructions"
    r"|warning|help|notice|listing|answer|schema|config\w*)"
)
_READ = r"(?:read|printed|opened|fetched|saw|loaded|looked (?:at|up)|found|got|had|were (?:given|shown))"
_TELLS = (
    r"(?:says?|said|tells?|told|states?|stated|explains?|explained|lists|listed|shows?|showed|has|had|have|gives?|gave"
    r"|describes?|described|names|named|forbids|forbade|covers|covered|contains?|contained|warns|warned)"
)
_POINTS = re.compile(
    rf"\b{_DOCUMENT}\b(?=(?P<between>(?:\W+[\w-]+){{0,6}}?)\W+{_TELLS}\b)"
    rf"|\b{_DOCUMENT}\b(?=\W+(?:that |which )?you {_READ}\b)"
    rf"|\b(?:read|see|check|follow\w*|ignor\w+|according to|as in|against|despite|you {_READ})\W+(?:[\w-]+\W+){{0,3}}?"
    rf"{_DOCUMENT}\b"
    rf"|\b(?:is|was|stands|stood|were|are) (?:\w+ ){{0,2}}in (?:the|our|its|that) (?:[\w-]+ ){{0,2}}?{_DOCUMENT}\b",
    re.IGNORECASE,
)
"""How a reviewer points to what the run had read."""
_INSIDE = re.compile(rf"\bin (?:the|its|that|your|our) (?:[\w-]+ ){{0,2}}?{_DOCUMENT}\b", re.IGNORECASE)
"""Where in it; alone it may be about anything."""
_NEGATES = re.compile(r"\b(?:no longer|not|never)\b|n't\b", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_LAST = re.compile(r"\blast\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_RULE = re.compile(
    r"\b(?:never|only|must|always|not|use|set|needs?|has to|have to|should|before|first|instead|without|no|goes|means"
    r"|required?|allowed|forbidden|at (?:least|most))\b|n't\b",
    re.IGNORECASE,
)
"""Words of a passage that says how something is to be done."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,]*\w*|\w*\d\w*")
_NAME = re.compile(r"[\w./*-]*\w")
_CODED = re.compile(r"[_=`*]|\w[-/.]\w|\d|\b[A-Z]{2,}\b")

_ENDS_OF_CODE = (",", ";", "{", "(", "[")
_PASSAGE_CHARS = 300
_MOST_PASSAGES = 400
"""Passages of one output that are read, from its beginning."""
_SHORTEST_PREFIX = 4
_LEAST_SHARED = 3
_LEAST_WEIGHT = 3.0
"""Words, and their weight, that a passage shares with the words of a reviewer who points to nothing."""
_LEAST_SCORE = 2.0
"""Score from which a passage is told of what the reviewer points to."""
_KEY_WEIGHT = 3.0
_NEAR_BEST = 0.75
"""Least part of the best passage's score that a second one has."""
_MOST = 2
_TITLE_LINES = 12
_TASK_WEIGHT = 0.3
_RULE_WEIGHT = 0.7
_CODE_WEIGHT = 0.5


class _Passage(NamedTuple):
    text: str
    key: str
    """The key of an object under which it stands; empty for others."""
    item: int
    """Its number in a list, from 1; 0 for others."""
    is_of_data: bool = False
    """True for a text or a record of JSON."""


def readings_recalled_in(run: ReviewedRun, steps: Sequence[Step]) -> list[str]:
    """Return what a failed run had read and its reviewer speaks of; none for one that passed or was judged by tests."""
    if run.review.result == "pass" or run.review.source == "tests":
        return []
    return recalled_readings(run.review.feedback, run.trace.task, steps)


def recalled_readings(feedback: str, task: str, steps: Sequence[Step]) -> list[str]:
    """Return the passages that a run had read and its reviewer speaks of, at most two; none for most runs."""
    said, asked = _words(feedback), _words(task)
    if not said:
        return []
    pointed = [each[0].lower() for each in _POINTS.finditer(feedback) if not _NEGATES.search(each["between"] or "")]
    read = [step for step in steps if step.output.strip() and step.kind != "edit"]
    if not pointed:
        known = {*_NAME.findall(task), *_NAME.findall(feedback)}
        return _spoken_of([each for step in read for each in _passages(step.output)], said, known)
    pointed += [each[0].lower() for each in _INSIDE.finditer(feedback)]
    nouns = [stem(word) for each in pointed for word in _WORD.findall(each) if word_weight(word)]
    shown = [step for step in read if _is_named(step, nouns)] or ([step for step in read if not step.failed])
    if _LAST.search(feedback):
        shown = shown[-1:]
    ordinal = _ORDINAL.search(feedback)
    place = _ORDINALS.index(ordinal[1].lower()) + 1 if ordinal else 0
    passages = [each for step in shown for each in _passages(step.output)]
    if place and (items := [each.text for each in passages if each.item == place]):
        return items[-1:]
    return _best([(_score(each, said, asked, nouns), each.text) for each in passages], _LEAST_SCORE)


def _spoken_of(passages: Iterable[_Passage], said: Mapping[str, float], known: Collection[str]) -> list[str]:
    """The one record or text of an answer that says more of the reviewer's matter, with a name for it.

    Programs, logs and errors share words with everything.
    """
    told: list[tuple[float, str]] = []
    for each in passages:
        if not each.is_of_data or reads_as_error(each.text):
            continue
        words = _words(each.text)
        shared = [weight for word in words if (weight := _shared(word, said))]
        names_more = any(map(_CODED.search, set(_NAME.findall(each.text)) - set(known)))
        if len(shared) >= _LEAST_SHARED and names_more:
            told.append((sum(shared), each.text))
    return _best(told, _LEAST_WEIGHT)[:1]


def _score(passage: _Passage, said: Mapping[str, float], asked: Mapping[str, float], nouns: Sequence[str]) -> float:
    words = _words(passage.text)
    shared = sum(_shared(word, said) for word in words)
    if not shared:
        return 0.0
    shared += _TASK_WEIGHT * sum(_shared(word, asked) for word in words)
    shared += _KEY_WEIGHT * any(_share_beginning(noun, passage.key.lower()) for noun in nouns if passage.key)
    told = (_RULE_WEIGHT * bool(_RULE.search(passage.text))) + (_CODE_WEIGHT * bool(_CODED.search(passage.text)))
    return shared + told


def _best(scored: Sequence[tuple[float, str]], least: float) -> list[str]:
    ranked = sorted(dict.fromkeys(each for each in scored if each[0] >= least), key=lambda each: -each[0])[:_MOST]
    return [text for score, text in ranked if score >= _NEAR_BEST * ranked[0][0]]


def _is_named(step: Step, nouns: Sequence[str]) -> bool:
    """Return true for a step whose call, or the top of its output, names what the reviewer points to."""
    top = "\n".join(step.output.splitlines()[:_TITLE_LINES])
    names = [word.lower() for word in _WORD.findall(f"{step.tool} {step.subject} {top}".replace("_", " "))]
    plain = [noun.replace("-", "") for noun in nouns]
    return any(_share_beginning(noun, name) for noun in plain for name in names if len(name) > 1)


def _share_beginning(one: str, other: str) -> bool:
    length = min(len(one), len(other))
    return one == other or (length >= _SHORTEST_PREFIX and one[:length] == other[:length])


def _shared(word: str, others: Mapping[str, float]) -> float:
    """The weight of a word that the others hold, in this or a longer form; 0 for another."""
    if word in others:
        return others[word]
    if len(word) <= _SHORTEST_PREFIX or word[0].isdigit():
        return 0.0
    return max(
        (weight for other, weight in others.items() if len(other) > _SHORTEST_PREFIX and _share_beginning(word, other)),
        default=0.0,
    )


def _words(text: str) -> dict[str, float]:
    """The words of a text as stems, those inside of names as well, with their weights."""
    found = _WORD.findall(text.replace("_", " "))
    weights = {stem(word): word_weight(word) for word in found}
    return {word: weight for word, weight in weights.items() if weight and len(word) > 1}


def _passages(output: str) -> Iterator[_Passage]:
    """The passages of an output, of JSON its texts and records, of other text its lines and items."""
    try:
        found = _of_json(json.loads(output), "")
    except ValueError:
        found = _of_text(output)
    for number, each in enumerate(found):
        if number >= _MOST_PASSAGES:
            return
        if each.text.endswith(_ENDS_OF_CODE):
            continue
        if len(each.text) <= _PASSAGE_CHARS:
            yield each
        else:
            yield from (each._replace(text=said) for said in split_sentences(each.text) if len(said) <= _PASSAGE_CHARS)


def _of_json(value: Any, key: str) -> Iterator[_Passage]:
    if isinstance(value, str):
        yield from (each._replace(key=key, is_of_data=True) for each in _of_text(value))
    elif isinstance(value, list):
        for each in value:
            yield from _of_json(each, key)
    elif isinstance(value, dict):
        plain = {name: each for name, each in value.items() if isinstance(each, str | int | float)}
        record = ", ".join(f"{name}: {each}" for name, each in plain.items())
        if len(plain) > 1 and len(plain) == len(value) and len(record) <= _PASSAGE_CHARS:
            yield _Passage(record, key, 0, is_of_data=True)
        else:
            for name, each in value.items():
                yield from _of_json(each, str(name))


def _of_text(text: str) -> Iterator[_Passage]:
    """Lines, each with those that it announces; items with their numbers and the lines below that are indented."""
    told: list[str] = []
    item = number = indent = 0
    for line in [*text.splitlines(), ""]:
        depth = len(line) - len(line.lstrip())
        begins = _ITEM.match(line)
        is_below = depth > indent and (number or told[0].endswith(":")) if told else False
        goes_on = told and line.strip() and not begins and (is_below or told[-1].endswith((":", "e.g.", "{")))
        if goes_on and sum(map(len, told)) < _PASSAGE_CHARS:
            told.append(line.strip())
            continue
        if told:
            yield _Passage(" ".join(told), "", number)
        item = item + 1 if begins else (0 if line.strip() else item)
        number = item if begins else 0
        told, indent = ([line[begins.end() :].strip() if begins else line.strip()] if line.strip() else []), depth
