"""A home and a project, as the environment of this process, and a hub that serves them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect import ReflectClient
from mcp_reflect.client.decorator import decorator
from mcp_reflect.config.load import load_settings
from mcp_reflect.wire.caller import Caller
from mcp_reflect.wire.maintenance import request_maintenance
from tests.support.hubs import hubs_ended
from tests.support.servers import environment
from tests.support.waiting import HANG_S

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "600"}


@pytest.fixture(scope="session")
def served_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home for all tests of this process, with a hub that has answered a query."""
    with hubs_ended(tmp_path_factory.mktemp("served") / "home") as folder:
        with Caller(environment(folder, **LASTING), str(folder.parent), "tests") as caller:
            caller.call("query_memories", {"task": "warm"}, HANG_S)
        yield folder


def set_environment(monkeypatch: pytest.MonkeyPatch, home: Path, **more: str) -> None:
    for name in [name for name in os.environ if name.startswith("MCP_REFLECT_")]:
        monkeypatch.delenv(name)
    for name, value in environment(home, **LASTING, **more).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(decorator, "_default", None)


@pytest.fixture
def home(served_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home that all tests share; what a test stores goes into a project of its own."""
    set_environment(monkeypatch, served_home, MCP_REFLECT_PROJECT=f"test-{uuid.uuid4().hex[:12]}")
    return served_home


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home without a hub, for tests that count hubs and clients or change a hub."""
    with hubs_ended(tmp_path / "home") as folder:
        set_environment(monkeypatch, folder)
        yield folder


@pytest.fixture
def client(home: Path) -> Iterator[ReflectClient]:
    """A strict client: what goes wrong fails the test."""
    with ReflectClient(timeout=HANG_S, strict=True) as made:
        yield made


def forget(*ids: str) -> None:
    """Do what `mcp-reflect forget` does, once it has asked."""
    for thing in ids:
        settings = load_settings(os.environ, Path.cwd())
        request_maintenance("forget", str(settings.home), settings.project, lambda _: None, thing=thing)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    if request.param == "trio":
        pytest.importorskip("trio", reason="trio is not installed")
    return str(request.param)
