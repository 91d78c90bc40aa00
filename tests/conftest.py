"""Fixtures that every folder of tests shares."""

from __future__ import annotations

import gc
import os
import platform
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.support.composition import Parts, small_memory
from tests.support.effort import register_profiles
from tests.support.forks import forks
from tests.support.hubs import hubs_ended
from tests.support.process_use import Guard, starts_process

register_profiles()
gc.disable()  # until all is collected: most of what is imported stays

platform.processor()  # starts `uname` once in a process, for whichever test asks openai for something first
_guard = Guard()
REPOSITORY = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if starts_process(item):
            item.add_marker(pytest.mark.process)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    _guard.on = item.get_closest_marker("process") is None
    try:
        with forks.use(item.get_closest_marker("own_start") is None):
            return (yield)
    finally:
        _guard.on = False


def pytest_unconfigure() -> None:
    forks.end()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose hubs end with the test."""
    with hubs_ended(tmp_path / "home") as folder:
        yield folder


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    """An empty memory in this process, with what it is composed of."""
    with small_memory(tmp_path) as found:
        yield found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The folder of a repository, as far as settings look for one."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real runs; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("MCP_REFLECT_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the folder of real runs is not here: {folder}")
    return folder
