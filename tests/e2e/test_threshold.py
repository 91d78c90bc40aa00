"""What is returned at all: by default the lead of the best match counts, a threshold that is set holds as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.load import load_settings
from tests.support.fakes import HashEmbedder

WANTED = (
    "gateway concert letter chain violin winter uncle piano friend sister sailing neighbour lesson town "
    "teacher ticket cousin"
)
"""It shares two words with the memory of a gateway: what hangs on one alone would not count."""


@contextmanager
def memory_in(folder: Path, **environ: str) -> Iterator[MemoryService]:
    given = {"MCP_REFLECT_HOME": str(folder), "MCP_REFLECT_PROJECT": "alpha", "MCP_REFLECT_USER": "ann"}
    settings = load_settings(given | environ, folder)
    with open_store(settings, embedder=HashEmbedder()) as store, build_memory(settings, store) as memory:
        yield memory


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with memory_in(tmp_path) as memory:
        memory.submit(
            Submission(task="renew certificate gateway chain", review_result="pass", guidance="reload the gateway")
        )
        for number in range(8):
            task = f"paint{number} fence{number} garden{number} white{number}"
            memory.submit(Submission(task=task, review_result="pass", guidance=f"coat number {number} dries slowly"))
    return tmp_path


def relevance_found(memory: MemoryService, threshold: float = -1.0) -> list[float]:
    return [match.relevance for match in memory.query(Query(task=WANTED, similarity_threshold=threshold)).matches]


def test_a_best_match_that_stands_out_is_returned_below_the_threshold_of_the_model(home: Path) -> None:
    with memory_in(home) as memory:
        best = max(relevance_found(memory, threshold=0.0))
        assert best < memory.profile.relevance_threshold
        assert relevance_found(memory) == [best]


def test_a_threshold_of_a_query_or_of_the_settings_holds_as_it_is(home: Path) -> None:
    with memory_in(home) as memory:
        threshold = memory.profile.relevance_threshold
        assert relevance_found(memory, threshold) == []
    with memory_in(home, MCP_REFLECT_MEMORY__SIMILARITY_THRESHOLD=str(threshold)) as memory:
        assert relevance_found(memory) == []


def test_where_nothing_fits_for_sure_the_nearest_are_named_and_not_shown(home: Path) -> None:
    near = WANTED.replace(" chain", "")  # what hangs on one shared word is not shown
    with memory_in(home) as memory:
        found = memory.query(Query(task=near), name_nearest=True)
        assert found.matches == []
        assert [each.task for each in found.nearest] == ["renew certificate gateway chain"]
        assert memory.retrieval(found.retrieval_id).memory_ids == ()
        assert [each.memory.task for each in memory.query(Query(task=near, similarity_threshold=0.2)).matches] == [
            found.nearest[0].task
        ]
        assert memory.query(Query(task=near, similarity_threshold=0.9), name_nearest=True).nearest == ()
        assert memory.query(Query(task="uncle piano friend"), name_nearest=True).nearest == ()
        assert memory.query(Query(task="renew certificate gateway chain"), name_nearest=True).nearest == ()
        assert memory.query(Query(task=near)).nearest == (), "nobody asked"
