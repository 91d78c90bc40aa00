"""Clients that open a session for every call and forget the ids still learn, and credit no other run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, Query, Submission
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import Settings, load_settings
from tests.support.fakes import HashEmbedder
from tests.support.servers import environment

BUILD = "Fix the build of the billing package"
DEPLOY = "Deploy the search service to the second cluster"


class Home:
    """A store whose every call may be a connection of its own."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store

    def opened(self) -> AbstractContextManager[MemoryService]:
        return build_memory(self._settings, self._store)

    def query(self, task: str) -> None:
        with self.opened() as memory:
            memory.query(Query(task=task, similarity_threshold=0.0), unclaimed=True)

    def submit(self, task: str, **more: str) -> tuple[str, ...]:
        """The memories that the run is credited with."""
        with self.opened() as memory:
            return self.stored(memory, task, **more)

    @staticmethod
    def stored(memory: MemoryService, task: str, **more: str) -> tuple[str, ...]:
        outcome = memory.submit(Submission.model_validate({"task": task, **more}))
        return memory.trace(outcome.trace_id).retrieved_memory_ids


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    settings = load_settings(environment(tmp_path / "home"), tmp_path)
    with open_store(settings, "a test", HashEmbedder()) as store:
        made = Home(settings, store)
        made.submit(BUILD, review_result="pass", guidance="Set PYTHONPATH to src.", retrieval_id=NO_RETRIEVAL)
        yield made


def test_a_session_for_every_call_learns_without_ids(home: Home) -> None:
    home.query(BUILD)
    assert home.submit(DEPLOY) == ()
    assert home.submit(BUILD, retrieval_id=NO_RETRIEVAL) == ()
    credited = home.submit(BUILD)
    assert len(credited) == 1
    assert home.submit(BUILD) == ()  # it is claimed


def test_a_retrieval_of_a_connection_that_lasts_is_its_own(home: Home) -> None:
    with build_memory(home._settings, home._store) as lasting:
        lasting.query(Query(task=BUILD, similarity_threshold=0.0), unclaimed=True)
        assert home.submit(BUILD) == ()
        assert len(home.stored(lasting, BUILD)) == 1
    assert home.submit(BUILD) == ()


def test_what_a_connection_claims_after_a_query_that_found_nothing_is_credited_once(home: Home) -> None:
    home.query(BUILD)
    with home.opened() as memory:
        assert not memory.query(Query(task=DEPLOY, similarity_threshold=1.0)).matches
        assert len(home.stored(memory, BUILD)) == 1
    assert home.submit(BUILD) == ()
