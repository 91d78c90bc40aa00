"""What the memories of an answer say: words and numbers of a decision, sources, copies, anything specific."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mcp_reflect.application.memory_service import RetrievedMemories
from mcp_reflect.domain.lessons.sentences.vocabulary import term_weights
from mcp_reflect.domain.models import Match, Memory
from mcp_reflect.server.views.concise import concise_memories

TOKENS = 800
CHARS_PER_TOKEN = 4

_WORD = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PLAIN = re.compile(r"\w+")
_STOP = frozenset(
    {"the", "a", "an", "of", "to", "and", "or", "for", "in", "on", "by", "is", "are", "as", "with", "only"}
)
_VALUE = re.compile(r"`[^`]+`|\d")


def copies_among(texts: Sequence[str]) -> int:
    return len(texts) - len(set(texts))


def plain(memory: Memory) -> str:
    """Return the words of a lesson, without the list of tools that its run happened to call."""
    return " ".join(_PLAIN.findall(memory.reflection.partition("\nTools: ")[0].lower()))


def within_budget(matches: Sequence[Match]) -> str:
    """Return the tasks and lessons of memories as an agent reads them, cut at TOKENS."""
    return "\n\n".join(f"{m.memory.task}\n{m.memory.reflection}" for m in matches)[: TOKENS * CHARS_PER_TOKEN]


def told_in_list(retrieved: RetrievedMemories) -> str:
    """Return the first three memories as a list of ten tells them to a model."""
    first = concise_memories(retrieved)["memories"][:3]
    return "\n\n".join(f"{memory['task']}\n{memory['reflection']}" for memory in first)


def sources(matches: Sequence[Match]) -> list[str]:
    return [str(match.memory.metadata.get("source", "")) for match in matches]


def words_said(question: dict[str, Any], text: str) -> float:
    wanted = words(question["decision"]) - words(question["text"])
    return len(wanted & words(text)) / len(wanted)


def numbers_said(question: dict[str, Any], text: str) -> float | None:
    wanted = set(_NUMBER.findall(question["decision"]))
    return len(wanted & set(_NUMBER.findall(text))) / len(wanted) if wanted else None


def is_newer_first(question: dict[str, Any], names: Sequence[str]) -> bool:
    older, newer = question["conversations"]
    return newer in names and (older not in names or names.index(newer) < names.index(older))


def words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP}


def is_specific(memory: Memory) -> bool:
    """Return true where a lesson holds something that its task does not: a value, a command, an error, or new words."""
    lesson, task = term_weights(memory.reflection), term_weights(memory.task)
    new = lesson.keys() - task.keys()
    return bool(_VALUE.search(memory.reflection)) or 3 * len(new) >= max(len(lesson), 1)


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)
