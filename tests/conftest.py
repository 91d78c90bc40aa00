"""Fixtures that every folder of tests shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hubs import hubs_ended

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose hubs end with the test."""
    with hubs_ended(tmp_path / "home") as folder:
        yield folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real runs; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("MCP_REFLECT_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the folder of real runs is not here: {folder}")
    return folder
