"""Credit assignment: the weight of each retrieved memory by the evidence that the run followed its advice.

A memory's advice is a set of *terms*: words, pairs of adjacent words, tools, and pairs of successive tools. A term
counts the less, the more of the other retrieved memories share it, and not at all where all share it or the task holds
it: only differences show which memory was followed. With h the weight of a memory's terms that occur in the run, n the
weight of all its terms, v the sum of their squared weights, and p the share that occurs by chance,

    z = (h - p n) / sqrt(p (1 - p) v)

is the number of standard deviations by which the run holds more of the advice than by chance (the normal approximation
of the binomial distribution). Unlike the plain share h/n it does not count two terms as much as fifty. A memory's
weight falls with the distance of its z from the largest one: exp(-2 (distance - 0.5)), and is 1 up to 0.5.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.error_matching.keywords import STOP_WORDS
from mcp_reflect.domain.models import Memory
from mcp_reflect.domain.text.polarity import is_negative
from mcp_reflect.domain.trajectory.messages import OBSERVATION_ROLE, ToolCall, TrajectoryEvent, Utterance
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.tools import argument_values

AdviceTerm = str | tuple[str, ...]
"""A word, two adjacent words, `("tool:", name)` or `("step:", name, next name)`."""

_TOLERANCE = 0.5
"""Standard deviations by which a memory may lie behind the best and still keep weight 1."""
_SHARPNESS = 2.0
"""Rate at which a weight falls beyond that: one deviation further leaves 0.14 of it."""
_LEAST_WEIGHT = 0.05
"""A lower weight is rounded to 0: the memory is not credited."""
_LEAST_SHARE = 0.1
"""Least share of the best memory's advice in the run; below it there is no evidence for any memory."""
_CHANCE = (1.0, 4.0)
"""Pseudo-counts of matched and of all terms in the estimate of p, so that a few terms do not make it 0 or 1."""
_DECIMALS = 3

_WORD_WEIGHT, _NUMBER_WEIGHT, _PAIR_WEIGHT, _TOOL_WEIGHT = 0.5, 1.0, 1.0, 2.0
"""Single words occur in many runs, words with digits are values, and tool calls say more than words."""

_STEM = 6
"""Letters of a word that count, so that cancel, cancelling and cancellation are one."""
# Scripts without blanks between words are read character by character; pairs then are what words are elsewhere.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NAME = re.compile(r"\w[\w.-]*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\n→]")
_CLAUSE = re.compile(r"[,:;()]\s|\s(?:but|and|then|instead|rather)\s")
_STOP = frozenset(word[:_STEM] for word in STOP_WORDS)
_RECALL_TOOLS = ("query_memories", "augment_task", "find_error_fixes")
"""Endings of the names of the tools that return memories; clients put the server's name in front."""
_NOT_THE_AGENT = frozenset({"user", "system", "developer", OBSERVATION_ROLE})
_SHORTEST_QUOTE = 12


@dataclass(frozen=True)
class _AgentActions:
    """The texts that the agent itself wrote, and the names of the tools that it called, in order."""

    texts: tuple[str, ...]
    tools: tuple[str, ...]


def credit_weights(
    memories: Sequence[Memory], task: str, trajectory: Trajectory, final_response: str = ""
) -> dict[str, float]:
    """Return the credit weight of each retrieved memory by id, in [0, 1] with three decimals.

    At least one weight is 1. All are 1 where there is no evidence: with one memory only, with equal advice, or where
    the run holds as much of each or hardly any of all. The order of the memories does not matter. Time is linear in the
    length of the run.
    """
    everyone = {memory.id: 1.0 for memory in memories}
    if len(everyone) < 2:  # noqa: PLR2004 - one alone cannot be told apart
        return everyone
    actions = _agent_actions(trajectory, final_response, memories)
    known = frozenset(name.casefold() for name in (*actions.tools, *_tools_of(memories)))
    of_task = _terms_in(task)
    advice = {memory.id: _advice(memory, known) - of_task for memory in memories}
    holders = Counter(term for terms in advice.values() for term in terms)
    found = _terms_in_run(actions, holders.keys(), known, of_log=trajectory.messages is None)
    most = len(everyone) - 1
    weights = {term: _weight(term) * (most + 1 - count) / most for term, count in holders.items()}
    # fsum, so that no sum depends on the order in which a set happens to be walked.
    matched = {i: math.fsum(weights[term] for term in terms if term in found) for i, terms in advice.items()}
    total = {i: math.fsum(weights[term] for term in terms) for i, terms in advice.items()}
    spread = {i: math.fsum(weights[term] ** 2 for term in terms) for i, terms in advice.items()}
    chance = (math.fsum(matched.values()) + _CHANCE[0]) / (math.fsum(total.values()) + _CHANCE[1])
    z = {i: _deviations(matched[i], total[i], spread[i], chance) for i in everyone}
    best = max(z.values())
    if not any(z[i] == best and matched[i] > 0.0 and matched[i] >= _LEAST_SHARE * total[i] for i in z):
        return everyone
    return {i: _weight_at(best - deviations) for i, deviations in z.items()}


def _deviations(matched: float, total: float, spread: float, chance: float) -> float:
    """Return z; 0, the value of chance, for a memory without terms of its own."""
    return (matched - chance * total) / math.sqrt(chance * (1.0 - chance) * spread) if spread and chance < 1.0 else 0.0


def _weight_at(distance: float) -> float:
    weight = round(math.exp(-_SHARPNESS * max(0.0, distance - _TOLERANCE)), _DECIMALS)
    return weight if weight >= _LEAST_WEIGHT else 0.0


# -- what a memory advises


def _advice(memory: Memory, known_tools: AbstractSet[str]) -> set[AdviceTerm]:
    """Return the terms of a memory's advice: of its fields on what to do, or else of the whole reflection."""
    parts = [part for part in memory.instructions if part.strip()]
    terms: set[AdviceTerm] = {("tool:", name.casefold()) for name in memory.tools}
    steps: list[str] = []
    for piece in _positive_clauses("\n".join(parts) or memory.reflection):
        terms |= _terms_in(piece)
        steps += [name for name in _names(piece) if name in known_tools]
    return terms | {("tool:", name) for name in steps} | _step_terms(steps)


def _positive_clauses(text: str) -> Iterator[str]:
    """Yield a text's sentences without clauses that say what not to do: a run that heeds these lacks their words."""
    for sentence in _SENTENCE.split(text):
        if not is_negative(sentence):
            yield sentence
            continue
        yield from (clause for clause in _CLAUSE.split(sentence) if not is_negative(clause))


def _tools_of(memories: Iterable[Memory]) -> Iterator[str]:
    for memory in memories:
        yield from memory.tools


# -- what the run did


def _agent_actions(trajectory: Trajectory, final_response: str, memories: Sequence[Memory]) -> _AgentActions:
    """Return what the agent wrote and called after it was first given memories; of a log, all of it."""
    if trajectory.messages is None:
        return _AgentActions(_without_quotes((trajectory.text, final_response), memories), ())
    events_since_recall: list[TrajectoryEvent] = []
    recalled = False
    for event in trajectory.events:
        if isinstance(event, ToolCall) and event.name.endswith(_RECALL_TOOLS):
            events_since_recall = events_since_recall if recalled else []
            recalled = True
        elif isinstance(event, ToolCall) or (isinstance(event, Utterance) and event.role not in _NOT_THE_AGENT):
            events_since_recall.append(event)
    calls = [event for event in events_since_recall if isinstance(event, ToolCall)]
    said = (event.text for event in events_since_recall if isinstance(event, Utterance))
    called = (text for call in calls for text in _call_texts(call))
    texts = (*_without_quotes((*said, final_response), memories), *called)
    return _AgentActions(texts, tuple(call.name.casefold() for call in calls))


def _call_texts(call: ToolCall) -> Iterator[str]:
    """Yield a call as text: with the names and values of its arguments, with names only, with values only."""
    yield f"{call.name} {call.arguments}"
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return
    if isinstance(arguments, dict):
        yield " ".join((call.name, *arguments))
    yield " ".join((call.name, *argument_values(arguments)))


def _without_quotes(texts: tuple[str, ...], memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return the texts without lines quoted from reflections, where several memories are quoted.

    Such an agent repeats what it was given. A quote of one memory alone may be its statement of which one it follows.
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


def _terms_in_run(
    actions: _AgentActions, advised: Collection[AdviceTerm], known_tools: AbstractSet[str], *, of_log: bool
) -> set[AdviceTerm]:
    """Return the advised terms that occur in the run. In a log, tools are known by their names in the text."""
    advised = frozenset(advised)
    found: set[AdviceTerm] = set()
    tools = list(actions.tools)
    for text in actions.texts:
        words = _words(text)
        found |= advised.intersection(words)
        found |= advised.intersection(pairwise(words))
        if of_log:
            tools += [name for name in _names(text) if name in known_tools]
    called: set[AdviceTerm] = {("tool:", name) for name in tools}
    return found | ((called | _step_terms(tools)) & advised)


# -- terms


def _words(text: str) -> list[str]:
    return [word[:_STEM] for word in _WORD.findall(text.casefold())]


def _names(text: str) -> list[str]:
    return [name.rstrip(".-") for name in _NAME.findall(text.casefold())]


def _terms_in(text: str) -> set[AdviceTerm]:
    words = _words(text)
    terms: set[AdviceTerm] = {word for word in words if word not in _STOP and (len(word) > 1 or not word.isascii())}
    return terms | {pair for pair in pairwise(words) if not _STOP.issuperset(pair)}


def _step_terms(tools: Sequence[str]) -> set[AdviceTerm]:
    return {("step:", one, other) for one, other in pairwise(tools) if one != other}


def _weight(term: AdviceTerm) -> float:
    if isinstance(term, str):
        return _NUMBER_WEIGHT if any(character.isdigit() for character in term) else _WORD_WEIGHT
    return _TOOL_WEIGHT if term[0] in {"tool:", "step:"} else _PAIR_WEIGHT
