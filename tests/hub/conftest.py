"""A home whose hubs end with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hubs import hubs_ended


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with hubs_ended(tmp_path / "home") as folder:
        yield folder
