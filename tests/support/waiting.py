"""Waits for conditions, never for seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

HANG_S = 300.0
"""After so long a wait counts as hanging. It says nothing about speed: a busy machine may need most of it."""

_POLL_S = 0.01


def until(condition: Callable[[], object], within: float = HANG_S) -> Any:
    """The first true value of `condition`; fails if there is none in time."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(_POLL_S)
    pytest.fail(f"not within {within} seconds: {condition}")
