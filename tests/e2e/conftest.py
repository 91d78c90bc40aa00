"""What waits for a model waits as long as a busy machine needs."""

from __future__ import annotations

import pytest

from mcp_reflect.server.tools import loop_tools
from tests.support.waiting import HANG_S


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in this process answers a review when its reflection is written, or has failed."""
    monkeypatch.setattr(loop_tools, "PATIENCE_S", HANG_S)
