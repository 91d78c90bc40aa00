"""A home whose hubs end with the test, and a project in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect.wire.caller import Caller
from tests.support.claude import Transcript, a_project, call_hook
from tests.support.hubs import hubs_ended
from tests.support.servers import environment


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with hubs_ended(tmp_path / "home") as folder:
        yield folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


@pytest.fixture
def transcript(project: Path, home: Path) -> Transcript:
    return Transcript(project, home)


@pytest.fixture
def caller(home: Path, project: Path) -> Iterator[Caller]:
    # A hook starts the hub, so that it is no child of this process.
    call_hook(home, b'{"session_id": "first"}', "claude-code", "SessionStart")
    variables = environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30")
    with Caller(variables, str(project), "test") as caller:
        yield caller
