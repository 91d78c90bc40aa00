"""A home of its own for each test, as the environment of this process, whose hub ends with the test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect import ReflectClient
from mcp_reflect.client import decorator
from tests.support.hubs import hubs_ended
from tests.support.servers import environment


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in [name for name in os.environ if name.startswith("MCP_REFLECT_")]:
        monkeypatch.delenv(name)
    with hubs_ended(tmp_path / "home") as folder:
        for name, value in environment(folder, MCP_REFLECT_HUB__IDLE_EXIT_S="60").items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(decorator, "_default", None)
        yield folder


@pytest.fixture
def client(home: Path) -> Iterator[ReflectClient]:
    """A strict client: what goes wrong fails the test."""
    with ReflectClient(strict=True) as made:
        yield made


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    if request.param == "trio":
        pytest.importorskip("trio", reason="trio is not installed")
    return str(request.param)
