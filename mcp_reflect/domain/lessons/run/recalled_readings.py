"""What a failed run had read and did not act by, where its reviewer points to it or speaks of the same matter.

"The README tells how it is done, you read it and ignored it" says that there is a rule, and not which: that stands in
what the run had read. Of documents and answers the passages are taken that share most with the reviewer's words, of
those alone that the reviewer points to where there are such. The reviewer vouches for them: they are told as a
quotation with their source, also where they want something of the reader.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import shows_text
from mcp_reflect.domain.lessons.run.lookups import is_search
from mcp_reflect.domain.lessons.run.passages import Passage, passages_of
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.sentences.vocabulary import stem, word_weight
from mcp_reflect.domain.text.observation import reads_as_error
from mcp_reflect.domain.trajectory.run import ReviewedRun

_DOCUMENT = (
    r"(?:read-?me|run-?book|play-?book|guide\w*|contributing|docs?|documentation|manual|handbook|wiki|page|notes?"
    r"|comments?|header|legend|dictionary|glossary|polic(?:y|ies)|rules?|preferences?|terms|table|list|file|output"
    r"|result|look-?up|log|ticket|mail|message|article|knowledge|change-?log|spec\w*|standard|checklist|instructions"
    r"|warning|help|notice|listing|answer|schema|config\w*|addendum|annex|appendix|amendment|sheet|memo|minutes"
    r"|contract|agreement|register|catalogue?|description|docstring|profile|record|brief|sla"
    r"|beschreibung|anleitung|notiz(?:en)?|regeln?|richtlinien?|datei|doku\w*|tabelle|liste|blatt|vertrag)"
)
_READ = (
    r"(?:had |have |has )?(?:read|printed|opened|fetched|saw|loaded|looked (?:at|up)|pulled up|displayed|consulted"
    r"|viewed|found|got|had|(?:were|was) (?:given|shown))"
)
_READER = r"(?:you|it|they|the (?:run|agent|assistant|bot|model))"
_TELLS = (
    r"(?:says?|said|tells?|told|states?|stated|explains?|explained|lists|listed|shows?|showed|has|had|have|gives?|gave"
    r"|describes?|described|names|named|forbids|forbade|covers|covered|contains?|contained|warns|warned)"
)
_POINTS = re.compile(
    rf"\b{_DOCUMENT}\b(?=(?P<between>(?:\W+[\w-]+){{0,6}}?)\W+{_TELLS}\b)"
    rf"|\b{_DOCUMENT}\b(?=\W+(?:that |which )?{_READER} {_READ}\b)"
    rf"|\b(?:read|see|check|follow\w*|ignor\w+|opened|according to|as in|against|despite|{_READER} {_READ})\W+"
    rf"(?:[\w-]+\W+){{0,3}}?{_DOCUMENT}\b"
    rf"|(?:\b(?:is|was|stands?|stood|were|are)|'s) (?:\w+ ){{0,2}}in (?:the|our|its|that|my|his|her|their) "
    rf"(?:[\w-]+ ){{0,2}}?{_DOCUMENT}\b"
    rf"|\b(?:steht|stand|stehen|standen) (?:\w+ ){{0,3}}(?:im|in|auf) (?:\w+ ){{0,3}}?{_DOCUMENT}\b",
    re.IGNORECASE,
)
"""How a reviewer points to what the run had read."""
_PLACE = re.compile(r"(?<![\w.])(?=[\w./-]*(?:\d|\w[./]\w))[A-Za-z_.][\w./-]*\w")
"""A file, or a document by its number."""
_FILE = re.compile(r"(?<![\w-])([A-Za-z][\w-]{2,40})\.(?:adoc|docx?|html?|md|pdf|rst|txt)\b")
_EVERYDAY_FILES = frozenset(
    {"app", "build", "config", "data", "index", "input", "main", "output", "package", "requirements"}
)
_INSIDE = re.compile(rf"\bin (?:the|its|that|your|our) (?:[\w-]+ ){{0,2}}?{_DOCUMENT}\b", re.IGNORECASE)
"""Where in it; alone it may be about anything."""
_NEGATES = re.compile(r"\b(?:no longer|not|never)\b|n't\b", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_LAST = re.compile(r"\blast\b", re.IGNORECASE)
_RULE = re.compile(
    r"\b(?:never|only|must|always|not|use|set|needs?|has to|have to|should|before|first|instead|without|no|goes|means"
    r"|required?|allowed|forbidden|at (?:least|most))\b|n't\b",
    re.IGNORECASE,
)
"""Words of a passage that says how something is to be done."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,]*\w*|\w*\d\w*")
_NAME = re.compile(r"[\w./*-]*\w")
_CODED = re.compile(r"[_=`*]|\w[-/.]\w|\d|\b[A-Z]{2,}\b")

_MOST_PASSAGES = 3_000
"""Passages of a run that are compared, from its beginning: documents are read before something is done by them."""
_SHORTEST_PREFIX = 4
_LEAST_SHARED = 3
_LEAST_WEIGHT = 3.0
"""Words, and their weight, that a passage shares with the words of a reviewer who points to nothing."""
_LEAST_SCORE, _LEAST_SCORE_OPENED = 2.0, 1.0
"""Score from which a passage is told of what the reviewer points to; the second in the document that they name."""
_KEY_WEIGHT = 3.0
_NEAR_BEST, _NEAR_BEST_OPENED = 0.75, 0.35
"""Least part of the best passage's score that others have; the second in the one document that the reviewer means."""
_MOST, _MOST_CHARS = 3, 400
"""Passages that are told, and their characters together; the best is told whatever its length."""
_TITLE_LINES, _TITLE_CHARS = 12, 1_000
_FEW = 3
"""Arguments of a call that opens something."""
_TASK_WEIGHT = 0.5
_RULE_WEIGHT = 0.7
_CODE_WEIGHT = 0.5


def readings_recalled_in(run: ReviewedRun) -> list[str]:
    """Return what a failed run had read and its reviewer speaks of; none for one that passed or was judged by tests."""
    if run.review.result == "pass" or run.review.source == "tests" or not run.review.feedback.strip():
        return []
    return recalled_readings(run.review.feedback, run.trace.task, find_steps(run.trajectory))


def recalled_readings(feedback: str, task: str, steps: Sequence[Step]) -> list[str]:
    """Return the passages that a run had read and its reviewer speaks of, at most three; none for most runs."""
    said, asked = _words(feedback), _words(task)
    if not said:
        return []
    pointed = [each[0].lower() for each in _POINTS.finditer(feedback) if not _NEGATES.search(each["between"] or "")]
    read = [step for step in steps if step.output.strip() and step.kind != "edit"]
    if opened := _opened(read, feedback, {step.subject for step in steps if step.kind == "edit"}):
        whole = {word: _TASK_WEIGHT * weight for word, weight in asked.items()} | said
        scored = [(_score(each, whole, asked, ()), each.text) for each in _passages(opened)]
        if told := _best(scored, _LEAST_SCORE_OPENED, _NEAR_BEST_OPENED):
            return told
    if not pointed:
        known = {*_NAME.findall(task), *_NAME.findall(feedback)}
        return _spoken_of(_passages(step for step in read if step.output.lstrip().startswith(("{", "["))), said, known)
    pointed += [each[0].lower() for each in _INSIDE.finditer(feedback)]
    named = [word for each in pointed for word in _WORD.findall(each) if word_weight(word)]
    nouns = [*map(stem, named), *named]
    shown = [step for step in read if _is_named(step, nouns)] or ([step for step in read if not step.failed])
    shown = [step for step in shown if not is_search(step)] or shown
    if _LAST.search(feedback):
        shown = shown[-1:]
    ordinal = _ORDINAL.search(feedback)
    place = _ORDINALS.index(ordinal[1].lower()) + 1 if ordinal else 0
    passages = _passages(shown)
    if place and (items := [each.text for each in passages if each.item == place]):
        return items[-1:]
    near = _NEAR_BEST_OPENED if len(shown) == 1 and not any(each.is_of_data for each in passages) else _NEAR_BEST
    return _best([(_score(each, said, asked, nouns), each.text) for each in passages], _LEAST_SCORE, near)


def _passages(steps: Iterable[Step]) -> list[Passage]:
    return list(islice((each for step in steps for each in passages_of(step.output)), _MOST_PASSAGES))


def _spoken_of(passages: Iterable[Passage], said: Mapping[str, float], known: Collection[str]) -> list[str]:
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


def _score(passage: Passage, said: Mapping[str, float], asked: Mapping[str, float], nouns: Sequence[str]) -> float:
    words = _words(passage.text)
    shared = sum(_shared(word, said) for word in words)
    is_new = any(not (_shared(word, said) or _shared(word, asked)) for word in words)
    if not shared or not is_new or reads_as_error(passage.text):
        return 0.0
    shared += _TASK_WEIGHT * sum(_shared(word, asked) for word in words)
    shared += _KEY_WEIGHT * any(_share_beginning(noun, passage.key.lower()) for noun in nouns if passage.key)
    told = (_RULE_WEIGHT * bool(_RULE.search(passage.text))) + (_CODE_WEIGHT * bool(_CODED.search(passage.text)))
    return shared + told


def _best(scored: Sequence[tuple[float, str]], least: float, near: float = _NEAR_BEST) -> list[str]:
    """The best passages, as far as they are good enough and there is room."""
    ranked = sorted(dict.fromkeys(each for each in scored if each[0] >= least), key=lambda each: -each[0])[:_MOST]
    chosen: list[str] = []
    for score, text in ranked:
        room = _MOST_CHARS - sum(map(len, chosen))
        if not chosen or (score >= near * ranked[0][0] and len(text) <= room):
            chosen.append(text)
    return chosen


def _opened(read: Sequence[Step], feedback: str, edited: Collection[str]) -> list[Step]:
    """The calls that opened a file or a document which the reviewer names, by its number or by its name alone.

    A file that was edited is named for the edit.
    """
    places = {each.strip("./").lower() for each in _PLACE.findall(feedback)}
    words = {word.lower() for word in _WORD.findall(_PLACE.sub("", feedback))} - _EVERYDAY_FILES
    found = []
    for step in read:
        if step.failed or is_search(step) or (step.kind == "command" and not shows_text(step.subject)):
            continue
        named = _PLACE.findall(step.subject) if len(step.arguments) <= _FEW else []
        names = [each.strip("./").lower() for each in named if not _is_one_of(each, edited)]
        is_placed = any(name == place or name.endswith(f"/{place}") for name in names for place in places)
        if is_placed or any(file.lower() in words for file in _FILE.findall(step.subject)):
            found.append(step)
    return found


def _is_one_of(place: str, files: Collection[str]) -> bool:
    return any(file == place or file.endswith(f"/{place.strip('./')}") for file in files)


def _is_named(step: Step, nouns: Sequence[str]) -> bool:
    """Return true for a step whose call, or the top of its output, names what the reviewer points to."""
    top = "\n".join(step.output[:_TITLE_CHARS].splitlines()[:_TITLE_LINES])
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
