"""Temporary homes with memories, filled as a user fills them: every document is submitted and reviewed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.data import Question, RetrievalSet
from benchmarks.quality.features import asked
from benchmarks.quality.kept_vectors import KeptVectors
from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.ports import Embedder
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import Settings, load_settings
from mcp_reflect.domain.models import Match
from mcp_reflect.domain.values import Vector

DOCUMENT = "document"
LEARNED = "It passed."
"""The lesson of every document: only its task tells one from the other."""
MOST = 100
"""The highest limit of a query."""
RELEVANCE_ALONE = {"lambda_": 0.0, "mmr_lambda": 1.0, "similarity_threshold": 0.0}
"""What a query is given so that nothing but relevance decides."""


@dataclass(frozen=True)
class Laboratory:
    """A home of its own with one store; each bank in it is a project."""

    folder: Path
    store: Store

    @contextmanager
    def memory(self, project: str, **environ: str) -> Iterator[MemoryService]:
        with build_memory(settings(self.folder, project, **environ), self.store) as memory:
            yield memory


def settings(folder: Path, project: str, **environ: str) -> Settings:
    given = {"MCP_REFLECT_HOME": str(folder), "MCP_REFLECT_PROJECT": project, "MCP_REFLECT_USER": "benchmark"}
    return load_settings(given | environ, folder)


class Answer(NamedTuple):
    """A document that a query found, with the relevance of the memory that holds it."""

    document: str
    relevance: float


@dataclass(frozen=True)
class FilledSet:
    """A retrieval set stored as the memories of a project.

    `vectors` are those of its documents, in order. `held` names the documents of each memory by its id: documents of
    the same words share one.
    """

    contents: RetrievalSet
    memory: MemoryService
    vectors: Vector
    held: dict[str, list[str]]

    def answers(self, question: Question, retrieval: str = "", **more: float) -> list[Answer]:
        """Return the documents of the ten best matches, newer ones first in each, without those that are excluded."""
        query = asked(question.text, retrieval, limit=min(MOST, 10 + len(question.excluded)), **more)
        return [
            Answer(document, match.relevance)
            for match in self.memory.query(query).matches
            for document in reversed(self.held[match.memory.id])
            if document not in question.excluded
        ]

    def found(self, question: Question, retrieval: str = "", **more: float) -> list[str]:
        """Return the documents of `answers`."""
        return [answer.document for answer in self.answers(question, retrieval, **more)]


class Library:
    """The banks of a run of the benchmark: each set is filled in where it is first asked for, and then kept."""

    def __init__(self, lab: Laboratory, stack: ExitStack, say: Callable[[str], None]) -> None:
        self.lab = lab
        self._stack = stack
        self._say = say
        self._banks: dict[str, FilledSet] = {}

    def bank(self, contents: RetrievalSet) -> FilledSet:
        """Sets go by their names."""
        if contents.name not in self._banks:
            began = time.perf_counter()
            memory = self._stack.enter_context(self.lab.memory(contents.name))
            bank = self._banks[contents.name] = fill(self.lab, memory, contents)
            self._say(f"{contents.name}: {len(bank.vectors):,} documents stored in {time.perf_counter() - began:.0f} s")
        return self._banks[contents.name]


@contextmanager
def library(say: Callable[[str], None], vectors: Path | None = None) -> Iterator[Library]:
    """A laboratory whose banks are kept, and the vectors of all texts, with the folder `vectors` from run to run."""
    with (
        closing(KeptVectors(FastembedEmbedder(), vectors)) as embedder,
        laboratory(embedder) as lab,
        ExitStack() as stack,
    ):
        yield Library(lab, stack, say)


@contextmanager
def laboratory(embedder: Embedder | None = None) -> Iterator[Laboratory]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_store(settings(folder, "none"), embedder=embedder) as store:
            yield Laboratory(folder, store)


def fill(lab: Laboratory, memory: MemoryService, contents: RetrievalSet) -> FilledSet:
    """Submit each document as the task of a run that passed. Nothing is retrieved meanwhile."""
    held: dict[str, list[str]] = {}
    submissions = (
        Submission(
            task=text,
            retrieval_id=NO_RETRIEVAL,
            metadata={DOCUMENT: document},
            review_result="pass",
            guidance=LEARNED,
        )
        for document, text in contents.documents.items()
    )
    for document, outcome in zip(contents.documents, memory.submit_all(submissions), strict=True):
        assert isinstance(outcome, ReviewOutcome), outcome
        assert outcome.memory is not None
        held.setdefault(outcome.memory.id, []).append(document)
    lab.store.lessons.embed(memory.profile.project)
    return FilledSet(contents, memory, lab.store.embedder.embed(list(contents.documents.values())), held)


def documents_of(matches: Sequence[Match]) -> list[str]:
    """Return the document from which each memory was written."""
    return [str(match.memory.metadata[DOCUMENT]) for match in matches]
