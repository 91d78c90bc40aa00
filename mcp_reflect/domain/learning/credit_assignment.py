"""Which of the retrieved memories a run followed, as far as its own words and tool calls tell.

Each memory's advice is read as *terms*: words, adjacent words, tools, and one tool after another. A term counts for the
less, the more of the other retrieved memories have it, and not at all where all have it or the task says it: only what
tells the memories apart can tell which was followed. With h the weight of a memory's terms that the run has, n the
weight of all its terms, v the sum of their squared weights, and p the share that runs have by chance,

    z = (h - p n) / sqrt(p (1 - p) v)

is by how many standard deviations the run has more of the advice than chance would give it (the normal approximation
of the binomial distribution). Unlike the plain share h/n it does not take two words found for as much as fifty. A
memory's weight falls with its distance from the best: exp(-2 (distance - 0.5)), and is 1 up to half a deviation.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mcp_reflect.domain.error_matching.keywords import STOP_WORDS
from mcp_reflect.domain.models import Memory
from mcp_reflect.domain.text.polarity import is_negative
from mcp_reflect.domain.trajectory.messages import Event, Said, ToolCall, events
from mcp_reflect.domain.trajectory.parsing import Trajectory

Term = str | tuple[str, ...]
"""A word, two adjacent words, `("tool:", name)` or `("step:", name, next name)`."""

_TOLERANCE = 0.5
"""Standard deviations by which a memory may lie behind the best and still count as followed just as much."""
_SHARPNESS = 2.0
"""How fast a weight falls beyond that: one deviation further leaves 0.14 of it."""
_LEAST_WEIGHT = 0.05
"""A weight below this is 0: the memory earns nothing."""
_LEAST_SHARE = 0.1
"""The share of the best memory's advice that must be in the run; below it, nothing was followed that can be told."""
_CHANCE = (1.0, 4.0)
"""Terms had and terms in all that are added to what is counted for p, so that a few terms do not make chance 0 or 1."""
_DECIMALS = 3

_WORD_WEIGHT, _NUMBER_WEIGHT, _PAIR_WEIGHT, _TOOL_WEIGHT = 0.5, 1.0, 1.0, 2.0
"""A lone word is in many runs. Words with digits are values; what a run *did* (tools, steps) says more than words."""

_STEM = 6
"""Letters of a word that count, so that cancel, cancelling and cancellation are one."""
# Scripts without blanks between words are read character by character; pairs then are what words are elsewhere.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NAME = re.compile(r"\w[\w.-]*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\n→]")
_CLAUSE = re.compile(r"[,:;()]\s|\s(?:but|and|then|instead|rather)\s")
_STOP = frozenset(word[:_STEM] for word in STOP_WORDS)
_RECALLS = ("query_memories", "augment_task", "find_error_fixes")
"""How the names of the tools end that give memories; clients put the server's name in front."""
_NOT_THE_AGENT = frozenset({"user", "system", "developer"})
_SHORTEST_QUOTE = 12


@dataclass(frozen=True)
class _Deeds:
    """What the agent itself did: pieces of text, and the names of the tools it called, in order."""

    texts: tuple[str, ...]
    tools: tuple[str, ...]


def followed(
    memories: Sequence[Memory], task: str, trajectory: Trajectory, final_response: str = ""
) -> dict[str, float]:
    """How much a run followed each of the memories it was given, by id: a weight in [0, 1] with three decimals.

    At least one weight is 1. All are 1 where nothing tells the memories apart: there is one only, they say the same,
    the run has as much of one as of another, or hardly anything of any. Each weight is the same in whatever order the
    memories come. Time is linear in the length of the run.
    """
    everyone = {memory.id: 1.0 for memory in memories}
    if len(everyone) < 2:  # noqa: PLR2004 - one alone cannot be told apart
        return everyone
    deeds = _deeds(trajectory, final_response, memories)
    known = frozenset(name.casefold() for name in (*deeds.tools, *_tools_of(memories)))
    of_task = _terms_in(task)
    advice = {memory.id: _advice(memory, known) - of_task for memory in memories}
    sharing = Counter(term for terms in advice.values() for term in terms)
    had = _had(deeds, sharing.keys(), known, of_log=trajectory.messages is None)
    most = len(everyone) - 1
    weights = {term: _weight(term) * (most + 1 - count) / most for term, count in sharing.items()}
    # fsum, so that no sum depends on the order in which a set happens to be walked.
    held = {i: math.fsum(weights[term] for term in terms if term in had) for i, terms in advice.items()}
    whole = {i: math.fsum(weights[term] for term in terms) for i, terms in advice.items()}
    spread = {i: math.fsum(weights[term] ** 2 for term in terms) for i, terms in advice.items()}
    chance = (math.fsum(held.values()) + _CHANCE[0]) / (math.fsum(whole.values()) + _CHANCE[1])
    z = {i: _deviations(held[i], whole[i], spread[i], chance) for i in everyone}
    best = max(z.values())
    if not any(z[i] == best and held[i] > 0.0 and held[i] >= _LEAST_SHARE * whole[i] for i in z):
        return everyone
    return {i: _falling(best - deviations) for i, deviations in z.items()}


def _deviations(held: float, whole: float, spread: float, chance: float) -> float:
    """0, as much as by chance, for a memory whose advice has nothing of its own."""
    return (held - chance * whole) / math.sqrt(chance * (1.0 - chance) * spread) if spread and chance < 1.0 else 0.0


def _falling(distance: float) -> float:
    weight = round(math.exp(-_SHARPNESS * max(0.0, distance - _TOLERANCE)), _DECIMALS)
    return weight if weight >= _LEAST_WEIGHT else 0.0


# -- what a memory advises


def _advice(memory: Memory, known_tools: AbstractSet[str]) -> set[Term]:
    """What a run that follows the memory would have: of its words those on what to do, else all there are."""
    parts = [part for part in (memory.correct_action, memory.guidance) if part.strip()]
    terms: set[Term] = {("tool:", name.casefold()) for name in memory.applicable_tools or memory.tools_used}
    steps: list[str] = []
    for piece in _recommended("\n".join(parts) or memory.reflection):
        terms |= _terms_in(piece)
        steps += [name for name in _names(piece) if name in known_tools]
    return terms | {("tool:", name) for name in steps} | _step_terms(steps)


def _recommended(text: str) -> Iterator[str]:
    """The sentences of a text without the clauses that say what not to do: a run that heeds them lacks their words."""
    for sentence in _SENTENCE.split(text):
        if not is_negative(sentence):
            yield sentence
            continue
        yield from (clause for clause in _CLAUSE.split(sentence) if not is_negative(clause))


def _tools_of(memories: Iterable[Memory]) -> Iterator[str]:
    for memory in memories:
        yield from memory.applicable_tools or memory.tools_used


# -- what the run did


def _deeds(trajectory: Trajectory, final_response: str, memories: Sequence[Memory]) -> _Deeds:
    """Of messages, what the agent said and called after it was first given memories; of a log, all of it."""
    if trajectory.messages is None:
        return _Deeds(_without_quotes((trajectory.text, final_response), memories), ())
    told: list[Event] = []
    recalled = False
    for event in (event for message in trajectory.messages for event in events(message)):
        if isinstance(event, ToolCall) and event.name.endswith(_RECALLS):
            told = told if recalled else []
            recalled = True
        elif isinstance(event, ToolCall) or (isinstance(event, Said) and event.role not in _NOT_THE_AGENT):
            told.append(event)
    calls = [event for event in told if isinstance(event, ToolCall)]
    said = (event.text for event in told if isinstance(event, Said))
    called = (text for call in calls for text in _spelled(call))
    texts = (*_without_quotes((*said, final_response), memories), *called)
    return _Deeds(texts, tuple(call.name.casefold() for call in calls))


def _spelled(call: ToolCall) -> Iterator[str]:
    """A call as people write it down: with names and values of its arguments, with names only, with values only."""
    yield f"{call.name} {call.arguments}"
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return
    if isinstance(arguments, dict):
        yield " ".join((call.name, *arguments))
    yield " ".join((call.name, *_values(arguments)))


def _values(arguments: Any) -> Iterator[str]:
    # No deeper than the trajectory's own limit, but arguments are text there, so that their depth is unknown here.
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting.extend(reversed(list(value.values()) if isinstance(value, dict) else value))
        elif value is not None:
            yield str(value)


def _without_quotes(texts: tuple[str, ...], memories: Sequence[Memory]) -> tuple[str, ...]:
    """The texts without the lines of reflections that stand in them word for word, where they are of several memories.

    Then the agent repeated what it was given; quoting one of many may well be how it said which one it follows.
    """
    quotable = {
        memory.id: [line for line in memory.reflection.splitlines() if len(line.strip()) >= _SHORTEST_QUOTE]
        for memory in memories
    }
    quoted = {i: [q for q in lines if any(q in text for text in texts)] for i, lines in quotable.items()}
    if sum(map(bool, quoted.values())) < 2:  # noqa: PLR2004 - several
        return texts
    for quote in sorted({quote for quotes in quoted.values() for quote in quotes}, key=lambda q: (-len(q), q)):
        texts = tuple(text.replace(quote, "\n") for text in texts)
    return texts


def _had(deeds: _Deeds, wanted: Collection[Term], known_tools: AbstractSet[str], *, of_log: bool) -> set[Term]:
    """Which of the wanted terms are in what the run did. In a log tools are names that stand there."""
    wanted = frozenset(wanted)
    had: set[Term] = set()
    tools = list(deeds.tools)
    for text in deeds.texts:
        words = _words(text)
        had |= wanted.intersection(words)
        had |= wanted.intersection(pairwise(words))
        if of_log:
            tools += [name for name in _names(text) if name in known_tools]
    called: set[Term] = {("tool:", name) for name in tools}
    return had | ((called | _step_terms(tools)) & wanted)


# -- terms


def _words(text: str) -> list[str]:
    return [word[:_STEM] for word in _WORD.findall(text.casefold())]


def _names(text: str) -> list[str]:
    return [name.rstrip(".-") for name in _NAME.findall(text.casefold())]


def _terms_in(text: str) -> set[Term]:
    words = _words(text)
    terms: set[Term] = {word for word in words if word not in _STOP and (len(word) > 1 or not word.isascii())}
    return terms | {pair for pair in pairwise(words) if not _STOP.issuperset(pair)}


def _step_terms(tools: Sequence[str]) -> set[Term]:
    return {("step:", one, other) for one, other in pairwise(tools) if one != other}


def _weight(term: Term) -> float:
    if isinstance(term, str):
        return _NUMBER_WEIGHT if any(character.isdigit() for character in term) else _WORD_WEIGHT
    return _TOOL_WEIGHT if term[0] in {"tool:", "step:"} else _PAIR_WEIGHT
