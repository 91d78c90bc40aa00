"""The pytest fixture `reflect_client`. Loading the plugin imports nothing but pytest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mcp_reflect.client.sync_client import ReflectClient


@pytest.fixture
def reflect_client() -> Iterator[ReflectClient]:
    """A client on an empty memory of this test's own, in this process; see `memory_for_tests`."""
    from mcp_reflect.testing.client import memory_for_tests  # noqa: PLC0415 - heavy, and most tests want none

    with memory_for_tests() as client:
        yield client
