"""Temporary homes with memories, filled as a user fills them: every document is submitted and reviewed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality.data import Question, RetrievalSet
from benchmarks.quality.features import asked
from benchmarks.quality.kept_vectors import KeptVectors
from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.ports import Embedder
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.application.review.review_transaction import ReviewOutcome
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


@dataclass(frozen=True)
class FilledSet:
    """A retrieval set stored as the memories of a project; `vectors` are those of its documents, in order."""

    contents: RetrievalSet
    memory: MemoryService
    vectors: Vector


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
            vectors = fill(self.lab, memory, contents.documents)
            self._say(f"{contents.name}: {len(vectors):,} documents stored in {time.perf_counter() - began:.0f} s")
            self._banks[contents.name] = FilledSet(contents, memory, vectors)
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


def fill(lab: Laboratory, memory: MemoryService, documents: dict[str, str]) -> Vector:
    """Submit each document as the task of a run that passed; gives back the plain vectors of the texts, in order.

    Nothing is retrieved meanwhile, so that every q_value stays where it begins.
    """
    for outcome in memory.submit_all(
        Submission(
            task=text,
            retrieval_id=NO_RETRIEVAL,
            metadata={DOCUMENT: document},
            review_result="pass",
            guidance=LEARNED,
        )
        for document, text in documents.items()
    ):
        assert isinstance(outcome, ReviewOutcome), outcome
    lab.store.lessons.embed(memory.profile.project)
    return lab.store.embedder.embed(list(documents.values()))


def found(memory: MemoryService, question: Question, retrieval: str = "", **more: float) -> list[Match]:
    """Return the ten best matches of a question, without the documents that it excludes."""
    query = asked(question.text, retrieval, limit=min(MOST, 10 + len(question.excluded)), **more)
    matches = memory.query(query).matches
    return [match for match in matches if document_of(match) not in question.excluded]


def documents_of(matches: Sequence[Match]) -> list[str]:
    return [document_of(match) for match in matches]


def document_of(match: Match) -> str:
    return str(match.memory.metadata[DOCUMENT])
